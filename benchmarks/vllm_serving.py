"""Tokens a second of a real vLLM on this machine's processor, with marks and without: 16 requests at once."""

from __future__ import annotations

import argparse
import http.client
import json
import statistics
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from typing import Any, NamedTuple

from stela_models import ModelSource

from benchmarks.texts import Texts, registry
from scripts.own_needs import with_needs
from scripts.serving.checks import command
from scripts.serving.environments import has, pip
from scripts.serving.vllm_server import PATIENCE, ROOT, Server, prepare, serving

REQUESTS = 16
TOKENS = 256
MARKS: dict[str, list[str]] = {
    "kgw": ["--scheme", "kgw"],
    "gumbel": ["--scheme", "gumbel"],
    "learned-text": ["--scheme", "learned-text", "--language", "en"],
    "stela": ["--scheme", "stela", "--tagger", "penn"],
}
FURTHER = ("stela-stela", "stela-penn")
"""Plugins of these marks that an environment of :mod:`scripts.serving.vllm_server` lacks."""
PROMPT = "The history of the town begins with a bridge. Chapter {number}. In those days"


class Took(NamedTuple):
    """What a round of requests took."""

    tokens_a_second: float
    first_token: float
    """Median seconds to a request's first token."""


def run(texts: Texts, args: argparse.Namespace) -> None:
    """Print ratios of marked to unmarked rounds, which take turns; the median round of each."""
    location = args.model or registry().get(ModelSource, "tiny").location()
    model = str(Path(location).absolute()) if Path(location).exists() else location
    programs = prepare(ROOT / ".venv-vllm")
    if not has(programs, "stela_penn"):
        needed = sorted(with_needs(FURTHER) - {"stela-core"})
        pip(programs, "install", *(part for name in needed for part in ("-e", str(ROOT / "plugins" / name))))
    with tempfile.TemporaryDirectory(prefix="stela-vllm-") as name:
        folder = Path(name)
        profiles = folder / "profiles"
        profiles.mkdir()
        for mark, options in MARKS.items():
            to = ["--model", model, "--public-key", "-o", str(profiles / f"{mark}.stela")]
            command("profile", "new", *options, *to)
        options = ["--max-model-len", "512", "--dtype", "float32", "--enforce-eager"]
        variables = {"STELA_PROFILE": str(profiles), "STELA_POLICY": "opt-in"}
        with serving(programs, model, options, folder / "log", **variables) as server:
            compare(server, model, args.rounds)


def compare(server: Server, model: str, rounds: int) -> None:
    """Let the marks take turns, and print what each took beside the unmarked rounds."""
    took: dict[str | None, list[Took]] = {mark: [] for mark in (None, *MARKS)}
    for mark in took:
        one_round(server, model, mark, 8)  # loads, compiles
    for number in range(rounds):
        order = list(took) if number % 2 == 0 else list(took)[::-1]
        for mark in order:
            took[mark].append(one_round(server, model, mark, TOKENS))
    plain = took[None]
    print(f"{REQUESTS} requests of {TOKENS} tokens, {rounds} rounds: {_median(plain, 0):.1f} tokens a second")
    print(f"unmarked, first token after {_median(plain, 1):.2f} s; marked over unmarked, and its range:")
    for mark in MARKS:
        ratios = [
            one.tokens_a_second / own.tokens_a_second for one, own in zip(took[mark], plain, strict=True)
        ]
        first = [one.first_token / own.first_token for one, own in zip(took[mark], plain, strict=True)]
        spread = f"{statistics.median(ratios):.3f} ({min(ratios):.3f} to {max(ratios):.3f})"
        print(f"  {mark:13} tokens a second {spread}, time to first token {statistics.median(first):.3f}")


def one_round(server: Server, model: str, mark: str | None, tokens: int) -> Took:
    """Requests that begin together; they end when the last one has all its tokens."""
    together = Barrier(REQUESTS)
    with ThreadPoolExecutor(REQUESTS) as pool:
        bodies = [_body(model, mark, number, tokens) for number in range(REQUESTS)]
        times = list(pool.map(lambda body: _stream(server, body, together), bodies))
    began = min(start for start, _, _ in times)
    seconds = max(end for _, _, end in times) - began
    return Took(REQUESTS * tokens / seconds, statistics.median(first - start for start, first, _ in times))


def _stream(server: Server, body: dict[str, Any], together: Barrier) -> tuple[float, float, float]:
    """When a request began, had its first token and ended, in seconds of one clock."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE)
    together.wait()
    start, first = time.perf_counter(), 0.0
    connection.request("POST", "/v1/completions", json.dumps(body), {"Content-Type": "application/json"})
    reply = connection.getresponse()
    if reply.status != 200:
        raise SystemExit(f"HTTP {reply.status}: {reply.read().decode()[:500]}")
    while line := reply.readline():
        if line.startswith(b"data: {"):
            first = first or time.perf_counter()
    return start, first, time.perf_counter()


def _body(model: str, mark: str | None, number: int, tokens: int) -> dict[str, Any]:
    return {
        "model": model,
        "prompt": PROMPT.format(number=number + 1),
        "max_tokens": tokens,
        "ignore_eos": True,
        "temperature": 1.0,
        "stream": True,
        **({} if mark is None else {"vllm_xargs": {"stela": mark}}),
    }


def _median(rounds: Sequence[Took], field: int) -> float:
    return statistics.median(one[field] for one in rounds)
