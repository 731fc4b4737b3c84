"""Messages that Python reads in made-up tokens, for ``web/tests/vectors.json`` (``write_vectors.py``)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
from stela_payload.interface import ScoredTokens, SeedEncoder

import stela_core as stela
from stela_core.api import GroupedParameters, GroupedScorer, mix

Numbers = Callable[[int, int], npt.NDArray[np.uint32]]
"""The first ``count`` 32-bit numbers of a seed."""

HALF = {"name": "keyed", "gamma": 0.5, "context_width": 1}
QUARTER = {"name": "keyed", "gamma": 0.25, "context_width": 1}
GUMBEL = {"name": "gumbel", "context_width": 4}
CASES: list[tuple[dict[str, Any], int, int, int, int, tuple[int, ...]]] = [
    # hasher, bits, tokens, distinct weights (1: all alike), tokens tried of which the best is taken, messages
    *((HALF, bits, 60, 1, 3, (1,)) for bits in (1, 2, 7, 8)),
    (HALF, 16, 150, 1, 3, (0xBEEF,)),
    (HALF, 16, 150, 1, 1, ()),
    (QUARTER, 24, 240, 1000, 4, (0xC0FFEE,)),
    (HALF, 64, 400, 1, 2, (0x0123456789ABCDEF,)),
    *((GUMBEL, bits, 40, 1, 4, (1,)) for bits in (1, 5, 12)),
    (GUMBEL, 16, 0, 1, 1, ()),
    (GUMBEL, 16, 1, 1, 1, (0xFFFF,)),
    (GUMBEL, 16, 80, 1000, 3, (0x00FF,)),
    (GUMBEL, 24, 120, 1, 3, (0xABCDEF,)),
    (GUMBEL, 32, 160, 1000, 12, (0xCAFE0001,)),
    (GUMBEL, 40, 60, 1, 4, (0xFF00FF00FF,)),
    (GUMBEL, 48, 12, 1, 4, (0xFFFFFFFFFFFF,)),
    (GUMBEL, 56, 240, 1, 24, (0x00112233445566, 0xFF112233445566)),
    (GUMBEL, 64, 200, 1, 16, (0x0123456789ABCDEF,)),
    (GUMBEL, 32, 120, 1, 1, ()),
    (HALF, 48, 300, 1, 3, (0x0123456789AB,)),
    (GUMBEL, 64, 120, 1000, 20, (0, 2**64 - 1)),
    (GUMBEL, 64, 100, 1, 1, ()),
]
TIMES = 40.0
"""What bounds are times where the text is a window of a longer one."""

REPEATED = 9
"""Number of tokens of which one stands in a pair that came before."""


def message_vectors(registry: stela.Registry, numbers: Numbers) -> list[dict[str, Any]]:
    """What is read in each case."""
    return [read(registry, numbers, n, *case) for n, case in enumerate(CASES)]


def read(
    registry: stela.Registry,
    numbers: Numbers,
    number: int,
    part: dict[str, Any],
    bits: int,
    count: int,
    weights: int,
    tried: int,
    messages: tuple[int, ...],
) -> dict[str, Any]:
    """One case: the tokens, and the message that they are read to hold."""
    made = registry.get(stela.Hasher, part["name"])
    settings = {name: value for name, value in part.items() if name != "name"}
    mark = made(made.Parameters.model_validate(settings), 1)
    payload = registry.get(SeedEncoder, "payload")
    encoder = payload(payload.Parameters.model_validate({"bits": bits}))
    rule = ("fourth-root", "sum", "root", "mean")[number % 4]
    scorer = GroupedScorer(GroupedParameters(repeats=rule, ties="split"))  # type: ignore[arg-type]
    halves = numbers(11 * number, 2 * count).astype(np.uint64)
    seeds = halves[:count] | halves[count:] << np.uint64(32)
    seeds[REPEATED::REPEATED] = seeds[: len(seeds[REPEATED::REPEATED])]
    heavy = numbers(11 * number + 1, count) % np.uint32(weights) + 1 if weights > 1 else np.ones(count)
    tokens = np.zeros(count, dtype=np.int64)
    for n, seed in enumerate(seeds):
        candidates = mix(seed, np.arange(tried)).astype(np.int64) % 50_000
        # Under one of the messages each, in turn of tens.
        own = (
            seed[None]
            if not messages
            else encoder.seeds(seed[None], messages[n // 10 % len(messages)], mark.key)
        )
        draws = mark.law.signal(mark.draws(np.repeat(own, tried), candidates))
        tokens[n] = candidates[int(np.argmax(draws))]
    pairs = np.stack([seeds, tokens.astype(np.uint64)], axis=1)
    groups = np.unique(pairs, axis=0, return_inverse=True)[1].reshape(-1).astype(np.int64)
    text = ScoredTokens(mark, seeds, tokens, heavy / 1000, groups, scorer)
    message = encoder.read(text)
    window = encoder.sure_of(text, message.value, TIMES)
    assert window is not None
    return {
        "part": part,
        "bits": bits,
        "rule": rule,
        "seeds": [f"{seed:016x}" for seed in seeds.tolist()],
        "tokens": tokens.tolist(),
        "weights": np.asarray(heavy).astype(int).tolist() if weights > 1 else [],
        "hex": message.text,
        "digits": f"{message.value:0{(bits + 3) // 4}x}",
        "errors": message.errors,
        "error": message.error,
        "window": {"times": TIMES, "hex": window.text, "errors": window.errors, "error": window.error},
    }
