"""The executor ``local``: order, reading ahead, errors, and processes that end."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from stela_cli.jobs.executor import Job
from stela_cli.jobs.local import Local, LocalParameters
from stela_cli.jobs.workers import make_executor, registry_of_worker
from stela_tables.count import Piece
from stela_tables.count_job import CountShards, Shard

import stela_core as stela
from stela_core.registry.tagger_spec import make_tagger

ROOT = Path(__file__).parents[4]
PLUGIN = ROOT / "tests" / "plain_tagger.py"


class Square(Job[int, tuple[int, int, int]]):
    """Squares, and who worked them out and was started how often."""

    def start(self) -> None:
        self.started = getattr(self, "started", 0) + 1

    def run(self, item: int) -> tuple[int, int, int]:
        if item == 13:
            raise stela.StelaError("thirteen.", "another number")
        time.sleep(0.002 * (item % 3))
        return item * item, os.getpid(), self.started


class Sleep(Job[int, int]):
    def run(self, item: int) -> int:
        time.sleep(item)
        return item


class Unread(Sleep):
    """Ends whoever unpickles it: so does a module that exits when it is imported."""

    def __reduce__(self) -> tuple[object, tuple[int]]:
        return sys.exit, (0,)


def gone(pid: int, seconds: float = 10) -> bool:
    until = time.monotonic() + seconds
    while Path(f"/proc/{pid}").exists() and time.monotonic() < until:
        time.sleep(0.02)
    return not Path(f"/proc/{pid}").exists()


@pytest.mark.slow
def test_a_job_that_exits_when_a_process_reads_it_is_an_error() -> None:
    with (
        Local(LocalParameters(workers=2)).start(Unread()) as started,
        pytest.raises(stela.StelaError, match="raised SystemExit, which would have ended this program"),
    ):
        list(started.map([0]))


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 2])
def test_results_in_order_of_a_stream_without_end(workers: int) -> None:
    read = 0

    def items() -> Iterator[int]:
        nonlocal read
        while True:
            yield 100 + read
            read += 1

    pids = set()
    with Local(LocalParameters(workers=workers)).start(Square()) as started:
        for number, (square, pid, starts) in enumerate(started.map(items())):
            assert square == (100 + number) ** 2
            assert starts == 1
            assert read <= number + 2 * workers + 1
            pids.add(pid)
            if number == 60:
                break
    if workers == 1:
        assert pids == {os.getpid()}
    else:
        assert os.getpid() not in pids
        assert all(gone(pid) for pid in pids)


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 2])
def test_errors_of_the_job_reach_the_caller(workers: int) -> None:
    with Local(LocalParameters(workers=workers)).start(Square()) as started:
        results = started.map(range(10, 20))
        assert [next(results)[0] for _ in range(3)] == [100, 121, 144]
        with pytest.raises(stela.StelaError, match=r"thirteen\. hint: another number"):
            next(results)


@pytest.mark.slow
def test_processes_at_work_are_ended_at_once() -> None:
    began = time.monotonic()
    with Local(LocalParameters(workers=2)).start(Sleep()) as started:
        results = started.map([0, 3600, 3600, 3600, 3600, 3600])
        assert next(results) == 0
    assert time.monotonic() - began < 60  # not an hour


PARENT = """
import sys
from importlib import import_module
from stela_cli.jobs.local import Local, LocalParameters
Square = import_module("plugins.stela-cli.tests.jobs.test_local").Square
if __name__ == "__main__":
    with Local(LocalParameters(workers=1 + 1)).start(Square()) as workers:
        for square, pid, starts in workers.map(iter(int, 1)):
            print(pid, flush=True)
"""


@pytest.mark.slow
def test_processes_end_with_a_parent_that_is_killed(tmp_path: Path) -> None:
    script = tmp_path / "parent.py"
    script.write_text(PARENT)
    parent = subprocess.Popen(
        [sys.executable, script],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert parent.stdout is not None
    pids = {int(parent.stdout.readline()) for _ in range(5)}
    parent.send_signal(signal.SIGKILL)
    parent.stdout.close()
    parent.wait()
    assert all(gone(pid) for pid in pids)


def test_make_executor(registry: stela.Registry) -> None:
    assert make_executor(registry, "local").parameters == LocalParameters(workers=1)
    assert make_executor(registry, "local", 3).parameters == LocalParameters(workers=3)
    with pytest.raises(stela.StelaError, match=r'unknown executor "locl".* did you mean "local"'):
        make_executor(registry, "locl")
    with pytest.raises(stela.StelaError, match='executor "local": workers'):
        make_executor(registry, "local", 0)


def test_the_job_of_counting_travels_with_its_plugin_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "mine.py"
    file.write_bytes(PLUGIN.read_bytes())
    monkeypatch.chdir(tmp_path)
    # The file is named in both ways, by a relative and an absolute path.
    monkeypatch.setenv("STELA_PLUGINS", "mine.py")
    job = CountShards.of(stela.create_registry(), "letters", [2])
    sent = pickle.loads(pickle.dumps(job))
    assert sent.registry is None
    file.rename(tmp_path / "away.py")  # as on another machine
    before = set(tmp_path.iterdir())
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    sent.start()
    assert sent.run(Shard(3, [Piece("a b", True)])).tally.counts[2] == {("a", "b"): 1}
    assert set(tmp_path.iterdir()) == before
    monkeypatch.setenv("STELA_PLUGINS", "away.py")
    assert make_tagger(registry_of_worker(sent.files), "letters").name == "letters"


def test_a_registry_made_by_hand_counts_in_this_process() -> None:
    registry = stela.create_registry([PLUGIN])
    job = CountShards.of(registry, "letters", [1])
    job.files = ()
    job.start()
    assert job.run(Shard(0, [Piece("a", True)])).corpus == 0


class Asked(Job[int, str]):
    def run(self, item: int) -> str:
        return os.environ["OMP_NUM_THREADS"]


class Threads(Job[int, tuple[str, int]]):
    def run(self, item: int) -> tuple[str, int]:
        import torch

        return os.environ["OMP_NUM_THREADS"], torch.get_num_threads()


def share_of(workers: int) -> int:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, cores // workers)


@pytest.mark.slow
def test_workers_are_told_their_share_of_the_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    before = dict(os.environ)
    with Local(LocalParameters(workers=2)).start(Asked()) as pool:
        assert list(pool.map(range(3))) == [str(share_of(2))] * 3
    assert dict(os.environ) == before


@pytest.mark.slow
@pytest.mark.deep(stand_in="test_workers_are_told_their_share_of_the_cores")
@pytest.mark.parametrize("workers", [2, 3])
def test_workers_share_the_cores(workers: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """What torch makes of it."""
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    share = share_of(workers)
    with Local(LocalParameters(workers=workers)).start(Threads()) as pool:
        assert list(pool.map(range(3))) == [(str(share), share)] * 3


@pytest.mark.slow
def test_threads_that_the_user_asks_for_are_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "7")
    with Local(LocalParameters(workers=2)).start(Asked()) as pool:
        assert list(pool.map(range(2))) == ["7", "7"]
