"""What holds for any weights, logits and keys."""

from __future__ import annotations

import dataclasses

import numpy as np
import numpy.typing as npt
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from stela_tables.counts import NgramCounts, TaggerIdentity
from stela_tables.table import IndeterminacyTable
from stela_testing.texts import random_text
from tokenizers import Tokenizer

import stela_core as stela
from stela_core.builtin.hashers import KeyedHasher
from stela_core.builtin.scorers import GroupedScorer
from stela_core.composition import compose, resolve_scheme
from stela_core.detection.detector import Detector
from stela_core.text.pos_contexts import CausalContexts
from stela_core.text.token_bytes import TokenBytes
from tests.helpers import LengthTagger
from tests.schemes.conftest import SCHEMES, MakeMark
from tests.tiers import examples

SCORER = GroupedScorer(GroupedScorer.Parameters())

texts = st.integers(1, 40).flatmap(
    lambda n: st.tuples(
        st.lists(st.booleans(), min_size=n, max_size=n),
        st.lists(st.integers(0, 1000), min_size=n, max_size=n),
        st.lists(st.integers(0, n - 1), min_size=n, max_size=n),
    )
)
"""Colours by group, weights in thousandths, groups of n tokens."""


def arrays(
    text: tuple[list[bool], list[int], list[int]],
) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.float64], npt.NDArray[np.int64]]:
    colours, weights, groups = (np.array(part) for part in text)
    return colours[groups], weights / 1000, groups


@pytest.mark.slow
@examples(50)
@given(texts, st.floats(1e-6, 1e6), st.sampled_from([0.1, 0.25, 0.5]))
def test_z_does_not_depend_on_the_scale_of_the_weights(
    text: tuple[list[bool], list[int], list[int]], scale: float, gamma: float
) -> None:
    green, weights, groups = arrays(text)
    one = SCORER.score(green, weights, groups, gamma)
    other = SCORER.score(green, weights * scale, groups, gamma)
    assert other.z == pytest.approx(one.z, rel=1e-9, abs=1e-9)
    assert other.z_plain == pytest.approx(one.z_plain, rel=1e-9, abs=1e-9)


@pytest.fixture(scope="module")
def tiny_parts(tiny_tokenizer: Tokenizer) -> tuple[Tokenizer, TokenBytes]:
    return tiny_tokenizer, TokenBytes.of(tiny_tokenizer)


@examples(20)
@given(st.integers(0, 10**6), st.sampled_from([1.0, 0.5]))
def test_kgw_is_stela_with_constant_lambda(
    registry: stela.Registry, tiny_parts: tuple[Tokenizer, TokenBytes], seed: int, value: float
) -> None:
    """At insertion (delta / mean * lambda = delta) and at detection."""
    tokenizer, tokens = tiny_parts
    # What follows a tag: each of three equally often (lambda 1), or one of them nine times as often as
    # each other; the same in every context.
    tags = ("L3", "L4", "L5")
    often = (5, 5, 5) if value == 1.0 else (9, 1, 1)
    counts = {(a, b): n for a in tags for b, n in zip(tags, often, strict=True)}
    identity = TaggerIdentity(name="length", model="none", version="1", fingerprint="0" * 16)
    table = IndeterminacyTable.from_counts(2, identity, {"one": NgramCounts(1, sum(counts.values()), counts)})
    hasher = KeyedHasher(KeyedHasher.Parameters(), seed)
    contexts = CausalContexts(LengthTagger(), 2, 4, tokens)
    found = {}
    for name in ("kgw", "stela"):
        parts = compose(resolve_scheme(registry, name), {"delta": 1.5}, hasher, table, "tokens")
        ids = tokenizer.encode(random_text(seed)).ids
        [detection] = Detector(parts, tokenizer, tokens, contexts, 16, 0.01).detect_ids([ids])
        step = stela.Marker(parts, tokens, contexts, len(tokens)).step([ids])
        assert step.marks
        found[name] = (detection, step)
    (kgw, kgw_step), (constant, stela_step) = found["kgw"], found["stela"]
    assert stela_step.biases == pytest.approx(kgw_step.biases)
    assert constant.z == pytest.approx(kgw.z)
    assert constant.z_plain == pytest.approx(kgw.z_plain)
    assert constant.p_value == pytest.approx(kgw.p_value)
    lambdas = {token.weight for token in constant.tokens[1:]}
    assert len(lambdas) == 1
    assert (lambdas == {1.0}) == (value == 1.0)


@examples(30)
@given(texts, st.integers(0, 2**31), st.floats(0.1, 5), st.sampled_from([0.25, 0.5]))
def test_ewd_with_equal_entropies_is_kgw(
    registry: stela.Registry,
    text: tuple[list[bool], list[int], list[int]],
    seed: int,
    delta: float,
    gamma: float,
) -> None:
    """Rows with the same probabilities in another order have equal entropies."""
    green, weights, groups = arrays(text)
    generator = torch.Generator().manual_seed(seed)
    row = torch.randn(50, generator=generator) * 3
    rows = torch.stack([row[torch.randperm(50, generator=generator)] for _ in weights])
    kind = resolve_scheme(registry, "ewd").evidence
    ewd = kind(kind.Parameters(delta=delta))  # type: ignore[call-arg]
    found = ewd.over_text(ewd.weights(stela.Positions(len(rows), logits=rows, gamma=gamma)))
    one = SCORER.score(green, found, groups, gamma)
    kgw = SCORER.score(green, np.ones(len(rows)), groups, gamma)
    assert one.z == pytest.approx(kgw.z, abs=1e-4)
    assert one.z_plain == pytest.approx(kgw.z_plain, abs=1e-4)


