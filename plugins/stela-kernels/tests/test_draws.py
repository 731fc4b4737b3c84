"""Draws by a row's seed: their law is the softmax's, and a seed says all about them."""

from __future__ import annotations

import math
import threading

import numpy as np
import numpy.typing as npt
import pytest
import torch
from scipy.stats import chi2, chisquare, ncx2
from stela_kernels import draws
from stela_kernels.row_seeds import coins, drawing_by, row_seeds

from stela_core.api import mix

ROWS, TOKENS = 20_000, 40
LEVEL = 1e-4


@pytest.fixture(params=["compiled", "torch"])
def path(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """With numba, and as on a machine or a device without it."""
    if request.param == "torch":
        monkeypatch.setattr(draws, "compiled", lambda: None)
    elif draws.compiled() is None:
        pytest.skip("numba cannot be used here")
    return str(request.param)


def tokens_of(logits: torch.Tensor, seeds: npt.NDArray[np.uint64]) -> npt.NDArray[np.int64]:
    """The token that is left in each row; nothing else is."""
    out = draws.drawn(logits, seeds)
    assert (out == 0).sum(1).eq(1).all()
    assert (out == -torch.inf).sum(1).eq(logits.shape[1] - 1).all()
    chosen: npt.NDArray[np.int64] = out.argmax(1).numpy()
    return chosen


def test_tokens_follow_the_softmax_as_multinomials_do(path: str) -> None:
    """By chi-square at one in 10,000, which a distribution off by 5 % of its weight fails all but surely."""
    logits = torch.randn(TOKENS, generator=torch.Generator().manual_seed(1)) * 1.5
    shares = torch.softmax(logits.double(), 0).numpy()
    assert shares.min() * ROWS > 5
    # Power: 5 % moved from the upper half of the tokens' weight to the lower one.
    order = np.argsort(shares)
    upper = np.cumsum(shares[order]) > 0.5
    other = shares[order] * np.where(upper, 1 - 0.05 / shares[order][upper].sum(), 1.0)
    other *= np.where(upper, 1.0, 1 + 0.05 / shares[order][~upper].sum())
    away = ROWS * ((other - shares[order]) ** 2 / shares[order]).sum()
    assert ncx2.sf(chi2.isf(LEVEL, TOKENS - 1), TOKENS - 1, away) > 0.99
    drawn = tokens_of(logits.expand(ROWS, -1), row_seeds(7, range(ROWS), 3))
    theirs = torch.multinomial(
        torch.softmax(logits, 0), ROWS, replacement=True, generator=torch.Generator().manual_seed(1)
    )
    for chosen in (drawn, theirs.numpy()):
        counts = np.bincount(chosen, minlength=TOKENS)
        assert chisquare(counts, shares * ROWS).pvalue > LEVEL
    wrong = chisquare(np.bincount(drawn, minlength=TOKENS)[order], other * ROWS)
    assert wrong.pvalue < LEVEL


def test_rows_positions_and_nonces_are_independent(path: str) -> None:
    """Pairs of tokens at neighbouring rows, positions and nonces have the product's law."""
    shares = np.array([0.5, 0.3, 0.2])
    logits = torch.tensor(shares).log().float().expand(ROWS, -1)
    first = tokens_of(logits, row_seeds(7, range(ROWS), 3))
    for other in (
        row_seeds(7, range(1, ROWS + 1), 3),
        row_seeds(7, range(ROWS), 4),
        row_seeds(8, range(ROWS), 3),
    ):
        counts = np.bincount(3 * first + tokens_of(logits, other), minlength=9)
        assert chisquare(counts, np.outer(shares, shares).ravel() * ROWS).pvalue > LEVEL


def test_the_definition(path: str) -> None:
    """Argmax of logit and noise, token by token; also where few may come, one, or none."""
    logits = torch.randn(6, 1003, generator=torch.Generator().manual_seed(2)) * 4
    logits[1, ::2] = -torch.inf
    logits[2] = -torch.inf
    logits[2, 700] = -3.0
    logits[3] = -torch.inf
    logits[4, 5] = torch.nan
    seeds = row_seeds(2**63 + 11, range(6), 900)
    out = draws.drawn(logits, seeds)
    for row, own in enumerate(logits.tolist()):
        numbers = mix(seeds[row], np.arange(1003)).tolist()
        sums = [
            -math.inf if math.isnan(x) else x - math.log(-math.log((n + 0.5) / 2**32))
            for x, n in zip(own, numbers, strict=True)
        ]
        if row == 3:
            assert torch.equal(out[row], logits[row])
        else:
            assert out[row].argmax().item() == int(np.argmax(sums))
            assert out[row].isfinite().sum() == 1


@pytest.mark.parametrize("dtype", [torch.float64, torch.bfloat16, torch.float16])
def test_other_types(path: str, dtype: torch.dtype) -> None:
    logits = (torch.randn(3, 500, generator=torch.Generator().manual_seed(2))).to(dtype)
    seeds = row_seeds(1, range(3), 0)
    out = draws.drawn(logits, seeds)
    assert out.dtype == dtype
    assert torch.equal(out.argmax(1), draws.drawn(logits.float(), seeds).argmax(1))
    assert draws.drawn(logits[:0], seeds[:0]).shape == (0, 500)


@pytest.mark.parametrize("width", [1, 127, 128, 129, 8192])
def test_compiled_and_torch_draw_the_same(width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    if draws.compiled() is None:
        pytest.skip("numba cannot be used here")
    logits = torch.randn(40, width, generator=torch.Generator().manual_seed(width)) * 3
    seeds = row_seeds(5, range(40), width)
    one = draws.drawn(logits, seeds)
    monkeypatch.setattr(draws, "compiled", lambda: None)
    assert torch.equal(draws.drawn(logits, seeds), one)


def test_draws_from_like_logits_agree(path: str) -> None:
    """At least as often as the bound says that holds for all, and far more often than by chance."""
    generator = torch.Generator().manual_seed(0)
    target = torch.randn(2000, 300, generator=generator) * 3
    draft = target + torch.randn(2000, 300, generator=generator) * 0.3
    apart = (target.softmax(1) - draft.softmax(1)).abs().sum(1) / 2
    seeds = row_seeds(1, range(2000), 5)
    agree = float((tokens_of(target, seeds) == tokens_of(draft, seeds)).mean())
    assert agree > float(((1 - apart) / (1 + apart)).mean()) - 0.03
    assert agree < float((1 - apart).mean()) + 0.03
    assert agree > 1.5 * float((target.softmax(1) * draft.softmax(1)).sum(1).mean())


def test_seeds_differ_and_are_splitmix64s() -> None:
    every = np.concatenate([row_seeds(7, range(300), position) for position in range(300)])
    assert len(set(every.tolist())) == 90_000
    # The first two numbers of SplitMix64 from the state 0, as its authors print them.
    assert row_seeds(0, [0], 0).tolist() == [0xE220A8397B1DCDAF]
    assert row_seeds(0, [0], 1).tolist() == [0x6E789E6AA1B965F4]


def test_coins_are_those_of_the_rows_while_somebody_draws_by_seeds() -> None:
    assert coins(3) is None
    seeds = row_seeds(1, range(20_000), 1)
    with drawing_by(seeds):
        found = coins(len(seeds))
        assert coins(3) is None
        elsewhere: list[object] = []
        thread = threading.Thread(target=lambda: elsewhere.append(coins(len(seeds))))
        thread.start()
        thread.join()
        assert elsewhere == [None]
    assert coins(len(seeds)) is None
    assert found is not None
    counts = np.histogram(found, bins=20, range=(0, 1))[0]
    assert chisquare(counts).pvalue > LEVEL
