"""Texts per second of what ``stela detect --workers N`` does with them, on one core and on two."""

from __future__ import annotations

import io
import multiprocessing
import os
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import redirect_stdout
from multiprocessing.synchronize import Barrier
from pathlib import Path
from typing import Any, NamedTuple

from stela_cli.detect_jobs import BATCH, Examined, ExamineForOne, ExamineOptions, TextGroup, parts_of
from stela_cli.detect_output import JsonLines
from stela_cli.documents.reader import Text
from stela_cli.jobs.executor import Job, Workers
from stela_cli.jobs.workers import make_executor

from benchmarks.texts import registry
from stela_core.loading import load

AS_DEFAULT = ExamineOptions(False, False, False, {}, None, None, ())
ready: list[Barrier] = []
"""Of this process: where it waits for the others."""


def rate(profile: Path, warm_up: Sequence[str], texts: Sequence[str], workers: int) -> float:
    """Texts per second, lines of JSON included, once all is loaded; a process of its own, on as many cores.

    Args:
        profile: what is tested for.
        warm_up: texts that are tested before.
        texts: that are timed, none of them among those before.
        workers: processes and cores; one worker is the process itself, as in the command.
    """
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn"), keep_to, (workers,)) as pool:
        return len(texts) / pool.submit(taken, profile, warm_up, texts, workers).result().clock


def bound(profile: Path, warm_up: Sequence[str], texts: Sequence[str]) -> float:
    """Most that two cores can be faster than one, by the CPU seconds of all processes; needs /proc.

    They say it on a busy machine, too: 2 where two workers take no more than one.
    """
    used = []
    for workers in (1, 2):
        with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
            used.append(pool.submit(taken, profile, warm_up, texts, workers).result().cpu)
    return 2 * used[0] / used[1]


def peer_rate(size: int, documents: Sequence[list[int]], workers: int) -> float:
    """As :func:`rate`, of transformers' detector over ``size`` ids: the documents dealt out to processes.

    Args:
        size: of the vocabulary.
        documents: token ids; the first one for each process warms it up.
        workers: processes and cores.
    """
    dealt = [documents[number::workers] for number in range(workers)]
    context = multiprocessing.get_context("spawn")
    given = workers, context.Barrier(workers)
    with ProcessPoolExecutor(workers, context, keep_to_together, given) as pool:
        return (len(documents) - workers) / max(pool.map(peer_seconds, [size] * workers, dealt))


def peer_seconds(size: int, documents: Sequence[list[int]]) -> float:
    """Seconds of all documents but the first, begun when all processes are ready."""
    import torch
    from transformers import LlamaConfig, WatermarkDetector, WatermarkingConfig

    torch.set_num_threads(1)
    theirs: Any = WatermarkDetector(LlamaConfig(vocab_size=size), "cpu", WatermarkingConfig())
    theirs(torch.tensor([documents[0]]))
    ready[0].wait()
    began = time.perf_counter()
    for ids in documents[1:]:
        theirs(torch.tensor([ids]))
    return time.perf_counter() - began


def keep_to_together(cores: int, barrier: Barrier) -> None:
    """As :func:`keep_to`, and what a process waits at for the others."""
    keep_to(cores)
    ready[:] = [barrier]


def keep_to(cores: int) -> None:
    """Keep this process and those that it starts to so many cores, where the system can."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:cores])


class Taken(NamedTuple):
    """Seconds of all texts, the start of workers left out."""

    clock: float
    cpu: float
    """Of all processes; 0 of others where there is no /proc."""


def taken(profile: Path, warm_up: Sequence[str], texts: Sequence[str], workers: int) -> Taken:
    """What all texts take."""
    name = str(profile)
    watermark = load(name, registry=registry())
    job: Job[TextGroup, Examined[Any]] = ExamineForOne(name, None, None, AS_DEFAULT, watermark)
    crew: Workers[TextGroup, Examined[Any]] = make_executor(registry(), "local", workers).start(job)
    with crew, redirect_stdout(io.StringIO()):
        for _ in crew.map(parts(warm_up, max(1, len(warm_up) // (2 * workers)), workers)):
            pass
        output = JsonLines(False)
        began, used = time.perf_counter(), cpu_seconds()
        for examined in crew.map(parts(texts, BATCH, workers)):
            for source, result in zip(examined.sources, examined.results, strict=True):
                output.add(source, result)
        return Taken(time.perf_counter() - began, cpu_seconds() - used)


def cpu_seconds() -> float:
    """Of this process and of those that it spawned, which still run."""
    tasks = (Path(f"/proc/{one.pid}/task").glob("*/schedstat") for one in multiprocessing.active_children())
    others = sum(int(task.read_text().split()[0]) for each in tasks for task in each)
    return time.process_time() + others / 1e9


def parts(texts: Sequence[str], size: int, workers: int) -> Iterator[TextGroup]:
    """Parts as the command makes them, of batches of so many texts."""
    named = [Text(f"texts.jsonl:{number}", text) for number, text in enumerate(texts, 1)]
    return parts_of((named[i : i + size] for i in range(0, len(named), size)), None, BATCH, workers > 1)
