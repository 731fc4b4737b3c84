"""Detection needs numpy alone."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import stela_core as stela

PROGRAM = """
import sys
for name in ("torch", "transformers", "numba", "scipy"):
    sys.modules[name] = None
import stela_core
detection = stela_core.load(sys.argv[1]).detect(sys.argv[2])
print(detection.verdict, detection.scored_tokens > 10, sorted(detection.foreign_scores))
"""
TEXT = "The river rises in the hills to the north and turns west below the castle, wide enough for boats."


@pytest.mark.deep(keep=["gumbel-beside0", "gumbel-sglang-beside3"])
@pytest.mark.slow
@pytest.mark.parametrize(
    ("scheme", "beside"),
    [
        ("gumbel", []),
        ("gumbel-vllm", ["vLLM p-value", "vLLM score"]),
        ("gumbel-vllm-dual", ["vLLM p-value", "vLLM score"]),
        ("gumbel-sglang", ["SGLang log p", "SGLang p-value", "SGLang score", "SGLang z"]),
        ("gumbel-textseal-dual", ["TextSeal p-value", "TextSeal score"]),
    ],
)
def test_detection_where_nothing_else_can_be_imported(
    scheme: str, beside: list[str], tmp_path: Path, registry: stela.Registry
) -> None:
    path = tmp_path / "p.stela"
    stela.create(scheme, model="tiny", key="public", registry=registry).save(path)
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(path), TEXT], capture_output=True, text=True, check=False
    )
    assert done.stdout.strip() == f"no watermark found True {beside}", done.stderr
