"""What strengths and weights by class of context leave, over KGW's at exactly equal cost.

    python -m scripts.gains FOLDER --data DIR [--write]

FOLDER holds what scripts/gains_read.py wrote: ``TEACHER-CODE-FIRST`` and ``TARGET-CODE-FIRST``. Tables are
made of what the teacher read, and judged on what the target reads: other texts, another model. Its
distributions say what to expect, so no text is generated, and marks are paired token by token. Rows of
docs/results/gains.csv:

- ratio: mean expected z of a text over that of KGW where both cost the same, with its 95 % bootstrap interval
  over texts. The cost is KGW's at that delta, in surprisal or in divergence.
- asked: what the mark costs the target where a user asks the table for that delta's cost, over that cost;
- unmarked: share of tokens without a mark.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from stela_analysis.green_costs import Floats, gain_at_equal_cost
from stela_models.tokenizer import load_tokenizer
from stela_tables.file import parse_any_table, parse_table
from stela_tables.gains.classes import by_tags, value_classes
from stela_tables.gains.job import keys_of
from stela_tables.gains.optimum import Curves, best_strengths
from stela_tables.gains.sums import gathered
from stela_tables.gains.table import MILLION
from stela_tables.learning.job import Contexts
from stela_tables.values import UNIT, ValueTable

import stela_core as stela
from scripts.gains_read import STRENGTHS, TEMPERATURES, pairs_of
from stela_core.api import TokenBytes, make_tagger

ROOT = Path(__file__).parents[1]
RESULTS, BUILD = ROOT / "docs/results/gains.csv", ROOT / "build"
MODELS = {"gemma": "gemma-3-270m", "smollm2": "smollm2-135m"}
"""Folders of models in ``build``, as ``make model`` makes them."""
TAGGERS = {"en": "penn:causal", "zh": "ctb:causal", "ko": "sejong:causal"}
GRID = np.array(STRENGTHS)
COSTS = ("surprisal", "divergence")
DRAWS = 2000
BINS, TEXTS = 10, 64
EACH = "each token"
BOUND = "the judged texts"
"""As teacher: no table of these classes leaves more."""
LENGTH = 200
"""Tokens of a text whose z is given."""

Numbers = npt.NDArray[np.intp]


class Read(NamedTuple):
    """What a model read of some texts, token by token."""

    effects: npt.NDArray[np.float32]
    """(n, temperatures, 3, strengths)."""
    texts: Numbers
    """The text of each, (n,)."""
    tags: list[str]
    """The last three tags, joined by spaces."""
    values: list[str]
    """Of learned-text, in whole thousandths; empty where the language has no table."""


@cache
def registry() -> stela.Registry:
    """Of all plugins."""
    return stela.create_registry()


@cache
def values_of(code: str) -> ValueTable | None:
    """The language's table of learned-text."""
    try:
        data = registry().get(stela.Weighting, "learned-text").own_table(code, None, None)
    except stela.StelaError:
        return None
    table = parse_any_table(data or b"", code)
    assert isinstance(table, ValueTable)
    return table


@cache
def read_of(folder: Path) -> Read | None:
    """What ``scripts/gains_read.py`` left in a folder named MODEL-CODE-FIRST."""
    paths = sorted(folder.glob("*.npz"))
    if not paths:
        return None
    kept = [np.load(path) for path in paths]
    rows = [one["ids"].tolist() for one in kept]
    model, code, _ = folder.name.split("-")
    tokens = TokenBytes.of(load_tokenizer(registry(), str(BUILD / MODELS[model])))
    tags = keys_of(Contexts(registry(), TAGGERS.get(code, code), tokens, 3).before(rows), None)
    table = values_of(code)
    values = (
        []
        if table is None
        else keys_of(Contexts(registry(), None, tokens, table.longest).before(rows), table)
    )
    texts = np.repeat(np.arange(len(rows)), [len(row) - 1 for row in rows])
    return Read(np.concatenate([one["effects"] for one in kept]), texts, tags, values)


