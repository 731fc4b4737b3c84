"""``top_p`` of an experiment: texts are drawn from the likeliest tokens, and a cell is another with it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from stela_run.cells.generating import Order
from stela_run.cells.job import RunCells
from stela_run.cells.results import GeneratedShard
from stela_run.metric import Metric
from stela_run.mistakes import find_mistakes
from stela_run.plan.plan import GenerateCell, Plan, make_plan
from stela_run.plan.read import parse_experiment
from stela_run.plan.schema import SchemeEntry, TagSet
from stela_run.plan.shards import Shard

import stela_core as stela

from .conftest import experiment_of

BASE: dict[str, Any] = {
    "model": "tiny-small",
    "texts": 2,
    "lengths": [20],
    "languages": {"en": {"tagger": "penn", "prompts": "sample", "human": "sample"}},
    "schemes": [{"name": "kgw"}],
}


def plan_of(registry: stela.Registry, **content: Any) -> Plan:
    return make_plan(registry, parse_experiment({**BASE, **content}, "it"), None)


def test_texts_of_another_are_other_cells(registry: stela.Registry) -> None:
    plain, all_tokens, cut = (plan_of(registry, **{"top_p": p} if p else {}) for p in (None, 1, 0.9))
    ids, cut_ids = ({cell.id for cell in plan.cells} for plan in (plain, cut))
    assert not ids & cut_ids
    assert (plain.cells, plain.digest) == (all_tokens.cells, all_tokens.digest)
    assert [cell.id for cell in plain.cells] == [cell.id for cell in all_tokens.cells]
    assert plain.digest != cut.digest
    assert not cut_ids & {cell.id for cell in plan_of(registry, top_p=0.8).cells}


def ids_of(job: RunCells, scheme: str, seed: int, top_p: float | None) -> list[list[int]]:
    """Ids of two texts; a seed draws other tokens, under the keys of the experiment's one seed."""
    entry = SchemeEntry(name=scheme, calibration="tokens", delta=0.0 if scheme == "kgw" else None)
    cell = GenerateCell("tiny-small", "en", seed, entry, TagSet(tagger="penn"), id=f"{scheme} {seed} {top_p}")
    experiment = experiment_of(lengths=[10], top_p=top_p, temperature=1.0)
    result = job.run(Order(cell, experiment, Shard(0, 0, 2), ["The history of", "Most"])).result
    assert isinstance(result, GeneratedShard)
    return [text.token_ids for text in result.texts]


@pytest.mark.parametrize("scheme", ["kgw", "gumbel"])
def test_texts_are_of_the_likeliest_tokens(mine: stela.Registry, scheme: str) -> None:
    """With next to none of the probability one token is left, whatever is drawn, and whoever draws."""
    job = RunCells.of(mine, None, "cpu")
    job.start()
    likeliest = ids_of(job, "kgw", 1, 1e-9)
    assert ids_of(job, scheme, 2, 1e-9) == likeliest
    assert ids_of(job, scheme, 2, None) != likeliest


def test_what_needs_all_tokens_is_refused(registry: stela.Registry) -> None:
    experiment = parse_experiment({**BASE, "top_p": 0.9, "metrics": ["fidelity-cost", "fidelity-bias"]}, "it")
    [mistake] = find_mistakes(registry, experiment, None).mistakes
    assert (
        mistake.message
        == 'metric "fidelity-cost" needs texts drawn from all tokens, and top_p cuts some off.'
    )
    cost = registry.get(Metric, "fidelity-cost")
    cost.require_draws(None)
    with pytest.raises(stela.StelaError, match="top_p"):  # when it is measured in spite of mistakes, too
        cost.require_draws(0.9)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"top_p": 0}, "top_p: input should be greater than 0"),
        ({"top_p": 1.5}, "top_p: input should be less than or equal to 1"),
        ({"top_p": 0.9, "temperature": 0}, "top_p needs a temperature above 0"),
        ({"top_p": 0.9, "schemes": [{"name": "kgw", "divergence": 0.1}]}, "divergence needs all tokens"),
    ],
)
def test_mistakes_are_named(content: dict[str, Any], message: str) -> None:
    with pytest.raises(stela.StelaError) as caught:
        parse_experiment({**BASE, **content}, "it")
    assert message in caught.value.message


def test_the_command_takes_it(
    workplace: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from stela_cli.main import run

    monkeypatch.chdir(tmp_path)
    command = ["--plugin", str(workplace / "mine.py"), "run", str(workplace / "small.toml"), "--dry-run"]
    command += ["--data", str(workplace), "-o", "out", "--top-p", "0.9"]
    assert run([*command, "--temperature", "0"]) == 2
    assert "top_p needs a temperature above 0" in capsys.readouterr().err
    assert run(command) == 0
