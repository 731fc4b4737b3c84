"""The numbers of a detection are the same on any number of threads."""

from __future__ import annotations

import math
import os
import platform
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from stela_core.statistics.sums import PART, dot, dots

PROGRAM = """
import numpy as np
from stela_core.builtin.signal_scores import signal_z
from stela_core.detection.expected_power import green_chances
from stela_core.detection.freedom import ANY
from stela_core.interfaces import Law
from stela_core.interfaces.sampling import signal_of
from stela_core.statistics.bits_tail import bits_tail
from stela_core.statistics.exponential_tail import log_exponential_tail
from stela_core.statistics.p_value import split_tail_probability, tail_probability
from stela_core.statistics.power import power
from stela_core.statistics.zscore import z_score

for seed in range(4):
    rng = np.random.default_rng(seed)
    for n in (40, 900, 12_000, 50_000):
        green, weights = rng.random(n) < 0.5, rng.gamma(2.0, size=n)
        counted = rng.integers(1, 4, n) * 0.1
        draws = (rng.random((n, 3)) < 0.5).astype(float)
        law = Law("bernoulli", 0.5, parts=(3.0, 2.0, 1.1))
        print(z_score(green, weights, 0.5).hex())
        print(signal_z(signal_of(draws, law), weights, law).hex())
        print(tail_probability(green, weights, 0.5).hex(), split_tail_probability(green, counted, 0.25).hex())
        print(log_exponential_tail(rng.exponential(size=n), weights).hex())
        print(bits_tail(draws.ravel() > 0, np.multiply.outer(weights, law.parts).ravel(), 0.5).hex())
        chances = green_chances(0.1 * weights, ANY.alike, 0.5)
        print(*(float(one).hex() for one in power(weights, chances, 0.5, 0.01)))
"""

KERNELS = ("Prescott", "Haswell") if platform.machine() in ("x86_64", "AMD64") else ("ARMV8", "NEOVERSEN1")


@pytest.mark.slow
def test_threads_of_blas_change_no_digit() -> None:
    told = {}
    for threads in ("1", "2", "4"):
        for kernels in (None, *KERNELS):
            chosen = {} if kernels is None else {"OPENBLAS_CORETYPE": kernels}
            done = subprocess.run(
                [sys.executable, "-c", PROGRAM],
                env={**os.environ, "OPENBLAS_NUM_THREADS": threads, **chosen},
                capture_output=True,
                text=True,
                check=True,
            )
            told[threads, kernels] = done.stdout.splitlines()
    first = told["1", None]
    assert len(first) == 4 * 4 * 6
    # Each processor's kernel has an order of its own, within a part.
    assert {key for key, lines in told.items() if lines != told["1", key[1]]} == set()


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


@pytest.mark.parametrize("n", [0, 1, 40, PART, PART + 1, 50_000])
def test_parts_add_up(n: int) -> None:
    one, other = np.random.default_rng(n).normal(size=(2, n))
    assert dot(one, other) == pytest.approx(math.fsum(one * other), rel=0, abs=1e-12 * max(n, 1))
    if n <= PART:
        assert dot(one, other) == float(one @ other)
