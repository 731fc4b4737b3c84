"""The compiled pass, torch and numpy choose the same tokens: those of a slow reference."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from stela_gumbel import fused, on_torch, uniforms
from stela_gumbel.uniforms import OWN, SGLANG, TEXTSEAL, VLLM

from tests.tiers import examples

KINDS = (OWN, VLLM, SGLANG, TEXTSEAL)
LOW = 2**32 - 1
WIDTH = {OWN: 2, VLLM: 5, SGLANG: 1, TEXTSEAL: 2}


def words_of(kind: int, rows: int, seed: int = 0) -> npt.NDArray[np.uint32]:
    return np.random.default_rng(seed).integers(0, 2**32, (rows, WIDTH[kind]), dtype=np.uint32)


def number(kind: int, words: list[int], v: int) -> int:
    """A token's number in plain integers, by the definitions."""
    if kind == OWN:
        x = v ^ words[0]
        x = (x ^ x >> 17) * 0xED5AD4BB & LOW ^ words[1]
        x = (x ^ x >> 11) * 0xAC4C1B51 & LOW
        x = (x ^ x >> 15) * 0x31848BAB & LOW
        return x ^ x >> 14
    if kind == SGLANG:
        k = v * 0xCC9E2D51 & LOW
        x = words[0] ^ (k << 15 & LOW | k >> 17) * 0x1B873593 & LOW
        x = (x << 13 & LOW | x >> 19) * 5 + 0xE6546B64 & LOW ^ 16
        x = (x ^ x >> 16) * 0x85EBCA6B & LOW
        x = (x ^ x >> 13) * 0xC2B2AE35 & LOW
        return x ^ x >> 16
    if kind == TEXTSEAL:
        u = (words[1] << 32 | words[0]) + v * 100000007 * 15485863 * 40499 & 2**64 - 1
        u -= (u >> 63) << 64
        return (u ^ u >> 13) % 8191 * 524353
    a, b, c, d, k, m = v >> 2, *words
    for _ in range(10):
        p, q = a * 0xD2511F53, c * 0xCD9E8D57
        a, b, c, d = q >> 32 ^ b ^ k, q & LOW, p >> 32 ^ d ^ m, p & LOW
        k, m = k + 0x9E3779B9 & LOW, m + 0xBB67AE85 & LOW
    return (a, b, c, d)[v & 3]


def uniform(kind: int, x: int) -> float:
    if kind == TEXTSEAL:
        return max(x // 524353 / 8191, 1e-30)
    exact = Fraction((x >> 8) + 1, 2**24 + 1) if kind == VLLM else Fraction(2 * x + 1, 2**33)
    return float(np.float32(float(exact))) if kind == VLLM else float(exact)


def sums(kind: int, words: list[int], logits: list[float]) -> list[float]:
    """Logit and noise of each token, in double precision; -inf where the logit is not a number."""
    return [
        -math.inf if math.isnan(s) else s - math.log(-math.log(uniform(kind, number(kind, words, v))))
        for v, s in enumerate(logits)
    ]


def chosen(row: npt.NDArray[Any]) -> int | None:
    """The one token left, or ``None``."""
    left = np.flatnonzero(~np.isneginf(row.astype(np.float64)))
    return int(left[0]) if len(left) == 1 and row[left[0]] == 0 else None


@pytest.mark.parametrize("kind", KINDS)
def test_numbers_are_those_of_the_definition(kind: int) -> None:
    words, tokens = words_of(kind, 3), np.arange(2_050)
    own = on_torch.numbers(kind, torch.from_numpy(words.astype(np.int64)), torch.from_numpy(tokens))
    for row in range(3):
        assert own[row].tolist() == uniforms.numbers(kind, words[row], tokens).tolist()
        assert own[row, ::97].tolist() == [number(kind, words[row].tolist(), v) for v in range(0, 2050, 97)]


@pytest.mark.parametrize("kind", KINDS)
def test_noise_is_exact_to_single_precision_at_both_ends(kind: int) -> None:
    edges = [0, 1, 2, 255, 256, 2**24, 2**31 - 1, 2**31, LOW - 300, LOW - 256, LOW - 1, LOW]
    if kind == TEXTSEAL:
        edges = [524353 * h for h in (0, 1, 2, 4095, 4096, 8189, 8190)]
    own = on_torch.noise(kind, torch.tensor(edges)).tolist()
    expected = [-math.log(-math.log(uniform(kind, x))) for x in edges]
    assert own == pytest.approx(expected, rel=1e-5, abs=1e-6)
    u = uniforms.uniforms(kind, np.array(edges, dtype=np.uint32))
    assert u.tolist() == [uniform(kind, x) for x in edges]


LOGITS = st.sampled_from(["normal", "wide", "few", "rising", "falling", "equal", "one", "huge"])


def logits_of(shape: str, size: int, seed: int) -> npt.NDArray[np.float32]:
    rng = np.random.default_rng(seed)
    plain = rng.standard_normal(size)
    made = {
        "normal": plain,
        "wide": plain * 8,
        "few": np.where(rng.random(size) < 0.02, plain * 3, -np.inf),
        "rising": np.arange(size) * 0.7 - 300,
        "falling": -np.arange(size) * 0.7,
        "equal": np.full(size, -2.5),
        "one": np.where(np.arange(size) == size // 2, 3.0, -np.inf),
        "huge": plain * 1e30,
    }[shape]
    return made.astype(np.float32)


@examples(60)
@given(st.sampled_from(KINDS), LOGITS, st.integers(1, 700), st.integers(0, 5), st.integers(0, 2**32 - 1))
def test_all_ways_choose_what_the_reference_chooses(
    kind: int, shape: str, size: int, padding: int, seed: int
) -> None:
    words = words_of(kind, 2, seed)
    scores = np.stack([logits_of(shape, size + padding, seed + row) for row in range(2)])
    before = scores.copy()
    ways = {
        "fused": fused.mark(kind, torch.from_numpy(scores), words, size).numpy().copy(),
        "numpy": uniforms.mark_array(kind, scores, words, size),
        "torch": on_torch.mark(kind, torch.from_numpy(scores), words, size).numpy(),
    }
    assert np.array_equal(scores, before)
    for row in range(2):
        noisy = sums(kind, words[row].tolist(), scores[row, :size].tolist())
        best = max(noisy)
        for way, out in ways.items():
            if best == -math.inf:
                assert np.array_equal(out[row], scores[row])
                continue
            token = chosen(out[row])
            assert token is not None
            # torch adds in single precision, where near ties may fall the other way.
            near = abs(best) * 1e-6 + 1e-5 if way == "torch" else 0.0
            assert noisy[token] >= best - near, way
            assert way == "torch" or token == noisy.index(best)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float64])
