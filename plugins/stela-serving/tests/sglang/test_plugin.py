"""The hooks, in a process as SGLang's, and what requests may ask for."""

from __future__ import annotations

import pickle
import weakref
from array import array
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from stela_sglang import PROCESSOR, plugin, starting
from stela_sglang.starting import Start

import stela_core as stela

from .conftest import logits_of, wanted
from .stand_in import Req, SamplingParams, apply_processor, install
from .test_starting import RIGHT


@pytest.fixture
def hooks(monkeypatch: pytest.MonkeyPatch, folder: Path) -> Any:
    monkeypatch.setenv("STELA_PROFILE", str(folder / "kgw.stela"))
    monkeypatch.delenv("STELA_POLICY", raising=False)
    monkeypatch.setenv(plugin.DELAY, "1")
    monkeypatch.setattr(plugin, "_SERVING", [])
    monkeypatch.setattr(starting.Start, "of", lambda scheduler: RIGHT)
    plugin.settings.cache_clear()
    yield install(monkeypatch)
    plugin.settings.cache_clear()


def began(hooks: Any, monkeypatch: pytest.MonkeyPatch, **environment: str) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    plugin.load()
    hooks[plugin.SCHEDULER](None, SimpleNamespace(tokenizer=None))


def request_of(hooks: Any, wish: Any = None, processor: str | None = None, **params: Any) -> Req:
    custom = None if wish is None else {"stela": wish}
    one = Req("0", array("q", [3]), SamplingParams(custom_params=custom, **params), processor)
    hooks[plugin.REQUEST](None, one, "0")
    return one


def test_a_request_that_asks_for_nothing_is_marked(
    hooks: Any, monkeypatch: pytest.MonkeyPatch, marks: dict[str, stela.Watermark]
) -> None:
    began(hooks, monkeypatch)
    from stela_sglang.processor import Processor

    one = request_of(hooks).fed()
    assert one.custom_logit_processor == PROCESSOR
    one.output_ids.extend([5, 6])
    logits = logits_of(1, 0)
    got = logits.clone()
    apply_processor(Processor(), got, [one.fed()])
    assert torch.equal(got[0], wanted(marks["kgw"], one.sampling_params, [5, 6], logits[0]))
    assert not torch.equal(got, logits)


def test_what_is_sent_names_the_class(hooks: Any) -> None:
    import json

    from stela_sglang.processor import Processor

    assert pickle.loads(bytes.fromhex(json.loads(PROCESSOR)["callable"])) is Processor


@pytest.mark.parametrize(
    ("policy", "wish", "is_marked"),
    [
        ("default-on", None, True),
        ("default-on", "off", False),
        ("opt-in", None, False),
        ("opt-in", "kgw", True),
    ],
)
def test_policies(
    hooks: Any, monkeypatch: pytest.MonkeyPatch, policy: str, wish: str | None, is_marked: bool
) -> None:
    began(hooks, monkeypatch, STELA_POLICY=policy)
    one = request_of(hooks, wish)
    assert one.to_finish is None
    assert (one.custom_logit_processor is not None) == is_marked


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"wish": "off"}, "this server marks all texts"),
    ({"wish": "none"}, 'there is no profile "none"'),
    ({"wish": 3}, '"stela" is 3, of type int'),
    ({"processor": '{"callable": "00"}'}, "runs no logit processors of its clients"),
    ({"beam_width": 4}, "beam search"),
]


@pytest.mark.parametrize(("asked", "said"), REFUSED)
def test_refusals_by_either_way(
    hooks: Any, monkeypatch: pytest.MonkeyPatch, asked: dict[str, Any], said: str
) -> None:
    began(hooks, monkeypatch)
    one = request_of(hooks, **asked)
    assert said in one.to_finish.message
    assert (one.to_finish.status_code, one.custom_logit_processor) == (400, None)
    params = {"custom_params": {"stela": asked["wish"]}} if "wish" in asked else {}
    params |= {name: value for name, value in asked.items() if name == "beam_width"}
    body = SimpleNamespace(rid="0", sampling_params=params, custom_logit_processor=asked.get("processor"))
    with pytest.raises(ValueError, match=said):
        hooks[plugin.ASKED](None, body, [5])


def test_a_greedy_request_of_a_mark_that_chooses(
    hooks: Any, monkeypatch: pytest.MonkeyPatch, folder: Path
) -> None:
    monkeypatch.setattr(starting.Start, "of", lambda scheduler: RIGHT._replace(warms_up=False))
    began(hooks, monkeypatch, STELA_PROFILE=str(folder))
    assert "nothing is drawn" in request_of(hooks, "gumbel", top_k=1).to_finish.message
    assert request_of(hooks, "kgw", top_k=1).to_finish is None


def test_health_checks_of_one_token_pass_and_longer_ones_do_not(
    hooks: Any, monkeypatch: pytest.MonkeyPatch, folder: Path
) -> None:
    monkeypatch.setattr(starting.Start, "of", lambda scheduler: RIGHT._replace(warms_up=False))
    began(hooks, monkeypatch, STELA_PROFILE=str(folder))
    for tokens, is_refused in ((1, False), (2, True)):
        one = Req("HEALTH_CHECK_1", array("q", [3]), SamplingParams(max_new_tokens=tokens))
        hooks[plugin.REQUEST](None, one)
        assert (one.to_finish is not None) == is_refused
        assert one.custom_logit_processor is None


def test_a_scheduler_that_was_not_seen_serves_nothing(hooks: Any) -> None:
    plugin.load()
    assert "was not told to mark texts" in request_of(hooks).to_finish.message
    from stela_sglang.processor import Processor

    with pytest.raises(stela.StelaError, match="was not told to mark texts"):
        Processor()(logits_of(1, 0), [{"__req__": weakref.proxy(Req("0", array("q")))}])


def test_without_a_profile_nothing_is_hooked(hooks: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("STELA_PROFILE")
    plugin.load()
    assert hooks == {}


def test_what_sglang_would_only_log_ends_the_process(hooks: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STELA_POLICY", "requird")
    with pytest.raises(SystemExit, match='did you mean "required"'):
        plugin.load()
    monkeypatch.delenv("STELA_POLICY")
    monkeypatch.setattr(plugin, "REQUEST", "sglang.srt.managers.schedule_batch.Request.__init__")
    with pytest.raises(SystemExit, match="other classes"):
        plugin.load()


def test_the_start_is_read_off_the_scheduler(hooks: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(starting.Start, "of", lambda scheduler: RIGHT._replace(drafts=True))
    plugin.load()
    with pytest.raises(stela.StelaError, match="speculative decoding"):
        hooks[plugin.SCHEDULER](None, SimpleNamespace(tokenizer=None))
    assert isinstance(RIGHT, Start)
