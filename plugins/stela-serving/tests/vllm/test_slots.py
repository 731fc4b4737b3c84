"""The second model runner: rows change each step, drafts have rows, texts come back after a preemption."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from stela_serving.ahead import ids_from_device
from stela_serving.marks import MarkWish, ServerMarks
from stela_vllm.slots import Slots

from tests.tiers import examples

from .conftest import Made, logits_of
from .stand_in import LogitsContext, SamplingParams, states
from .test_persistent_batch import PARAMS

SLOTS, LENGTH = 6, 64


@dataclass
class Request:
    params: SamplingParams
    prompt: list[int]
    known: list[int] = field(default_factory=list)
    """What it has generated."""
    computed: int = 0
    """Tokens that the model has seen since it came."""
    prefill: int = 0

    @property
    def all(self) -> list[int]:
        return [*self.prompt, *self.known]


class Runner:
    """What ``vllm.v1.worker.gpu`` keeps on the device, and the layout of a step."""

    def __init__(self) -> None:
        self.states = states(SLOTS, LENGTH)
        self.slots: dict[int, Request] = {}

    def add(self, slots: Slots, slot: int, request: Request) -> None:
        self.slots[slot] = request
        request.computed, request.prefill = 0, len(request.all)
        self.states.prompt_len.np[slot] = len(request.prompt)
        self.states.prefill_len.np[slot] = request.prefill
        self.write(slot)
        slots.add_request(slot, request.params)

    def write(self, slot: int) -> None:
        """Committed tokens; those after them stay what they were."""
        ids = self.slots[slot].all
        self.states.all_token_ids.gpu[slot, : len(ids)] = torch.tensor(ids, dtype=torch.int32)
        self.states.total_len.gpu[slot] = len(ids)

    def context(self, fed: dict[int, list[int]]) -> LogitsContext:
        """Of a step whose slots, in this order, have rows for the tokens that they are fed."""
        rows = [(slot, local, token) for slot, tokens in fed.items() for local, token in enumerate(tokens)]
        first = {slot: self.slots[slot].computed - 1 for slot in fed}
        order = np.array(list(fed), dtype=np.int32)
        return LogitsContext(
            torch.tensor([slot for slot, _, _ in rows], dtype=torch.int32),
            torch.from_numpy(order),
            order,
            torch.tensor([local for _, local, _ in rows], dtype=torch.int32),
            torch.tensor([token for _, _, token in rows], dtype=torch.int32),
            torch.tensor([first[slot] + local for slot, local, _ in rows], dtype=torch.int64),
            np.array([self.slots[slot].computed + len(tokens) - 1 for slot, tokens in fed.items()]),
        )


def run(made: Made, data: st.DataObject, most_drafts: int) -> None:
    """A run of an engine, each of whose rows is held to the stateless marker."""
    runner, marks = Runner(), made.marks()
    slots = Slots(marks, made.wish_of, runner.states, most_drafts)
    ids = st.sampled_from(made.ids)
    away: list[Request] = []
    for number in range(data.draw(st.integers(2, 10))):
        for slot in list(runner.slots):
            if data.draw(st.integers(0, 5)) == 0:  # it ends, or is preempted
                one = runner.slots.pop(slot)
                if data.draw(st.booleans()):
                    away.append(one)
        free = [slot for slot in range(SLOTS) if slot not in runner.slots]
        for slot in data.draw(st.permutations(free))[: data.draw(st.integers(0 if runner.slots else 1, 2))]:
            if away and data.draw(st.booleans()):
                runner.add(slots, slot, away.pop(0))
            else:
                new = Request(data.draw(PARAMS), data.draw(st.lists(ids, min_size=1, max_size=4)))
                runner.add(slots, slot, new)
        if data.draw(st.integers(0, 4)):  # else what was sent for is not there, or of an earlier step
            slots.before_pass()
        fed: dict[int, list[int]] = {}
        for slot in data.draw(st.permutations(sorted(runner.slots))):
            one = runner.slots[slot]
            if one.computed < one.prefill:  # in chunks, and with placeholders of drafts
                one.computed += data.draw(st.integers(1, one.prefill - one.computed))
                drafts = [-1] * data.draw(st.integers(0, most_drafts))
            else:
                one.computed = len(one.all)
                drafts = data.draw(st.lists(ids, max_size=most_drafts))
            fed[slot] = [one.all[one.computed - 1], *drafts]
        context = runner.context(fed)
        scores = logits_of(len(context.pos), number)
        logits = scores.clone()
        slots.apply(logits, context)
        row = 0
        for slot, tokens in fed.items():
            one = runner.slots[slot]
            for local, token in enumerate(tokens):
                thrown_away = one.computed < one.prefill or (local > 0 and token < 0)
                if thrown_away:
                    assert torch.equal(logits[row], scores[row])
                else:
                    made.require(logits[row], one.params, [*one.known, *tokens[1 : local + 1]], scores[row])
                row += 1
            if one.computed < one.prefill:
                continue
            drafts = [token for token in tokens[1:] if token >= 0]
            accepted = drafts[: data.draw(st.integers(0, len(drafts)))]
            one.known += [*accepted, data.draw(ids)]
            runner.write(slot)


@pytest.mark.parametrize("most_drafts", [0, 3])
@examples(3)
@given(data=st.data())
def test_each_row_is_marked_as_if_it_were_alone(made: Made, most_drafts: int, data: st.DataObject) -> None:
    run(made, data, most_drafts)


@pytest.mark.deep(stand_in="test_each_row_is_marked_as_if_it_were_alone")
@pytest.mark.slow
@pytest.mark.parametrize("most_drafts", [0, 3])
@examples(60)
@given(data=st.data())
def test_more_of_them(made: Made, most_drafts: int, data: st.DataObject) -> None:
    run(made, data, most_drafts)


def test_a_request_that_is_not_marked_costs_no_look_at_the_device(made: Made) -> None:
    slots = Slots(made.marks(), made.wish_of, None)
    assert not slots.add_request(0, SamplingParams())
    context: Any = type("Context", (), {"idx_mapping_np": np.array([0, 3])})
    slots.apply(logits_of(2, 0), context)


def test_a_step_takes_no_more_than_its_tokens(made: Made) -> None:
    """A text is read as a whole when it comes; from then on its new tokens alone."""
    read: list[int] = []

    class Counted(ServerMarks):
        def add(
            self, request: Hashable, wish: MarkWish, ids: Sequence[int], prompt: Sequence[int] | None = ()
        ) -> None:
            read.append(len(ids))
            super().add(request, wish, ids, prompt)

        def append(self, request: Hashable, token: int) -> None:
            read.append(1)
            super().append(request, token)

    runner = Runner()
    slots = Slots(Counted(made.watermarks), made.wish_of, runner.states)
    one = Request(SamplingParams(extra_args={"stela": "kgw"}), made.ids[:2], made.ids[:5])
    runner.add(slots, 2, one)
    for number in range(6):
        one.computed = len(one.all)
        slots.apply(logits_of(1, number), runner.context({2: [one.all[-1]]}))
        one.known.append(made.ids[number])
        runner.write(2)
    assert read == [5, 1, 1, 1, 1, 1]


@pytest.mark.parametrize("accepted", [0, 1, 3])
def test_drafts_that_are_accepted_are_the_text(made: Made, accepted: int) -> None:
    """Several tokens come at once then, in their order."""
    runner, marks, ids = Runner(), made.marks(), made.ids
    slots = Slots(marks, made.wish_of, runner.states, 3)
    params = SamplingParams(extra_args={"stela": "kgw"})
    one = Request(params, ids[:2], ids[2:4])
    runner.add(slots, 1, one)
    for number in range(4):
        one.computed = len(one.all)
        drafts = [ids[(number + place) % len(ids)] for place in range(3)]
        scores = logits_of(4, number)
        logits = scores.clone()
        slots.apply(logits, runner.context({1: [one.all[-1], *drafts]}))
        for row in range(4):
            made.require(logits[row], params, [*one.known, *drafts[:row]], scores[row])
        one.known += [*drafts[:accepted], ids[number]]
        runner.write(1)


def test_what_was_sent_for_is_all_that_a_step_needs(made: Made) -> None:
    """Nothing is read from the device once the pass is launched, where there are no drafts."""
    runner, params = Runner(), SamplingParams(extra_args={"stela": "kgw"})
    slots = Slots(made.marks(), made.wish_of, runner.states)
    texts = {slot: Request(params, made.ids[:2]) for slot in (1, 4)}
    for slot, one in texts.items():
        runner.add(slots, slot, one)
    held, lengths = runner.states.all_token_ids.gpu, runner.states.total_len.gpu
    for number in range(4):
        for one in texts.values():
            one.computed = len(one.all)
        slots.before_pass()
        context = runner.context({4: [0], 1: [0]})
        on_device = {name: None for name in vars(context) if not name.endswith("_np")}
        scores = logits_of(2, number)
        logits = scores.clone()
        runner.states.all_token_ids.gpu = runner.states.total_len.gpu = None
        slots.apply(logits, replace(context, **on_device))
        runner.states.all_token_ids.gpu, runner.states.total_len.gpu = held, lengths
        for row, slot in enumerate((4, 1)):
            made.require(logits[row], params, texts[slot].known, scores[row])
            texts[slot].known.append(made.ids[number + slot])
            runner.write(slot)
    assert not torch.equal(logits, scores)


def test_what_was_sent_for_in_vain_is_asked_for_again(made: Made) -> None:
    """A token came after all: the step rests on what is there, not on what was."""
    runner, params = Runner(), SamplingParams(extra_args={"stela": "kgw"})
    slots = Slots(made.marks(), made.wish_of, runner.states)
    one = Request(params, made.ids[:2], made.ids[:3])
    runner.add(slots, 0, one)
    slots.before_pass()
    one.known.append(made.ids[3])
    runner.write(0)
    one.computed = len(one.all)
    scores = logits_of(1, 0)
    logits = scores.clone()
    slots.apply(logits, runner.context({0: [one.all[-1]]}))
    made.require(logits[0], params, one.known, scores[0])


def test_ids_of_the_host_are_there() -> None:
    assert ids_from_device(torch.tensor([3, 5]))() == [3, 5]


def test_slots_know_of_thoughts_that_the_prompt_begins(made: Made) -> None:
    """Where answers alone are marked, also of a text that comes back."""
    kgw = made.watermarks["kgw"]
    encode = kgw.tokenizer.encode
    prompt, thought, answer = (
        list(encode(text, add_special_tokens=False).ids)
        for text in ("Is it? <think>", "hm</think>", " Yes, it is")
    )
    runner = Runner()
    slots = Slots(ServerMarks(made.watermarks, mark="answer"), made.wish_of, runner.states)
    one = Request(SamplingParams(extra_args={"stela": "kgw"}), prompt)
    runner.add(slots, 1, one)
    for number, token in enumerate([*thought, *answer]):
        if number == len(thought) + 2:
            runner.add(slots, 1, one)  # after a preemption
        one.computed = len(one.all)
        logits = logits_of(1, number)
        marked = logits.clone()
        slots.apply(marked, runner.context({1: [one.all[-1]]}))
        if number < len(thought):
            assert torch.equal(marked, logits)
        else:
            made.require(marked[0], one.params, answer[: number - len(thought)], logits[0])
        one.known.append(token)
        runner.write(1)
