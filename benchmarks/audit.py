"""``python -m benchmarks.audit``: which marks show without the key, and after how many queries.

It writes a table of docs/trust.md. It asks for the most queries once, and looks at the first ones of them.
``python -m benchmarks`` does not run it.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from statistics import median

import numpy as np
from stela_audit.cache import changed, first_word
from stela_audit.finding import Ask
from stela_audit.local import deployment
from stela_audit.occupancy import CELLS, SHORTEST, few_distinct
from stela_audit.presence import LONG, PROMPT, SHORT
from stela_audit.red_green import STEMS, TOLERANCE, YEAR, moved, read
from stela_models.load import load_model

import stela_core as stela
from benchmarks.texts import registry

MARKS: dict[str, tuple[str | None, dict[str, float]]] = {
    "no mark": (None, {}),
    "unigram": ("unigram", {}),
    "kgw": ("kgw", {}),
    "kgw, width 4": ("kgw", {"context_width": 4}),
    "stela": ("stela", {}),
    "coupling": ("coupling", {}),
    "gumbel": ("gumbel", {}),
    "synthid": ("synthid", {}),
}
"""Scheme and parameters of each row; all else as ``stela profile new`` has it."""

SOME = (50, 100, 250, 500)
"""Queries of the red-green and the cache test."""

FEW = (50, 100, 200, 300)
"""Queries of the fixed-sampling test."""

SEEN = 0.001


def red_green(of_length: Callable[[int], Ask], digits: int) -> Iterator[tuple[int, float]]:
    """Queries and p-value, for ever more queries."""
    ask = of_length(digits + SHORT)
    texts = [ask(f"{stem} {YEAR[: 4 - digits]}", SOME[-1] // len(STEMS)) for stem in STEMS]
    for queries in SOME:
        try:
            answers = read([some[: queries // len(STEMS)] for some in texts], digits)
        except stela.StelaError:  # too few numbers have five answers yet
            continue
        yield queries, moved(answers, TOLERANCE, np.random.default_rng(0))


def fixed_sampling(of_length: Callable[[int], Ask]) -> Iterator[tuple[int, float]]:
    """Likewise."""
    answers = of_length(LONG)(PROMPT, FEW[-1])
    for queries in FEW:
        some = [answer for answer in answers[:queries] if len(answer) >= SHORTEST]
        yield queries, few_distinct(len(some), len(set(some)), CELLS)


def cache(of_length: Callable[[int], Ask]) -> Iterator[tuple[int, float]]:
    """Likewise."""
    words = [first_word(answer) for answer in of_length(1 + SHORT)(PROMPT, SOME[-1])]
    for queries in SOME:
        yield queries, changed(words[: queries // 2], words[queries // 2 : queries])


TESTS: dict[str, Callable[[Callable[[int], Ask]], Iterator[tuple[int, float]]]] = {
    "red-green, digits 1": lambda of_length: red_green(of_length, 1),
    "red-green, digits 4": lambda of_length: red_green(of_length, 4),
    "fixed-sampling": fixed_sampling,
    "cache": cache,
}


def needed(results: list[tuple[int, float]]) -> int | None:
    """Queries from which on all p-values are small; ``None`` where the last one is not."""
    least = None
    for queries, p_value in reversed(results):
        if p_value > SEEN:
            break
        least = queries
    return least


def create(mark: str, model: str, key: int) -> stela.Watermark | None:
    """The mark of a row under a key; ``None`` for no mark."""
    scheme, others = MARKS[mark]
    if scheme is None:
        return None
    tagger = "penn" if scheme == "stela" else None
    return stela.create(
        scheme,
        model=model,
        tagger=tagger,
        key=f"{key:016x}",
        registry=registry(),
        **others,  # type: ignore[arg-type]
    )


def main() -> None:
    """Print the table, a row for each mark as soon as it is measured."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.audit", description=__doc__)
    parser.add_argument("--model", default="tiny", help="alias or folder")
    parser.add_argument("--keys", type=int, default=3)
    parser.add_argument("--marks", nargs="+", choices=MARKS, default=list(MARKS), metavar="MARK")
    arguments = parser.parse_args()
    language_model = load_model(registry(), arguments.model)
    print(f"| mark | {' | '.join(TESTS)} |\n|{' --- |' * (1 + len(TESTS))}", flush=True)
    for mark in arguments.marks:
        cells: dict[str, list[int | None]] = {test: [] for test in TESTS}
        for key in range(1, arguments.keys + 1):
            watermark = create(mark, arguments.model, key)
            of_length = deployment(language_model, watermark, seed=1000 * key)
            for test, run in TESTS.items():
                cells[test].append(needed(list(run(of_length))))
        shown = []
        for queries in cells.values():
            seen = [one for one in queries if one is not None]
            shown.append(f"{median(seen):g} ({len(seen)}/{len(queries)})" if seen else "–")
        print(f"| {mark} | {' | '.join(shown)} |", flush=True)


if __name__ == "__main__":
    main()
