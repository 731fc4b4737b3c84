"""``stela serve`` under 200 clients: good, huge, malformed and hostile requests, and workers that are killed.

``python -m benchmarks serving [--seconds 60] [--clients 200]``. All runs on this machine: the clients take
processor time from the service.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import re
import signal
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from stela_cli.main import run as run_command
from stela_serve.started import Started, started

import stela_core as stela
from benchmarks.serving_requests import Choice, Request, choice_of, good, hostile, huge, malformed
from benchmarks.texts import Texts

SHARES = (0.7, 0.05, 0.15, 0.1)
"""Of good, huge, malformed and hostile requests."""

KILL_EVERY = 15.0
"""Seconds between two workers that are killed (kill -9)."""

TEXTS = 96
WORKERS = 2
FEW = 4
"""Clients of a service that is not busy."""

PATIENCE = 90.0
"""Seconds after which a request counts as hung."""


@dataclass
class Tally:
    """What came of the requests."""

    seconds: dict[str, list[float]] = field(default_factory=dict)
    """Until the answer 200, by kind."""
    statuses: Counter[tuple[str, int]] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    hung: int = 0
    broken: int = 0
    """Connections that ended without an answer, but where the client left."""
    peaks: dict[str, int] = field(default_factory=dict)
    """Largest resident memory, bytes."""
    spent: tuple[float, float] = (0.0, 0.0)
    """Processor seconds of the service and of its workers, their start included."""


def run(texts: Texts, args: argparse.Namespace) -> None:
    """Print what came of it."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        profiles = folder / "profiles"
        profiles.mkdir()
        for language in ("en", "zh", "ko"):
            made = ["--scheme", "learned-text", "--language", language, "--model", "tiny", "--public-key"]
            run_command(["profile", "new", *made, "-o", str(profiles / f"learned-{language}.stela")])
        run_command(
            [
                "profile",
                "new",
                "--scheme",
                "kgw",
                "--model",
                "tiny",
                "--public-key",
                "-o",
                str(profiles / "kgw.stela"),
            ]
        )
        marks = stela.load_all(profiles)
        rng = random.Random(args.seed)
        human = [text[: rng.randrange(200, 3000)] for text in texts.read("en", TEXTS, 600)[:TEXTS]]
        asked = good(marks, human)
        every = (asked, huge(marks, human), malformed(), hostile(args.seed))
        options = ("--profiles", str(profiles), "--workers", str(WORKERS), "--rate", "0", "--seconds", "10")
        mixes = (
            (FEW, "good requests", [(1.0, asked)]),
            (args.clients, "good requests", [(1.0, asked)]),
            (args.clients, "all kinds", list(zip(SHARES, every, strict=True))),
        )
        for clients, title, mix in mixes:
            print(f"-- {clients} clients, {title}", flush=True)
            with started(folder, *options) as service:
                began = time.monotonic()
                work = attack(service, choice_of(mix), clients, args.seconds, args.seed)
                tally, killed = asyncio.run(work)
                report(tally, service, killed, time.monotonic() - began)


async def attack(
    service: Started, choice: Choice, clients: int, seconds: float, seed: int
) -> tuple[Tally, int]:
    """All clients at once for so long; and how many workers were killed meanwhile."""
    tally = Tally()
    host, port = service.url.removeprefix("http://").split(":")
    end = time.monotonic() + seconds
    watching = asyncio.create_task(watch(service, tally))
    killing = asyncio.create_task(kill(service, end))
    await asyncio.gather(
        *(client(host, int(port), choice, random.Random(f"{seed} {n}"), end, tally) for n in range(clients))
    )
    killed = await killing
    watching.cancel()
    tally.spent = processor_time(service)
    return tally, killed


async def client(host: str, port: int, choice: Choice, rng: random.Random, end: float, tally: Tally) -> None:
    """One request after the other, each on a connection of its own; where there is no room, wait as told."""
    await asyncio.sleep(rng.random())
    while time.monotonic() < end:
        request = choice(rng)
        began = time.monotonic()
        try:
            async with asyncio.timeout(PATIENCE):
                status, headers, body = await exchange(host, port, request)
        except TimeoutError:
            tally.hung += 1
            continue
        except (OSError, EOFError, ValueError):
            tally.broken += not request.cut
            continue
        tally.statuses[request.kind, status] += 1
        if request.wrong(status, headers, body, time.monotonic() - began):
            tally.wrong.append(f"{request.kind}: {status} {body[:200]!r}")
        if status == 200:
            tally.seconds.setdefault(request.kind, []).append(time.monotonic() - began)
        if status == 503:
            await asyncio.sleep(int(headers.get("retry-after", "1")) * rng.uniform(0.5, 1))


