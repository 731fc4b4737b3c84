"""Messages from insertion to detection: processor, markers, requests, profiles."""

from __future__ import annotations

import pickle
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from message_texts import KEY, text_of, watermark

import stela_core as stela

MARKS = [("gumbel", 64), ("gumbel", 16), ("kgw", 16), ("kgw", 8), ("stela", 8)]


@pytest.mark.parametrize(("scheme", "bits"), [mark for mark in MARKS if mark[0] != "stela"])
def test_each_row_has_its_message(scheme: str, bits: int) -> None:
    """What a batch's rows were given is read; a row marked by itself has the same logits."""
    wm = watermark(scheme, bits, **({"delta": 4.0} if scheme == "kgw" else {}))
    messages = [3 % (1 << bits), (1 << bits) - 1, 0x5A5A5A5A5A5A5A5A & (1 << bits) - 1]
    ids = text_of(wm.marker(message=messages), 3, 120, wm.profile.vocab_size)
    for message, detection in zip(messages, wm.detect_ids(ids), strict=True):
        assert detection.watermarked
        assert detection.message is not None
        assert detection.message.value == message
        assert detection.to_dict()["message"]["hex"] == f"{message:0{bits // 4}x}"
    logits = np.random.default_rng(1).normal(size=(3, wm.profile.vocab_size)).astype(np.float32)
    together = wm.marker(message=messages)(ids, logits)
    for row, message in enumerate(messages):
        for given in (message, f"{message:x}"):
            alone = wm.marker(message=given)([ids[row]], logits[row : row + 1])
            assert np.array_equal(alone[0], together[row])


@pytest.mark.parametrize(("scheme", "bits"), MARKS[:3])
def test_requests_have_messages(scheme: str, bits: int) -> None:
    """Those of an engine are marked as rows of a batch are; a finished request's mark is forgotten."""
    wm = watermark(scheme, bits)
    messages = [1, 2, 2]
    requests = wm.requests()
    ids = [[5, 6, 7, 8], [9, 10, 11, 12], [5, 6, 7, 8]]
    for name, message, own in zip("abc", messages, ids, strict=True):
        requests.add(name, own, message=message)
    logits = np.random.default_rng(1).normal(size=(3, wm.profile.vocab_size)).astype(np.float32)
    assert np.array_equal(requests(["a", "b", "c"], logits), wm.marker(message=messages)(ids, logits))
    for name in "abc":
        requests.remove(name)
    assert len(requests._marks.made) == 1
    with pytest.raises(stela.StelaError, match="carry a message of"):
        requests.add("d")


def test_keys_and_messages_of_rows() -> None:
    """A row's key and its message together; each text is found under its own."""
    wm = watermark("gumbel", 16)
    ids = text_of(wm.marker(keys=[7, 8], message=[1, 2]), 2, 80, wm.profile.vocab_size)
    for key, message, own in zip([7, 8], [1, 2], ids, strict=True):
        other = stela.create("gumbel", model="tiny", bits=16, key=key)
        [detection] = other.detect_ids([own])
        assert detection.message is not None
        assert (detection.watermarked, detection.message.value) == (True, message)
    with pytest.raises(stela.StelaError, match="2 messages for 3 keys"):
        wm.marker(keys=[1, 2, 3], message=[1, 2])


def test_profiles_without_messages_are_as_before() -> None:
    """Nothing stands in the file, and marks are those of a mark without an encoder."""
    wm = watermark("gumbel", None)
    assert "message" not in wm.profile.model_dump(mode="json")
    with pytest.raises(stela.StelaError, match="marks carry no message"):
        wm.marker(message=1)
    with pytest.raises(stela.StelaError, match="marks carry no message"):
        wm.among([1])


def test_the_profile_says_bits_and_code(tmp_path: Any) -> None:
    """It is saved and loaded, and holds no message."""
    made = watermark("gumbel", 32)
    made.save(tmp_path / "p.stela")
    wm = stela.load(tmp_path / "p.stela", key=KEY)
    assert wm.profile.message is not None
    assert (wm.profile.message.code, wm.profile.message.bits) == ("payload", 32)
    assert wm.profile.message.parameters["permutation"] == "keyed"
    assert "stela-payload" in wm.profile.requires
    ids = text_of(wm.marker(message="cafe0001"), 1, 150, wm.profile.vocab_size)
    [detection] = wm.detect_ids(ids)
    assert detection.message is not None
    assert detection.message.text == "cafe0001"


