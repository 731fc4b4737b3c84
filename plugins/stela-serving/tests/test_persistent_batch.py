"""A persistent batch as vLLM's V1 has it: its updates told to requests, row for row."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from stela_serving.requests import Requests

from tests.tiers import examples

from .request_marks import Made, logits_of


class Engine:
    """Rows of a persistent batch as vLLM's V1 has them, and requests told of what it says of them.

    ``removed``, ``added`` and ``moved`` are those of its ``BatchUpdate``, in that order; lists of output ids
    are the engine's own, and grow.
    """

    def __init__(self, requests: Requests) -> None:
        self.requests = requests
        self.of_row: dict[int, int] = {}
        self.count = 0

    def update_state(
        self, removed: list[int], added: list[tuple[int, list[int]]], moved: list[tuple[int, int, bool]]
    ) -> None:
        for row in removed:
            self.requests.remove(self.of_row.pop(row))
        for row, output in added:
            if row in self.of_row:
                self.requests.remove(self.of_row[row])
            self.count += 1
            self.of_row[row] = self.count
            self.requests.follow(self.count, output)
        for one, two, swap in moved:
            here, there = self.of_row.pop(one, None), self.of_row.pop(two, None)
            if here is not None:
                self.of_row[two] = here
            if swap and there is not None:
                self.of_row[one] = there

    def apply(self, logits: torch.Tensor) -> torch.Tensor:
        return self.requests([self.of_row[row] for row in range(len(logits))], logits)


@pytest.mark.parametrize("name", ["kgw", "gumbel", "words", pytest.param("stela", marks=pytest.mark.slow)])
@examples(10)
@given(data=st.data())
def test_a_persistent_batch_as_vllm_has_it(
    request_marks: dict[str, Made], name: str, data: st.DataObject
) -> None:
    """Requests end, others take their rows, the last rows fill the holes, rows are swapped."""
    made = request_marks[name]
    engine, marker = Engine(made.requests()), made.marker()
    batch: list[list[int]] = []
    ids = st.sampled_from(made.ids)
    for number in range(data.draw(st.integers(3, 15))):
        gone = data.draw(st.lists(st.integers(0, len(batch) - 1), unique=True)) if batch else []
        new = [data.draw(st.lists(ids, max_size=5)) for _ in range(data.draw(st.integers(0, 3)))]
        if not batch and not new:
            new = [[]]
        holes = sorted(gone)
        places = [holes.pop(0) if holes else len(batch) + max(0, n - len(gone)) for n in range(len(new))]
        rows: dict[int, list[int]] = {row: one for row, one in enumerate(batch) if row not in gone}
        # As there: a row that is filled again at once is not told of as removed.
        added = list(zip(places, new, strict=True))
        rows |= dict(added)
        moved = []
        for hole in holes:
            last = max(rows, default=-1)
            if last > hole:
                moved.append((last, hole, False))
                rows[hole] = rows.pop(last)
        pairs = st.permutations(sorted(rows)).map(lambda order: order[:2])
        for one, two in data.draw(st.lists(pairs, max_size=2)) if len(rows) > 1 else []:
            moved.append((one, two, True))
            rows[one], rows[two] = rows[two], rows[one]
        engine.update_state([row for row in gone if row not in places], added, moved)
        batch = [rows[row] for row in range(len(rows))]
        if not batch:
            continue
        scores = logits_of(len(batch), number)
        assert torch.equal(engine.apply(scores).clone(), marker(batch, scores))
        for output in batch:
            if data.draw(st.integers(0, 4)):  # else the step was a part of a prompt's: no token comes of it
                output.append(data.draw(ids))
