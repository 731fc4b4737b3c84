"""The first model runner: requests join, leave, move, swap and come back; each row as if it were alone."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from stela_serving.marks import ServerMarks
from stela_vllm.persistent_batch import PersistentBatch

from tests.tiers import examples

from .conftest import NAMES, Made, logits_of
from .stand_in import BatchUpdate, MoveDirectionality, SamplingParams

PARAMS = st.builds(
    SamplingParams,
    temperature=st.sampled_from([0.5, 1.0]),
    top_k=st.sampled_from([0, 50]),
    top_p=st.sampled_from([0.9, 1.0]),
    min_p=st.sampled_from([0.0, 0.05]),
    seed=st.sampled_from([None, 3]),
    extra_args=st.sampled_from([None, *({"stela": name} for name in NAMES)]),
)


@dataclass
class Request:
    params: SamplingParams
    prompt: list[int]
    known: list[int] = field(default_factory=list)
    """What it has generated."""
    output: list[int] = field(default_factory=list)
    """vLLM's list of it: its end may be a placeholder."""


class InputBatch:
    """Rows as ``vllm.v1.worker.gpu_input_batch.InputBatch`` keeps them, and what it says of them.

    New requests take the rows of those that left, lowest first; the last rows then fill what is empty.
    """

    def __init__(self) -> None:
        self.rows: dict[int, Request] = {}

    def change(
        self, gone: list[Request], new: list[Request], swaps: list[tuple[int, int]]
    ) -> BatchUpdate | None:
        removed = sorted(row for row, request in self.rows.items() if request in gone)
        for row in removed:
            del self.rows[row]
        added, moved = [], []
        end = len(self.rows) + len(removed)
        for request in new:
            row = removed.pop(0) if removed else end
            end = max(end, row + 1)
            self.rows[row] = request
            added.append((row, request.params, request.prompt, request.output))
        while removed and self.rows and max(self.rows) > removed[0]:
            last, empty = max(self.rows), removed.pop(0)
            self.rows[empty] = self.rows.pop(last)
            moved.append((last, empty, MoveDirectionality.UNIDIRECTIONAL))
        for one, two in swaps:
            if one != two and max(one, two) < len(self.rows):
                self.rows[one], self.rows[two] = self.rows[two], self.rows[one]
                moved.append((one, two, MoveDirectionality.SWAP))
        if not (removed or added or moved):
            return None
        return BatchUpdate(len(self.rows), removed[::-1], added, moved)


@examples(3)
@given(data=st.data())
def test_each_row_is_marked_as_if_it_were_alone(made: Made, data: st.DataObject) -> None:
    require_alone(made, data)


@pytest.mark.deep(stand_in="test_each_row_is_marked_as_if_it_were_alone")
@pytest.mark.slow
@examples(60)
@given(data=st.data())
def test_more_of_them(made: Made, data: st.DataObject) -> None:
    require_alone(made, data)


def require_alone(made: Made, data: st.DataObject) -> None:
    """A run of an engine, each of whose rows is held to the stateless marker."""
    marks = made.marks()
    batch, engine = PersistentBatch(marks, made.wish_of), InputBatch()
    away: list[Request] = []
    ids = st.sampled_from(made.ids)
    for number in range(data.draw(st.integers(2, 12))):
        here = list(engine.rows.values())
        gone = [one for one in here if data.draw(st.integers(0, 4)) == 0]
        away += [one for one in gone if data.draw(st.booleans())]  # preempted
        new = [
            Request(data.draw(PARAMS), data.draw(st.lists(ids, max_size=3)))
            for _ in range(data.draw(st.integers(0 if here else 1, 3)))
        ]
        if away and data.draw(st.booleans()):
            back = away.pop(0)
            back.output = list(back.known)  # another list, as after asynchronous scheduling
            new.append(back)
        swaps = data.draw(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=2))
        batch.update(engine.change(gone, new, swaps))
        if not engine.rows:
            continue
        rows = [engine.rows[row] for row in range(len(engine.rows))]
        waits = []
        for one in rows:
            late = len(one.output) > 0 and data.draw(st.integers(0, 7)) == 0
            one.output[:] = [*one.known[:-1], -1] if late else one.known
            waits.append(late)
        scores = logits_of(len(rows), number)
        logits = scores.clone()
        logits = batch.apply(logits)
        for one, got, row, late in zip(rows, logits, scores, waits, strict=True):
            if late:
                assert torch.equal(got, row)
            else:
                made.require(got, one.params, one.known, row)
            if data.draw(st.integers(0, 4)):  # else a part of a prompt: no token comes of it
                one.known.append(data.draw(ids))
                one.output.append(data.draw(st.sampled_from([one.known[-1], -1])))
    batch.update(engine.change(list(engine.rows.values()), [], []))
    assert not any(name in marks for name in range(99))


def test_none_says_that_nothing_changed(made: Made) -> None:
    batch = PersistentBatch(made.marks(), made.wish_of)
    batch.update(None)
    scores = logits_of(2, 0)
    logits = scores.clone()
    logits = batch.apply(logits)
    assert torch.equal(logits, scores)


def test_a_placeholder_is_told_of_once(made: Made, caplog: Any) -> None:
    batch = PersistentBatch(made.marks(), made.wish_of)
    output = [*made.ids[:3], -1]
    params = SamplingParams(extra_args={"stela": "kgw"})
    batch.update(BatchUpdate(1, [], [(0, params, [], output)], []))
    for _ in range(3):
        batch.apply(logits_of(1, 0))
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    output[-1] = made.ids[3]
    logits, scores = logits_of(1, 0), logits_of(1, 0)
    logits = batch.apply(logits)
    made.require(logits[0], params, output, scores[0])
    assert not torch.equal(logits, scores)


def test_draws_of_a_seed_are_its_own(made: Made) -> None:
    """Whatever stands beside it, and whatever else draws."""
    texts = []
    for beside in (0, 2):
        marks = made.marks()
        batch = PersistentBatch(marks, made.wish_of)
        params = SamplingParams(seed=5, extra_args={"stela": "synthid"})
        other = SamplingParams(extra_args={"stela": "synthid"})
        outputs: list[list[int]] = [[] for _ in range(beside + 1)]
        added = [(row, other if row < beside else params, [], one) for row, one in enumerate(outputs)]
        batch.update(BatchUpdate(len(added), [], added, []))
        for number in range(12):
            logits = batch.apply(logits_of(1, number).repeat(beside + 1, 1))
            for row, output in enumerate(outputs):
                output.append(int(logits[row].argmax()))
        texts.append(outputs[-1])
    assert texts[0] == texts[1]


def test_rows_know_of_thoughts_that_the_prompt_begins(made: Made) -> None:
    """Where answers alone are marked; a request that asks for no mark is none of the marks'."""
    encode = made.watermarks["kgw"].tokenizer.encode
    prompt, thought, answer = (
        list(encode(text, add_special_tokens=False).ids)
        for text in ("Is it? <think>", "hm</think>", " Yes, it is")
    )
    batch, engine = PersistentBatch(ServerMarks(made.watermarks, mark="answer"), made.wish_of), InputBatch()
    one = Request(SamplingParams(extra_args={"stela": "kgw"}), prompt)
    batch.update(engine.change([], [one, Request(SamplingParams(), prompt)], []))
    for number, token in enumerate([*thought, *answer]):
        logits = logits_of(2, number)
        marked = batch.apply(logits.clone())
        assert torch.equal(marked[1], logits[1])
        if number < len(thought):
            assert torch.equal(marked, logits)
        else:
            made.require(marked[0], one.params, answer[: number - len(thought)], logits[0])
        one.output.append(token)