def human_values(code: str, data: Path) -> list[str]:
    """Values of learned-text before each token of human text, by the tokens of ``tiny``."""
    table = values_of(code)
    assert table is not None
    tokenizer = load_tokenizer(registry(), "tiny")
    rows = [
        tokenizer.encode(text, add_special_tokens=False).ids[:LENGTH]
        for _, text in pairs_of(data, code, 0, TEXTS)
    ]
    return keys_of(Contexts(registry(), None, TokenBytes.of(tokenizer), table.longest).before(rows), table)


class Judged(NamedTuple):
    """A mark's z and cost on each text, (texts,)."""

    z: Floats
    cost: Floats


def judged(read: Read, t: int, cost: int, strengths: Floats, weights: Floats) -> Judged:
    """Expected z of ``LENGTH`` tokens and cost a token, from strengths (nats) and weights, (n,) each."""
    rise, paid = (at_strength(read.effects[:, t, effect], strengths) for effect in (0, cost))
    count = np.bincount(read.texts)
    top = np.bincount(read.texts, weights * rise)
    squares = np.bincount(read.texts, weights**2) / 4
    z = top / np.sqrt(np.maximum(squares, 1e-12)) * np.sqrt(LENGTH / count)
    return Judged(z, np.bincount(read.texts, paid) / count)


def at_strength(curves: npt.NDArray[np.float32], strengths: Floats) -> Floats:
    """Each row's value at its strength, read linearly: (n, strengths), (n,) -> (n,)."""
    above = np.clip(np.searchsorted(GRID, strengths), 1, len(GRID) - 1)
    share = np.clip((strengths - GRID[above - 1]) / (GRID[above] - GRID[above - 1]), 0, 1)
    rows = np.arange(len(curves))
    return np.asarray(curves[rows, above - 1] * (1 - share) + curves[rows, above] * share)


class Mark(NamedTuple):
    """A way to mark, at any cost."""

    of: Callable[[float], tuple[Floats, Floats]]
    """From how much is asked for to strengths and weights, (n,) each; it costs more the more is asked for."""
    nominal: Callable[[float], float] | None = None
    """What is asked for by whoever names KGW's delta, where a table says what that costs."""


class Table(NamedTuple):
    """Curves by class, and the class of each of the target's tokens."""

    curves: dict[int, Curves]
    """By effect: 1 is surprisal, 2 divergence."""
    classes: Numbers


def table_of(keys: Sequence[str], read: Read, t: int, target: Sequence[str], minimum: int) -> Table:
    """A table of what a teacher read, by keys of contexts."""
    classed = by_tags(gathered(keys, read.effects[:, t : t + 1]), minimum)
    shares = np.array(classed.counts) / sum(classed.counts)
    means = classed.effects[0] / MILLION
    ends = {key: _class_of(key, classed.classes) for key in set(target)}
    curves = {cost: Curves(GRID, means[0], means[cost], shares) for cost in (1, 2)}
    return Table(curves, np.array([ends[key] for key in target]))


def _class_of(key: str, classes: dict[str, int]) -> int:
    tags = key.split(" ") if key else []
    return next(classes[end] for end in (" ".join(tags[n:]) for n in range(len(tags) + 1)) if end in classes)


def bins_of(read: Read, of: Sequence[str], bins: int) -> list[str]:
    """The bin of each token of a text, by the shares of values that other text has."""
    names, counts = np.unique(np.array(of), return_counts=True)
    classes = value_classes(names.tolist(), counts, bins)
    return [str(classes[int(value)]) for value in read.values]


def last(read: Read, count: int) -> list[str]:
    """The last tags of each."""
    return [" ".join(tags.split(" ")[-count:]) for tags in read.tags]


def both(read: Read, of: Sequence[str], bins: int) -> list[str]:
    """Tag and bin; a rare pair is in the class of its bin."""
    return [f"{tag} {one}" for tag, one in zip(last(read, 1), bins_of(read, of, bins), strict=True)]


def of_table(table: Table, cost: int) -> Mark:
    """Optimal strengths and weights of a table."""
    curves = table.curves[cost]

    def of(asked: float) -> tuple[Floats, Floats]:
        best = best_strengths(curves, asked)
        return GRID[best][table.classes], curves.rise[np.arange(len(best)), best][table.classes]

    return Mark(of, curves.cost_of_all)


