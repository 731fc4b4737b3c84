"""Compare the tags of windows that a browser's tagger gives with the tagger's own.

    python plugins/stela-page/scripts/parity_tags.py --tagger penn [--data FOLDER] [--windows 10000]

Each window is tagged by itself, all of it, by the whole pipeline (``Tagger.tag``), with no short cut. Windows
end anywhere: behind words, within words, behind punctuation, in text that was copied, wrapped or made up.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))
from parity_texts import documents, texts_of

import stela_core as stela
from stela_core.api import make_tagger, window_of

PLUGIN = Path(__file__).resolve().parents[1]
OTHER = 0.2
"""Share of windows of texts that are not plain text of the tagger's language."""
CLOSE = 1e-4
"""Margins below it are counted: two sums of floats in other orders may differ by about a hundredth of it."""


def windows_of(tagger: stela.Tagger, count: int, data: Path | None, seed: int) -> list[str]:
    """Distinct windows, most of them of texts in the tagger's language."""
    rng = random.Random(seed)
    plain = documents(tagger.language, data)
    other = [text for _, text in texts_of(600, data, seed) if text]
    windows: dict[str, None] = {}
    while len(windows) < count:
        text = rng.choice(other if rng.random() < OTHER else plain)
        for _ in range(20):
            end = rng.randrange(len(text) + 1)
            windows[window_of(text[max(0, end - 3000) : end], tagger.window, tagger.unit)] = None
    return list(windows)[:count]


def program(folder: Path) -> Path:
    """The browser's tagger, bundled for node."""
    out = folder / "tags.mjs"
    source = PLUGIN / "web" / "tests" / "tags.ts"
    options = ["--bundle", "--platform=node", "--format=esm", "--target=node20", "--log-level=warning"]
    esbuild = PLUGIN / "node_modules" / ".bin" / "esbuild"
    subprocess.run([str(esbuild), str(source), *options, f"--outfile={out}"], check=True)
    return out


def said_of(written: bytes, windows: Sequence[str], count: int, folder: Path) -> dict[str, Any]:
    """What the browser's tagger says of windows."""
    (folder / "tagger.bin").write_bytes(written)
    job = {"windows": windows, "count": count}
    (folder / "job.json").write_text(json.dumps(job), encoding="utf-8")
    subprocess.run(["node", str(program(folder)), str(folder)], check=True)
    said: dict[str, Any] = json.loads((folder / "said.json").read_text(encoding="utf-8"))
    return said


def main() -> int:
    """Print how many windows differ."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tagger", required=True, metavar="NAME[:MODEL]")
    parser.add_argument("--data", type=Path, help="folder with corpora/LANGUAGE/*.jsonl.gz")
    parser.add_argument("--windows", type=int, default=10_000)
    parser.add_argument("--count", type=int, default=3, help="last tags of each window")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    tagger = make_tagger(stela.create_registry(), options.tagger)
    written = tagger.portable()
    if written is None:
        raise stela.StelaError(f'tagger "{options.tagger}" does not write itself down.')
    windows = windows_of(tagger, options.windows, options.data, options.seed)
    with tempfile.TemporaryDirectory() as folder:
        said = said_of(written, windows, options.count, Path(folder))
    differ, compared = 0, 0
    for window, theirs, tags in zip(windows, said["tags"], tagger.tag(windows), strict=True):
        ours = [tag.tag for tag in tags][-options.count :]
        compared += len(ours)
        if ours != theirs:
            differ += 1
            print(f"differs: {window!a}: {ours}, {theirs}", file=sys.stderr)
    margins = said["margins"]
    near = sum(margin < CLOSE for margin in margins)
    print(
        f"{options.tagger}: {len(windows):,} windows, {compared:,} tags, windows that differ: {differ}; of "
        f"{len(margins):,} labels worked out {near} by less than {CLOSE:g}, the least {min(margins):.1e}; "
        f"{1000 * said['ms'] / len(windows):.0f} us a window"
    )
    return int(differ > 0)


if __name__ == "__main__":
    sys.exit(main())
