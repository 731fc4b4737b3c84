"""The browser's detector gives the p-values of ``stela detect``: a small run of scripts/parity.py."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from stela_page.reproducible import TAGGERS

from tests.tiers import Draws

PLUGIN = Path(__file__).resolve().parents[1]
NODE = shutil.which("node")
CHOSEN = ["synthid, keys of its own", "gumbel-sglang, two keys"]
pytestmark = [
    pytest.mark.skipif(NODE is None, reason="needs node 20 or newer"),
    pytest.mark.skipif(not (PLUGIN / "node_modules").is_dir(), reason="needs npm ci in plugins/stela-page"),
]


@pytest.mark.deep(stand_in="test_few_texts_under_some_schemes_agree")
@pytest.mark.slow
def test_no_text_under_any_scheme_differs(tmp_path: Path) -> None:
    said = tmp_path / "tallies.json"
    options = ["--texts", "360", "--seed", "5", "--json", str(said)]
    done = subprocess.run(
        [sys.executable, str(PLUGIN / "scripts" / "parity.py"), *options], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    tallies = json.loads(said.read_text(encoding="utf-8"))
    assert len(tallies) == 2 + 47
    assert all(tally["texts"] >= 30 and tally["largest"] < 1e-9 for tally in tallies.values())
    # Keys chosen one by one are a stranger's: p is times their number, and no text here is so long.
    assert [name for name, tally in tallies.items() if not tally.get("watermarked")] == CHOSEN


@pytest.mark.slow
def test_few_texts_under_some_schemes_agree(tmp_path: Path) -> None:
    """One tokenizer, and schemes of two colours, of draws weighed by the token, of layers, with a message."""
    said = tmp_path / "tallies.json"
    names = ["kgw", "gumbel+learned-likelihood, en", "synthid", "kgw, 8 bits"]
    options = ["--texts", "60", "--seed", "5", "--only", "stela-tiny", "--json", str(said)]
    options += [part for name in names for part in ("--scheme", name)]
    done = subprocess.run(
        [sys.executable, str(PLUGIN / "scripts" / "parity.py"), *options], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    tallies = json.loads(said.read_text(encoding="utf-8"))
    assert [*tallies] == ["stela-tiny", *names]
    assert all(tally["watermarked"] and tally["largest"] < 1e-9 for tally in tallies.values())


@pytest.mark.slow
def test_no_tag_of_a_shipped_tagger_differs(draws: Draws) -> None:
    """All of them in the deep tier; else a tagger of each kind of network."""
    count = draws(600, 30)
    chosen = ["ar", "ctb:causal", "sejong:causal"] if count < 600 else []
    options = [part for tagger in chosen for part in ("--tagger", tagger)]
    options += ["--windows", str(count), "--seed", "5"]
    done = subprocess.run(
        [sys.executable, str(PLUGIN / "scripts" / "parity_tags.py"), *options], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.count(f": {count} windows") == len(chosen or TAGGERS)
    # A hundredth of the margin below which the browser works a decision out to the bit.
    apart = [float(one) for one in re.findall(r"apart by (\S+) at most", done.stdout)]
    assert 0 < max(apart) < 2e-5


@pytest.mark.slow
def test_pieces_give_what_python_gives() -> None:
    done = subprocess.run(
        [str(NODE), str(PLUGIN / "web" / "test.mjs"), "pieces"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout


@pytest.mark.deep(stand_in="test_no_tag_of_a_shipped_tagger_differs")
def test_taggers_give_what_python_gives() -> None:
    """``npm run test`` runs it, too, whenever the page's sources change."""
    done = subprocess.run(
        [str(NODE), str(PLUGIN / "web" / "test.mjs"), "tagger"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout
