"""The fused pass, the torch operations and the definition give the same logits."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import ModuleType

import numpy as np
import numpy.typing as npt
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from stela_kernels import bfloat_rows, fused_bias, torch_bias
from stela_testing.colours import green_reference

import stela_core as stela
from stela_core.builtin.hashers import KeyedHasher
from tests.tiers import examples

WIDTH, VOCABULARY, GAMMA = 1111, 1003, 0.3
SEEDS = np.array([0, 2**64 - 1, 0x0123456789ABCDEF, 2**63 + 2**31, 77], np.uint64)
BIASES = [2.0, 0.0, 0.37, -1.25, 30.0]


def logits(dtype: torch.dtype = torch.float32) -> torch.Tensor:
    made = torch.randn(len(SEEDS), WIDTH, generator=torch.Generator().manual_seed(3)) * 5
    made[:, ::7] = -torch.inf
    made[0, 1] = torch.inf
    return made.to(dtype)


def mask() -> npt.NDArray[np.bool_]:
    return np.array([[green_reference(s, t, GAMMA) for t in range(VOCABULARY)] for s in SEEDS.tolist()])


def expected(scores: torch.Tensor) -> torch.Tensor:
    """Element by element, with numpy's masks and one rounding at the end."""
    out = scores.clone()
    for row, bias in enumerate(BIASES):
        for token in np.flatnonzero(mask()[row]).tolist():
            exact = np.float32(scores[row, token].float().item()) + np.float32(bias)
            out[row, token] = torch.tensor(exact).to(scores.dtype)
    return out


def bits(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.view(torch.int32 if tensor.dtype == torch.float32 else torch.int16)


@pytest.mark.slow
@pytest.mark.parametrize("path", [fused_bias, torch_bias], ids=["fused", "torch"])
def test_float32_is_the_definition_bit_by_bit(path: ModuleType) -> None:
    scores = logits()
    before = scores.clone()
    out = path.add_bias(scores, SEEDS, BIASES, VOCABULARY, GAMMA)
    assert torch.equal(bits(out), bits(expected(scores)))
    assert torch.equal(bits(scores), bits(before)), "the input must stay as it was"
    assert torch.equal(bits(out[:, VOCABULARY:]), bits(scores[:, VOCABULARY:]))
    assert torch.equal(bits(out[1]), bits(scores[1])), "bias 0 is a plain copy"
    assert torch.isneginf(out[:, ::7]).all()


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_sixteen_bit_types_round_once(dtype: torch.dtype) -> None:
    scores = logits(dtype)
    assert not fused_bias.suits(scores)
    out = torch_bias.add_bias(scores, SEEDS, BIASES, VOCABULARY, GAMMA)
    assert out.dtype == dtype
    assert torch.equal(bits(out), bits(expected(scores)))


def test_bfloat16_in_one_pass_is_the_definition_bit_by_bit() -> None:
    scores = logits(torch.bfloat16)
    assert bfloat_rows.suits(scores)
    assert not bfloat_rows.suits(logits())
    before = scores.clone()
    out = KeyedHasher(stela.HasherParameters(gamma=GAMMA), 5).add_bias(scores, SEEDS, BIASES, VOCABULARY)
    assert out.dtype == torch.bfloat16
    assert torch.equal(bits(out), bits(expected(scores)))
    assert torch.equal(bits(scores), bits(before)), "the input must stay as it was"
    again = bfloat_rows.add_bias(scores, SEEDS, BIASES, VOCABULARY, GAMMA)
    assert torch.equal(bits(again), bits(out)), "and so must the first output"


@examples(60)
@given(
    arrays(np.uint16, (2, 70)),
    st.lists(st.floats(-60, 60, width=32), min_size=2, max_size=2),
    st.lists(st.integers(0, 2**64 - 1), min_size=2, max_size=2),
)
def test_any_bfloat16_is_rounded_as_torch_does(
    content: npt.NDArray[np.uint16], biases: list[float], seeds: list[int]
) -> None:
    """Infinities, tiny numbers and those between two neighbours included; what is not a number stays none."""
    scores = torch.from_numpy(content.view(np.int16)).view(torch.bfloat16)
    own = np.array(seeds, dtype=np.uint64)
    mine = bfloat_rows.add_bias(scores, own, biases, 66, GAMMA)
    theirs = torch_bias.add_bias(scores, own, biases, 66, GAMMA)
    numbers = ~torch.isnan(theirs)
    assert torch.equal(torch.isnan(mine), ~numbers)
    assert torch.equal(bits(mine)[numbers], bits(theirs)[numbers])


def test_chunks_of_rows_give_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = torch_bias.add_bias(logits(), SEEDS, BIASES, VOCABULARY, GAMMA)
    for cells in (1, 2 * VOCABULARY, 4 * VOCABULARY):
        monkeypatch.setitem(torch_bias._CELLS, "cpu", cells)
        assert torch.equal(torch_bias.add_bias(logits(), SEEDS, BIASES, VOCABULARY, GAMMA), whole)


def test_other_layouts_take_the_torch_path() -> None:
    wide = torch.zeros(len(SEEDS), 2 * WIDTH)
    assert not fused_bias.suits(wide[:, ::2])
    assert not fused_bias.suits(wide.double())
    assert fused_bias.suits(wide)
    hasher = KeyedHasher(stela.HasherParameters(gamma=GAMMA), 5)
    strided = wide[:, ::2].copy_(logits())
    out = hasher.add_bias(strided, SEEDS, BIASES, VOCABULARY)
    assert torch.equal(out, expected(logits()))


@pytest.mark.slow
def test_the_hasher_agrees_with_the_slow_default() -> None:
    hasher = KeyedHasher(stela.HasherParameters(gamma=GAMMA), 5)
    fast = hasher.add_bias(logits(), SEEDS, BIASES, VOCABULARY)
    slow = stela.GreenList.add_bias(hasher, logits(), SEEDS, BIASES, VOCABULARY)
    torch.testing.assert_close(fast, slow, rtol=1e-6, atol=0)
    assert torch.equal((fast != logits())[:, :VOCABULARY], (slow != logits())[:, :VOCABULARY])


def test_the_torch_path_takes_over_without_numba(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "numba", None)
    fused_bias.compiled.cache_clear()
    try:
        assert not fused_bias.suits(logits())
        out = KeyedHasher(stela.HasherParameters(gamma=GAMMA), 5).add_bias(
            logits(), SEEDS, BIASES, VOCABULARY
        )
        assert torch.equal(out, expected(logits()))
    finally:
        fused_bias.compiled.cache_clear()


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.float64])
def test_numpy_operations_take_over_without_numba(
    monkeypatch: pytest.MonkeyPatch, dtype: torch.dtype
) -> None:
    monkeypatch.setitem(sys.modules, "numba", None)
    fused_bias.compiled.cache_clear()
    try:
        hasher = KeyedHasher(stela.HasherParameters(gamma=GAMMA), 5)
        scores = logits(dtype)
        out = torch.from_numpy(hasher.add_bias_to_array(scores.numpy(), SEEDS, BIASES, VOCABULARY))
        wanted = expected(logits(torch.float32)).to(dtype) if dtype == torch.float64 else expected(scores)
        torch.testing.assert_close(out, wanted, rtol=1e-7 if dtype == torch.float64 else 0, atol=0)
        assert torch.equal(scores, logits(dtype))
        assert torch.equal(out[:, VOCABULARY:], scores[:, VOCABULARY:])
    finally:
        fused_bias.compiled.cache_clear()


