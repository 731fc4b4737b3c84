"""MPAC and the binomial encoding: contracts, what the papers define, and what bounds say."""

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np
import pytest
from stela_multibit.binomial import BinomialBits, BinomialHasher, agreeing, coins_of
from stela_multibit.mpac import MpacHasher, MpacSymbols, lists_of
from stela_payload.interface import Message, ScoredTokens, SeedEncoder
from stela_payload.testing import EncoderContract
from stela_testing import GreenListContract

import stela_core as stela
from stela_core.builtin.scorers import GroupedParameters, GroupedScorer

MPAC = MpacHasher(MpacHasher.Parameters(), 77)
BINOMIAL = BinomialHasher(BinomialHasher.Parameters(), 77)
SYMBOLS = MpacSymbols(MpacSymbols.Parameters(bits=16))
BITS = BinomialBits(BinomialBits.Parameters(bits=16))
PAIRS: list[tuple[stela.Hasher[Any], SeedEncoder]] = [(MPAC, SYMBOLS), (BINOMIAL, BITS)]
SCORER = GroupedScorer(GroupedParameters())
LEVELS = (0.3, 0.1, 0.03)


class TestMpacLists(GreenListContract):
    @pytest.fixture(scope="class")
    @classmethod
    def hasher(cls) -> stela.GreenList:
        return MPAC


class TestMpacSymbols(EncoderContract):
    mark = MPAC

    @pytest.fixture(scope="class")
    @classmethod
    def encoder(cls) -> SeedEncoder:
        return SYMBOLS


class TestBinomialBits(EncoderContract):
    mark = BINOMIAL

    @pytest.fixture(scope="class")
    @classmethod
    def encoder(cls) -> SeedEncoder:
        return BITS

    def text(self, encoder: SeedEncoder, message: int | None, seed: int) -> Message:
        return read(BINOMIAL, encoder, message, 600, 12, seed)


def tokens_of(
    mark: stela.Hasher[Any], encoder: SeedEncoder, message: int | None, count: int, tried: int, seed: int
) -> ScoredTokens:
    """Of some random tokens the one with the largest signal under the message, at each of so many seeds."""
    random = np.random.default_rng(seed)
    seeds = mark.seeds(random.integers(0, 2**31, (count, mark.context_width)))
    options = random.integers(0, 60_000, (count, tried))
    tokens = options[:, 0]
    if message is not None:
        carried = np.repeat(encoder.seeds(seeds, message, mark.key), tried)
        signals = mark.law.signal(mark.draws(carried, options.reshape(-1))).reshape(count, tried)
        tokens = options[np.arange(count), signals.argmax(axis=1)]
    return ScoredTokens(mark, seeds, tokens, np.ones(count), np.arange(count), SCORER)


def read(
    mark: stela.Hasher[Any], encoder: SeedEncoder, message: int | None, count: int, tried: int, seed: int
) -> Message:
    return encoder.read(tokens_of(mark, encoder, message, count, tried, seed))


def at_most(share: float, level: float, trials: int) -> bool:
    """Whether a share of trials is at most a level, within four standard deviations."""
    return share <= level + 4 * sqrt(level * (1 - level) / trials)


def test_each_token_is_in_one_of_four_lists() -> None:
    """The message's symbol at the context's position is the green one."""
    seeds, tokens = MPAC.seeds(np.arange(500)[:, None]), np.arange(500)
    lists = lists_of(seeds, tokens)
    assert set(lists.tolist()) == {0, 1, 2, 3}
    message = 0xB1E4
    symbols = [message >> shift & 3 for shift in range(14, -1, -2)]
    own = np.array(symbols)[SYMBOLS.positions_of(seeds)]
    assert MPAC.green(SYMBOLS.seeds(seeds, message, MPAC.key), tokens).tolist() == (lists == own).tolist()
    assert np.abs(np.bincount(SYMBOLS.positions_of(seeds)) - 500 / 8).max() < 40
    for wrong in range(3):  # a token is green under exactly one of the symbols
        held = (seeds + np.uint64(wrong), seeds + np.uint64(3))
        assert not (MPAC.green(held[0], tokens) & MPAC.green(held[1], tokens)).any()