def in_proportion(weights: Floats) -> Mark:
    """A bias in proportion to weights, which count at detection."""
    return Mark(lambda asked: (asked * weights / weights.mean(), weights))


def at_cost(read: Read, t: int, cost: int, mark: Mark, wanted: float, high: float) -> tuple[float, Judged]:
    """How much has to be asked for so that a mark costs what is wanted, and what it then leaves."""
    low = 0.0
    for _ in range(16):
        middle = (low + high) / 2
        if judged(read, t, cost, *mark.of(middle)).cost.mean() > wanted:
            high = middle
        else:
            low = middle
    return low, judged(read, t, cost, *mark.of(low))


def marks_of(
    target: Read, teachers: dict[str, Read], code: str, t: int, data: Path
) -> dict[tuple[str, str], Callable[[int], Mark]]:
    """By classes and teacher: from what a cost is measured in to a mark."""
    marks: dict[tuple[str, str], Callable[[int], Mark]] = {}
    tagger = make_tagger(registry(), TAGGERS.get(code, code))
    path = tagger.tables().get(2)
    if path is not None:
        lambdas = parse_table(path.read_bytes(), str(path))
        of_each = np.array([lambdas.lookup(tuple(tags.split(" ")) if tags else ()) for tags in target.tags])
        marks["lambda", ""] = lambda cost: in_proportion(of_each)
    if target.values:
        values = np.array([int(value) for value in target.values]) / UNIT
        marks["learned-text", ""] = lambda cost: in_proportion(values)
        marks["learned-text squared", ""] = lambda cost: in_proportion(values**2)
    for name, teacher in teachers.items():
        made: dict[str, tuple[list[str], list[str], int]] = {}
        own = name.endswith(f"-{code}")
        if own:
            made["last tag"] = last(teacher, 1), last(target, 1), 200
            made["last two tags"] = last(teacher, 2), last(target, 2), 200
        if target.values and teacher.values:
            of = teacher.values if own else human_values(code, data)
            made[f"text in {BINS}"] = bins_of(teacher, teacher.values, BINS), bins_of(target, of, BINS), 1
        if target.values and own:
            pairs = (both(read, teacher.values, 5) for read in (teacher, target))
            made["text in 5, last tag"] = next(pairs), next(pairs), 100
        for classes, (keys, wanted, minimum) in made.items():
            table = table_of(keys, teacher, t, wanted, minimum)
            marks[classes, name] = lambda cost, table=table: of_table(table, cost)  # type: ignore[misc]
    inside = {"last tag": (last(target, 1), 200)}
    if target.values:
        inside[f"text in {BINS}"] = bins_of(target, target.values, BINS), 1
    for classes, (keys, minimum) in inside.items():
        table = table_of(keys, target, t, keys, minimum)
        marks[classes, BOUND] = lambda cost, table=table: of_table(table, cost)  # type: ignore[misc]
    each = target.effects[:, t].astype(float)
    ceiling = {
        cost: Curves(GRID, each[:, 0], each[:, cost], np.full(len(each), 1 / len(each))) for cost in (1, 2)
    }
    known = Table(ceiling, np.arange(len(each)))
    marks[EACH, BOUND] = lambda cost: of_table(known, cost)
    return marks


