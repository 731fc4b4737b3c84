"""Passages of one text name a message each, or nobody."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import sqrt

import numpy as np
import pytest
from message_texts import text_of, watermark
from stela_detection.search.named_passages import with_passage

import stela_core as stela
from stela_core.api import Composition
from tests.tiers import Draws

LEVELS = (0.3, 0.1, 0.03)


def human(count: int, size: int, seed: int) -> list[int]:
    ids: list[int] = np.random.default_rng(seed).integers(300, size, count).tolist()
    return ids


def scanned(wm: stela.Watermark, ids: Sequence[int]) -> stela.Detection:
    [detection] = wm.detect_ids([ids])
    return wm.with_passage(detection)


def at_most(share: float, level: float, trials: int) -> bool:
    """Whether a share of trials is at most a level, within four standard deviations."""
    return share <= level + 4 * sqrt(level * (1 - level) / trials)


@pytest.mark.deep(keep=["gumbel-16-60", "gumbel-32-120", "kgw-16-150"])
@pytest.mark.parametrize(
    ("scheme", "bits", "each"),
    [
        ("gumbel", 16, 60),
        *(pytest.param(*one, marks=pytest.mark.slow) for one in (("gumbel", 32, 120), ("gumbel", 64, 180))),
        pytest.param("kgw", 16, 150, marks=pytest.mark.slow),
    ],
)
def test_half_of_one_and_half_of_another(scheme: str, bits: int, each: int) -> None:
    """Both customers are named, each in their own half."""
    wm = watermark(scheme, bits, **({"delta": 4.0} if scheme == "kgw" else {}))
    messages = [0x1122334455667788 >> 64 - bits, 0x99AABBCCDDEEFF01 >> 64 - bits]
    ids = text_of(wm.marker(message=messages), 2, each, wm.profile.vocab_size)
    detection = scanned(wm, ids[0] + ids[1])
    assert detection.watermarked
    assert detection.message is not None
    assert (detection.message.mixed, set(detection.message.text)) == (True, {"?"})
    first, second = detection.passages
    for message, passage, start in zip(messages, (first, second), (0, each), strict=True):
        assert passage.message is not None
        assert (passage.message.value, passage.message.is_sure) == (message, True)
        assert passage.message.error <= 1e-4
        assert start - 16 <= passage.token_start < passage.token_end <= start + each + 16
    listed = detection.to_dict()["passages"]
    assert [one["message"]["hex"] for one in listed] == [f"{message:x}" for message in messages]


@pytest.mark.deep(stand_in="test_half_of_one_and_half_of_another")
@pytest.mark.slow
def test_three_passages_among_human_text() -> None:
    """Two of one message, one of another; what stands between names nobody."""
    wm = watermark("gumbel", 32)
    size, messages = wm.profile.vocab_size, [0xCAFE0001, 0xBEEF1234, 0xCAFE0001]
    marked = text_of(wm.marker(message=messages), 3, 120, size)
    ids: list[int] = []
    for number, passage in enumerate(marked):
        ids += human(100, size, number) + passage
    detection = scanned(wm, ids + human(80, size, 9))
    read = [passage.message for passage in detection.passages]
    assert [message.value for message in read if message is not None and message.is_sure] == messages
    for number, passage in enumerate(detection.passages):
        start = 220 * number + 100
        assert start - 16 <= passage.token_start < passage.token_end <= start + 136
    # Among issued ones, too; a text of others names nobody.
    among = scanned(wm.among([0xCAFE0001, 0xBEEF1234, 7]), ids)
    assert [passage.message and passage.message.text for passage in among.passages] == [
        f"{message:x}" for message in messages
    ]
    others = scanned(wm.among([0xCA110001, 5]), ids)
    assert not any(passage.message and passage.message.is_sure for passage in others.passages)


def test_text_without_a_message_has_none() -> None:
    """No passage, and nothing is said of the window that looks marked most."""
    wm = watermark("gumbel", 32)
    detection = scanned(wm, human(300, wm.profile.vocab_size, 3))
    assert (detection.verdict, detection.passages) == ("no watermark found", ())
    assert "message" not in detection.to_dict()["window"]


@pytest.mark.slow
def test_each_key_has_its_own_messages() -> None:
    """Of several profiles, and of marks under one another's keys."""
    one, two = watermark("gumbel", 16, key=1), watermark("gumbel", 16, key=2)
    size = one.profile.vocab_size
    ids = text_of(one.marker(message=3), 1, 70, size)[0] + text_of(two.marker(message=4), 1, 70, size)[0]
    marks = stela.Watermarks({"one.stela": one, "two.stela": two})
    text = one.tokens.decode(ids)
    assert {mark.name for mark in marks.detect(text, windows=True).marks} == {"one.stela", "two.stela"}
    for mark, message in ((one, 3), (two, 4)):
        passages = mark.with_passage(mark.detect(text)).passages
        assert {passage.message and passage.message.text for passage in passages} == {f"{message:04x}"}


