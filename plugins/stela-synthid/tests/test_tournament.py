"""The update against the tournament itself, played out, and against transformers and the original package."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from stela_synthid import fused, tournament
from stela_synthid.layer_keys import layer_keys
from stela_synthid.ngrams import context_hashes, g_values, ngram_hashes, words
from stela_synthid.sampling_table import sampling_table
from transformers import SynthIDTextWatermarkLogitsProcessor

from tests.tiers import examples

SIZE = 1 << 16
TABLE = sampling_table(0, SIZE)


@pytest.fixture(params=["compiled", "plain"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Both ways to the same numbers."""
    if request.param == "plain":
        monkeypatch.setattr(fused, "suits", lambda scores: False)
    return str(request.param)


def played(probs: np.ndarray, bits: np.ndarray, leaves: int) -> np.ndarray:
    """Distribution of the winner: every match of every layer, ties by a fair draw among its candidates."""
    for layer in bits.T:
        winner = np.zeros(len(probs))
        for match in product(range(len(probs)), repeat=leaves):
            best = [token for token in match if layer[token] == max(layer[list(match)])]
            for token in best:
                winner[token] += np.prod(probs[list(match)]) / len(best)
        probs = winner
    return probs


def packed(bits: np.ndarray) -> torch.Tensor:
    """Bits (tokens, depth) as one row of words (1, tokens)."""
    return torch.tensor([[int("".join(map(str, row[::-1])), 2) for row in bits.tolist()]])


@examples(40)
@given(st.integers(0, 2**32), st.integers(2, 4), st.integers(1, 5), st.integers(1, 4))
def test_update_is_the_tournament_played_out(seed: int, leaves: int, tokens: int, depth: int) -> None:
    """Dathathri et al. (2024), Algorithm 2: leaves**depth candidates, matches of ``leaves`` in each layer."""
    rng = np.random.default_rng(seed)
    probs, bits = rng.dirichlet(np.ones(tokens)), rng.integers(0, 2, (tokens, depth))
    logits = tournament.update(torch.from_numpy(np.log(probs))[None], packed(bits), depth, leaves)
    assert logits.exp()[0].numpy() == pytest.approx(played(probs, bits, leaves), abs=1e-12)


@pytest.mark.parametrize("number", range(3))
def test_update_is_that_of_the_original_package(golden: dict[str, Any], number: int) -> None:
    case = golden["updates"][number]
    bits = np.array([[int(bit) for bit in row] for row in case["g"]])
    scores = torch.tensor([case["scores"]], dtype=torch.float64)
    logits = tournament.update(scores, packed(bits), bits.shape[1], case["leaves"])[0]
    expected = torch.tensor(case["updated"], dtype=torch.float64)
    possible = expected > -1e11  # their logarithm of 0
    assert torch.isneginf(logits[~possible]).all()
    assert torch.allclose(logits[possible], expected[possible], atol=1e-9, rtol=0)  # theirs cancels


@pytest.mark.parametrize("kept", [None, 20])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float64])
@pytest.mark.parametrize("depth", [5, 64])
@pytest.mark.usefixtures("way")
def test_mark_is_that_of_transformers(depth: int, dtype: torch.dtype, kept: int | None) -> None:
    """Step by step under its own state; more tokens than a block of the compiled pass."""
    tokens, rows = 5000, 2
    keys = layer_keys(7, depth, derived=True)
    signed = keys.view(np.int64).tolist()
    theirs = SynthIDTextWatermarkLogitsProcessor(5, signed, SIZE, 0, 1024, torch.device("cpu"))
    torch.manual_seed(depth)
    ids = torch.randint(tokens, (rows, 9))
    for length in range(3, 6):
        scores = (3 * torch.randn(rows, tokens)).to(dtype)
        if kept:
            scores[scores < scores.topk(kept).values[:, -1:]] = -torch.inf
        generated = np.zeros((rows, 4), dtype=np.int64)
        own = ids[:, 3:length].numpy()[:, -4:]
        generated[:, 4 - own.shape[1] :] = own
        before = scores.clone()
        marked = tournament.mark(scores, context_hashes(generated), words(keys, TABLE), depth, 2, tokens)
        expected = theirs(ids[:, :length], scores.to(torch.float32 if dtype != torch.float64 else dtype))
        assert torch.equal(scores, before)
        assert marked.dtype == dtype
        close = torch.softmax(marked.double(), 1) - torch.softmax(expected.double(), 1)
        assert close.abs().max() < (2e-2 if dtype == torch.bfloat16 else 2e-6)
        assert torch.isneginf(marked)[torch.isneginf(scores)].all()


