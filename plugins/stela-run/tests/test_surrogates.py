"""``surrogate = "M"`` of a scheme: another model weighs its texts, as ``stela detect --surrogate`` has it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow.parquet
import pytest
from stela_models.load import load_model
from stela_run.cli.run import with_surrogate
from stela_run.mistakes import find_mistakes
from stela_run.plan.plan import Plan, make_plan
from stela_run.plan.read import parse_experiment
from stela_run.plan.schema import SchemeEntry
from stela_run.run import run_experiment

import stela_core as stela
from stela_core.hashing.keys import parse_key

BASE: dict[str, Any] = {
    "model": "tiny",
    "texts": 2,
    "lengths": [15, 30],
    "negatives": False,
    "languages": {"en": {"tagger": "penn", "prompts": "sample", "human": "sample"}},
    "metrics": [{"name": "roc"}],
}
WEIGHED = {"name": "kgw+ewd-likelihood", "delta": 2.0}
SCHEMES = [
    {"name": "kgw", "delta": 2.0},
    {**WEIGHED, "label": "model"},
    {**WEIGHED, "label": "surrogate", "surrogate": "tiny-small"},
    {"name": "kgw+ewd", "delta": 2.0, "surrogate": "tiny-small"},
]

PICKY = """
import stela_core as stela

class Picky(stela.Weighting):
    name = "picky"
    needs = frozenset({"logits"})

    def weights(self, positions):
        return positions.logits[:, :8].exp().sum(-1).double().numpy()

@stela.hookimpl
def stela_register_weightings():
    return Picky
"""


def plan_of(registry: stela.Registry, *schemes: dict[str, Any]) -> Plan:
    return make_plan(registry, parse_experiment({**BASE, "schemes": list(schemes)}, "it"), None)


def test_texts_are_the_same_and_cells_are_not(registry: stela.Registry) -> None:
    plan = plan_of(registry, *SCHEMES)
    assert len(plan.generate) == 1
    assert len({cell.id for cell in plan.evaluate}) == len(SCHEMES)


def test_an_experiment_without_one_is_as_it_was(registry: stela.Registry) -> None:
    """Its folder can be resumed: ids are digests of what an entry says."""
    assert "surrogate" not in SchemeEntry(name="kgw").model_dump()


@pytest.mark.slow
@pytest.mark.usefixtures("no_figures")
def test_as_detect_does(registry: stela.Registry, tmp_path: Path) -> None:
    """p-values are those of detection with the surrogate, which reads no prompt; the model's differ."""
    assert run_experiment(registry, plan_of(registry, *SCHEMES), tmp_path) == 0
    rows = pyarrow.parquet.read_table(tmp_path / "scores.parquet").to_pylist()
    tested = {(row["label"], row["length"], row["key"]): row["p_value"] for row in rows}
    assert len(tested) == len(SCHEMES) * 4
    lines = (tmp_path / "texts.jsonl").read_text(encoding="utf-8").splitlines()
    written = {text["key"]: text["text"] for text in map(json.loads, lines)}
    surrogate = stela.Surrogate(*load_model(registry, "tiny-small"))
    tokenizer = load_model(registry, "tiny").tokenizer
    for (label, length, key), p_value in tested.items():
        if label not in ("surrogate", "kgw+ewd"):
            continue
        scheme = WEIGHED["name"] if label == "surrogate" else label
        mark = stela.create(scheme, model="tiny", key=parse_key(key), delta=2.0, registry=registry)
        ids = tokenizer(written[key], add_special_tokens=False)["input_ids"][:length]
        text = mark.tokens.decode(ids)
        expected = mark.detect(text, model=surrogate, as_it_is=True)
        assert p_value == pytest.approx(expected.p_value, rel=1e-6)
        assert p_value != tested["model", length, key]


@pytest.mark.parametrize(
    ("entry", "says"),
    [
        (
            {"name": "kgw", "surrogate": "tiny-small"},
            'weighting "uniform" reads no model, so it takes no surrogate',
        ),
        ({"name": "kgw+picky", "surrogate": "tiny-small"}, "a surrogate cannot replace it"),
        ({"name": "kgw+ewd", "surrogate": "./nowhere"}, "nowhere"),
    ],
)
def test_mistakes(tmp_path: Path, entry: dict[str, Any], says: str) -> None:
    (tmp_path / "picky.py").write_text(PICKY)
    registry = stela.create_registry([tmp_path / "picky.py"])
    experiment = parse_experiment({**BASE, "schemes": [entry]}, "it")
    [mistake] = find_mistakes(registry, experiment, None).mistakes
    assert says in str(mistake)
    assert "\n" not in str(mistake)


def test_another_surrogate_by_the_command() -> None:
    experiment = parse_experiment({**BASE, "schemes": SCHEMES}, "it")
    changed = with_surrogate(experiment, "other")
    assert [entry.surrogate for entry in changed.schemes] == [None, None, "other", "other"]
    assert with_surrogate(experiment, None) == experiment
    plain = parse_experiment({**BASE, "schemes": SCHEMES[:2]}, "it")
    with pytest.raises(stela.StelaError, match="leave --surrogate out"):
        with_surrogate(plain, "other")


def test_a_wrong_name_is_refused() -> None:
    with pytest.raises(stela.StelaError, match="surrogate"):
        parse_experiment({**BASE, "schemes": [{"name": "kgw+ewd", "surrogate": 7}]}, "it")
