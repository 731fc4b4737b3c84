"""How long the page takes for 10,000 characters: in Chromium, in a page just opened.

    python plugins/stela-page/scripts/speed.py [--mark de ...] [--characters 10000] [--data FOLDER]

For each mark, named by its scheme or its tagger, the least of the times from the button to the verdict, the
processor time that all of Chromium's processes took meanwhile, and the longest that the page stood still. The
text is human. Needs node, Chromium (STELA_CHROMIUM) and ``npm ci`` in plugins/stela-page. ``--keep FOLDER``
keeps pages and texts. ``--built FOLDER`` takes the program of another build.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))
from parity_texts import documents
from stela_page.page import source_hash
from stela_page.reproducible import LANGUAGES

import stela_core as stela

PLUGIN = Path(__file__).resolve().parents[1]
BUILT = PLUGIN / "stela_page" / "built"
SCHEMES = ("kgw", "gumbel", "learned-text")
"""Marks without a tagger."""
TAGGERS = {"penn:causal": "en", "ctb:causal": "zh", "sejong:causal": "ko"} | {
    language: language for language in LANGUAGES
}
"""Language of each tagger."""
MARKS = (*SCHEMES, *TAGGERS)


def made(mark: str, characters: int, data: Path | None, folder: Path) -> dict[str, Any]:
    """A page and a text."""
    language, name = TAGGERS.get(mark, "en"), mark.replace(":", "-")
    profile, page, text = (folder / f"{name}.{kind}" for kind in ("stela", "html", "txt"))
    scheme, given = (mark, None) if mark in SCHEMES else ("stela", mark)
    watermark = stela.create(scheme, model="tiny", language=language, key="public", tagger=given)
    watermark.save(profile, force=True)
    make = ["page", "--profile", str(profile), "-o", str(page), "--force"]
    if subprocess.run([sys.executable, "-m", "stela_cli", *make], check=False).returncode:
        raise SystemExit(2)
    said = " ".join(documents(language, data))[:characters]
    if len(said) < characters:
        raise SystemExit(f"there are only {len(said)} characters of {language}")
    text.write_text(said, encoding="utf-8")
    expected = watermark.detect(said)
    return {"name": mark, "page": str(page), "text": str(text), "p_value": expected.p_value}


def exchange(page: Path, built: Path) -> None:
    """Put another build's program and style in a page, and their hashes in its policy."""
    html = page.read_text(encoding="utf-8")
    for name in ("page.js", "page.css"):
        old, new = ((folder / name).read_text(encoding="utf-8") for folder in (BUILT, built))
        html = html.replace(old, new).replace(source_hash(old), source_hash(new))
    page.write_text(html, encoding="utf-8")


def main() -> int:
    """Print a line for each mark; 1 where a p-value is not that of ``stela detect``."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--mark", action="append", choices=MARKS)
    parser.add_argument("--characters", type=int, default=10_000)
    parser.add_argument("--data", type=Path, help="folder with corpora/LANGUAGE/*.jsonl.gz")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--built", type=Path, help="folder with another page.js and page.css")
    parser.add_argument("--keep", type=Path, help="folder for pages and texts")
    options = parser.parse_args()
    differ = 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.keep or Path(temporary)
        folder.mkdir(exist_ok=True)
        os.environ["STELA_STATE"] = str(folder / "state")
        for mark in options.mark or MARKS:
            job = made(mark, options.characters, options.data, folder)
            if options.built:
                exchange(Path(job["page"]), options.built)
            order = folder / "order.json"
            order.write_text(json.dumps({**job, "repeats": options.repeats}), encoding="utf-8")
            command = ["node", str(PLUGIN / "scripts" / "speed.mjs"), str(order)]
            said = json.loads(subprocess.run(command, check=True, capture_output=True, cwd=PLUGIN).stdout)
            apart = max(abs(p / job["p_value"] - 1) for p in said["p_values"])
            differ += apart > 1e-9
            # The least: whatever else runs on a machine only adds.
            seconds, cpu, still = (min(said[name]) for name in ("seconds", "cpu", "still"))
            times = f"{seconds:.2f} s ({cpu:.2f} s of processor time; still for {still:.0f} ms)"
            text = f"{options.characters:,} characters"
            print(f"{mark}: {times} for {text}; p differs by {apart:.0e}", flush=True)
    return int(differ > 0)


if __name__ == "__main__":
    sys.exit(main())
