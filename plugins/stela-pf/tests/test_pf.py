"""The permute-and-flip mark: contract, the decoder that it is over keys, false alarms, the whole way."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations
from pathlib import Path
from random import Random

import numpy as np
import pytest
from scipy.stats import chisquare
from stela_pf.hasher import Pf, PfParameters, noise
from stela_testing import SamplingHasherContract, run_cli

import stela_core as stela

P = np.array([0.4, 0.3, 0.2, 0.07, 0.03])
KEYS = 4_000


class TestPf(SamplingHasherContract):
    undistorted = False

    @pytest.fixture(scope="class")
    @classmethod
    def hasher(cls) -> stela.SamplingHasher:
        return Pf(PfParameters(), 0x0123456789ABCDEF)


class TestPfAgain(SamplingHasherContract):
    undistorted = False

    @pytest.fixture(scope="class")
    @classmethod
    def hasher(cls) -> stela.SamplingHasher:
        return Pf(PfParameters(context_width=1, once=False), 5)


def permute_and_flip(p: np.ndarray) -> np.ndarray:
    """The decoder by its definition: over all orders, the first token whose coin of p / max p is heads."""
    taken = np.zeros(len(p))
    orders = list(permutations(range(len(p))))
    for order in orders:
        left = 1.0
        for token in order:
            heads = p[token] / p.max()
            taken[token] += left * heads / len(orders)
            left *= 1 - heads
    return taken


@pytest.mark.slow
def test_over_keys_it_is_the_permute_and_flip_decoder() -> None:
    source = Random(0)
    scores = np.log(P)[None].astype(np.float32)
    counts = np.zeros(len(P))
    for _ in range(KEYS):
        hasher = Pf(PfParameters(context_width=2), source.getrandbits(64))
        counts[hasher.mark_array(scores, hasher.seeds(np.array([[3, 1]])), len(P)).argmax()] += 1
    expected = permute_and_flip(P)
    assert expected.sum() == pytest.approx(1)
    assert chisquare(counts, KEYS * expected).pvalue > 1e-4
    assert chisquare(counts, KEYS * P).pvalue < 1e-6


def test_torch_and_numpy_choose_the_same() -> None:
    torch = pytest.importorskip("torch")
    hasher = Pf(PfParameters(), 7)
    scores = np.random.default_rng(0).standard_normal((4, 900)).astype(np.float32) * 3
    scores[2], scores[3, 5] = -np.inf, np.nan
    seeds = hasher.seeds(np.arange(16).reshape(4, 4))
    out = hasher.mark_array(scores, seeds, 880)
    assert np.array_equal(hasher.mark(torch.from_numpy(scores), seeds, 880).numpy(), out)
    assert np.isneginf(out[2]).all()
    assert int(out[0].argmax()) == int(np.argmax(scores[0, :880] + noise(seeds[0], 880)))


@pytest.mark.deep(keep=["varied"])
@pytest.mark.slow
@pytest.mark.parametrize("text", ["varied", "repeated"])
def test_p_values_hold(text: str, registry: stela.Registry) -> None:
    mark = stela.create("pf", model="tiny", key="public", registry=registry)
    rng = np.random.default_rng(0)
    ids = (
        rng.integers(300, 8000, 60).tolist() if text == "varied" else rng.integers(300, 8000, 9).tolist() * 7
    )
    detector, source, p_values, evidence = mark.detector, Random(text), [], None
    for _ in range(600):
        hasher = mark.parts.hasher.under(source.getrandbits(64))
        own = detector.with_composition(replace(mark.parts, hasher=hasher))
        evidence = own.evidence([ids])[0] if evidence is None else own.recoloured(evidence)
        p_values.append(own.judge(evidence).p_value)
    for alpha in (0.5, 0.2, 0.1, 0.05, 0.02):
        share, spread = np.mean(np.array(p_values) <= alpha), (alpha * (1 - alpha) / 600) ** 0.5
        assert abs(share - alpha) < 4.5 * spread, alpha


@pytest.mark.slow
def test_the_whole_way(tmp_path: Path) -> None:
    profile, out = str(tmp_path / "p.stela"), str(tmp_path / "out.jsonl")
    made = ("--scheme", "pf", "--model", "tiny", "--public-key", "-o", profile)
    assert run_cli("profile", "new", *made).status == 0
    prompt = ("--prompt", "The history of the city", "--max-new-tokens", "60", "-o", out)
    assert run_cli("generate", "--profile", profile, "--model", "tiny", *prompt).status == 0
    [result] = run_cli("detect", "--profile", profile, out, "--json").json
    assert result["verdict"] == "watermarked"
