"""Expected z against all colourings of few tokens, against one token at a time, and against marked texts."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import product
from pathlib import Path

import numpy as np
import pytest
import torch
from stela_models.green_effects import effects
from stela_run.cells.expecting import _over_all_keys, _over_some, expected_texts
from stela_run.cells.marks import Marks
from stela_run.cost.places import Place, keys_for
from stela_run.mistakes import find_mistakes
from stela_run.plan.plan import GenerateCell, make_plan
from stela_run.plan.read import parse_experiment
from stela_run.plan.schema import SchemeEntry, TagSet
from stela_run.report.read import read_run
from stela_run.report.records import RECORDS, SCORES, TEXTS, read_lines
from stela_run.run import run_experiment
from stela_run.testing import PROMPTS

import stela_core as stela

P = np.array([0.4, 0.25, 0.2, 0.1, 0.04, 0.01])
TOKENS = [1000, 1007, 1100, 1500, 1777, 2001]
IDS = [300, 400, 500, 600, 700, 800]
"""Of the text before the position."""
CONTENT = {
    "model": "tiny-small",
    "estimate": "expected",
    "texts": 2,
    "batch_size": 1,
    "lengths": [12],
    "temperature": 1.0,
    "languages": {"en": {"tagger": "penn"}},
    "schemes": [{"name": "kgw", "delta": 2.0}, {"name": "learned-text", "mean_bias": 2.0}],
}


def watermark_of(registry: stela.Registry, name: str, **entry: float) -> stela.Watermark:
    scheme = SchemeEntry.model_validate({"name": name, **entry})
    cell = GenerateCell("tiny-small", "en", 0, scheme, TagSet(tagger="penn"), "")
    return Marks(registry, Path()).watermark(cell)


def scores_of(temperature: float) -> torch.Tensor:
    """Logits with which the model has P over six tokens, after its temperature."""
    logits = torch.full((2002,), -torch.inf)
    logits[TOKENS] = temperature * torch.from_numpy(np.log(P)).float()
    return logits


def by_all_colourings(bias: Callable[[float], float]) -> tuple[float, float]:
    """Rise and surprisal over the 64 halves of six tokens; the bias may depend on the green probability."""
    rise = surprisal = 0.0
    for colours in product([0.0, 1.0], repeat=len(P)):
        green = np.array(colours)
        marked = P * np.exp(bias(float(P @ green)) * green)
        marked /= marked.sum()
        rise += (marked @ green - P @ green) / 64
        surprisal += (marked - P) @ -np.log(P) / 64
    return rise, surprisal


@pytest.mark.parametrize("temperature", [1.0, 0.7])
def test_the_rise_is_the_mean_over_all_colourings(registry: stela.Registry, temperature: float) -> None:
    mark = watermark_of(registry, "kgw", delta=1.4)
    expected = by_all_colourings(lambda _: 1.4 / temperature)
    made = _over_all_keys(mark, [IDS], scores_of(temperature)[None], temperature)
    assert (made.green[0], made.surprisal[0]) == pytest.approx(expected, abs=3e-5)
    assert (made.bias[0], made.variance[0]) == (1.4, 0)


def moved(mass: float) -> float:
    """MorphMark's bias: it moves ``exp(1.3 P) - 1`` of the red probability (Wang et al., ACL 2025)."""
    share = 0.0 if mass < 0.15 or mass >= 1 else min(np.expm1(1.3 * mass), 1 - 2.0**-24)
    return float(np.log1p(share * (1 - mass) / mass) - np.log1p(-share)) if share else 0.0


@pytest.mark.parametrize(("scheme", "bias"), [("morphmark", moved), ("kgw", lambda _: 2.0)])
def test_where_keys_are_drawn_the_error_is_told(
    registry: stela.Registry, scheme: str, bias: Callable[[float], float]
) -> None:
    """Within four of these errors; and they are those that 20 draws of 32 keys show, to a factor of two."""
    mark = watermark_of(registry, scheme)
    rise, surprisal = by_all_colourings(bias)
    place = Place(0, IDS, scores_of(1.0))
    keys = [keys_for(mark, 32, 1, number) for number in range(20)]
    runs = np.array([next(_over_some(mark, iter([place]), 1.0, each)) for each in keys])
    told = float(np.sqrt(runs[:, 3].mean()))
    assert runs[:, 0].mean() == pytest.approx(rise, abs=4 * told / 20**0.5)
    assert 0.5 < runs[:, 0].std(ddof=1) / told < 2
    assert runs[:, 1].mean() == pytest.approx(surprisal, abs=4 * runs[:, 1].std(ddof=1) / 20**0.5)


