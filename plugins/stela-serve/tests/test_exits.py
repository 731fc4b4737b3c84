"""A plugin that tries to end the worker: it is named as the service starts, and ends no worker later."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from stela_serve.asking import asked_of, for_worker
from stela_serve.examine import Examiner, Setup
from stela_serve.frames import FAILED, READY, REFUSED, RESULT
from stela_serve.limits import Limits
from stela_serve.pool import refusal
from stela_serve.worker import answer, opened

import stela_core as stela

PLUGIN = """
import asyncio, os, sys
import numpy as np
import stela_core as stela

{imported}

class Half(stela.Weighting):
    name = "half"
    needs = frozenset({{"text"}})
    def weights(self, positions):
        if {when!r} in "".join(positions.text):
            {called}
        return np.ones(positions.count)

@stela.hookimpl
def stela_register_weightings():
    {hook}
    return Half
"""
ENDS = ["sys.exit(0)", "raise GeneratorExit", "raise asyncio.CancelledError"]
TEXT = "The city lies on a river, and the river is wide. " * 4


def written(folder: Path, name: str, when: str = "", **places: str) -> str:
    code = {"imported": "pass", "hook": "pass", "called": "pass"} | places
    (folder / f"{name}.py").write_text(PLUGIN.format(when=when, **code))
    return str(folder / f"{name}.py")


@pytest.fixture(scope="module")
def profiles(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("half")
    registry = stela.create_registry([written(folder, "good")])
    (folder / "profiles").mkdir()
    stela.create("half", model="tiny", key="public", registry=registry).save(folder / "profiles" / "p.stela")
    return folder / "profiles"


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("place", ["imported", "hook", "called"])
def test_a_worker_says_which_plugin_exits(profiles: Path, tmp_path: Path, place: str, end: str) -> None:
    file = written(tmp_path, "bad", **{place: end})
    # The first worker makes the page and times what texts cost, which asks for weights.
    examiner, kind, told = opened(Setup(folder=str(profiles), plugins=(file,), page=True))
    assert (examiner, kind) == (None, FAILED)
    assert f'"{file}", line ' in told[0]
    assert "would have ended" in told[0]


@pytest.mark.parametrize("end", ENDS)
def test_a_text_on_which_a_plugin_exits_ends_no_worker(profiles: Path, tmp_path: Path, end: str) -> None:
    file = written(tmp_path, "bad", when="Goodbye", called=end)
    examiner, kind, _ = opened(Setup(folder=str(profiles), plugins=(file,)))
    assert kind == READY
    assert isinstance(examiner, Examiner)

    def ask(text: str) -> tuple[bytes, bytes]:
        body = json.dumps({"text": text}).encode()
        return answer(examiner, for_worker(asked_of(body, Limits(), {"p.stela"}, set(), False)))

    kind, content = ask(f"{TEXT}Goodbye. {TEXT}")
    assert (kind, refusal(content).status) == (REFUSED, 500)
    assert ask(TEXT)[0] == RESULT
