from __future__ import annotations

import asyncio
import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from stela_cli.jobs.executor import Job, Workers
from stela_corpora.corpus import Corpus
from stela_ray.executor import RayExecutor, RayParameters
from stela_tables import count as count_module
from stela_tables.build import build_tables
from stela_tables.count import Piece
from stela_tables.count_job import CountShards, Shard
from stela_tables.learning.learn import learn_table
from stela_tables.learning.recipe import Recipe
from stela_tables.table import table_bytes
from stela_tables.values import value_table_bytes

import stela_core as stela

pytest.importorskip("ray")

pytestmark = pytest.mark.slow

PLUGIN = Path(__file__).parents[3] / "tests" / "slow_tagger.py"


class Where(Job[int, tuple[int, str, int]]):
    """Says where an item was run; every call takes a moment, so that all workers get some."""

    def start(self) -> None:
        self.started = os.getpid()

    def run(self, item: int) -> tuple[int, str, int]:
        import ray

        time.sleep(0.05)
        return item, ray.get_runtime_context().get_node_id(), self.started


def left(how: str) -> str:
    """Tries to end the process, as a plugin may."""
    if how == "exits":
        sys.exit(0)
    if how == "is cancelled":
        raise asyncio.CancelledError
    if how == "closes":
        raise GeneratorExit
    return how


class Leaving(Job[str, str]):
    """Ends the process as it is started, or by an item."""

    def __init__(self, at_start: str = "") -> None:
        self.at_start = at_start

    def start(self) -> None:
        left(self.at_start)

    def run(self, item: str) -> str:
        return left(item)


class Unread(Leaving):
    """Ends whoever unpickles it."""

    def __reduce__(self) -> tuple[Any, ...]:
        return left, ("exits",)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("pids")