def test_among_issued_messages() -> None:
    """p-values are times their number; of one it is that message's own; a text of another is nobody's."""
    wm = watermark("gumbel", 32)
    ids = text_of(wm.marker(message=77), 1, 60, wm.profile.vocab_size)
    [any_], [one], [two], [others] = (
        mark.detect_ids(ids) for mark in (wm, wm.among([77]), wm.among([77, 78]), wm.among([1, 2, 3]))
    )
    assert any_.p_value == pytest.approx(one.p_value * 2**32, rel=1e-9)
    assert two.p_value == pytest.approx(one.p_value * 2, rel=1e-9)
    assert one.watermarked
    assert others.message is not None
    assert set(others.message.text) == {"?"}


def test_marks_of_one_key_with_and_without_messages_are_each_tested() -> None:
    """They are not one mark under several names, and their evidence is not weighed together."""
    marks = {f"{bits}.stela": watermark("gumbel", bits) for bits in (16, 32)}
    marks["none.stela"] = stela.create("gumbel", model="tiny", key=KEY)
    every = stela.Watermarks(marks)
    assert (len(every), every.same) == (3, {})
    for name, mark in marks.items():
        ids = text_of(mark.marker(message=77) if "none" not in name else mark.marker(), 1, 100, 4000)[0]
        text = mark.tokens.decode(ids)
        result = every.detect(text)
        assert (result.name, result.verdict) == (name, "watermarked")
        assert result.detection.p_value == pytest.approx(3 * mark.detect(text).p_value, rel=1e-9)


def test_bounds_are_times_what_was_tested() -> None:
    """Of several keys, and of several readings: those of a text in which digits are no longer sure."""
    wm = watermark("gumbel", 16)
    ids = text_of(wm.marker(message=77), 1, 10, wm.profile.vocab_size)
    [evidence] = wm.detector.evidence(ids)
    one, many = wm.detector.judge(evidence).message, wm.detector.judge(evidence, tests=10**6).message
    halved = wm.detector.judge(replace(evidence, share=0.5)).message
    assert one is not None
    assert many is not None
    assert halved is not None
    assert 1e-12 < one.error < 1e-4 < many.error == pytest.approx(min(1.0, 1e6 * one.error))
    assert halved.errors == pytest.approx([2 * error for error in one.errors])
    assert (one.text, many.text) == ("004d", "????")


def test_a_million_issued_messages() -> None:
    """The best of them is looked up, not tried one by one."""
    wm = watermark("gumbel", 64)
    issued = np.random.default_rng(0).integers(0, 2**63, 1_000_000)
    ids = text_of(wm.marker(message=int(issued[5])), 1, 60, wm.profile.vocab_size)
    [detection] = wm.among(issued.tolist()).detect_ids(ids)
    assert detection.message is not None
    assert (detection.watermarked, detection.message.value) == (True, int(issued[5]))


def test_a_mark_with_a_message_is_sent_to_workers() -> None:
    wm = watermark("kgw", 16)
    mark = wm.marker(message=9)
    contexts = np.array([[5], [6]])
    hasher = mark._hasher
    again = pickle.loads(pickle.dumps(hasher))
    assert np.array_equal(again.seeds(contexts), hasher.seeds(contexts))
    assert not np.array_equal(again.under(3).seeds(contexts), hasher.seeds(contexts))


@pytest.mark.parametrize(
    ("scheme", "bits", "says"),
    [
        ("kgw", 0, "0 bits are not a message"),
        ("kgw", 65, "65 bits are not a message"),
        ("kgw", 20, "multiple of 8"),
        ("unigram", 8, 'scheme "unigram" carries no message'),
        ("synthid", 8, 'scheme "synthid" carries no message'),
    ],
)
def test_refused_in_one_line(scheme: str, bits: int, says: str) -> None:
    with pytest.raises(stela.StelaError, match=says) as error:
        watermark(scheme, bits)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("message", ["", "xyz", "10000", 65536, -1, 1.5, True, None])
def test_messages_that_are_none(message: Any) -> None:
    wm = watermark("kgw", 16)
    with pytest.raises(stela.StelaError) as error:
        wm.marker(message=message)
    assert "\n" not in str(error.value)
