"""End to end: each scheme's marks are found in text of the embedded model, and no mark in unmarked text."""

from __future__ import annotations

import pytest
from scipy.stats import binom
from stela_models.generation.generate import Sampling, generate
from stela_testing.texts import random_text

import stela_core as stela
from stela_core.interfaces.logits import LanguageModel
from tests.schemes.conftest import SCHEMES, MakeMark
from tests.tiers import Draws

pytestmark = pytest.mark.slow

TOKENS = 150
FPR = 0.01


@pytest.fixture(scope="module")
def prompts(draws: Draws) -> list[str]:
    """Of 30 texts; in ``make test`` 12: with two of them not found it fails."""
    return [random_text(seed, words=4) for seed in range(draws(30, 12))]


def texts_of(mark: stela.Watermark, tiny: LanguageModel, prompts: list[str]) -> list[list[int]]:
    """Token ids of one text of 150 tokens for each prompt."""
    sampling = Sampling(TOKENS, min_new_tokens=TOKENS)
    batches = generate(mark, tiny, prompts, sampling, len(prompts))
    return [text.token_ids for batch in batches for text in batch]


@pytest.fixture(scope="module")
def unmarked(make_mark: MakeMark, tiny: LanguageModel, prompts: list[str]) -> list[list[int]]:
    return texts_of(make_mark("kgw", delta=0.0), tiny, prompts)


@pytest.mark.deep(stand_in="plugins/stela-cli/tests/test_roundtrip.py::test_generate_then_detect")
@pytest.mark.parametrize("scheme", SCHEMES)
def test_true_and_false_positive_rates(
    make_mark: MakeMark, tiny: LanguageModel, unmarked: list[list[int]], prompts: list[str], scheme: str
) -> None:
    """P-values are exact, so p <= 1 % is a test at 1 % FPR; the paper's defaults, delta 2."""
    mark = make_mark(scheme)
    found = mark.detect_ids(texts_of(mark, tiny, prompts), tiny, prompts)
    alarms = mark.detect_ids(unmarked, tiny, prompts)
    assert sum(d.p_value <= FPR for d in found) / len(prompts) >= 0.9
    assert sum(d.p_value <= FPR for d in alarms) <= binom.ppf(1 - 1e-3, len(prompts), FPR)
