"""What p-values and bounds say holds: on unmarked text, on marked text, on text of two messages."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

import numpy as np
import pytest
from stela_payload.encoder import Payload
from stela_payload.interface import Message, ScoredTokens, SeedEncoder

import stela_core as stela
from stela_core.api import KeyedHasher
from stela_core.builtin.scorers import GroupedParameters, GroupedScorer
from tests.tiers import Draws

MARK = KeyedHasher(stela.HasherParameters(), 77)
SCORER = GroupedScorer(GroupedParameters())
LEVELS = (0.3, 0.1, 0.03, 0.01)


def simulated(
    encoder: SeedEncoder, messages: Sequence[int | None], share: float, count: int, seed: int
) -> Message:
    """What is read of a text of equal parts, each of a message (or of none), its tokens more often green."""
    return encoder.read(tokens_of(encoder, messages, share, count, seed))


def tokens_of(
    encoder: SeedEncoder, messages: Sequence[int | None], share: float, count: int, seed: int
) -> ScoredTokens:
    """What is read of it."""
    random = np.random.default_rng(seed)
    seeds = random.integers(0, 2**64, count, dtype=np.uint64)
    tokens = random.integers(0, 60_000, count)
    for part, message in zip(np.array_split(np.arange(count), len(messages)), messages, strict=True):
        if message is not None:
            red = MARK.draws(encoder.seeds(seeds[part], message, MARK.key), tokens[part])[:, 0] == 0
            again = part[red & (random.random(len(part)) < share)]
            tokens[again] = random.integers(0, 60_000, len(again))
    return ScoredTokens(MARK, seeds, tokens, np.ones(count), np.arange(count), SCORER)


def p_of(encoder: SeedEncoder, messages: Sequence[int | None], count: int, seed: int) -> float:
    """The p-value of the best message of an unmarked text, corrected as detection does."""
    random = np.random.default_rng(seed)
    seeds = random.integers(0, 2**64, count, dtype=np.uint64)
    tokens = random.integers(0, 60_000, count)
    args = np.ones(count), np.arange(count)
    read = encoder.read(ScoredTokens(MARK, seeds, tokens, *args, SCORER))
    draws = MARK.draws(encoder.seeds(seeds, read.value, MARK.key), tokens)
    p = SCORER.score_signals(stela.Signals(draws, *args, MARK.law)).p_value
    return min(1.0, encoder.choices * p)


def at_most(share: float, level: float, trials: int) -> bool:
    """Whether a share of trials is at most a level, within four standard deviations."""
    return share <= level + 4 * sqrt(level * (1 - level) / trials)


@pytest.mark.deep(keep=["1", "8"])
@pytest.mark.parametrize("bits", [1, 4, 8])
def test_a_message_is_here(bits: int, draws: Draws) -> None:
    """The p-value of the best of all messages, on unmarked text under random keys.

    Of 500 texts, twice as many as the level are seen at 0.3 and 0.1, three times as many at 0.01.
    """
    trials = draws(2_000, 500)
    encoder = Payload(Payload.Parameters(bits=bits))
    p = np.array([p_of(encoder, [None], 40, seed) for seed in range(trials)])
    assert all(at_most(float((p <= level).mean()), level, trials) for level in LEVELS)
    assert (p < 1).any()


@pytest.mark.deep(stand_in="test_a_message_is_here")
@pytest.mark.parametrize("issued", [1, 3, 50])
def test_an_issued_message_is_here(issued: int) -> None:
    """Of one that was fixed beforehand, and of the best of some."""
    messages = np.random.default_rng(0).integers(0, 2**16, issued).tolist()
    encoder = Payload(Payload.Parameters(bits=16)).among(messages)
    p = np.array([p_of(encoder, [None], 60, seed) for seed in range(400)])
    assert all(at_most(float((p <= level).mean()), level, 400) for level in LEVELS)


@pytest.mark.deep(keep=["6-0.0", "6-0.3", "6-0.6", "6-0.9", "24-0.6"])
@pytest.mark.parametrize("share", [0.0, 0.3, 0.6, 0.9])
@pytest.mark.parametrize("bits", [6, 24])
def test_another_message_is_seldom_named(bits: int, share: float, draws: Draws) -> None:
    """Whatever the strength of the mark: P(error bound <= a and the message is another one) <= a; of digits,
    P(a digit with a bound <= a is wrong) <= a.
    """
    trials = draws(1_000, 300) if bits == 6 else draws(60, 40)
    encoder = Payload(Payload.Parameters(bits=bits))
    random = np.random.default_rng(bits)
    wrong, digits = [], []
    for seed in range(trials):
        message = int(random.integers(0, 1 << bits))
        read = simulated(encoder, [message], share, 90 if bits == 24 else 25, seed)
        width = len(read.text)
        pairs = zip(f"{read.value:0{width}x}", f"{message:0{width}x}", strict=True)
        wrong.append(read.error if read.value != message else 1.0)
        digits.append(min([e for (a, b), e in zip(pairs, read.errors, strict=True) if a != b], default=1.0))
    for level in LEVELS:
        assert at_most(float((np.array(wrong) <= level).mean()), level, trials)
        assert at_most(float((np.array(digits) <= level).mean()), level, trials)


@pytest.mark.deep(keep=["0.6"])
@pytest.mark.parametrize("share", [0.3, 0.6])
def test_another_issued_message_is_seldom_named(share: float, draws: Draws) -> None:
    """Registers with neighbours, too: P(error bound <= a and the message is another one) <= a."""
    random, trials = np.random.default_rng(9), draws(100, 50)
    near = [0x10203 ^ byte for byte in range(40)]
    encoder = Payload(Payload.Parameters(bits=24)).among([*near, *random.integers(0, 2**24, 40).tolist()])
    wrong = []
    for seed in range(trials):
        message = near[seed % 40]
        read = simulated(encoder, [message], share, 60, seed)
        wrong.append(read.error if read.value != message else 1.0)
    assert sum(error < 1 for error in wrong) < trials
    for level in LEVELS:
        assert at_most(float((np.array(wrong) <= level).mean()), level, trials)


def test_the_true_message_is_named(draws: Draws) -> None:
    """The bounds are not idle: strongly marked, all of it is sure."""
    encoder = Payload(Payload.Parameters(bits=32))
    for seed in range(draws(10, 3)):
        read = simulated(encoder, [0xDEADBEEF], 1.0, 800, seed)
        assert read.text == "deadbeef"
        assert read.error <= 1e-4


@pytest.mark.deep(stand_in="test_what_several_messages_show")
def test_half_of_one_and_half_of_another() -> None:
    """No third message is named: one of the two, or nobody."""
    encoder = Payload(Payload.Parameters(bits=32))
    random = np.random.default_rng(4)
    for seed in range(40):
        a, b = (int(m) for m in random.integers(0, 2**32, 2))
        read = simulated(encoder, [a, b], 1.0, 1_200, seed)
        assert not read.is_sure or read.value in (a, b)


@pytest.mark.deep(keep=["6-3-0.4", "6-3-1.0"])
@pytest.mark.parametrize("share", [0.4, 0.7, 1.0])
@pytest.mark.slow
@pytest.mark.parametrize(("bits", "several"), [(6, 3), (24, 1), (24, 2), (24, 3)])
def test_what_several_messages_show(bits: int, several: int, share: float) -> None:
    """P(what is shown at bounds of at most a is of none of the messages, or of several) <= a."""
    trials, wrong, shown = 80, [], 0
    encoder = Payload(Payload.Parameters(bits=bits, most_error=0.3))
    random = np.random.default_rng(bits + several)
    for seed in range(trials):
        messages = [int(message) for message in random.integers(0, 1 << bits, several)]
        part = tokens_of(encoder, messages, share, 90 if bits == 6 else 200 * several, seed)
        read = encoder.sure_of(part, encoder.best(part), 1.0)
        digits = {n: digit for n, digit in enumerate(read.text) if digit != "?"}
        shown += bool(digits)
        texts = [f"{message:0{len(read.text)}x}" for message in messages]
        right = any(all(text[n] == digit for n, digit in digits.items()) for text in texts)
        wrong.append(1.0 if right else max(read.errors[n] for n in digits))
    assert shown or share < 1
    for level in LEVELS:
        assert at_most(float((np.array(wrong) <= level).mean()), level, trials)


def test_a_text_of_another_key_names_nobody(draws: Draws) -> None:
    """Seeds under another key are others: nothing is shown."""
    encoder = Payload(Payload.Parameters(bits=32))
    for seed in range(draws(30, 8)):
        assert set(simulated(encoder, [None], 0.0, 400, seed).text) == {"?"}