def rows_of(
    target: Read, teachers: dict[str, Read], about: dict[str, str], data: Path
) -> list[dict[str, str]]:
    """All rows of a target."""
    rows = []
    texts, code = int(target.texts.max()) + 1, about["language"]
    drawn = np.random.default_rng(1).integers(0, texts, (DRAWS, texts))
    drawn = np.concatenate([np.arange(texts)[None], drawn])
    even = np.ones(len(target.texts))
    for t, temperature in enumerate(TEMPERATURES):
        if not target.effects[:, t].any():  # a text that the model wrote at another temperature
            continue
        marks = marks_of(target, teachers, code, t, data)
        for cost, by in enumerate(COSTS, 1):
            kgw = [judged(target, t, cost, delta * even, even) for delta in GRID]
            zs, costs = (
                np.array([values[drawn].mean(1) for values in each]) for each in zip(*kgw, strict=True)
            )
            for delta in (1, 2, 3):
                paid = costs[int(np.searchsorted(GRID, delta))][0]
                for (classes, teacher), mark_by in marks.items():
                    if classes == EACH and (by, delta) != ("surprisal", 2):
                        continue
                    mark = mark_by(cost)
                    high = 8.0 if not teacher else 8.0 * paid
                    asked, made = at_cost(target, t, cost, mark, paid, high)
                    z, spent = made.z[drawn].mean(1), made.cost[drawn].mean(1)
                    priced = ""
                    if mark.nominal is not None and classes != EACH:
                        nominal = judged(target, t, cost, *mark.of(mark.nominal(delta)))
                        priced = f"{nominal.cost.mean() / paid:.2f}"
                    ratio = 1 + gain_at_equal_cost(z, spent, zs, costs)
                    low, high_ = np.quantile(ratio[1:], [0.025, 0.975])
                    rows.append(
                        {
                            **about,
                            "temperature": f"{temperature:g}",
                            "cost": by,
                            "delta": str(delta),
                            "classes": classes,
                            "teacher": teacher,
                            "texts": str(texts),
                            "positions": str(len(target.texts)),
                            "ratio": f"{ratio[0]:.3f}",
                            "low": f"{low:.3f}",
                            "high": f"{high_:.3f}",
                            "asked": priced,
                            "unmarked": f"{(mark.of(asked)[0] == 0).mean():.2f}",
                        }
                    )
    return rows


def main() -> None:
    """Judge all that was read."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--target", default="gemma")
    parser.add_argument("--teacher", default="smollm2")
    parser.add_argument("--languages", nargs="*")
    parser.add_argument("--write", action="store_true")
    chosen = parser.parse_args()
    for folder in sorted(chosen.folder.glob(f"{chosen.target}-*")):
        code = folder.name.split("-")[1]
        if chosen.languages and code not in chosen.languages:
            continue
        target = read_of(folder)
        if target is None:
            continue
        teachers = {}
        for spoken in dict.fromkeys((code, "en")):
            parts = teaching(chosen.folder, chosen.teacher, spoken)
            if parts and (spoken == code or target.values):
                teachers[f"{chosen.teacher}-{spoken}"] = joined(parts)
        kind = "itself" if "own" in folder.name else "people"
        about = {"target": chosen.target, "texts by": kind, "language": code}
        made = rows_of(target, teachers, about, chosen.data)
        for row in made:
            print(*row.values(), sep="\t", flush=True)
        if chosen.write:
            write(made)


def teaching(folder: Path, teacher: str, code: str) -> list[Read]:
    """What a teacher read of a language, but for the texts that are judged."""
    paths = sorted(folder.glob(f"{teacher}-{code}-*"))
    return [one for path in paths if not path.name.endswith("-100") and (one := read_of(path)) is not None]


def write(rows: list[dict[str, str]]) -> None:
    """Replace the rows of this target, language and temperature."""
    same = ("target", "texts by", "language", "temperature")
    new = {tuple(row[name] for name in same) for row in rows}
    old: list[dict[str, str]] = []
    if RESULTS.exists():
        with RESULTS.open(encoding="utf-8", newline="") as file:
            old = [row for row in csv.DictReader(file) if tuple(row[name] for name in same) not in new]
    with RESULTS.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(sorted([*old, *rows], key=lambda row: [row[name] for name in same]))


def joined(parts: Sequence[Read]) -> Read:
    """Several as one."""
    starts = np.cumsum([0, *(int(part.texts.max()) + 1 for part in parts)])
    return Read(
        np.concatenate([part.effects for part in parts]),
        np.concatenate([part.texts + start for part, start in zip(parts, starts, strict=False)]),
        [tags for part in parts for tags in part.tags],
        [value for part in parts for value in part.values],
    )


if __name__ == "__main__":
    main()