def scanned_by(wm: stela.Watermark, parts: Composition, ids: list[int]) -> stela.Detection:
    """The same by other parts than the profile's: another key, another encoder."""
    detector = wm.detector.with_composition(parts)
    [evidence] = detector.evidence([ids])
    return with_passage(detector.judge(evidence), parts.scorer, parts)


@pytest.mark.deep(keep=["kgw-3-90"])
@pytest.mark.slow
@pytest.mark.parametrize(("scheme", "bits", "count"), [("kgw", 3, 90), ("gumbel", 4, 90), ("gumbel", 24, 60)])
def test_unmarked_text_seldom_has_a_passage(scheme: str, bits: int, count: int, draws: Draws) -> None:
    """Over random keys, for all windows and messages together: P(the best corrected p-value <= a) <= a."""
    trials, best = draws(300, 100) if bits < 16 else 100, []
    wm = watermark(scheme, bits)
    ids = human(count, wm.profile.vocab_size, 1)
    for key in range(trials):
        window = scanned_by(wm, wm.parts.under(key), ids).window
        assert window is not None
        best.append(window.p_value)
    assert min(best) < 1
    for level in LEVELS:
        assert at_most(float((np.array(best) <= level).mean()), level, trials)


@pytest.mark.deep(keep=["kgw-8-3"])
@pytest.mark.slow
@pytest.mark.parametrize(("scheme", "bits", "tried"), [("kgw", 8, 3), ("gumbel", 24, 6)])
def test_no_wrong_digit_above_the_bound(scheme: str, bits: int, tried: int) -> None:
    """Weakly marked halves of two messages: passages may show digits of either, and only together.

    P(some passage shows, at bounds of at most a, what is in neither message) <= a.
    """
    trials, wrong, shown = 40, [], 0
    wm = watermark(scheme, bits)
    encoder = wm.parts.encoder
    assert encoder is not None
    loose = type(encoder)(encoder.parameters.model_copy(update={"most_error": 0.3}))
    for seed in range(trials):
        random = np.random.default_rng(seed)
        messages = [int(random.integers(0, 1 << bits)) for _ in range(2)]
        ids = weakly_marked(wm, messages, 80, tried, random)
        least = 1.0
        for passage in scanned_by(wm, replace(wm.parts, encoder=loose), ids).passages:
            read = passage.message
            assert read is not None
            digits = {n: digit for n, digit in enumerate(read.text) if digit != "?"}
            shown += bool(digits)
            texts = [f"{message:0{len(read.text)}x}" for message in messages]
            if not any(all(text[n] == digit for n, digit in digits.items()) for text in texts):
                least = min(least, max(read.errors[n] for n in digits))
        wrong.append(least)
    assert shown > trials / 4
    for level in LEVELS:
        assert at_most(float((np.array(wrong) <= level).mean()), level, trials)


def weakly_marked(
    wm: stela.Watermark, messages: Sequence[int], each: int, tried: int, random: np.random.Generator
) -> list[int]:
    """Ids of equal parts, a message each: of some random tokens the one with the largest signal."""
    mark, encoder = wm.parts.hasher, wm.parts.encoder
    assert encoder is not None
    size, width = wm.profile.vocab_size, mark.context_width
    ids: list[int] = random.integers(300, size, width).tolist()
    for message in messages:
        for _ in range(each):
            options = random.integers(300, size, tried)
            seed = encoder.seeds(mark.seeds(np.array([ids[-width:]])), message, mark.key)
            signal = mark.law.signal(mark.draws(np.repeat(seed, tried), options))
            ids.append(int(options[signal.argmax()]))
    return ids
