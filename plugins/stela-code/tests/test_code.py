"""Tasks, the sandbox and the metric; programs run where bubblewrap is."""

from __future__ import annotations

import json
import socket
import threading
from dataclasses import replace
from pathlib import Path

import pytest
import stela_run
from stela_code import CodePass, CodePassParameters
from stela_code.sandbox import passes, require_sandbox
from stela_code.tasks import SHIPPED, answer_of, read_tasks
from stela_run.testing import MetricContract, make_sample

import stela_core as stela

TASKS = read_tasks(SHIPPED)
ROWS = [json.loads(line) for line in SHIPPED.read_text(encoding="utf-8").splitlines()]


def bubblewrap() -> str | None:
    try:
        return require_sandbox()
    except stela.StelaError:
        return None


BWRAP = bubblewrap()
sandboxed = pytest.mark.skipif(BWRAP is None, reason="bubblewrap cannot run here")


@pytest.fixture(scope="module")
def bwrap() -> str:
    assert BWRAP is not None
    return BWRAP


def test_an_answer_ends_where_something_else_begins() -> None:
    body = "    x = 1\n\n    return x\n"
    for after in (
        "def other():\n    pass",
        "class A:",
        "print(1)",
        "if __name__",
        "# more",
        "@wraps",
        "import os",
    ):
        assert answer_of(f"{body}\n{after}") == body
    assert answer_of(body) == body
    assert (
        answer_of("    # inside\n    if x:\n        return 1") == "    # inside\n    if x:\n        return 1"
    )


@sandboxed
def test_solutions_pass_and_others_do_not(bwrap: str) -> None:
    assert len(TASKS) == len(ROWS) == 20
    for row in ROWS:
        assert passes(bwrap, TASKS[row["prompt"]].program(row["continuation"])), row["prompt"]
        assert not passes(bwrap, TASKS[row["prompt"]].program("    return None\n")), row["prompt"]


@sandboxed
@pytest.mark.parametrize(
    "program",
    [
        "raise ValueError",
        "import sys; sys.exit(0)",
        "import os; os._exit(0)",
        "while True: pass",
        "import time; time.sleep(60)",
        "x = bytearray(1 << 30)",
        "def",
        "open('x', 'wb').write(b'x' * (2 << 20))",
        "while True: print('x' * 1000)",
        "open('/usr/x', 'w')",
        "print(open('/etc/passwd').read())",
        "import os; os.listdir('/home')",
        "\ud800",
    ],
)
def test_what_must_not_pass(bwrap: str, program: str) -> None:
    assert not passes(bwrap, program, seconds=1)


@sandboxed
def test_what_may_be_done(bwrap: str, tmp_path: Path) -> None:
    assert passes(bwrap, "print('words at the end')")
    assert passes(bwrap, "import math, json, collections\nopen('x', 'w').write('a')")
    (tmp_path / "mine").write_text("secret")
    assert not passes(bwrap, f"open({str(tmp_path / 'mine')!r}).read()")
    assert not passes(bwrap, "x = 1\n" * (1 << 18))


@sandboxed
def test_there_is_no_network(bwrap: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.5)
        reached: list[bool] = []

        def accept() -> None:
            try:
                server.accept()[0].close()
                reached.append(True)
            except TimeoutError:
                pass

        waiting = threading.Thread(target=accept)
        waiting.start()
        port = server.getsockname()[1]
        connecting = f"import socket; socket.create_connection(('127.0.0.1', {port}), 1)"
        assert not passes(bwrap, connecting)
        waiting.join()
    assert reached == []


@pytest.fixture(scope="module")
def sample(registry: stela.Registry) -> stela_run.Sample:
    """Eight marked texts, of which six solve a task, and a human solution of each task."""
    made = make_sample(registry)
    marked = [
        replace(one, generated=replace(one.generated, prompt=row["prompt"]), text=row["continuation"])
        for one, row in zip(made.marked, ROWS, strict=False)
    ]
    marked[:2] = [replace(one, text="    return 0.5\n") for one in marked[:2]]
    human = [replace(made.human[0], prompt=row["prompt"], text=row["continuation"]) for row in ROWS]
    return replace(made, marked=marked, human=human)


@sandboxed
def test_shares_of_texts_that_pass(sample: stela_run.Sample, tmp_path: Path) -> None:
    metric = CodePass(CodePassParameters(run_code=True))
    values = metric.measure(sample)
    assert [(value.name, value.value, value.n) for value in values] == [
        ("pass@1", 0.75, 8),
        ("pass@1:human", 1.0, 20),
    ]
    own = tmp_path / "tasks.jsonl"
    own.write_text(json.dumps({**ROWS[0], "task_id": "HumanEval/0", "test": "def check(f): assert 0"}) + "\n")
    other = CodePass(CodePassParameters(run_code=True, tasks=str(own)))
    assert [(value.value, value.n) for value in other.measure(sample)] == [(0.0, 1), (0.0, 1)]


def test_what_is_wrong_is_told_in_one_line(
    sample: stela_run.Sample, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(stela.StelaError, match="that was not allowed"):
        CodePass(CodePassParameters()).measure(sample)
    for line, said in (
        ("", "has no task"),
        ("{}", "prompt"),
        ("[", "is not JSON"),
        (json.dumps({**ROWS[0], "entry_point": "a; b"}), "entry_point"),
    ):
        (tmp_path / "t.jsonl").write_text(line + "\n")
        with pytest.raises(stela.StelaError, match=said):
            read_tasks(tmp_path / "t.jsonl")
    with pytest.raises(stela.StelaError, match=r"none.jsonl"):
        read_tasks(tmp_path / "none.jsonl")
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(stela.StelaError, match="bwrap is not on the path"):
        CodePass(CodePassParameters(run_code=True)).measure(sample)


@sandboxed
def test_texts_after_other_prompts_are_refused(sample: stela_run.Sample) -> None:
    strangers = [replace(one, generated=replace(one.generated, prompt="The city")) for one in sample.marked]
    with pytest.raises(stela.StelaError, match="after the prompt of a task"):
        CodePass(CodePassParameters(run_code=True)).measure(replace(sample, marked=strangers))


@sandboxed
class TestCodePass(MetricContract):
    @pytest.fixture(scope="class")
    @classmethod
    def metric(cls) -> stela_run.Metric:
        return CodePass(CodePassParameters(run_code=True))