def test_other_types_of_numbers(kind: int, dtype: torch.dtype) -> None:
    """Their logits are taken as they are; the outcome is of their type."""
    words = words_of(kind, 4)
    scores = (torch.randn(4, 900, generator=torch.Generator().manual_seed(0)) * 4).to(dtype)
    marks = [on_torch.mark(kind, scores, words, 899)]
    if fused.suits(scores):
        marks.append(fused.mark(kind, scores, words, 899))
    for out in marks:
        assert out.dtype == dtype
        for row in range(4):
            noisy = sums(kind, words[row].tolist(), scores[row, :899].tolist())
            token = chosen(out[row].double().numpy())
            assert token is not None
            assert noisy[token] >= max(noisy) - 1e-5
    assert fused.suits(scores) == (dtype != torch.float64)


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_no_number_is_never_chosen(kind: int) -> None:
    scores = np.full((3, 300), np.nan, dtype=np.float32)
    scores[0, 7], scores[0, 200] = -1.0, -np.inf
    scores[1, 150] = np.inf
    scores[1, 3] = -np.nan
    words = words_of(kind, 3)
    for out in (
        fused.mark_array(kind, scores, words, 300).copy(),
        uniforms.mark_array(kind, scores, words, 300),
        on_torch.mark(kind, torch.from_numpy(scores), words, 300).numpy(),
    ):
        assert chosen(out[0]) == 7
        assert chosen(out[1]) == 150
        assert np.isnan(out[2]).all()


@pytest.mark.parametrize("kind", KINDS)
def test_threads_share_rows_out_and_choose_the_same(kind: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fused, "WORTH_A_THREAD", 1)
    rng = np.random.default_rng(0)
    scores, words = rng.standard_normal((7, 1000)).astype(np.float32), words_of(kind, 7)
    alone = fused.mark_array(kind, scores, words, 1000, threads=1).copy()
    for threads in (2, 3, 16):
        assert np.array_equal(fused.mark_array(kind, scores, words, 1000, threads), alone)


def test_arrays_of_any_layout() -> None:
    rng = np.random.default_rng(0)
    scores, words = rng.standard_normal((4, 500)).astype(np.float32), words_of(OWN, 4)
    expected = fused.mark_array(OWN, scores, words, 480).copy()
    turned = np.asfortranarray(scores)
    locked = scores.copy()
    locked.flags.writeable = False
    for other in (turned, locked, scores[::-1][::-1]):
        assert np.array_equal(fused.mark_array(OWN, other, words, 480), expected)
    wide = fused.mark_array(OWN, scores.astype(np.float16), words, 480)
    assert wide.dtype == np.float16
    assert not fused.suits_array(scores.astype(np.float64))
    assert not fused.suits_array(scores.astype(">f4"))
