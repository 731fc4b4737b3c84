"""``readings = true``: the runner tests a text as ``stela detect`` does."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet
import pytest
from stela_models.loaded import Models
from stela_models.logits import ModelLogits
from stela_run.cells import detecting
from stela_run.cells.model_weights import ModelWeights
from stela_run.plan.plan import make_plan
from stela_run.run import run_experiment
from stela_testing.texts import ENGLISH

import stela_core as stela

from .conftest import experiment_of

TEXTS = [ENGLISH[:400], ENGLISH[:400].upper(), ENGLISH[:400].replace("o", "о").replace(" the ", "  the\n")]
"""As it is; in capitals; with Cyrillic letters, spaces and line breaks: one, two and two readings."""

PROMPTS = ["The history of", "Most", "In"]


@pytest.mark.deep(keep=["True-kgw"])
@pytest.mark.parametrize("scheme", ["kgw", pytest.param("ewd", marks=pytest.mark.slow)])
@pytest.mark.parametrize("readings", [True, False])
def test_as_detect_does(registry: stela.Registry, scheme: str, readings: bool) -> None:
    mark = stela.create(scheme, model="tiny-small", key=7, registry=registry)
    model = Models(registry).load("tiny-small")
    weights = None
    if mark.needs_model_to_detect:
        weights = ModelWeights("tiny-small", ModelLogits(*model), [mark.parts.evidence], None)
    tester = detecting.Tester(mark, model, weights, readings)
    tested = tester.detect(TEXTS, PROMPTS, [[7, 8]] * len(TEXTS))
    for place, key in enumerate((7, 8)):
        other = stela.create(scheme, model="tiny-small", key=key, registry=registry)
        expected = other.detect_many(
            TEXTS, (model.model, model.tokenizer) if weights else None, PROMPTS, as_it_is=not readings
        )
        for [*row], one in zip(tested, expected, strict=True):
            assert row[place].p_value == pytest.approx(one.p_value, rel=1e-9)
            assert row[place].z == pytest.approx(one.z, rel=1e-9)
            assert (row[place].verdict, row[place].readings) == (one.verdict, one.readings)
    assert [row[0].readings for row in tested] == ([1, 2, 2] if readings else [1, 1, 1])


def test_cells_are_others(registry: stela.Registry) -> None:
    """No result of the one is taken for the other's; texts are the same."""
    english = {"en": {"tagger": "penn", "prompts": "sample", "human": "sample"}}
    plain, read = (
        make_plan(registry, experiment_of(languages=english, readings=readings), None)
        for readings in (False, True)
    )
    assert [cell.id for cell in plain.generate] == [cell.id for cell in read.generate]
    assert not {cell.id for cell in plain.evaluate} & {cell.id for cell in read.evaluate}


@pytest.mark.slow
@pytest.mark.usefixtures("no_figures")
def test_look_alike_letters_are_undone(registry: stela.Registry, tmp_path: Path) -> None:
    """An attack that a text's canonical form undoes costs no more than the readings' share of alpha."""
    experiment = experiment_of(
        languages={"en": {"tagger": "penn", "prompts": "sample", "human": "sample"}},
        schemes=[{"name": "kgw", "delta": 4.0}],
        texts=3,
        lengths=[40],
        negatives=False,
        attacks=[{"name": "none"}, {"name": "edits-homoglyph", "share": 0.3}],
        metrics=[{"name": "roc"}],
    )
    for readings in (True, False):
        chosen = experiment.model_copy(update={"readings": readings})
        folder = tmp_path / str(readings)
        assert run_experiment(registry, make_plan(registry, chosen, None), folder) == 0
        rows = pyarrow.parquet.read_table(folder / "scores.parquet").to_pylist()
        before, after = (
            [row["p_value"] for row in rows if ("homoglyph" in row["cell"]) == changed]
            for changed in (False, True)
        )
        assert len(before) == len(after) == 3
        for plain, attacked in zip(before, after, strict=True):
            assert attacked <= 10 * plain if readings else attacked > plain
