"""Intervals of comparisons: resampling draws prompts, and keys where texts share them."""

from __future__ import annotations

import numpy as np
import pytest
from stela_paper.results.intervals import RESAMPLES, SEED, Estimate, Paired, difference, estimate, signs
from stela_run.statistics.bootstrap import drawn_counts, ends


def slow_estimate(pairs: Paired) -> Estimate:
    """Texts written out, as often as their prompt and their key were drawn, one resample at a time."""
    names = sorted(set(pairs.prompts))
    numbers = sorted(set(pairs.keys or [0]))
    drawn, keys = drawn_counts(len(names), RESAMPLES, SEED), drawn_counts(len(numbers), RESAMPLES, SEED + 1)
    gaps = []
    for by_prompt, by_key in zip(drawn, keys, strict=True):
        first: list[float] = []
        second: list[float] = []
        for n, prompt in enumerate(pairs.prompts):
            key = (pairs.keys or [0] * len(pairs.prompts))[n]
            times = int(by_prompt[names.index(prompt)] * by_key[numbers.index(key)])
            first += [pairs.values[0, n]] * times
            second += [pairs.values[1, n]] * times
        gaps.append(np.mean(first) - np.mean(second) if first else np.nan)
    low, high = ends(np.array(gaps)) or (np.nan, np.nan)
    return Estimate(float(pairs.values[0].mean() - pairs.values[1].mean()), low, high)


@pytest.mark.slow
@pytest.mark.parametrize("shared", [False, True])
def test_intervals_against_texts_written_out(shared: bool) -> None:
    """One key a text: prompts are drawn; three keys that all share: prompts and keys."""
    values = np.random.default_rng(4).normal(size=(2, 15))
    prompts = [f"p{n % 5}" for n in range(15)]
    pairs = Paired(prompts, values, [n // 5 for n in range(15)] if shared else None)
    fast, slow = difference(pairs), slow_estimate(pairs)
    assert fast[:3] == pytest.approx(slow[:3], abs=1e-9)


def test_shared_keys_widen_an_interval() -> None:
    """What all texts of a key have in common is not a noise of texts: prompts alone would not show it."""
    draws = np.random.default_rng(0)
    keys = [n % 4 for n in range(200)]
    shift = draws.normal(size=4)
    values = np.stack([draws.normal(0, 0.1, 200) + shift[keys], np.zeros(200)])
    prompts = [f"p{n // 4}" for n in range(200)]
    alone, both = (difference(Paired(prompts, values, of)) for of in (None, keys))
    assert both.high - both.low > 3 * (alone.high - alone.low)


def test_signs_are_corrected_for_the_table() -> None:
    """Of forty comparisons of nothing hardly any is told apart; of a true one the sign is."""
    draws = np.random.default_rng(5)
    nothing = [difference(Paired([str(n) for n in range(60)], draws.normal(size=(2, 60)))) for _ in range(40)]
    assert any(one.low > 0 or one.high < 0 for one in nothing), "uncorrected intervals do leave out 0"
    better = draws.normal([[2.0], [0.0]], 1.0, (2, 60))
    true = difference(Paired([str(n) for n in range(60)], better))
    assert signs([*nothing, true]) == [0] * 40 + [1]
    ratio = estimate(Paired(["a", "b"], np.zeros((2, 2))), lambda m: m[0] / m[1])
    assert ratio.p == 1.0
    assert signs([ratio]) == [0]