async def exchange(host: str, port: int, request: Request) -> tuple[int, dict[str, str], bytes]:
    """Status, headers and body of the answer.

    Raises:
        OSError, EOFError: the connection ended.
    """
    reader, writer = await asyncio.open_connection(host, port)
    try:
        head = [
            f"{request.method} {request.path} HTTP/1.1",
            "Host: localhost",
            "Content-Type: application/json",
            f"Content-Length: {len(request.body)}",
            "Connection: close",
            *(f"{name}: {value}" for name, value in request.headers),
        ]
        writer.write("\r\n".join([*head, "", ""]).encode())
        if request.cut:
            writer.write(request.body[:5])
            await writer.drain()
            raise EOFError
        if request.slow:
            writer.write(request.body[:5])
            await asyncio.sleep(1)
            writer.write(request.body[5:])
        else:
            writer.write(request.body)
        with suppress(ConnectionError):
            await writer.drain()
        lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        headers = {
            name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:])
        }
        body = await reader.readexactly(int(headers["content-length"]))
        return int(lines[0].split()[1]), headers, body
    finally:
        writer.close()
        with suppress(OSError):
            await writer.wait_closed()


async def kill(service: Started, end: float) -> int:
    """Kill a worker from time to time; how many."""
    killed = 0
    while time.monotonic() + KILL_EVERY < end:
        await asyncio.sleep(KILL_EVERY)
        for pid in service.children()[:1]:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
                killed += 1
    return killed


async def watch(service: Started, tally: Tally) -> None:
    """Note the memory of all its processes."""
    while True:
        sizes = {"service": resident(service.process.pid)}
        workers = [resident(pid) for pid in service.children()]
        sizes |= {"largest worker": max(workers, default=0), "together": sum(workers) + sizes["service"]}
        for name, size in sizes.items():
            tally.peaks[name] = max(tally.peaks.get(name, 0), size)
        await asyncio.sleep(0.5)


def resident(pid: int) -> int:
    """Bytes of memory that a process holds."""
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, IndexError):
        return 0


def processor_time(service: Started) -> tuple[float, float]:
    """Seconds of the service, and of its workers, those that have ended included."""
    own, ended = ticks(service.process.pid)
    alive = sum(ticks(pid)[0] for pid in service.children())
    each = os.sysconf("SC_CLK_TCK")
    return own / each, (ended + alive) / each


def ticks(pid: int) -> tuple[int, int]:
    """Of a process, and of those of its own that have ended (proc(5): utime, stime, cutime, cstime)."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0, 0
    return int(fields[11]) + int(fields[12]), int(fields[13]) + int(fields[14])


def report(tally: Tally, service: Started, killed: int, seconds: float) -> None:
    """Print all of it."""
    statuses = sorted({status for _, status in tally.statuses})
    print(f"{'kind':<14}" + "".join(f"{status:>8}" for status in statuses) + "     p50      p99")
    for kind in dict.fromkeys(kind for kind, _ in sorted(tally.statuses)):
        counts = "".join(f"{tally.statuses[kind, status]:>8,}" for status in statuses)
        print(f"{kind:<14}{counts}{percentiles(tally.seconds.get(kind, []))}")
    requests = sum(tally.statuses.values())
    answered = sum(len(times) for times in tally.seconds.values())
    crashed = int(service.process.poll() is not None)
    said = service.log.read_text()
    mistakes = said.count('"event": "error"')
    went = Counter(re.findall(r'"event": "worker", "why": "(\w+)"', said))
    speed = f"{requests / seconds:.0f} a second, {answered / seconds:.0f} tested"
    print(f"{requests:,} requests in {seconds:.0f} s: {speed}")
    print(
        f"crashes of the service {crashed}; wrong answers {len(tally.wrong)}; hung {tally.hung}; "
        f"no answer {tally.broken}; mistakes in its log {mistakes}"
    )
    own, workers = tally.spent
    print(
        f"processor time: service {own:.1f} s ({1e3 * own / requests:.1f} ms a request), "
        f"workers {workers:.1f} s ({1e3 * workers / max(answered, 1):.0f} ms a tested one)"
    )
    print(f"workers killed by the benchmark {killed}; replaced: {dict(went)}")
    print("memory at most: " + ", ".join(f"{name} {size >> 20} MiB" for name, size in tally.peaks.items()))
    for answer in tally.wrong[:10]:
        print(answer)


def percentiles(times: Sequence[float]) -> str:
    """Median and 99th percentile in seconds."""
    if not times:
        return ""
    return "".join(f"{np.percentile(times, q):>7.2f} s" for q in (50, 99))