def test_the_bias_is_the_share_of_coins_that_agree() -> None:
    """XNOR of coins and message, of each token of the vocabulary; in a batch as by itself."""
    torch = pytest.importorskip("torch")
    seeds = BITS.seeds(BINOMIAL.seeds(np.arange(2)[:, None]), 0xCAFE, BINOMIAL.key)
    scores = torch.zeros(2, 110)
    out = BINOMIAL.add_bias(scores, seeds, [8.0, 0.0], 100).numpy()
    assert (out[1] == 0).all()
    assert (out[0, 100:] == 0).all()
    for token in range(100):
        coins = int(coins_of(seeds[:1], np.array([token]))[0])
        assert out[0, token] == 8.0 * (16 - (coins ^ 0xCAFE).bit_count()) / 16
        assert int(agreeing(seeds[:1], np.array([token]))[0]).bit_count() == 16 - (coins ^ 0xCAFE).bit_count()
    coins_seen = BINOMIAL.draws(BINOMIAL.seeds(np.arange(4000)[:, None]), np.arange(4000))
    assert np.abs(coins_seen.mean(axis=0) - 0.5).max() < 5 / sqrt(4 * 4000)


@pytest.mark.slow
@pytest.mark.parametrize(("mark", "encoder"), PAIRS, ids=["mpac", "binomial"])
def test_a_message_is_here(mark: stela.Hasher[Any], encoder: SeedEncoder) -> None:
    """The p-value of the best message, times their number, on unmarked text under random keys."""
    some, trials, p = encoder.among(range(8)), 400, []
    for seed in range(trials):
        part = tokens_of(mark, some, None, 40, 1, seed)
        signals = part.signals(some.seeds(part.seeds, some.read(part).value, part.mark.key))
        p.append(some.choices * SCORER.score_signals(signals).p_value)
    assert min(p) < 1
    for level in LEVELS:
        assert at_most(float((np.array(p) <= level).mean()), level, trials)


@pytest.mark.deep(keep=["mpac-1", "mpac-4", "binomial-2"])
@pytest.mark.parametrize("tried", [1, 2, 4])
@pytest.mark.parametrize(("mark", "encoder"), PAIRS, ids=["mpac", "binomial"])
def test_a_wrong_digit_is_seldom_sure(mark: stela.Hasher[Any], encoder: SeedEncoder, tried: int) -> None:
    """P(a digit with a bound of at most a is wrong) <= a, however strong the mark."""
    trials, wrong = 150, []
    for seed in range(trials):
        message = seed * 40503 & 0xFFFF
        got = read(mark, encoder, message, 60, tried, seed)
        pairs = zip(f"{got.value:04x}", f"{message:04x}", got.errors, strict=True)
        wrong.append(min([error for own, right, error in pairs if own != right], default=1.0))
        assert got.error == max(got.errors)
    for level in LEVELS:
        assert at_most(float((np.array(wrong) <= level).mean()), level, trials)


@pytest.mark.parametrize(("scheme", "delta"), [("multibit-mpac", 6.0), ("multibit-binomial", 24.0)])
def test_messages_come_back_from_generated_text(scheme: str, delta: float) -> None:
    """From insertion to detection, a message for each row."""
    wm = stela.create(scheme, model="tiny", bits=16, key=0x5EED, delta=delta)
    size, messages = wm.profile.vocab_size, [0xCAFE, 0x1234]
    random, marker = np.random.default_rng(0), wm.marker(message=messages)
    ids: list[list[int]] = [[], []]
    for _ in range(300):
        logits = np.full((2, size), -1e9, dtype=np.float32)
        for row in range(2):
            logits[row, random.choice(np.arange(300, size), 300, replace=False)] = 0
        for row, scores in enumerate(marker(ids, logits)):
            ids[row].append(int((scores + random.gumbel(size=size)).argmax()))
    for message, detection in zip(messages, wm.detect_ids(ids), strict=True):
        assert detection.watermarked
        assert detection.message is not None
        assert detection.message.value == message
        assert wm.with_passage(detection).passages[0].message is None


@pytest.mark.parametrize(
    ("scheme", "bits", "says"),
    [
        ("multibit-mpac", 15, "multiple of 2"),
        ("multibit-binomial", 8, "give 16"),
        ("multibit-mpac", 66, "bits"),
    ],
)
def test_refused_in_one_line(scheme: str, bits: int, says: str) -> None:
    with pytest.raises(stela.StelaError, match=says) as error:
        stela.create(scheme, model="tiny", bits=bits, key=1)
    assert "\n" not in str(error.value)
