"""Detection against slow oracles, on text made here."""

from __future__ import annotations

import numpy as np
import pytest
from stela_testing.colours import green_reference
from stela_testing.texts import ENGLISH, KOREAN, random_text
from tokenizers import Tokenizer

import stela_core as stela
from stela_core.builtin.hashers import KeyedHasher
from stela_core.builtin.plugin import Uniform
from stela_core.builtin.scorers import GroupedScorer
from stela_core.composition import Composition
from stela_core.detection.detector import Detector
from stela_core.hashing.keys import seed_of
from stela_core.text.pos_contexts import CausalContexts
from stela_core.text.token_bytes import TokenBytes
from tests.helpers import LengthTagger
from tests.oracles import contexts_of, grouped_z, plain_z

GAMMA, KEY, K, WINDOW = 0.4, 1234567, 3, 4


class Lengths(stela.Weighting):
    """The length of the last word decides: reads contexts, as STELA does."""

    name = "lengths"
    needs = frozenset({"contexts"})

    def weights(self, positions: stela.Positions) -> np.ndarray:
        return np.array([int(c[-1][1:]) / 8 if c else 0.3 for c in positions.contexts], dtype=float)


def detector(tokenizer: Tokenizer, width: int, weighting: stela.Weighting, min_tokens: int = 16) -> Detector:
    tokens = TokenBytes.of(tokenizer)
    hasher = KeyedHasher(KeyedHasher.Parameters(gamma=GAMMA, context_width=width), KEY)
    parts = Composition(hasher, weighting, weighting, GroupedScorer(GroupedScorer.Parameters()), 2.0, 1.0)
    contexts = CausalContexts(LengthTagger(), K, WINDOW, tokens)
    return Detector(parts, tokenizer, tokens, contexts, min_tokens, 0.01)


@pytest.mark.parametrize("width", [1, 2, 4])
@pytest.mark.parametrize(
    "weighting", [Uniform(stela.Parameters()), Lengths(stela.Parameters())], ids=["kgw", "pos"]
)
def test_statistics_equal_the_slow_definition(
    tokenizer: Tokenizer, width: int, weighting: stela.Weighting
) -> None:
    texts = [random_text(3), KOREAN * 4, ENGLISH + "쀍뷁"]
    tokens = TokenBytes.of(tokenizer)
    for text, found in zip(texts, detector(tokenizer, width, weighting).detect_many(texts), strict=True):
        ids = tokenizer.encode(text).ids
        contexts = contexts_of(ids, LengthTagger(), K, WINDOW, tokens)
        scored = range(width, len(ids))
        pairs = [(tuple(ids[t - width : t]), ids[t]) for t in scored]
        green = [green_reference(seed_of(KEY, before), token, GAMMA) for before, token in pairs]
        weights = weighting.weights(stela.Positions(len(scored), [contexts[t] for t in scored])).tolist()
        assert found.scored_tokens == len(pairs)
        assert found.unique_pairs == len(set(pairs))
        assert found.z_plain == pytest.approx(plain_z(green, weights, GAMMA))
        assert found.z == pytest.approx(grouped_z(green, weights, pairs, GAMMA))
        assert found.green_fraction == pytest.approx(np.mean(green))
        assert [t.green for t in found.tokens] == [None] * width + green
        assert [t.weight for t in found.tokens] == [None] * width + weights
        assert "".join(t.text for t in found.tokens) == text
        if isinstance(weighting, Lengths):
            assert [t.context for t in found.tokens][width:] == contexts[width:]


def test_many_texts_equal_one_by_one_in_one_call_of_the_tagger(tokenizer: Tokenizer) -> None:
    texts = [random_text(seed, words=5 + seed) for seed in range(12)]
    made = detector(tokenizer, 1, Lengths(stela.Parameters()))
    together = made.detect_many(texts)
    tagger = made._contexts.tagger  # type: ignore[union-attr]
    assert isinstance(tagger, LengthTagger)
    assert len(tagger.seen) == 1
    alone = [detector(tokenizer, 1, Lengths(stela.Parameters())).detect_many([text])[0] for text in texts]
    assert [d.to_dict(tokens=True) for d in together] == [d.to_dict(tokens=True) for d in alone]


def test_special_tokens_are_not_scored(tokenizer: Tokenizer) -> None:
    ids = tokenizer.encode(ENGLISH).ids[:10]
    [found] = detector(tokenizer, 1, Uniform(stela.Parameters())).detect_ids([[*ids, 0, *ids, 10**6, ids[0]]])
    scored = [t.weight is not None for t in found.tokens]
    assert scored == [False] + [True] * 9 + [False, False] + [True] * 9 + [False, False]


def test_verdicts(tokenizer: Tokenizer) -> None:
    made = detector(tokenizer, 1, Uniform(stela.Parameters()), min_tokens=30)
    [short] = made.detect_many([ENGLISH[:20]])
    assert short.verdict == "insufficient text"
    assert 0 < short.p_value <= 1
    [nothing] = made.detect_ids([[]])
    assert (nothing.verdict, nothing.p_value, nothing.z) == ("insufficient text", 1.0, 0.0)
    marked = greedy_green(tokenizer, made, 120)
    [found] = made.detect_ids([marked])
    assert found.verdict == "watermarked"
    assert found.p_value < 1e-6
    repeated = tokenizer.encode("책 " * 200).ids
    [again] = made.detect_ids([repeated])
    assert again.unique_pairs < 30
    assert again.verdict == "insufficient text", "repetition is not evidence"


def greedy_green(tokenizer: Tokenizer, made: Detector, length: int) -> list[int]:
    """A walk through the vocabulary that prefers green tokens."""
    hasher = made.composition.hasher
    rng = np.random.default_rng(5)
    ids = [50]
    while len(ids) < length:
        options = rng.integers(2, tokenizer.get_vocab_size(), 8)
        seeds = np.repeat(hasher.seeds(np.array([[ids[-1]]])), 8)
        green = hasher.green(seeds, options)
        ids.append(int(options[np.argmax(green)]))
    return ids


def test_weighting_that_breaks_its_contract_is_named(tokenizer: Tokenizer) -> None:
    class Bad(stela.Weighting):
        name = "bad"

        def weights(self, positions: stela.Positions) -> np.ndarray:
            return np.full(positions.count, -1.0)

    with pytest.raises(stela.StelaError, match='weighting "bad" gave a weight that is negative'):
        detector(tokenizer, 1, Bad(stela.Parameters())).detect_many([ENGLISH])


def test_weighting_by_logits_says_that_detection_needs_the_model(tokenizer: Tokenizer) -> None:
    class Entropy(stela.Weighting):
        name = "entropy"
        needs = frozenset({"logits"})

        def weights(self, positions: stela.Positions) -> np.ndarray:
            return positions.logits.softmax(-1).max(-1).values.numpy()

    with pytest.raises(stela.StelaError, match=r'weighting "entropy" weighs each token by a model.s dist'):
        detector(tokenizer, 1, Entropy(stela.Parameters())).detect_many([ENGLISH])