PROGRAM = """
from concurrent.futures import ThreadPoolExecutor
import numpy as np, torch
from stela_kernels import fused_bias, torch_bias
scores, seeds = torch.zeros(2, 500), np.array([1, 2], np.uint64)
with ThreadPoolExecutor(4) as pool:
    jobs = [pool.submit(fused_bias.suits, scores) for _ in range(4)]
    assert all(job.result() for job in jobs)
    jobs = [pool.submit(fused_bias.add_bias, scores, seeds, [1.0, 2.0], 400, 0.5) for _ in range(4)]
    wanted = torch_bias.add_bias(scores, seeds, [1.0, 2.0], 400, 0.5)
    assert all(torch.equal(job.result(), wanted) for job in jobs)
print("same")
"""


@pytest.mark.slow
@pytest.mark.deep(stand_in="test_first_calls_of_several_threads")
@pytest.mark.parametrize("writable", [True, False])
def test_first_calls_at_the_same_time(tmp_path: Path, writable: bool) -> None:
    """Two fresh processes of four threads each share an empty cache folder, or have none."""
    folder = tmp_path / "cache"
    # A folder below a file cannot be made, whoever asks.
    blocked = tmp_path / "file"
    blocked.touch()
    # numba tries NUMBA_CACHE_DIR only, where it is set.
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(folder if writable else blocked / "below")}
    command = [sys.executable, "-c", PROGRAM]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "env": environment}
    running = [subprocess.Popen(command, **pipes) for _ in range(2)]  # type: ignore[call-overload]
    for process in running:
        output, errors = process.communicate(timeout=300)
        assert output == "same\n", errors
    assert folder.exists() == writable


@pytest.mark.slow
def test_first_calls_of_several_threads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They compile for an empty cache folder at the same time, and each call of them is right."""
    numba = pytest.importorskip("numba")
    monkeypatch.setattr(numba.core.config, "CACHE_DIR", str(tmp_path / "cache"))
    fused_bias.compiled.cache_clear()
    wanted = expected(logits())
    try:
        with ThreadPoolExecutor(4) as pool:
            jobs = [
                pool.submit(fused_bias.add_bias, logits(), SEEDS, BIASES, VOCABULARY, GAMMA) for _ in range(4)
            ]
            assert all(torch.equal(job.result(), wanted) for job in jobs)
    finally:
        fused_bias.compiled.cache_clear()
    assert any((tmp_path / "cache").rglob("*.nbi"))


def test_threads_do_not_disturb_each_other() -> None:
    wanted = expected(logits())
    with ThreadPoolExecutor(4) as pool:
        jobs = [
            pool.submit(fused_bias.add_bias, logits(), SEEDS, BIASES, VOCABULARY, GAMMA) for _ in range(16)
        ]
        assert all(torch.equal(job.result(), wanted) for job in jobs)
