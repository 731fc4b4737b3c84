"""Write the tables of docs/trust.md from runs of docs/experiments/forging.toml and forging-schemes.toml.

python -m scripts.trust runs/forging runs/forging-schemes [--print]
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from scripts.results.forging import edits, forging
from scripts.results.reading import Run

PAGE = Path(__file__).parents[1] / "docs" / "trust.md"


def tables(runs: Sequence[Run]) -> dict[str, str]:
    """By name; edits are those of the first run."""
    return {"forging": forging(runs), "edits": edits(runs[0])}


def page(runs: Sequence[Run], before: str) -> str:
    """The page with its tables made anew; each stands between two comments."""
    for name, made in tables(runs).items():
        begin, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->\n"
        head, rest = before.split(begin)
        before = f"{head}{begin}{made}{end}{rest.split(end)[1]}"
    return before


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("runs", type=Path, nargs="+", help="folders of the runs")
    parser.add_argument("--print", action="store_true", help="show the tables, and leave the page as it is")
    args = parser.parse_args()
    runs = [Run(folder) for folder in args.runs]
    if args.print:
        print("\n".join(tables(runs).values()))
        return
    PAGE.write_text(page(runs, PAGE.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
