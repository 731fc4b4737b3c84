"""Count the characters of human text, and write the tables of surprisals that ``learned-likelihood`` reads.

    python scripts/build_surprisals.py --data DATA/corpora --out TABLES

DATA/corpora holds ``{en,zh,ko}/*.jsonl.gz``. The probability of a character after those before it mixes all
orders by absolute discounting (Ney, Essen and Kneser 1994). An entry is a string, and its value the surprisal
of its last character after the others; strings that say no more than their end are left out. One core takes
two minutes a language.
"""

from __future__ import annotations

import argparse
import gzip
import json
import lzma
import math
from collections import Counter
from pathlib import Path

from stela_learned.likelihood import NATS
from stela_tables.values import UNIT, Learned, ValueTable, value_table_bytes

ORDERS = {"en": (5, 60), "zh": (3, 40), "ko": (4, 100)}
"""Characters of a string at most, and how often it has to occur."""

DISCOUNT = 0.6
"""Taken off each count, and shared out among characters that were not seen there."""

RAREST = 1 / 50_000
"""Share of each character among those never seen."""

SAYS_MORE = 0.2
"""Nats by which a surprisal has to differ from that of the string's end."""


def counted(text: str, longest: int, least: int) -> dict[str, int]:
    """The count of each string of at most ``longest`` characters that occurs ``least`` times or more."""
    counts: dict[str, int] = dict(Counter(text))
    kept = {string: count for string, count in counts.items() if count >= least}
    for length in range(2, longest + 1):
        windows = (text[n : n + length] for n in range(len(text) - length + 1))
        those = Counter(window for window in windows if window[:-1] in kept)
        kept = {string: count for string, count in those.items() if count >= least}
        counts |= kept
    return counts


def surprisals(text: str, longest: int, least: int) -> dict[str, int]:
    """Values by string, in thousandths of ``NATS``."""
    counts = counted(text, longest, least)
    followed: dict[str, list[int]] = {}
    for string, count in counts.items():
        followed.setdefault(string[:-1], []).append(count)
    totals = {"": len(text), **counts}
    rest = {
        context: (max(0, totals[context] - sum(those)) + DISCOUNT * len(those)) / totals[context]
        for context, those in followed.items()
    }
    chances: dict[str, float] = {}
    values = {"": NATS}
    for string in sorted(counts, key=len):
        context, end = string[:-1], string[1:]
        shorter = chances[end] if end else RAREST
        seen = max(0.0, counts[string] - DISCOUNT) / totals[context]
        chances[string] = seen + rest[context] * shorter
        surprisal = -math.log(chances[string])
        while end not in values:
            end = end[1:]
        if abs(surprisal - values[end]) >= SAYS_MORE:
            values[string] = surprisal
    return {string: min(UNIT, round(UNIT * value / NATS)) for string, value in values.items()}


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--languages", nargs="*", default=list(ORDERS))
    args = parser.parse_args()
    for language in args.languages:
        corpora = sorted((args.data / language).glob("*.jsonl.gz"))
        texts = []
        for corpus in corpora:
            with gzip.open(corpus, "rt", encoding="utf-8") as lines:
                texts += [json.loads(line)["text"] for line in lines]
        text = "\n\n".join(texts)
        longest, least = ORDERS[language]
        values = surprisals(text, longest, least)
        learned = Learned(
            "", tuple(path.name for path in corpora), len(texts), len(text), f"at least {least} times"
        )
        spread = [values.get(character, UNIT) for character in text[:: max(1, len(text) // 10_000)]]
        mean = round(sum(spread) / len(spread))
        table = ValueTable("surprisal", "characters", longest, values, mean, learned, language)
        out = args.out / f"surprisal-{language}.json.xz"
        out.write_bytes(lzma.compress(value_table_bytes(table), preset=9))
        print(f"{out}: {len(values):,} values, {out.stat().st_size / 1e6:.2f} MB", flush=True)


if __name__ == "__main__":
    main()
