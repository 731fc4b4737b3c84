"""The Triton kernel in Triton's interpreter, on a CPU: the same logits as the torch operations.

It needs Triton, which comes with torch for CUDA and not with torch for CPUs: ``make test-triton`` fetches it.
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

PROGRAM = """
import numpy as np
import torch
from stela_core.hashing import colour
from stela_kernels import torch_bias
from stela_kernels.triton import add_bias

rng = np.random.default_rng(5)
edges = np.array([0, 2**64 - 1, 0x0123456789ABCDEF, 2**63 + 2**31], np.uint64)
seeds = np.concatenate([edges, rng.integers(0, 2**64, 20, np.uint64)])
biases = [2.0, 0.0, 0.37, -1.25, *rng.normal(size=20)]
for gamma in (0.25, 0.5, 0.999):
    for width, vocabulary in ((2111, 2003), (1024, 1024), (37, 5)):
        for dtype in (torch.float32, torch.float16, torch.bfloat16):
            scores = torch.from_numpy(rng.normal(size=(len(seeds), width)) * 5).to(dtype)
            scores[:, ::7] = -torch.inf
            before = scores.clone()
            found = add_bias(scores, seeds, biases, vocabulary, gamma)
            expected = torch_bias.add_bias(scores, seeds, biases, vocabulary, gamma)
            assert torch.equal(scores, before)
            if dtype is torch.bfloat16:
                # The interpreter cuts what a GPU rounds: one step of 8 bits, and nothing where red.
                assert torch.equal(found[:, vocabulary:], expected[:, vocabulary:])
                assert torch.allclose(found.float(), expected.float(), rtol=2**-7, atol=0)
            else:
                assert torch.equal(found, expected)
    ones = add_bias(torch.zeros(len(seeds), 3000), seeds, [1.0] * len(seeds), 3000, gamma)
    green = colour.green(seeds[:, None], np.arange(3000)[None], gamma)
    assert np.array_equal(ones.numpy() == 1.0, green)
print("equal")
"""


def test_interpreted_kernel_equals_the_torch_path_and_the_definition() -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env={**os.environ, "TRITON_INTERPRET": "1"},
        capture_output=True,
        text=True,
    )
    assert done.stdout == "equal\n", done.stderr
