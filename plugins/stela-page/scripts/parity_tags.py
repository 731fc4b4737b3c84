"""Compare the tags of windows that a browser's tagger gives with the tagger's own.

    python plugins/stela-page/scripts/parity_tags.py [--tagger de ...] [--data FOLDER] [--windows 10000]

Each window is tagged by itself, all of it, by ``Tagger.tag``, with no short cut; the browser's tagger passes
over texts. Windows end anywhere: behind words, within words, behind punctuation, in text that was copied,
wrapped or made up.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent))
from bundled import bundled
from parity_texts import documents, texts_of
from stela_page.reproducible import LANGUAGES

import stela_core as stela
from stela_core.api import make_tagger, window_of

TAGGERS = ("penn:causal", "ctb:causal", "sejong:causal", *LANGUAGES)
OTHER = 0.2
"""Share of texts that are not plain text of the tagger's language."""
LONGEST, OF_EACH = 3_000, 50
"""Characters of a text, and windows of one."""
NEAR = 2e-3
"""Margin below which the browser works a decision out as Python does (``web/detector/tagger/tagger.ts``)."""


class Windowed(NamedTuple):
    """A text, and where some windows begin and end in it, in characters."""

    text: str
    starts: list[int]
    ends: list[int]


def windows_of(tagger: stela.Tagger, count: int, data: Path | None, seed: int) -> list[Windowed]:
    """Texts with ``count`` windows together, most of them in the tagger's language."""
    rng = random.Random(seed)
    plain = documents(tagger.language, data)
    other = [text for _, text in texts_of(200, data, seed) if text]
    texts = []
    for left in range(count, 0, -OF_EACH):
        text = rng.choice(other if rng.random() < OTHER else plain)
        first = rng.randrange(max(1, len(text) - LONGEST))
        text = text[first : first + LONGEST]
        ends = sorted(rng.randrange(len(text) + 1) for _ in range(min(left, OF_EACH)))
        starts = [end - len(window_of(text[:end], tagger.window, tagger.unit)) for end in ends]
        texts.append(Windowed(text, starts, ends))
    return texts


def give(folder: Path, written: bytes, texts: Sequence[Windowed], count: int) -> None:
    """Write what the browser's tagger is asked: its file, texts, and how many tags of each window."""
    folder.mkdir()
    (folder / "tagger.bin").write_bytes(written)
    job = {"texts": [in_units(one) for one in texts], "count": count}
    (folder / "job.json").write_text(json.dumps(job), encoding="utf-8")


def in_units(one: Windowed) -> dict[str, Any]:
    """The same with places in UTF-16 units."""
    units = [0]
    for character in one.text:
        units.append(units[-1] + 1 + (character > "\uffff"))
    return {
        "text": one.text,
        "starts": [units[at] for at in one.starts],
        "ends": [units[at] for at in one.ends],
    }


def differing(tagger: stela.Tagger, texts: Sequence[Windowed], said: Mapping[str, Any], count: int) -> int:
    """Print how many windows differ of one tagger, and return that number."""
    differ, compared = 0, 0
    for one, all_theirs in zip(texts, said["tags"], strict=True):
        whole = [one.text[start:end] for start, end in zip(one.starts, one.ends, strict=True)]
        for window, theirs, tags in zip(whole, all_theirs, tagger.tag(whole), strict=True):
            ours = [tag.tag for tag in tags][-count:]
            compared += len(ours)
            if ours != theirs:
                differ += 1
                print(f"differs: {window!a}: {ours}, {theirs}", file=sys.stderr)
    margins = said["margins"]
    near = sum(margin < NEAR for margin in margins)
    windows = sum(len(one.ends) for one in texts)
    print(
        f"{tagger.name}: {windows:,} windows, {compared:,} tags, windows that differ: {differ}; {near} of "
        f"{len(margins):,} decisions as Python's, to the bit; scores apart by {said['apart']:.1e} at most; "
        f"{1000 * said['ms'] / windows:.0f} us a window",
        flush=True,
    )
    return differ


def main() -> int:
    """Print a line for each tagger; 1 where a window differs."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tagger", action="append", choices=TAGGERS)
    parser.add_argument("--data", type=Path, help="folder with corpora/LANGUAGE/*.jsonl.gz")
    parser.add_argument("--windows", type=int, default=10_000)
    parser.add_argument("--count", type=int, default=3, help="last tags of each window")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    registry, specs = stela.create_registry(), options.tagger or TAGGERS
    taggers = [make_tagger(registry, spec) for spec in specs]
    texts = [windows_of(tagger, options.windows, options.data, options.seed) for tagger in taggers]
    with tempfile.TemporaryDirectory() as temporary:
        folders = [Path(temporary) / str(number) for number in range(len(taggers))]
        for folder, tagger, each in zip(folders, taggers, texts, strict=True):
            written = tagger.portable()
            assert written is not None
            give(folder, written, each, options.count)
        subprocess.run(["node", str(bundled("tags", Path(temporary))), *map(str, folders)], check=True)
        said = [json.loads((folder / "said.json").read_text(encoding="utf-8")) for folder in folders]
    differ = [differing(*each, options.count) for each in zip(taggers, texts, said, strict=True)]
    return int(any(differ))


if __name__ == "__main__":
    sys.exit(main())
