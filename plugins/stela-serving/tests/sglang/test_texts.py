"""Requests that join, are read in chunks, are retracted and end: each row is that of the stateless marker."""

from __future__ import annotations

import gc
import weakref
from array import array
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from stela_serving.marks import MarkWish, ServerMarks
from stela_sglang.drawing import Drawing
from stela_sglang.texts import Texts

import stela_core as stela
from tests.tiers import examples

from .conftest import WIDTH, logits_of, wanted
from .stand_in import Req, SamplingParams, apply_processor

PARAMS = (
    SamplingParams(),
    SamplingParams(temperature=0.7, top_p=0.9),
    SamplingParams(top_k=40, sampling_seed=5),
)


class Server:
    """Texts, and the lines that requests were ended with."""

    def __init__(self, marks: dict[str, stela.Watermark]) -> None:
        self.said: dict[str, str] = {}
        self.marks = ServerMarks(marks)
        self.texts = Texts(self.marks, lambda request, line: self.said.update({request.rid: line}))

    def request(self, number: int, profile: str | None, params: SamplingParams = PARAMS[0]) -> Req:
        own = SamplingParams(**vars(params))
        one = Req(str(number), array("q", [3] * (1 + number % 4)), own)
        if profile is not None:
            one.custom_logit_processor = "ours"
            own.custom_params = {"__req__": weakref.proxy(one)}
            self.texts.begin(one, MarkWish(profile, Drawing.of(own)))
        return one

    def step(self, logits: torch.Tensor, requests: list[Req]) -> torch.Tensor:
        own = logits.clone()
        apply_processor(self.texts.apply, own, requests)
        return own


@examples(12)
@given(data=st.data())
def test_rows_are_those_of_the_stateless_marker(
    marks: dict[str, stela.Watermark], data: st.DataObject
) -> None:
    server = Server(marks)
    running: list[tuple[str | None, Req]] = []
    for number in range(data.draw(st.integers(3, 12))):
        if len(running) < 4 and data.draw(st.booleans()):
            profile = data.draw(st.sampled_from(("kgw", "learned-text", "gumbel", None)))
            running.insert(
                data.draw(st.integers(0, len(running))),
                (profile, server.request(number, profile, data.draw(st.sampled_from(PARAMS)))),
            )
        if not running:
            continue
        for _, request in running:
            change = data.draw(st.sampled_from(("step", "step", "step", "chunk", "retract", "discard")))
            request.fed()
            request.is_retracted, request.inflight_middle_chunks = change == "retract", int(change == "chunk")
            if change == "chunk":
                request.kv.kv_committed_len -= 1
            if change == "discard":  # retraction of a text whose prompt is embeddings
                request.output_ids = array("q")
                request.fed()
        logits = logits_of(len(running), number)
        got = server.step(logits, [request for _, request in running])
        for row, (profile, request) in enumerate(running):
            if profile is None or request.is_retracted or request.inflight_middle_chunks:
                assert torch.equal(got[row], logits[row])
                continue
            ids = list(request.output_ids)
            assert torch.equal(got[row], wanted(marks[profile], request.sampling_params, ids, logits[row]))
            request.output_ids.append(data.draw(st.integers(0, WIDTH - 300)))
        running = [one for one in running if data.draw(st.integers(0, 5))]
    assert server.said == {}


@pytest.mark.parametrize("missing", [1, -1])
def test_a_text_that_is_not_known_to_its_end_is_refused(
    marks: dict[str, stela.Watermark], missing: int
) -> None:
    """As where the next step is sampled before the last one's token is there."""
    server = Server(marks)
    request = server.request(1, "kgw")
    request.output_ids.append(7)
    logits = logits_of(1, 0)
    assert torch.equal(server.step(logits, [request.fed(missing)]), logits)
    fed = len(request.origin_input_ids) + 1 + missing
    assert server.said == {
        "1": f"this text cannot be marked: the model was fed {fed} tokens, and 3 are known."
    }


def test_drafts_are_refused(marks: dict[str, stela.Watermark]) -> None:
    server = Server(marks)
    request = server.request(0, "kgw").fed()
    server.step(logits_of(2, 0), [request, request])
    assert "drafts of one text" in server.said["0"]


def test_an_ended_request_is_left_alone(marks: dict[str, stela.Watermark]) -> None:
    server = Server(marks)
    request = server.request(0, "kgw").fed(missing=3)
    request.has_ended = True
    server.step(logits_of(1, 0), [request])
    assert server.said == {}


def test_nothing_of_a_request_outlives_it(marks: dict[str, stela.Watermark]) -> None:
    server = Server(marks)
    request = server.request(0, "kgw").fed()
    server.step(logits_of(1, 0), [request])
    assert 0 in server.marks
    del request
    gc.collect()
    assert 0 not in server.marks


@pytest.mark.parametrize("params", [None, {}, {"__req__": Req("0", array("q"))}])
def test_rows_of_requests_that_were_not_seen_end_the_server(
    marks: dict[str, stela.Watermark], params: Any
) -> None:
    with pytest.raises(stela.StelaError, match="did not show when it began"):
        Server(marks).texts.apply(logits_of(1, 0), [params])
