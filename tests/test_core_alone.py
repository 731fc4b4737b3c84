"""``pip install .`` alone marks and detects KGW: no plugin, no command, no torch, no transformers."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from stela_models.tokenizer import load_tokenizer

import stela_core as stela
import stela_core.api

ROOT = Path(__file__).parents[1]
OTHERS = sorted(path.name for path in ROOT.glob("plugins/stela-*/stela_*") if path.is_dir())
BLOCKED = (
    *("torch", "transformers", "numba", "spacy", "scipy", "matplotlib", "lxml", "click", "rich"),
    *OTHERS,
)

PROGRAM = """
import importlib.metadata, json, sys
for name in json.loads(sys.argv[2]):
    sys.modules[name] = None
importlib.metadata.entry_points = lambda **_: importlib.metadata.EntryPoints()
import numpy as np
import stela_core as stela
from stela_core.registry.components import Registry
from stela_core.registry.manager import create_plugins
from tokenizers import Tokenizer

registry = Registry(create_plugins(installed=[]))
tokenizer = Tokenizer.from_file(sys.argv[1])
# A weighting's name is a scheme's, too: the same delta on every green token, every token counts alike.
made = stela.create("uniform", tokenizer=tokenizer, key="5354454c41303231", delta=2.0, registry=registry)
made.save("kgw.stela", key_file="key.txt", force=True)
mark = stela.load("kgw.stela", key="5354454c41303231", registry=registry)
text = [number for number in range(tokenizer.get_vocab_size()) if mark.tokens.is_text(number)]
rng, marker, ids = np.random.default_rng(1), mark.marker(), []
for _ in range(150):
    logits = np.full((1, tokenizer.get_vocab_size()), -np.inf, dtype=np.float32)
    logits[0, rng.choice(text, 200, replace=False)] = rng.normal(size=200)
    marked = marker([ids], logits)[0]
    ids.append(int((marked + rng.gumbel(size=marked.shape)).argmax()))
[found] = mark.detect_ids([ids])
[human] = mark.detect_ids([rng.choice(text, 150).tolist()])
again = mark.detect(tokenizer.decode(ids))
print(json.dumps([found.verdict, found.p_value, human.verdict, again.verdict, found._repr_html_()]))
"""


def test_the_core_alone_marks_and_detects_kgw(registry: stela.Registry, tmp_path: Path) -> None:
    tokenizer = tmp_path / "tokenizer.json"
    tokenizer.write_text(load_tokenizer(registry, "tiny").to_str())
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(tokenizer), json.dumps(BLOCKED)],
        cwd=tmp_path,
        env={"PATH": "", "PYTHONPATH": str(ROOT), "STELA_STATE": str(tmp_path / "state")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found, p_value, human, again, shown = json.loads(done.stdout)
    assert (found, human, again) == ("watermarked", "no watermark found", "watermarked")
    assert p_value < 1e-4
    assert shown.startswith("<pre>Detection(watermarked, p="), "the coloured text is stela-cli's"
    # It is the mark of the scheme of that name: the plugin detects it, by the same number.
    profile = tmp_path / "kgw.stela"
    assert stela.load(profile, key="5354454c41303231").profile.scheme.name == "uniform"
    parts = stela.load(profile, key="5354454c41303231").parts
    kgw = stela.create("kgw", tokenizer=load_tokenizer(registry, "tiny"), key="5354454c41303231", delta=2.0)
    assert [type(parts.hasher), type(parts.strength), type(parts.evidence), type(parts.scorer)] == [
        type(kgw.parts.hasher),
        type(kgw.parts.strength),
        type(kgw.parts.evidence),
        type(kgw.parts.scorer),
    ]


def test_the_core_asks_for_no_library_of_commands() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert not [line for line in project["dependencies"] if line.startswith(("click", "rich"))]
    assert "scripts" not in project
    # The hook ``stela_commands`` has click's group in its signature, for type checkers.
    importing = re.compile(r"^\s*(?:from|import) (?:click|rich)\b", re.MULTILINE)
    files = [file for file in ROOT.glob("stela_core/**/*.py") if importing.search(file.read_text())]
    assert [file.name for file in files] == ["hookspecs.py"]


@pytest.mark.parametrize("name", ["Attack", "Metric"])
def test_what_left_the_core_says_where_it_is(name: str) -> None:
    with pytest.raises(ImportError, match=f"{name} has moved: from stela_run import {name} \\(pip install"):
        getattr(stela, name)
    with pytest.raises(ImportError, match=r"say has moved: from stela_cli.printing import say \(pip install"):
        stela_core.api.say  # type: ignore[attr-defined]  # noqa: B018
    with pytest.raises(AttributeError):
        stela.Attacks  # type: ignore[attr-defined]  # noqa: B018
