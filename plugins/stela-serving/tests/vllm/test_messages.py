"""Messages of requests: each row bears its own, is read back as it was given, and wrong ones are refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import stela_core as stela

from .conftest import KEY, Made, Start, logits_of
from .stand_in import BatchUpdate, LogitsContext, SamplingParams, config, states

BITS = {"gumbel": 16, "kgw": 8}
CPU = torch.device("cpu")


@pytest.fixture(scope="module")
def carrying(registry: stela.Registry) -> dict[str, stela.Watermark]:
    def create(name: str) -> stela.Watermark:
        return stela.create(name, model="tiny", key=KEY, bits=BITS[name], registry=registry)

    return {name: create(name) for name in BITS}


@pytest.fixture
def folder(carrying: dict[str, stela.Watermark], made: Made, tmp_path: Path) -> Path:
    """Two profiles with bits and one without, with their keys beside them."""
    for name, mark in (*carrying.items(), ("plain", made.watermarks["kgw"])):
        mark.save(tmp_path / f"{name}.stela", key_file=tmp_path / f"{name}.txt")
    return tmp_path


def asks(profile: str, message: str) -> SamplingParams:
    return SamplingParams(extra_args={"stela": profile, "stela_message": message})


def test_rows_of_both_runners_bear_their_messages(
    start: Start, made: Made, folder: Path, carrying: dict[str, stela.Watermark]
) -> None:
    processor = start(STELA_PROFILE=str(folder))
    output, scores, given = made.ids[:4], logits_of(2, 0), ("5a", "5B")
    marked = [carrying["kgw"].marker(message=one)([output], scores[:1])[0] for one in given]
    assert not torch.equal(*marked)

    rows = processor(config(), CPU, False)
    added = [(row, asks("kgw", one), [9, 9], list(output)) for row, one in enumerate(given)]
    rows.update_state(BatchUpdate(2, [], added, []))
    assert torch.equal(rows.apply(scores[:1].repeat(2, 1)), torch.stack(marked))

    held = states(4, 16)
    slots = processor(config(), held)
    for slot, one in ((2, given[0]), (1, given[1])):
        held.prompt_len.np[slot] = held.prefill_len.np[slot] = 2
        held.all_token_ids.gpu[slot, :6] = torch.tensor([9, 9, *output])
        held.total_len.gpu[slot] = 6
        assert slots.add_request(slot, asks("kgw", one))
    slots.apply_staged_writes()
    own, first = torch.tensor([2, 1]), torch.tensor([0, 0])
    last = torch.tensor([output[-1]] * 2)
    step = LogitsContext(own, first, own.numpy(), first, torch.tensor([5, 5]), last, np.array([6, 6]))
    assert torch.equal(slots.apply(scores[:1].repeat(2, 1), step), torch.stack(marked))


def test_a_text_says_the_message_of_its_request(
    start: Start, folder: Path, carrying: dict[str, stela.Watermark]
) -> None:
    rows = start(STELA_PROFILE=str(folder))(config(), CPU, False)
    texts: list[list[int]] = [[], []]
    given = ("12fe", "0034")
    added = [(row, asks("gumbel", one), [9], texts[row]) for row, one in enumerate(given)]
    rows.update_state(BatchUpdate(2, [], added, []))
    for place in range(60):
        for row, token in enumerate(rows.apply(logits_of(2, place)[:, :8000] / 3).argmax(-1).tolist()):
            texts[row].append(token)
    for one, found in zip(given, carrying["gumbel"].detect_ids(texts), strict=True):
        assert found.message is not None
        assert (found.verdict, found.message.text) == ("watermarked", one)


@pytest.mark.slow
def test_joined_texts_of_two_requests_name_no_third_customer(start: Start, tmp_path: Path) -> None:
    """By all messages and by a register, in which the message stands that their halves would make."""
    mark = stela.create("gumbel", model="tiny", key=KEY, bits=32)
    mark.save(tmp_path / "p.stela", key_file=tmp_path / "p.txt")
    rows = start(STELA_PROFILE=str(tmp_path))(config(), CPU, False)
    texts: list[list[int]] = [[], []]
    given = ("00050007", "00090003")
    added = [(row, asks("p", one), [9], texts[row]) for row, one in enumerate(given)]
    rows.update_state(BatchUpdate(2, [], added, []))
    for place in range(120):
        for row, token in enumerate(rows.apply(logits_of(2, place)[:, :8000] / 3).argmax(-1).tolist()):
            texts[row].append(token)
    one, other = texts
    sentences = [token for at in range(0, 120, 20) for text in texts for token in text[at : at + 20]]
    for known in (mark, mark.among([*given, "00090007", "00050003"])):
        alone = known.detect_ids(texts)
        assert [found.message.text for found in alone if found.message] == list(given)
        for found in known.detect_ids([one + other, sentences]):
            assert found.watermarked
            assert found.message is not None
            assert not found.message.is_sure or found.message.text in given


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"stela": "kgw"}, '"kgw" carry a message of 8 bits, and there is none. hint: give "stela_message"'),
        ({"stela": "kgw", "stela_message": "100"}, "message 100 is not one of 8 bits. hint: give at most ff"),
        ({"stela": "kgw", "stela_message": "-1"}, "message '-1' is not a number"),
        ({"stela": "kgw", "stela_message": ""}, "message '' is not a number"),
        ({"stela": "kgw", "stela_message": 16}, '"stela_message" is 16, of type int. hint: give hex digits'),
        ({"stela": "kgw", "stela_message": True}, "of type bool"),
        ({"stela": "kgw", "stela_message": None}, "of type NoneType"),
        ({"stela": "kgw", "stela_message": "1f" + " " * 60}, "of type str"),
        ({"stela": "plain", "stela_message": "1f"}, 'marks of profile "plain" carry no message'),
        ({"stela": "off", "stela_message": "1f"}, "texts without mark carry no message"),
        ({"stela_message": "1f"}, "this server has 3 profiles"),
        ({"stela": "kgw", "stela_mesage": "1f"}, 'a request has no argument "stela_mesage"'),
    ],
)
def test_wrong_messages_are_refused(start: Start, folder: Path, arguments: dict[str, Any], said: str) -> None:
    processor = start(STELA_PROFILE=str(folder), STELA_POLICY="default-on")
    with pytest.raises(ValueError) as raised:  # noqa: PT011
        processor.validate_params(SamplingParams(extra_args=arguments))
    assert said in str(raised.value)
    assert "\n" not in str(raised.value)


def test_right_ones_are_not(start: Start, folder: Path) -> None:
    processor = start(STELA_PROFILE=str(folder), STELA_POLICY="default-on")
    for params in (asks("kgw", "ff"), asks("kgw", "0x0"), asks("gumbel", "1F")):
        processor.validate_params(params)
    for wish in ("off", "plain"):
        processor.validate_params(SamplingParams(extra_args={"stela": wish}))
