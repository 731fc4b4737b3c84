"""Write the tables of stela-gain from what scripts/gains_read.py read.

    python -m scripts.gains_tables FOLDER --data DIR --teacher NAME

FOLDER holds ``TEACHER-CODE-FIRST``. By tags each language has what the teacher read of it. By text the curves
are those of English for all languages, class by class: the teacher knows no other language as well. Classes
are by the value of learned-text, with as many tokens each of human text of the language, by `tiny`'s tokens.
"""

from __future__ import annotations

import argparse
import lzma
from pathlib import Path

import numpy as np
from stela_tables.count_job import identity_of
from stela_tables.gains.classes import Classed, by_tags, by_values
from stela_tables.gains.sums import Gathered, gathered
from stela_tables.gains.table import GainTable, gain_table_bytes
from stela_tables.values import Learned, ValueTable

from scripts.gains import BINS, TAGGERS, Read, human_values, joined, last, registry, teaching, values_of
from scripts.gains_read import STRENGTHS, TEMPERATURES
from stela_core.api import make_tagger

TABLES = Path(__file__).parents[1] / "plugins/stela-gain/stela_gain/tables"
BY_TEXT = ("en", "zh", "ko")
MINIMUM = 200
SPOKEN = "en"
"""The language that the teacher knows."""


def counted(keys: list[str]) -> Gathered:
    """How often each key is there, with no effects."""
    return gathered(keys, np.zeros((len(keys), 1, 3, 1)))


def text_table(spoken: Read, model: str, code: str, data: Path) -> GainTable:
    """Classes of a language's text, with the curves of the text that the teacher read."""
    english, own = values_of(SPOKEN), values_of(code)
    assert english is not None
    assert own is not None
    curves = by_values(gathered(spoken.values, spoken.effects), english, BINS)
    if code == SPOKEN:
        return made(
            curves, own, model, f"{SPOKEN} texts", len(spoken.texts), int(spoken.texts.max()) + 1, code
        )
    classes = by_values(counted(human_values(code, data)), own, BINS)
    both = Classed(classes.classes, classes.counts, curves.effects)
    told = f"{SPOKEN} texts, in classes of {code} texts"
    return made(both, own, model, told, len(spoken.texts), int(spoken.texts.max()) + 1, code)


def made(
    classed: Classed, values: ValueTable, model: str, told: str, tokens: int, texts: int, code: str
) -> GainTable:
    """A table by text."""
    learned = Learned(model, (told,), texts, tokens, f"{BINS} classes of {values.sha256[:12]}")
    return GainTable(
        "characters", values.longest, classed.classes, classed.counts, *GRIDS, classed.effects, learned, code
    )


GRIDS = [round(1000 * one) for one in TEMPERATURES], [round(1000 * one) for one in STRENGTHS]


def tags_table(read: Read, model: str, code: str) -> GainTable:
    """Classes are the last tag."""
    tagger = identity_of(make_tagger(registry(), TAGGERS.get(code, code)))
    classed = by_tags(gathered(last(read, 1), read.effects), MINIMUM)
    texts = int(read.texts.max()) + 1
    learned = Learned(model, (f"{code} texts",), texts, len(read.texts), f"classes of {MINIMUM} tokens")
    return GainTable(
        "tags", 1, classed.classes, classed.counts, *GRIDS, classed.effects, learned, code, tagger
    )


def main() -> None:
    """Write all tables for which there is something to read."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--teacher", default="smollm2")
    parser.add_argument("--model", default="SmolLM2 135M Instruct")
    chosen = parser.parse_args()
    of: dict[str, Read] = {}
    for code in sorted({path.name.split("-")[1] for path in chosen.folder.glob(f"{chosen.teacher}-*")}):
        parts = teaching(chosen.folder, chosen.teacher, code)
        if parts:
            of[code] = joined(parts)
    TABLES.mkdir(exist_ok=True)
    for code, read in of.items():
        write(f"tags-{TAGGERS.get(code, code).partition(':')[0]}", tags_table(read, chosen.model, code))
    for code in BY_TEXT:
        write(f"text-{code}", text_table(of[SPOKEN], chosen.model, code, chosen.data))


def write(name: str, table: GainTable) -> None:
    """One table, compressed."""
    path = TABLES / f"{name}.json.xz"
    path.write_bytes(lzma.compress(gain_table_bytes(table), preset=9))
    told = f"{len(table.counts)} classes, {len(table.classes):,} contexts, {table.learned.tokens:,} tokens"
    print(f"{path.name}: {told}, {path.stat().st_size / 1e6:.2f} MB", flush=True)


if __name__ == "__main__":
    main()