@examples(40)
@given(st.integers(0, 2**32), st.integers(2, 9), st.sampled_from([1, 30, 40, 64]), st.booleans())
def test_compiled_pass_is_the_plain_one(seed: int, leaves: int, depth: int, packed_rows: bool) -> None:
    rng = np.random.default_rng(seed)
    scores = torch.from_numpy(rng.normal(0, 4, (3, 60)).astype(np.float32))
    if packed_rows:
        scores[0, 5:] = -torch.inf
        scores[1, ::2] = -torch.inf
        scores[2, 1:] = -torch.inf
    seeds = rng.integers(0, 2**63, 3).astype(np.uint64)
    table = words(layer_keys(seed, depth, derived=True), TABLE)
    columns = (
        torch.from_numpy(rng.permuted(np.tile(np.arange(60) + 1000, (3, 1)), axis=1)) if packed_rows else None
    )
    of_tokens = tournament.token_words(columns, scores, seeds, table)
    # Layer by layer, each from what the one before gave: through all of them a rounding of the softmax alone
    # may grow past 1e-5, whatever the pass does.
    before = torch.log_softmax(scores, 1).double()
    for layer in range(depth):
        compiled = fused.update(scores, columns, seeds, table, layer + 1, leaves).double()
        plain = tournament.update(before, of_tokens >> layer, 1, leaves)
        assert (compiled.exp() - plain.exp()).abs().max() < 1e-6
        before = compiled


def test_words_of_tokens_are_their_bits() -> None:
    keys = layer_keys(1, 30, derived=True)
    seeds, ids = np.array([3, 2**64 - 5], dtype=np.uint64), torch.tensor([[5, 900000, 7], [0, 1, 2**31]])
    found = tournament.token_words(ids, torch.zeros(2, 3), seeds, words(keys, TABLE)).numpy()
    for row in range(2):
        hashes = ngram_hashes(np.full(3, seeds[row]), ids[row].numpy())
        bits = g_values(hashes, keys, TABLE)
        assert ((found[row][:, None] >> np.arange(30)) & 1 == bits).all()


@pytest.mark.usefixtures("way")
def test_ids_past_the_vocabulary_cannot_be_drawn() -> None:
    scores = torch.zeros(2, 12)
    scores[0, 3:] = -torch.inf
    table = words(layer_keys(1, 30, derived=True), TABLE)
    marked = tournament.mark(scores, np.array([1, 2], dtype=np.uint64), table, 30, 2, 10)
    assert torch.isneginf(marked[:, 10:]).all()
    assert torch.isneginf(marked[0, 3:]).all()
    assert torch.softmax(marked, 1).sum(1).tolist() == pytest.approx([1, 1])


def test_two_leaves_are_the_models_distribution_in_the_mean_over_bits() -> None:
    """All bits of five tokens in two layers; three leaves distort."""
    probs = np.array([0.4, 0.3, 0.15, 0.1, 0.05])
    scores = torch.from_numpy(np.log(probs))[None].expand(4**5, 5)
    every = torch.tensor(list(product(range(4), repeat=5)))
    means = [tournament.update(scores, every, 2, leaves).exp().mean(0).numpy() for leaves in (2, 3)]
    assert means[0] == pytest.approx(probs, abs=1e-12)
    assert np.abs(means[1] - probs).max() > 0.01


@pytest.mark.usefixtures("way")
def test_the_mean_over_keys_is_the_models_distribution() -> None:
    """Within sampling error, through hash and table, at the full depth."""
    probs = torch.tensor([0.4, 0.3, 0.15, 0.1, 0.05])
    rows, seeds = [], np.array([77, 2**63 + 5], dtype=np.uint64)
    scores = probs.log().expand(2, 5)
    for key in range(400):
        table = words(layer_keys(key, 30, derived=True), sampling_table(0, 1 << 12))
        marked = tournament.mark(scores, seeds, table, 30, 2, 5)
        rows += list(torch.softmax(marked, 1).double().numpy())
    z = (np.mean(rows, 0) - probs.numpy()) / (np.std(rows, 0, ddof=1) / np.sqrt(len(rows)))
    assert np.abs(z).max() < 4
    assert np.std(rows, 0).min() > 0.1  # each key's own is far from it
