"""Tasks, the sandbox and the metric; programs run where bubblewrap is."""

from __future__ import annotations

import json
import os
import socket
import struct
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
import stela_run
from stela_code import CodePass, CodePassParameters, sandbox
from stela_code.sandbox import passes, require_sandbox
from stela_code.system_calls import seccomp_filter
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


KERNEL = "import ctypes\ncall = ctypes.CDLL(None, use_errno=True)\n"
REMOUNTED = f"{KERNEL}assert call.mount(None, b'/usr', None, 32 | 4096, None) == 0\n"
ESCAPES = {
    "remount": REMOUNTED,
    "write to the host": "open('/usr/stela-code-was-here', 'w')",
    "write to the host, remounted": f"{REMOUNTED}open('/usr/stela-code-was-here', 'w')",
    "mount": f"{KERNEL}assert call.mount(b'none', b'/tmp', b'tmpfs', 0, None) == 0",
    "user namespace": f"{KERNEL}assert call.unshare(0x10000000) == 0",
    "user namespace of a child": f"{KERNEL}assert call.syscall(56, 0x10000011, 0, 0, 0, 0) >= 0",
    "kernel's settings": "open('/proc/sys/kernel/core_pattern', 'r+')",
    "fork": "import os\nif not os.fork(): os._exit(0)",
    "child": "import subprocess\nsubprocess.run(['/bin/true'])",
    "thread": "import threading\nthreading.Thread(target=int).start()",
    "fill /tmp": "for i in range(20): open(f'{i}', 'wb').write(bytes(1 << 20))",
    "fill /dev/shm": "open('/dev/shm/x', 'wb').write(b'x')",
    "fill /": "open('/x', 'wb').write(b'x')",
    "memory of nobody": f"{KERNEL}assert call.shmget(0, 1 << 28, 0o600 | 512) >= 0",
    "file in memory": "import os\nos.memfd_create('x')",
    "socket": "import socket\nsocket.socket()",
}


@pytest.fixture(params=["root", "nobody"])
def user(request: pytest.FixtureRequest, bwrap: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """bubblewrap started by this user; for nobody with a Python that all may read."""
    if os.geteuid() and request.param == "root":
        pytest.skip("needs root")
    if not os.geteuid() and request.param == "nobody":
        if not Path("/usr/bin/python3").exists():
            pytest.skip("needs the system's Python")
        monkeypatch.setattr(sys, "executable", "/usr/bin/python3")
        monkeypatch.setattr(sys, "base_prefix", "/usr")
        as_nobody = partial(subprocess.run, user=65534, group=65534, extra_groups=[])
        monkeypatch.setattr(subprocess, "run", as_nobody)
    return bwrap


@sandboxed
@pytest.mark.parametrize("namespaces", sandbox.NAMESPACES, ids=["one", "more", "none"])
def test_nobody_leaves_the_sandbox(
    user: str, namespaces: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sandbox, "_namespaces", lambda bwrap: namespaces)
    if not passes(user, "open('x', 'w').write('a')"):
        pytest.skip(f"bubblewrap cannot work with {namespaces} here")
    # One sandbox for all: each may fail in its own way, and none may work.
    tried = "\n".join(
        f"try:\n    exec({program!r})\nexcept BaseException as error: pass\nelse: worked.append({name!r})"
        for name, program in ESCAPES.items()
    )
    assert passes(user, f"worked = []\n{tried}\nassert worked == [], worked")
    assert not Path("/usr/stela-code-was-here").exists()


def test_a_machine_that_allows_no_sandbox_is_told_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = tmp_path / "bwrap"
    script.write_text("#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1\n")
    script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    with pytest.raises(stela.StelaError, match="No permissions to create new namespace hint: allow user"):
        require_sandbox()
    with pytest.raises(stela.StelaError, match="on x86_64 and aarch64 only"):
        seccomp_filter("riscv64")


@pytest.mark.parametrize(("machine", "clone", "other"), [("x86_64", 56, 220), ("aarch64", 220, 56)])
def test_the_filter_refuses_calls_of_its_architecture(machine: str, clone: int, other: int) -> None:
    answer = run_filter(seccomp_filter(machine))
    number = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
    assert answer(clone, number[machine]) == "EPERM"
    assert answer(435, number[machine]) == "EPERM"
    assert answer(other, number[machine]) == answer(0, number[machine]) == "allowed"
    assert answer(0, 0x40000003) == "killed"  # i386's numbers are others
    assert answer(0x40000000 + 56, number["x86_64"]) == ("EPERM" if machine == "x86_64" else "killed")


def run_filter(program: bytes) -> Callable[[int, int], str]:
    """What the kernel answers to a call by its number and architecture (``linux/filter.h``)."""

    def answer(number: int, architecture: int) -> str:
        lines = list(struct.iter_unpack("=HBBI", program))
        at = loaded = 0
        while True:
            code, met, unmet, k = lines[at]
            at += 1
            if code == 0x20:
                loaded = {0: number, 4: architecture}[k]
            elif code == 0x06:
                return {0x7FFF0000: "allowed", 0x00050001: "EPERM", 0x80000000: "killed"}[k]
            else:
                at += met if (loaded == k if code == 0x15 else loaded >= k) else unmet

    return answer


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
