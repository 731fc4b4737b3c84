"""The numbers of a detection are the same on any number of threads, and its sums on any processor."""

from __future__ import annotations

import functools
import math
import os
import platform
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from stela_core.statistics.sums import dot, dots
from tests.tiers import Draws

PROGRAM = """
import numpy as np
from stela_detection.power.expected import green_chances
from stela_detection.power.expected import ANY
from stela_core.statistics.law import Bernoulli
from stela_kernels.philox.exponential import log_exponential_tail
from stela_core.statistics.p_value import split_tail_probability, tail_probability
from stela_detection.power.power import power
from stela_core.statistics.p_value import z_score
from stela_synthid.layered_bits import bits_tail

for seed in range(4):
    rng = np.random.default_rng(seed)
    for n in (40, 900, 12_000, 50_000):
        green, weights = rng.random(n) < 0.5, rng.gamma(2.0, size=n)
        counted = rng.integers(1, 4, n) * 0.1
        draws = (rng.random((n, 3)) < 0.5).astype(float)
        law = Bernoulli(0.5, parts=(3.0, 2.0, 1.1))
        print("z", z_score(green, weights, 0.5).hex())
        print("z", law.z(law.signal(draws), weights).hex())
        print(tail_probability(green, weights, 0.5).hex(), split_tail_probability(green, counted, 0.25).hex())
        print(log_exponential_tail(rng.exponential(size=n), weights).hex())
        print(bits_tail(draws.ravel() > 0, np.multiply.outer(weights, law.parts).ravel(), 0.5).hex())
        chances = green_chances(0.1 * weights, ANY.alike, 0.5)
        print(*(float(one).hex() for one in power(weights, chances, 0.5, 0.01)))
"""

X86 = platform.machine() in ("x86_64", "AMD64")
KERNELS = ("Prescott", "Haswell") if X86 else ("ARMV8", "NEOVERSEN1")
CONFIGURATION: dict[str, Any] = np.show_config(mode="dicts")  # type: ignore[assignment,unused-ignore]
PLAIN = {"NPY_DISABLE_CPU_FEATURES": " ".join(CONFIGURATION["SIMD Extensions"].get("found", []))}
"""numpy without what it would choose for this processor: other ``exp`` and ``log``."""


def told(**variables: str) -> list[list[str]]:
    """What the program prints, in words."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        check=True,
    )
    return [line.split() for line in done.stdout.splitlines()]


@pytest.mark.slow
@pytest.mark.once
def test_neither_threads_nor_kernels_of_blas_change_a_digit(draws: Draws) -> None:
    """In ``make test`` two of the six: each of the kernels, and two and four threads."""
    first = told(OPENBLAS_NUM_THREADS="1")
    assert len(first) == 4 * 4 * 6
    pairs = [(threads, kernels) for threads in ("4", "2", "1") for kernels in KERNELS]
    for threads, kernels in pairs[:: draws(1, 3)]:
        assert told(OPENBLAS_NUM_THREADS=threads, OPENBLAS_CORETYPE=kernels) == first, (threads, kernels)


@pytest.mark.slow
@pytest.mark.once
def test_z_is_the_same_on_a_processor_without_vectors() -> None:
    here, plain = told(), told(**PLAIN, OPENBLAS_CORETYPE=KERNELS[0])
    assert [line for line in plain if line[0] == "z"] == [line for line in here if line[0] == "z"]
    for one, other in zip(here, plain, strict=True):
        numbers = [[float.fromhex(word) for word in line if word != "z"] for line in (one, other)]
        assert numbers[0] == pytest.approx(numbers[1], rel=1e-9)


def pairwise(terms: list[float]) -> float:
    """The order of numpy's sums, written out: parts of 128, each in eight sums."""
    if len(terms) < 8:
        return functools.reduce(float.__add__, terms, -0.0)
    if len(terms) > 128:
        half = len(terms) // 2 - len(terms) // 2 % 8
        return pairwise(terms[:half]) + pairwise(terms[half:])
    whole = len(terms) - len(terms) % 8
    a, b, c, d, e, f, g, h = (functools.reduce(float.__add__, terms[i:whole:8]) for i in range(8))
    return functools.reduce(float.__add__, terms[whole:], ((a + b) + (c + d)) + ((e + f) + (g + h)))


@pytest.mark.parametrize("n", [0, 1, 7, 8, 40, 129, 200, 1_000, 8_193, 50_000])
def test_the_order_is_the_one_that_is_written_down(n: int) -> None:
    one, other = np.random.default_rng(n).normal(size=(2, n))
    terms = [a * b for a, b in zip(one.tolist(), other.tolist(), strict=True)]
    assert dot(one, other) == pairwise(terms)
    assert dots(np.array([other, one]), one)[0] == pairwise(terms)
    assert dot(one, other) == pytest.approx(math.fsum(terms), rel=0, abs=1e-12 * max(n, 1))


@given(st.lists(st.tuples(*[st.floats(-1e6, 1e6)] * 2), max_size=300))
@example([(1.1023781358771962e-157, 1.1023781358771962e-157)])
def test_sums_are_those_of_exact_arithmetic(pairs: list[tuple[float, float]]) -> None:
    one, other = np.array(pairs, dtype=np.float64).reshape(-1, 2).T
    terms = [a * b for a, b in pairs]
    most = math.fsum(map(abs, terms))
    # Products below the smallest normal number are whole multiples of the smallest of all: half of it each.
    least = len(pairs) * math.ulp(0.0)
    assert dot(one, other) == pytest.approx(math.fsum(terms), rel=0, abs=1e-14 * most + least)
    rows = np.array([one, 2 * one, -one])
    sums = dots(rows, other).tolist()
    for factor, row_sum in zip((1, 2, -1), sums, strict=True):
        assert row_sum == pytest.approx(factor * math.fsum(terms), rel=0, abs=2e-14 * most + 2 * least)
    assert dots(np.asfortranarray(rows), other).tolist() == sums
