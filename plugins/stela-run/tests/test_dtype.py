"""``dtype`` of an experiment: what models compute in, and a part of what a cell is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from stela_models.loaded import Models
from stela_run.plan.plan import make_plan
from stela_run.plan.read import ExperimentError, read_experiment

import stela_core as stela

EXPERIMENT = """
model = "tiny-small"
texts = 2
lengths = [20]
schemes = [{ name = "kgw" }]

[languages.en]
prompts = "sample"
human = "sample"
tagger = "penn"
"""


def cells(registry: stela.Registry, folder: Path, **overrides: Any) -> list[str]:
    (folder / "it.toml").write_text(EXPERIMENT, encoding="utf-8")
    plan = make_plan(registry, read_experiment(folder / "it.toml", overrides), None)
    return [cell.id for cell in plan.generate]


def test_texts_of_another_dtype_are_other_cells(registry: stela.Registry, tmp_path: Path) -> None:
    plain = cells(registry, tmp_path)
    assert not {*plain} & {*cells(registry, tmp_path, dtype="bfloat16")}
    assert plain == cells(registry, tmp_path, dtype=None)
    assert not {*plain} & {*cells(registry, tmp_path, temperature=1.0)}


def test_a_wrong_one_is_named(registry: stela.Registry, tmp_path: Path) -> None:
    with pytest.raises(ExperimentError, match="dtype"):
        cells(registry, tmp_path, dtype="bf16")


@pytest.mark.deep(keep=["None"])
@pytest.mark.slow
@pytest.mark.parametrize("dtype", [None, "bfloat16"])
def test_models_are_loaded_in_it(registry: stela.Registry, dtype: str | None) -> None:
    model, _ = Models(registry, "cpu", dtype).load("tiny-small")
    assert str(model.dtype) == f"torch.{dtype or 'float32'}"
