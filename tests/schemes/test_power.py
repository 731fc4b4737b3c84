"""End to end: each scheme's marks are found in text of the embedded model, and no mark in unmarked text."""

from __future__ import annotations

import pytest
from scipy.stats import binom
from stela_models.generation.generate import Sampling, generate

import stela_core as stela
from stela_core.interfaces.logits import LanguageModel
from stela_core.testing.texts import random_text
from tests.schemes.conftest import SCHEMES, MakeMark

pytestmark = pytest.mark.slow

TEXTS = 30
TOKENS = 150
FPR = 0.01
PROMPTS = [random_text(seed, words=4) for seed in range(TEXTS)]


def texts_of(mark: stela.Watermark, tiny: LanguageModel) -> list[list[int]]:
    """Token ids of one text of 150 tokens for each prompt."""
    sampling = Sampling(TOKENS, min_new_tokens=TOKENS)
    return [text.token_ids for batch in generate(mark, tiny, PROMPTS, sampling, TEXTS) for text in batch]


@pytest.fixture(scope="module")
def unmarked(make_mark: MakeMark, tiny: LanguageModel) -> list[list[int]]:
    return texts_of(make_mark("kgw", delta=0.0), tiny)


@pytest.mark.deep(keep=["kgw"])
@pytest.mark.parametrize("scheme", SCHEMES)
def test_true_and_false_positive_rates(
    make_mark: MakeMark, tiny: LanguageModel, unmarked: list[list[int]], scheme: str
) -> None:
    """P-values are exact, so p <= 1 % is a test at 1 % FPR; the paper's defaults, delta 2."""
    mark = make_mark(scheme)
    found = mark.detect_ids(texts_of(mark, tiny), tiny, PROMPTS)
    alarms = mark.detect_ids(unmarked, tiny, PROMPTS)
    assert sum(d.p_value <= FPR for d in found) / TEXTS >= 0.9
    assert sum(d.p_value <= FPR for d in alarms) <= binom.ppf(1 - 1e-3, TEXTS, FPR)
