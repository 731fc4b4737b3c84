"""Triton's kernels for entropy and green mass in Triton's interpreter, and all kernels compiled for GPUs.

They have never run on a GPU. As for ``test_triton_bias.py``, Triton has to be there: ``make test-triton``.
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("triton") is None, reason="make test-triton: Triton comes with torch for CUDA"
)

ROWS = """
import numpy as np
import torch
from stela_core.builtin.hashers import KeyedHasher
from stela_kernels import fused_bias, gpu, row_entropy, torch_bias
from stela_kernels.split import MaskSplit
import stela_kernels.triton

rng = np.random.default_rng(5)
edges = np.array([0, 2**64 - 1, 0x0123456789ABCDEF, 2**63 + 2**31], np.uint64)
seeds = np.concatenate([edges, rng.integers(0, 2**64, 4, np.uint64)])
biases = [2.0, 0.0, 0.37, -1.25, *rng.normal(size=4)]
for gamma in (0.25, 0.999):
    for width, vocabulary in ((5000, 4000), (1024, 1024), (37, 5)):
        for dtype in (torch.float32, torch.float16, torch.bfloat16):
            scores = torch.from_numpy(rng.normal(size=(len(seeds), width)) * 5).to(dtype)
            scores[:, ::7] = -torch.inf
            scores[1:, 1024:2048] = -torch.inf  # a whole block that cannot come
            scores[0] -= 60
            scores[2] *= 60
            wide = torch.cat([scores, scores], dim=1)[:, :width]  # rows that do not follow each other
            green = torch_bias.green(seeds, vocabulary, gamma)
            wanted = torch.special.entr(scores.double().softmax(-1)).sum(-1).numpy()
            split = stela_kernels.triton.split(wide, seeds, vocabulary, gamma)
            assert np.abs(stela_kernels.triton.entropies(wide) - wanted).max() < 2e-6
            assert np.abs(split.green_mass - MaskSplit(scores, green).green_mass).max() < 1e-6
            raised = stela_kernels.triton.add_bias(scores, seeds, biases, vocabulary, gamma)
            assert torch.equal(split.add_bias(biases), raised)
fused_bias.suits, gpu.gpu_kernels = (lambda scores: False), (lambda scores: gpu._lent())  # as on a GPU
own = KeyedHasher(KeyedHasher.Parameters(gamma=gamma), 1).split(wide, seeds, vocabulary)
assert isinstance(own, stela_kernels.triton.split) and np.array_equal(own.green_mass, split.green_mass)
assert np.array_equal(row_entropy.entropies(wide), stela_kernels.triton.entropies(wide))
print("equal")
"""

COMPILED = """
import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource
from stela_kernels.triton import kernels

INTEGERS = {"low": "*i32", "high": "*i32", "width": "i32", "vocab_size": "i32", "stride": "i32"}
for kernel in (kernels.bias_block, kernels.mass_block, kernels.moment_block):
    for capability in (80, 90):
        for scores in ("*fp32", "*fp16", "*bf16"):
            for below in ("i32", "i64"):  # as its size is
                types = INTEGERS | {"scores": scores, "out": scores, "below": below, "BLOCK": "constexpr"}
                signature = {name: types.get(name, "*fp32") for name in kernel.arg_names}
                source = ASTSource(kernel, signature, {"BLOCK": 1024})
                made = triton.compile(source, target=GPUTarget("cuda", capability, 32))
                assert made.asm["cubin"]
print("compiled")
"""


def program(code: str, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, **environment}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
def test_interpreted_rows_equal_the_torch_path() -> None:
    assert program(ROWS, TRITON_INTERPRET="1") == "equal\n"


@pytest.mark.slow
def test_all_kernels_compile_for_gpus(tmp_path: object) -> None:
    """For two kinds of NVIDIA's, by the compiler that Triton brings: no GPU is needed, and none runs them."""
    assert program(COMPILED, TRITON_CACHE_DIR=str(tmp_path)) == "compiled\n"
