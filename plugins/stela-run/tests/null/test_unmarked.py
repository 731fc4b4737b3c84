"""Many keys at once, against the detector under each key."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from stela_run.null.unmarked import Unmarked
from stela_testing.texts import KOREAN, random_text
from tokenizers import Tokenizer

import stela_core as stela
from stela_core.builtin.hashers import KeyedHasher
from stela_core.builtin.plugin import Uniform
from stela_core.builtin.scorers import GroupedParameters, GroupedScorer
from stela_core.composition import Composition
from stela_core.detection.detector import Detector
from stela_core.text.pos_contexts import CausalContexts
from stela_core.text.token_bytes import TokenBytes
from tests.helpers import LengthTagger


class FewSeeds(stela.GreenList):
    """Many contexts share a seed, and which ones depends on the key: fewer coins than pairs."""

    name = "few-seeds"

    def seeds(self, contexts: npt.NDArray[np.int64]) -> npt.NDArray[np.uint64]:
        return ((contexts.sum(axis=1) * (2 * self.key + 1)) >> 3 & 3).astype(np.uint64)

    def green(self, seeds: npt.NDArray[np.uint64], tokens: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
        return (seeds * np.uint64(7) + tokens.astype(np.uint64) * np.uint64(11) + np.uint64(self.key)) % 5 < 2


class Lengths(stela.Weighting):
    """0 after long words, so that some weights are nothing."""

    name = "lengths"
    needs = frozenset({"contexts"})

    def weights(self, positions: stela.Positions) -> npt.NDArray[np.float64]:
        return np.array([max(0, 6 - int(c[-1][1:])) / 5 if c else 0.3 for c in positions.contexts], float)


SCORER = GroupedScorer(GroupedScorer.Parameters())
OLD = GroupedScorer(GroupedParameters(repeats="sum", ties="whole"))


def detector(
    tokenizer: Tokenizer, hasher: stela.GreenList, weighting: stela.Weighting, scorer: stela.Scorer = SCORER
) -> Detector:
    tokens = TokenBytes.of(tokenizer)
    parts = Composition(hasher, weighting, weighting, scorer, 2.0, 1.0)
    return Detector(parts, tokenizer, tokens, CausalContexts(LengthTagger(), 3, 4, tokens), 16, 0.01)


@pytest.mark.parametrize("kind", [KeyedHasher, FewSeeds])
@pytest.mark.parametrize("width", [1, 3])
@pytest.mark.parametrize("weighting", [Uniform, Lengths])
@pytest.mark.parametrize("scorer", [SCORER, OLD], ids=["now", "before"])
def test_z_and_p_are_the_detectors(
    tokenizer: Tokenizer,
    kind: type[stela.Hasher],
    width: int,
    weighting: type[stela.Weighting],
    scorer: stela.Scorer,
) -> None:
    parameters = kind.Parameters(gamma=0.4, context_width=width)
    weigh = weighting(stela.Parameters())
    rows = [tokenizer.encode(t).ids for t in (random_text(1), KOREAN * 3, random_text(2, 20), KOREAN * 5)]
    drawn = kind(parameters, 5)
    texts = Unmarked(detector(tokenizer, drawn, weigh).evidence(rows), drawn, scorer)
    assert texts.count == len(rows)
    for key in (5, 6, 2**31 - 1):
        hasher = kind(parameters, key)
        wanted = detector(tokenizer, hasher, weigh, scorer).detect_ids(rows)
        assert texts.z_scores(hasher) == pytest.approx([d.z for d in wanted])
        assert texts.p_values(hasher) == pytest.approx([d.p_value for d in wanted], rel=1e-9)


def test_texts_without_evidence_are_left_out(tokenizer: Tokenizer) -> None:
    hasher = KeyedHasher(KeyedHasher.Parameters(), 1)
    made = detector(tokenizer, hasher, Uniform(stela.Parameters()))
    rows = [[50], tokenizer.encode(KOREAN).ids, []]
    texts = Unmarked(made.evidence(rows), hasher, SCORER)
    assert texts.count == 1
    assert texts.z_scores(hasher)[0] == pytest.approx(made.detect_ids(rows)[1].z)
    nothing = Unmarked(made.evidence([[50], []]), hasher, SCORER)
    assert nothing.count == 0
    assert len(nothing.z_scores(hasher)) == 0
