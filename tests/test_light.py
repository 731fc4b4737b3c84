"""Detection with a model-free scheme imports neither torch nor transformers (invariant 6)."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from stela_models.tokenizer import load_tokenizer
from stela_testing.texts import ENGLISH, KOREAN

import stela_core as stela
from stela_core.profile.create import Settings
from stela_core.registry.tagger_spec import make_tagger

HEAVY = ["torch", "transformers", "numba"]
BLOCK = "import sys\n" + "".join(f"sys.modules[{name!r}] = None\n" for name in HEAVY)
"""As on a machine with ``pip install stela-core`` alone: importing them fails."""

PROGRAM = """
import sys
import stela_core as stela
plugins = stela.create_registry()
assert not plugins.broken, plugins.broken
libraries = ("torch", "transformers", "numba", "spacy", "kiwipiepy")
heavy = {name for name in libraries if sys.modules.get(name)}
assert not heavy, f"importing the plugins imported {heavy}"
detection = stela.load(sys.argv[1], registry=plugins).detect(sys.argv[2])
print(detection.scored_tokens)
heavy = {name for name in libraries[:3] if sys.modules.get(name)}
assert not heavy, f"detection imported {heavy}"
assert "stela_corpora" not in sys.modules, "a table is read without what counts one"
"""


# spaCy's thinc imports torch wherever it is installed, so for Penn it is taken away, as a command does.
@pytest.mark.slow
@pytest.mark.parametrize(("tagger", "text", "before"), [("sejong", KOREAN, ""), ("penn", ENGLISH, BLOCK)])
def test_detection_imports_no_model_library(
    registry: stela.Registry, tmp_path: Path, tagger: str, text: str, before: str
) -> None:
    profile = tmp_path / "p.stela"
    created = Settings("stela").create(
        registry,
        load_tokenizer(registry, "tiny"),
        7,
        public=True,
        tagger=make_tagger(registry, tagger),
    )
    created.archive.write(profile)
    done = subprocess.run(
        [sys.executable, "-c", before + PROGRAM, str(profile), text],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 10


COMMAND = """
import sys
from stela_cli.main import main
try:
    main()
except SystemExit as end:
    assert not end.code, end.code
assert "thinc" in sys.modules
assert "torch" not in sys.modules
import torch  # it can be imported after all
"""


@pytest.mark.deep(keep=["penn"])
@pytest.mark.slow
@pytest.mark.parametrize("tagger", ["penn", "ud-spacy:en"])
def test_a_command_that_needs_no_torch_imports_none(
    registry: stela.Registry, tmp_path: Path, tagger: str
) -> None:
    """Though it is installed, and spaCy stands on a library that would import it."""
    profile, text = tmp_path / "p.stela", tmp_path / "t.txt"
    made = make_tagger(registry, tagger)
    settings, tokenizer = Settings("stela"), load_tokenizer(registry, "tiny")
    settings.create(registry, tokenizer, 7, public=True, tagger=made).archive.write(profile)
    text.write_text(ENGLISH, encoding="utf-8")
    command = ["detect", str(text), "--profile", str(profile), "--json"]
    done = subprocess.run(
        [sys.executable, "-c", COMMAND, *command], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert '"scored_tokens"' in done.stdout


@pytest.mark.deep(keep=["kgw"])
@pytest.mark.slow
@pytest.mark.parametrize(
    "scheme",
    [
        "kgw",
        "morphmark",
        "unigram",
        "gumbel",
        "synthid",
        "exp-scan",
        "unbiased-delta",
        "watme",
        "lsh",
        "sir",
        "textgrain",
    ],
)
def test_scheme_detects_where_torch_cannot_be_imported(
    registry: stela.Registry, tmp_path: Path, scheme: str
) -> None:
    profile = tmp_path / "p.stela"
    created = Settings(scheme).create(registry, load_tokenizer(registry, "tiny"), 7, public=True)
    created.archive.write(profile)
    program = BLOCK + "import stela_core\nprint(stela_core.load(sys.argv[1]).detect('a b c d').verdict)"
    done = subprocess.run(
        [sys.executable, "-c", program, str(profile)], capture_output=True, text=True, check=False
    )
    assert done.stdout.strip() == "insufficient text", done.stderr


def test_core_does_not_require_torch() -> None:
    from importlib.metadata import requires

    required = requires("stela-core") or []
    plain = [line for line in required if "extra ==" not in line]
    assert not [line for line in plain if line.lower().startswith(tuple(HEAVY))]
    generate = [line for line in required if 'extra == "generate"' in line]
    assert [line for line in generate if line.startswith("torch")]


START = """
import sys
from stela_cli.main import build_cli
from stela_core.registry.components import create_registry
build_cli(create_registry())
later = "cryptography rfc8785 starlette uvicorn matplotlib jinja2 stela_run.report".split()
print([name for name in later if name in sys.modules])
"""


@pytest.mark.slow
def test_commands_are_known_without_what_they_need() -> None:
    """``stela detect`` waits for no library of another command."""
    done = subprocess.run([sys.executable, "-c", START], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
