"""Messages of requests, by either way that SGLang's requests come."""

from __future__ import annotations

from array import array
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from stela_sglang import plugin, starting

import stela_core as stela

from .conftest import logits_of
from .stand_in import Req, SamplingParams, apply_processor, install
from .test_starting import RIGHT


@pytest.fixture
def hooks(monkeypatch: pytest.MonkeyPatch, carrying: Path) -> Any:
    """Of a server whose one profile has 8 bits, and marks what asks for a mark."""
    monkeypatch.setenv("STELA_PROFILE", str(carrying / "bits.stela"))
    monkeypatch.setenv("STELA_POLICY", "opt-in")
    monkeypatch.setenv(plugin.DELAY, "1")
    monkeypatch.setattr(plugin, "_SERVING", [])
    monkeypatch.setattr(starting.Start, "of", lambda scheduler: RIGHT)
    plugin.settings.cache_clear()
    registered = install(monkeypatch)
    plugin.load()
    registered[plugin.SCHEDULER](None, SimpleNamespace(tokenizer=None))
    yield registered
    plugin.settings.cache_clear()


def request_of(hooks: Any, custom: dict[str, Any]) -> Req:
    one = Req("0", array("q", [3]), SamplingParams(custom_params=custom))
    hooks[plugin.REQUEST](None, one, "0")
    return one


def test_rows_bear_their_messages(hooks: Any, carrying: Path) -> None:
    from stela_sglang.processor import Processor

    given, ids = ("5a", "5B"), [5, 6, 7, 8]
    requests = [request_of(hooks, {"stela": "on", "stela_message": one}) for one in given]
    for one in requests:
        one.output_ids.extend(ids)
        one.fed()
    row = logits_of(1, 0)
    got = row.repeat(2, 1)
    apply_processor(Processor(), got, requests)
    mark = stela.load(carrying / "bits.stela")
    marked = [mark.marker(message=one)([ids], row)[0] for one in given]
    assert not torch.equal(*marked)
    assert torch.equal(got, torch.stack(marked))


@pytest.mark.parametrize(
    ("custom", "said"),
    [
        ({"stela": "on"}, "carry a message of 8 bits, and there is none"),
        ({"stela": "on", "stela_message": "100"}, "message 100 is not one of 8 bits"),
        ({"stela": "on", "stela_message": 16}, '"stela_message" is 16, of type int'),
        ({"stela_message": "1f"}, "texts without mark carry no message"),
    ],
)
def test_wrong_ones_are_refused_by_either_way(hooks: Any, custom: dict[str, Any], said: str) -> None:
    one = request_of(hooks, custom)
    assert said in one.to_finish.message
    assert (one.to_finish.status_code, one.custom_logit_processor) == (400, None)
    body = SimpleNamespace(rid="0", sampling_params={"custom_params": custom}, custom_logit_processor=None)
    with pytest.raises(ValueError, match=said):
        hooks[plugin.ASKED](None, body, [5])
