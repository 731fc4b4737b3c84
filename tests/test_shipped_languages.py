"""Plugins of languages, made by scripts/make_languages.py: whence their files are, under which licences."""

from __future__ import annotations

import hashlib
import re
import subprocess
import sys
from pathlib import Path

import pytest
from stela_models.cli.demo_languages import LANGUAGES

import stela_core as stela

ROOT = Path(__file__).parents[1]
FOLDERS = sorted(path.parents[1] for path in ROOT.glob("plugins/stela-[a-z][a-z]/stela_[a-z][a-z]/model"))
LINE = re.compile(r"- (trained with|tested with|tables from) \S+: \S.*; \S.* \(sha256 [0-9a-f]{64}\)")
FILES = {
    "ud/ar_pud/ar_pud-ud-test.conllu.xz": "CC BY-SA 3.0",
    "corpora/ar/docs.jsonl.gz": "per document: CC BY 4.0; CC BY-SA 3.0 (or GPL-2+)",
    "corpora/ar/xquad.jsonl.gz": "CC0 1.0 (translation), PSF licence (original)",
}


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda one: one.name)
def test_a_notice_names_the_source_and_the_licence_of_each_file(folder: Path) -> None:
    text = (folder / "NOTICE").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if line.startswith("- ")]
    assert [line for line in lines if not LINE.fullmatch(line)] == []
    assert {"trained with", "tables from"} <= {line[2:14].strip() for line in lines}


def commands(folder: Path, licences: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """What would be done to make Arabic from a folder of data, whose README.md names these licences."""
    rows = ["| file | bytes | words | sha256 | source | licence |"]
    for name, licence in licences.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(name, encoding="utf-8")
        rows.append(f"| `{name}` | 9 | 7 | `{hashlib.sha256(name.encode()).hexdigest()}` | A@1 | {licence} |")
    (folder / "README.md").write_text("\n".join(rows), encoding="utf-8")
    command = [
        sys.executable,
        "-m",
        "scripts.make_languages",
        "--data",
        str(folder),
        "--dry-run",
        "-o",
        str(folder),
    ]
    return subprocess.run([*command, "ar"], cwd=ROOT, capture_output=True, text=True, check=False)


def test_a_language_has_the_licences_of_all_its_files(tmp_path: Path) -> None:
    done = commands(tmp_path, FILES)
    assert done.returncode == 0, done.stderr
    assert re.findall(r"--licence (\S+)", done.stdout) == ["CC-BY-4.0", "CC-BY-SA-3.0", "CC0-1.0", "PSF-2.0"]
    assert re.findall(r"--corpus \S+/(\w+)\.jsonl", done.stdout) == ["docs", "xquad"]


def test_a_licence_that_nobody_knows_stops_it(tmp_path: Path) -> None:
    done = commands(tmp_path, FILES | {"corpora/ar/docs.jsonl.gz": "GPL, or the licence of each page"})
    assert done.returncode != 0
    assert done.stderr == 'no SPDX licence is known for "GPL, or the licence of each page"\n'


@pytest.mark.parametrize("code", LANGUAGES)
def test_the_demo_shows_a_language_by_its_own_tagger(registry: stela.Registry, code: str) -> None:
    tagger = LANGUAGES[code].tagger.partition(":")[0]
    assert registry.get(stela.Tagger, tagger).language == code