def one_step(
    mark: stela.Watermark, ids: torch.Tensor, scores: torch.Tensor
) -> tuple[torch.Tensor, list[float | None]]:
    """Scores and weights at the step after generated ``ids`` (rows, tokens)."""
    marker = mark.marker()
    step = marker.step(ids, scores)
    return marker.apply(step, scores).clone(), step.weights


@pytest.fixture(scope="module")
def step_inputs() -> tuple[torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(5)
    ids = torch.randint(300, 8000, (6, 9), generator=generator)
    ids[2, -1] = 0  # an end token: this row has ended
    return ids, torch.randn(6, 8192, generator=generator) * torch.tensor([[9.0], [4], [3], [2], [1], [0.1]])


@pytest.mark.slow
@pytest.mark.parametrize("scheme", SCHEMES)
def test_delta_0_is_the_identity(
    make_mark: MakeMark, scheme: str, step_inputs: tuple[torch.Tensor, torch.Tensor]
) -> None:
    nothing = {"k": 0.0} if scheme == "morphmark" else {"delta": 0.0}
    out, _ = one_step(make_mark(scheme, **nothing), *step_inputs)
    assert torch.equal(out, step_inputs[1])


@pytest.mark.slow
@pytest.mark.parametrize("scheme", SCHEMES)
def test_green_share_of_ids_is_gamma_and_their_probability_grows(
    make_mark: MakeMark, scheme: str, step_inputs: tuple[torch.Tensor, torch.Tensor]
) -> None:
    ids, scores = step_inputs
    mark = make_mark(scheme, gamma=0.25)
    hasher = mark.parts.hasher
    seeds = hasher.seeds(ids[:, ids.shape[1] - hasher.context_width :].numpy())
    tokens = np.arange(8192)
    out, weights = one_step(mark, ids, scores)
    for row in range(len(ids)):
        green = hasher.green(np.full(8192, seeds[row]), tokens)
        assert green.mean() == pytest.approx(0.25, abs=5 * (0.25 * 0.75 / 8192) ** 0.5)
        before, after = (x[row].double().softmax(-1).numpy()[green].sum() for x in (scores, out))
        if weights[row]:
            assert after / (1 - after) > before / (1 - before) * 1.001, (
                "the odds: a row may be nearly certain"
            )
        else:
            assert torch.equal(out[row], scores[row])


@pytest.mark.slow
@pytest.mark.parametrize("scheme", SCHEMES)
@examples(10)
@given(order=st.permutations(range(6)))
def test_rows_of_a_batch_may_come_in_any_order(
    make_mark: MakeMark, scheme: str, step_inputs: tuple[torch.Tensor, torch.Tensor], order: list[int]
) -> None:
    """Bit for bit, the row that has ended included."""
    ids, scores = step_inputs
    mark = make_mark(scheme)
    out, weights = one_step(mark, ids, scores)
    permuted, permuted_weights = one_step(mark, ids[order], scores[order])
    assert torch.equal(permuted, out[order])
    assert permuted_weights == [weights[n] for n in order]


def test_evidence_that_would_see_the_key_is_refused(registry: stela.Registry) -> None:
    """Invariant 4: the green mass is for strength alone."""
    parts = resolve_scheme(registry, "morphmark")
    hasher = KeyedHasher(KeyedHasher.Parameters(), 1)
    compose(parts, {}, hasher, None, "tokens")
    dishonest = dataclasses.replace(parts, evidence=parts.strength)
    with pytest.raises(stela.StelaError, match='"morphmark" looks at the green list'):
        compose(dishonest, {}, hasher, None, "tokens")


def test_a_table_that_is_missing_is_told(registry: stela.Registry) -> None:
    parts = resolve_scheme(registry, "stela")
    hasher = KeyedHasher(KeyedHasher.Parameters(), 1)
    with pytest.raises(stela.StelaError, match=r'weighting "stela" reads a table.*new --lambda TABLE'):
        compose(parts, {}, hasher, None, "tokens")


def test_a_scheme_says_which_kind_its_hasher_has_to_be(registry: stela.Registry) -> None:
    class Mine(stela.Scheme):
        name = "mine"

    hasher = registry.get(stela.Hasher, "gumbel")
    parts = dataclasses.replace(resolve_scheme(registry, "kgw"), scheme=Mine)
    with pytest.raises(
        stela.StelaError, match=r"which chooses tokens.*stela.SamplingHasher goes with .*SamplingSch"
    ):
        compose(parts, {}, hasher(hasher.Parameters(), 1), None, "tokens")


def test_morphmark_has_no_delta(make_mark: MakeMark) -> None:
    with pytest.raises(stela.StelaError, match='scheme "morphmark" has no parameter "delta"'):
        make_mark("morphmark", delta=2.0)
