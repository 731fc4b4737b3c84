"""What docs/serving.md says of SGLang is what the code knows; its own classes, where they are at hand."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[4]
ENVIRONMENT = ROOT / ".venv-sglang"


def test_the_block() -> None:
    page = (ROOT / "docs" / "serving.md").read_text(encoding="utf-8")
    [block] = re.findall(r"```\n(pip install stela-cli stela-serving.*?)```", page, re.DOTALL)
    assert block.splitlines() == [
        "pip install stela-cli stela-serving stela-kgw",
        "export STELA_PROFILE=p.stela",
        "sglang serve --model-path MODEL --enable-custom-logit-processor",
    ]
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8"))[
        "project"
    ]
    assert project["entry-points"]["sglang.srt.plugins"] == {"stela": "stela_sglang.plugin:load"}


@pytest.mark.slow
def test_on_sglangs_own_classes() -> None:
    if not (ENVIRONMENT / "bin" / "python").exists():
        pytest.skip("SGLang is not at hand: make test-sglang makes its environment, and runs this")
    done = subprocess.run(
        [sys.executable, "-m", "scripts.test_engines", "sglang"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
