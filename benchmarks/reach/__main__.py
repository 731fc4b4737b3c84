"""``python -m benchmarks.reach write|show``: what docs/weights.md says of weights on a real model.

    python -m benchmarks.reach write --model M --language en --data DIR -o texts.jsonl
    python -m benchmarks.reach show texts.jsonl --model M --shipped --table T.json --reader M --last 10

``write`` lets a model write marked texts, a key each, and keeps what it said of every token. ``show`` weighs
them: by tables, and by models that read the text without its prompt (``--last``: its last characters alone),
which bounds what a function of that text can do. Texts of several files are taken together.
"""

from __future__ import annotations

import argparse
import lzma
from functools import partial
from pathlib import Path

import numpy as np
from stela_learned.shipped import shipped_table

from benchmarks.commands import write_and_show
from benchmarks.reach.marked import Floats, make, read, write
from benchmarks.reach.reader import Reader
from benchmarks.reach.share import Scored, Weigh, ewd, gain_of_collision, scored, shares, uniform
from benchmarks.repeats_texts import Case
from stela_core.tables.file import parse_any_table
from stela_core.tables.values import ValueTable


def by_table(data: bytes, source: str) -> Weigh:
    """Weights of a table by characters."""
    table = parse_any_table(data, source)
    assert isinstance(table, ValueTable)
    return lambda one: np.array([table.of_text(before) for before in one.before])


def by_reader(reader: Reader, last: int | None, one: Scored) -> Floats:
    """Gains after the text without its prompt, as a model sees it."""
    marked = one.marked
    collisions = reader.collisions(one.text, [one.ends[at] for at in one.positions], last)
    return gain_of_collision(collisions, marked.delta / marked.temperature)


def show(args: argparse.Namespace) -> None:
    """Print a line for each weight."""
    rows = [one for path in args.texts for one in scored(list(read(path, args.limit)), args.model)]
    ways: dict[str, Weigh] = {"uniform": uniform, "EWD": ewd}
    first = rows[0].marked
    if args.shipped:
        ways["shipped"] = by_table(shipped_table("text", first.language, "it"), "the shipped table")
    for path in args.table:
        data = path.read_bytes()
        ways[path.name] = by_table(lzma.decompress(data) if path.suffix == ".xz" else data, str(path))
    for name in args.reader:
        ways[f"{name}, no prompt"] = partial(by_reader, Reader(name, first.temperature), args.last)
    print(f"{len(rows)} texts: mean z; share of the way to EWD by colours drawn; by those expected")
    for name, weigh in ways.items():
        z, drawn, expected = shares(rows, weigh)
        print(f"{name[-40:]:42}{z:6.2f}   {drawn!s:22}{expected!s}", flush=True)


def main() -> None:
    """The command."""
    parser, writing, showing = write_and_show("reach", __doc__, count=40, tokens=80)
    showing.add_argument("--model", required=True, help="alias or folder of the model that writes")
    writing.add_argument("--delta", type=float, default=2.0)
    showing.add_argument("texts", type=Path, nargs="+")
    showing.add_argument("--limit", type=int, help="texts of each file")
    showing.add_argument("--shipped", action="store_true", help="weigh by the shipped table of the language")
    showing.add_argument("--table", type=Path, action="append", default=[])
    showing.add_argument("--reader", action="append", default=[], help="a model that sees no prompt")
    showing.add_argument("--last", type=int, help="characters that the readers see")
    args = parser.parse_args()
    if args.command == "show":
        show(args)
        return
    case = Case(args.language, "kgw", args.language, args.delta, args.temperature, args.tokens, ("kgw",))
    write(args.output, make(case, args.model, args.data, args.count))


if __name__ == "__main__":
    main()
