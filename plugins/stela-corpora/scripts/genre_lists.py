"""Lists: members of Python's modules, places, dates, numbers, and things to do, in the usual layouts."""

from __future__ import annotations

import ast
import random
import zoneinfo
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from pathlib import Path

from genre_code import LEFT_OUT, own_terms
from genre_files import Document, by_lines
from table_facts import countries
from table_records import GOODS, TOWNS

CHARACTERS = 2200

LAYOUTS: tuple[Callable[[int, str], str], ...] = (
    lambda n, item: f"- {item}",
    lambda n, item: f"* {item}",
    lambda n, item: f"{n + 1}. {item}",
    lambda n, item: item,
    lambda n, item: f"• {item}",
    lambda n, item: f"{n + 1}) {item};",
)
"""An item and its number as a line."""

TASKS = ["buy", "order", "count", "pack", "return", "wash", "label", "send", "borrow", "sort", "check"]
PARTS = ["first", "then", "after that", "next", "at noon", "in the evening", "on Monday", "by Friday"]
UNITS = ["1 cup", "2 cups", "200 g", "500 g", "1 tablespoon", "3 pieces", "a pinch", "1 litre", "1 bunch"]


def lists(library: Path) -> list[Document]:
    """Every list in the layout whose turn it is, cut to about :data:`CHARACTERS`."""
    documents: list[Document] = []
    for number, (source, items) in enumerate([*_members(library), *_places(), *_drawn()]):
        layout = LAYOUTS[number % len(LAYOUTS)]
        lines = [layout(n, item) for n, item in enumerate(items)]
        documents += [Document(text, source) for text in list(by_lines(lines, CHARACTERS))[:4]]
    return documents


Listed = tuple[str, list[str]]


def _members(library: Path) -> Iterator[Listed]:
    """Functions and methods of modules with the first line of what is said of them."""
    for file in sorted(library.rglob("*.py")):
        place = file.relative_to(library)
        if not LEFT_OUT.isdisjoint(place.parts):
            continue
        source = file.read_text(encoding="utf-8")
        if own_terms(source):
            continue
        tree = ast.parse(source)
        kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
        said = [(node.name, ast.get_docstring(node)) for node in ast.walk(tree) if isinstance(node, kinds)]
        items = [f"{name}: {text.splitlines()[0]}" for name, text in said if text]
        yield f"Python standard library, members of {place}", items


def _places() -> Iterator[Listed]:
    names = list(countries().values())
    yield "time zone database, countries", names
    yield "time zone database, countries", sorted(names, key=lambda name: name[::-1])
    yield "time zone database, countries", [f"{name} ({code})" for code, name in countries().items()]
    zones = sorted(zone for zone in zoneinfo.available_timezones() if "/" in zone)
    for region in ("Africa", "America", "Asia", "Europe", "Pacific"):
        own = [zone for zone in zones if zone.startswith(region)]
        yield f"time zone database, {region}", own
        yield f"time zone database, {region}", [zone.rpartition("/")[2].replace("_", " ") for zone in own]


def _drawn() -> Iterator[Listed]:
    """Dates, numbers, and notes made up with fixed seeds."""
    for step, form in ((1, "%A, %d %B %Y"), (7, "%d.%m.%Y"), (2, "%Y-%m-%d"), (3, "%B %d"), (5, "%a %d %b")):
        days = [date(2023, 1, 1) + timedelta(step * n) for n in range(400)]
        yield "computed, dates", [f"{day:{form}}" for day in days]
    primes = [n for n in range(2, 9000) if all(n % d for d in range(2, int(n**0.5) + 1))]
    yield "computed, primes", list(map(str, primes))
    yield "computed, primes", [f"{n} is prime" for n in primes]
    yield "computed, powers", [f"2^{n} = {2**n}" for n in range(120)]
    for seed in range(24):
        rng = random.Random(seed)
        yield "made up, shopping", [f"{rng.choice(UNITS)} {rng.choice(GOODS)}" for _ in range(200)]
        tasks = [f"[{rng.choice(' x')}] {rng.choice(TASKS)} the {rng.choice(GOODS)}" for _ in range(200)]
        yield "made up, tasks", tasks
        plans = [
            f"{rng.choice(PARTS)}, {rng.choice(TASKS)} {rng.choice(GOODS)} in {rng.choice(TOWNS)}"
            for _ in range(160)
        ]
        yield "made up, plans", plans