def test_against_one_token_at_a_time(registry: stela.Registry) -> None:
    """One forward pass a token; a pair that repeats counts with its first place."""
    mark = watermark_of(registry, "kgw+learned-text", delta=1.5)
    model = stela.load_model("tiny-small")
    text = " the river of the city and the river of the sea"
    [evidence] = mark.detector.evidence(mark.detector.ids_of([text]))
    [one] = expected_texts(mark, [evidence], [PROMPTS[0]], model, 0.7, 0)
    before = model.tokenizer(PROMPTS[0])["input_ids"]
    top, squares, counted = 0.0, 0.0, dict.fromkeys(evidence.groups.tolist(), 0)
    for group in evidence.groups.tolist():
        counted[group] += 1
    assert max(counted.values()) > 1
    for place, weight, group in zip(evidence.positions, evidence.weights, evidence.groups, strict=True):
        if not counted[int(group)]:
            continue
        # Equal weights of a pair's tokens, their number to the fourth root.
        stake = weight * counted[int(group)] ** 0.25
        counted[int(group)] = 0
        with torch.no_grad():
            row = model.model(torch.tensor([[*before, *evidence.ids[:place]]])).logits[0, -1]
        row[model.tokenizer.eos_token_id] = -torch.inf
        top += stake * effects(row[None], 0.7, [1.5])[0, 0, 0]
        squares += stake**2 / 4
    assert one.z == pytest.approx(top / squares**0.5, rel=1e-3)
    assert one.unique_pairs == len(counted)
    assert one.bias == pytest.approx(1.5 * len(evidence.positions) / len(evidence.ids))


@pytest.mark.deep(stand_in="test_the_rise_is_the_mean_over_all_colourings")
@pytest.mark.slow
@pytest.mark.usefixtures("no_figures")
def test_marked_texts_have_it_on_average(registry: stela.Registry, tmp_path: Path) -> None:
    """Each under another key: their mean z is within four standard errors, and varies more."""
    schemes = [{"name": "kgw", "delta": 2.0}, {"name": "stela", "delta": 2.0}, {"name": "morphmark"}]
    z = {}
    for estimate, kind in (("generated", "marked"), ("expected", "expected")):
        asked = {"model": "tiny", "texts": 40, "lengths": [40], "schemes": schemes, "metrics": []}
        experiment = parse_experiment({**CONTENT, **asked, "batch_size": 40, "estimate": estimate}, "it")
        assert run_experiment(registry, make_plan(registry, experiment, None), tmp_path / kind) == 0
        of = read_run(tmp_path / kind).tests
        z[kind] = {place.label: tests[kind].z for place, tests in of.items()}
    for scheme, expected in z["expected"].items():
        marked = z["marked"][scheme]
        error = (marked.var(ddof=1) / len(marked) + expected.var(ddof=1) / len(expected)) ** 0.5
        assert expected.mean() == pytest.approx(marked.mean(), abs=4 * error), scheme
        assert expected.std() < marked.std()


@pytest.mark.slow
@pytest.mark.usefixtures("no_figures")
def test_a_run_marks_no_text_and_answers(registry: stela.Registry, tmp_path: Path) -> None:
    """Its schemes share the model's texts; what was stopped ends with the same bytes."""
    plan = make_plan(registry, parse_experiment(CONTENT, "it"), None)
    whole = tmp_path / "whole"
    assert run_experiment(registry, plan, whole) == 0
    kgw, learned = read_lines(whole / RECORDS)
    assert kgw["values"].keys() == {"expected-z", "bias", "surprisal"}
    assert kgw["values"]["expected-z"]["low"] < kgw["values"]["expected-z"]["value"]
    assert learned["values"]["bias"]["value"] == pytest.approx(2.0, rel=0.15)
    assert len(read_lines(whole / TEXTS)) == 2, "the model's own, once for both"
    [answer] = json.loads((whole / "summary.json").read_text(encoding="utf-8"))["answers"]
    assert answer["quantity"] == "expected z"
    assert "(expected z " in answer["sentence"] or ": expected z " in answer["sentence"]
    assert "mean expected z" in (whole / "summary.md").read_text(encoding="utf-8")
    held = {name: (whole / name).read_bytes() for name in (RECORDS, SCORES, TEXTS, "summary.json")}
    for path in (whole / "cells").glob("e-*.json.gz"):
        path.unlink()
    assert run_experiment(registry, plan, whole, resume=True) == 0
    assert {name: (whole / name).read_bytes() for name in held} == held


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"temperature": 0}, "a temperature above 0"),
        ({"top_p": 0.9}, "all tokens"),
        ({"attacks": ["none", "edits-delete"]}, "texts without attack"),
        ({"negatives": False}, "texts without a mark"),
        ({"texts": "until decided"}, "a number of texts"),
        ({"readings": True}, "one reading"),
        ({"schemes": [{"name": "kgw", "tpr": 0.9}]}, "another strength than tpr"),
    ],
)
def test_what_an_expectation_cannot_be_of(change: dict[str, object], says: str) -> None:
    with pytest.raises(stela.StelaError, match=says):
        parse_experiment({**CONTENT, **change}, "it")


@pytest.mark.parametrize(
    ("scheme", "says"),
    [
        ({"name": "gumbel"}, "it chooses tokens"),
        ({"name": "kgw+ewd-likelihood"}, "weighs a token by what it is"),
        ({"name": "kgw", "bits": 8}, "it carries a message"),
    ],
)
def test_schemes_without_one_are_refused_in_one_line(
    registry: stela.Registry, scheme: dict[str, object], says: str
) -> None:
    experiment = parse_experiment({**CONTENT, "schemes": [scheme]}, "it")
    [mistake] = find_mistakes(registry, experiment, None).mistakes
    assert says in str(mistake)