@pytest.fixture(scope="module", autouse=True)
def cluster(folder: Path) -> Iterator[None]:
    """Two nodes of one CPU each, on this machine, with processes of their own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        patch.setenv("STELA_TEST_FOLDER", str(folder))
        from ray.cluster_utils import Cluster

        nodes = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
        nodes.add_node(num_cpus=1)
        nodes.wait_for_nodes()
        patch.setenv("RAY_ADDRESS", nodes.address)
        import ray

        # Connected once for all tests but those of the command line, which connects by itself.
        ray.init(address=nodes.address, log_to_driver=False, logging_level="ERROR")
        yield
        ray.shutdown()
        nodes.shutdown()


@pytest.fixture
def slow() -> stela.Registry:
    return stela.create_registry([PLUGIN])


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    rng = random.Random(3)
    file = tmp_path / "letters.jsonl"
    texts = (" ".join(rng.choices("abcde", [5, 4, 3, 2, 1], k=25)) for _ in range(120))
    file.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts), encoding="utf-8")
    return file


def test_both_nodes_work_and_results_keep_their_order() -> None:
    with RayExecutor().start(Where()) as workers:
        found = list(workers.map(range(30)))
        check_reading(workers)
    assert [item for item, _, _ in found] == list(range(30))
    assert len({node for _, node, _ in found}) == 2
    assert len({pid for _, _, pid in found}) == 2
    assert os.getpid() not in {pid for _, _, pid in found}


def test_what_would_end_a_worker_is_an_error_of_its_item() -> None:
    """The process stays, and works on."""
    with RayExecutor(RayParameters(workers=1)).start(Leaving()) as workers:
        for how in ("exits", "is cancelled", "closes"):
            with pytest.raises(stela.StelaError, match="which would have ended this program"):
                list(workers.map([how]))
        assert list(workers.map(["stays"])) == ["stays"]
    for job in (Leaving("exits"), Unread()):
        with (
            RayExecutor(RayParameters(workers=1)).start(job) as workers,
            pytest.raises(stela.StelaError, match="which would have ended this program"),
        ):
            list(workers.map(["stays"]))


def check_reading(workers: Workers[int, tuple[int, str, int]]) -> None:
    """Items are read as they are needed, for a stream without end."""
    read = 0

    def items() -> Iterator[int]:
        nonlocal read
        while True:
            read += 1
            yield read

    results = workers.map(items())
    for number in range(1, 6):
        next(results)
        assert read <= number + 5


def test_the_bytes_of_the_local_table_though_a_worker_is_killed(
    slow: stela.Registry, corpus: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(count_module, "SHARD", 300)
    for file in folder.iterdir():
        file.unlink()
    killed: list[int] = []
    stop = threading.Event()

    def kill_one() -> None:
        while not stop.is_set() and len(list(folder.glob("*.started"))) < 2:
            time.sleep(0.01)
        time.sleep(0.2)
        victim = int(min(folder.glob("*.started")).stem)
        os.kill(victim, signal.SIGKILL)
        killed.append(victim)

    killer = threading.Thread(target=kill_one)
    killer.start()
    try:
        remote = build_tables(slow, "slow", [corpus], [2, 3], executor="ray")
    finally:
        stop.set()
        killer.join()
    pids = {int(file.stem) for file in folder.glob("*.started")}
    assert len(killed) == 1
    assert len(pids) == 3  # the two workers, and the one that took the place of the killed one
    local = build_tables(slow, "slow", [corpus], [2, 3])
    for k in (2, 3):
        assert table_bytes(remote.tables[k]) == table_bytes(local.tables[k])


@pytest.mark.deep(stand_in="test_both_nodes_work_and_results_keep_their_order")
def test_learned_tables_are_those_of_one_process(slow: stela.Registry, corpus: Path, tmp_path: Path) -> None:
    recipe = Recipe("spike-entropy", longest=3, minimum=1)
    made = [
        value_table_bytes(
            learn_table(slow, ["tiny-small"], [Corpus(corpus)], recipe, tmp_path / name, executor=name)
        )
        for name in ("local", "ray")
    ]
    assert made[0] == made[1]


def test_a_worker_that_always_dies_is_given_up(slow: stela.Registry, tmp_path: Path) -> None:
    file = tmp_path / "bad.jsonl"
    file.write_text('{"text": "a b !dies"}\n', encoding="utf-8")
    with pytest.raises(stela.StelaError, match="lost 4 times"):
        build_tables(slow, "slow", [file], [2], workers=1, executor="ray")


def test_errors_of_the_tagger_are_one_line(slow: stela.Registry, tmp_path: Path) -> None:
    file = tmp_path / "bad.jsonl"
    file.write_text('{"text": "a b !raises"}\n', encoding="utf-8")
    with pytest.raises(stela.StelaError, match=r'tagger "slow" failed on .* IndexError: no such word'):
        build_tables(slow, "slow", [file], [2], executor="ray")


def test_more_than_the_cluster_has() -> None:
    with pytest.raises(stela.StelaError, match=r"2 CPUs .* no room for a worker of 3 CPUs"):
        RayExecutor(RayParameters(cpus=3)).start(Where())
    with pytest.raises(stela.StelaError, match="0 GPUs: no room"):
        RayExecutor(RayParameters(gpus=1)).start(Where())


@pytest.mark.deep(stand_in="test_ctrl_c_leaves_no_file_and_no_worker")
def test_command_line_prints_results_alone_and_leaves_no_worker(
    corpus: Path, folder: Path, tmp_path: Path
) -> None:
    for file in folder.iterdir():
        file.unlink()
    table = tmp_path / "t.json"
    command = ["lambda", "build", "--tagger", "slow", "--corpus", str(corpus), "--k", "2", "-o", str(table)]
    done = subprocess.run(
        [sys.executable, "-m", "stela_cli", "--plugin", str(PLUGIN), *command, "--executor", "ray"],
        capture_output=True,
        text=True,
        check=True,
    )
    first, second, third = done.stdout.splitlines()
    assert first.startswith(f"{table}: 5 contexts of k = 2")
    assert second.startswith("mean over types")
    assert third.startswith("sha256")
    assert "Traceback" not in done.stderr
    pids = [int(file.stem) for file in folder.glob("*.started")]
    assert pids
    until = time.monotonic() + 10
    while any(Path(f"/proc/{pid}").exists() for pid in pids) and time.monotonic() < until:
        time.sleep(0.05)
    assert not any(Path(f"/proc/{pid}").exists() for pid in pids)


def test_ctrl_c_leaves_no_file_and_no_worker(folder: Path, tmp_path: Path) -> None:
    for file in folder.iterdir():
        file.unlink()
    corpus = tmp_path / "c.jsonl"
    corpus.write_text((json.dumps({"text": "a b c d e " * 1_000}) + "\n") * 2_000, encoding="utf-8")
    table = tmp_path / "t.json"
    command = ["lambda", "build", "--tagger", "slow", "--corpus", str(corpus), "--k", "2", "-o", str(table)]
    build = subprocess.Popen(
        [sys.executable, "-m", "stela_cli", "--plugin", str(PLUGIN), *command, "--executor", "ray"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,  # a process group of its own, as a terminal gives a command
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # as in a terminal
    )
    until = time.monotonic() + 60
    while len(list(folder.glob("*.started"))) < 2 and time.monotonic() < until:
        time.sleep(0.05)
    workers = [int(file.stem) for file in folder.glob("*.started")]
    assert len(workers) == 2
    os.killpg(build.pid, signal.SIGINT)
    out, err = build.communicate(timeout=30)
    assert (build.returncode, out, err.strip()) == (130, "", "stopped")
    assert not table.exists()
    until = time.monotonic() + 10
    while any(Path(f"/proc/{pid}").exists() for pid in workers) and time.monotonic() < until:
        time.sleep(0.05)
    assert not any(Path(f"/proc/{pid}").exists() for pid in workers)


def test_plugin_files_are_sent_by_content(corpus: Path, tmp_path: Path) -> None:
    """As on a node that has no such file: it is gone by the time the workers start."""
    file = tmp_path / "gone.py"
    file.write_text(PLUGIN.read_text(encoding="utf-8"), encoding="utf-8")
    job = CountShards.of(stela.create_registry([file]), "slow", [2])
    file.unlink()
    pieces = [Piece("a b c", True)]
    with RayExecutor(RayParameters(workers=1)).start(job) as workers:
        [counted] = workers.map([Shard(0, pieces)])
    assert counted.tally.counts[2] == {("a", "b"): 1, ("b", "c"): 1}
