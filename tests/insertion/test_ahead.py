"""Steps made while the model runs are those made in between, and rest on the tokens before them alone."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from stela_serving.ahead import StepsAhead, ids_from_device

import stela_core as stela

WIDTH = 8200


def logits_of(rows: int, seed: int) -> torch.Tensor:
    return torch.from_numpy(np.random.default_rng(seed).normal(0, 3, (rows, WIDTH)).astype(np.float32))


@pytest.fixture(scope="module")
def marks(registry: stela.Registry) -> dict[str, stela.Watermark]:
    def create(name: str) -> stela.Watermark:
        language = {"language": "en"} if name == "learned-text" else {}
        return stela.create(name, model="tiny", key="public", registry=registry, **language)

    return {name: create(name) for name in ("kgw", "learned-text", "gumbel", "sweet")}


@pytest.fixture
def ahead(marks: dict[str, stela.Watermark]) -> Iterator[StepsAhead]:
    own = StepsAhead(marks["kgw"].requests())
    yield own
    own.close()


@pytest.mark.slow
@settings(max_examples=8, deadline=None)
@given(data=st.data(), name=st.sampled_from(("kgw", "learned-text", "gumbel")))
def test_bit_for_bit_the_steps_in_between(
    marks: dict[str, stela.Watermark], name: str, data: st.DataObject
) -> None:
    """Requests join and leave; both ways get the same tokens, and give the same logits at each step."""
    before, after = marks[name].requests(), marks[name].requests(record=True)
    own = StepsAhead(after)
    texts: dict[int, list[int]] = {}
    for number in range(data.draw(st.integers(2, 10))):
        if len(texts) < 4 and data.draw(st.booleans()):
            before.add(number)
            after.add(number)
            texts[number] = []
        if not texts:
            continue
        rows = data.draw(st.permutations(sorted(texts)))
        last = [texts[row][-1] if texts[row] else None for row in rows]
        for row, token in zip(rows, last, strict=True):
            if token is not None:
                before.append(row, token)
        own.launch(rows, torch.tensor(last).tolist if None not in last else last)
        logits = logits_of(len(rows), number)
        assert torch.equal(own.finish(logits), before(rows, logits))
        for row in rows:
            texts[row].append(data.draw(st.integers(0, WIDTH - 300)))
        if data.draw(st.integers(0, 3)) == 0:
            gone = rows[0]
            for requests in (before, after):
                requests.remove(gone)
            del texts[gone]
    own.close()


def test_neither_waits_for_the_other(marks: dict[str, stela.Watermark]) -> None:
    """``launch`` returns while tokens are on their way; the step is made before any logits are."""
    requests = marks["kgw"].requests()
    own = StepsAhead(requests)
    requests.add("a", [5, 6])
    may_come, made = threading.Event(), threading.Event()

    def tokens() -> list[int]:
        assert may_come.wait(60)
        made.set()
        return [7]

    own.launch(["a"], tokens)
    assert not made.is_set()
    may_come.set()
    assert made.wait(60)
    logits = logits_of(1, 0)
    assert torch.equal(own.finish(logits), marks["kgw"].marker()([[5, 6, 7]], logits))
    own.close()


def test_each_step_is_launched_and_finished_once(ahead: StepsAhead) -> None:
    with pytest.raises(stela.StelaError, match="no step was launched"):
        ahead.finish(logits_of(0, 0))
    ahead.launch([], [])
    with pytest.raises(stela.StelaError, match="not finished"):
        ahead.launch([], [])


def test_a_strength_that_reads_logits_is_refused(marks: dict[str, stela.Watermark]) -> None:
    requests = marks["sweet"].requests()
    requests.add("a", [5, 6])
    own = StepsAhead(requests)
    own.launch(["a"], [7])
    with pytest.raises(stela.StelaError, match="reads the logits of the step"):
        own.finish(logits_of(1, 0))
    own.close()


def test_ids_of_the_host_are_there() -> None:
    assert ids_from_device(torch.tensor([3, 5]))() == [3, 5]
