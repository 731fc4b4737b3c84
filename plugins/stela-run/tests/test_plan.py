from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from stela_run.plan.plan import Plan, make_plan, tagset_of
from stela_run.plan.read import parse_experiment

import stela_core as stela

LANGUAGES = {
    "en": {"tagger": "penn", "prompts": "en.jsonl", "tagsets": {"universal": {"tagger": "ud-spacy:en"}}},
    "ko": {"tagger": "sejong", "prompts": "en.jsonl"},
}


def plan_of(registry: stela.Registry, folder: Path, **content: Any) -> Plan:
    base = {
        "model": "tiny-small",
        "texts": 3,
        "languages": LANGUAGES,
        "schemes": [{"name": "kgw"}],
        "metrics": [],
    }
    return make_plan(registry, parse_experiment({**base, **content}, "it"), folder)


def test_schemes_that_insert_alike_share_their_texts(mine: stela.Registry, workplace: Path) -> None:
    schemes = [
        {"name": "kgw", "delta": 1.0},
        {"name": "ewd", "delta": 1.0},
        {"name": "kgw+stela", "delta": 1.0},
    ]
    plan = plan_of(mine, workplace, schemes=schemes, languages={"en": LANGUAGES["en"]})
    assert len(plan.evaluate) == 3
    assert len({cell.generated for cell in plan.evaluate}) == 1
    assert len(plan.generate) == 2, "those, and the unmarked ones"


def test_what_decides_the_texts_is_in_the_id(mine: stela.Registry, workplace: Path) -> None:
    def marked(**content: Any) -> str:
        schemes = [{"name": "stela", "delta": 1.0, **content.pop("entry", {})}]
        return plan_of(mine, workplace, schemes=schemes, **content).evaluate[0].generated

    first = marked()
    assert marked() == first
    changed = [
        marked(seeds=[1]),
        marked(temperature=1.0),
        marked(texts=2),
        marked(lengths=[100]),
        marked(calibration="types"),
        marked(entry={"k": 3}),
        marked(entry={"gamma": 0.25}),
        marked(entry={"tagset": "universal"}),
        marked(model="tiny"),
    ]
    assert len({first, *changed}) == len(changed) + 1
    assert marked(metrics=[], keys=3, attacks=["none", "shout"]) == first


def test_a_tagset_takes_part_where_a_language_has_it(mine: stela.Registry, workplace: Path) -> None:
    plan = plan_of(mine, workplace, schemes=[{"name": "kgw"}, {"name": "stela", "tagset": "universal"}])
    assert [(cell.language, cell.label) for cell in plan.evaluate] == [
        ("en", "kgw"),
        ("en", "stela"),
        ("ko", "kgw"),
    ]


def test_k_and_table_of_an_entry_come_first(mine: stela.Registry, workplace: Path) -> None:
    languages = {"en": {"tagger": "penn", "k": 2, "table": "own.json", "prompts": "en.jsonl"}}
    entries = [{"name": "stela"}, {"name": "stela", "k": 3}, {"name": "stela", "k": 2, "table": "x.json"}]
    plan = plan_of(mine, workplace, schemes=entries, languages=languages)
    found = [tagset_of(plan.experiment, entry, "en") for entry in plan.experiment.schemes]
    assert [(t.k, t.table) for t in found] == [(2, "own.json"), (3, None), (2, "x.json")]


def test_mistakes_are_found_before_any_work(mine: stela.Registry, workplace: Path) -> None:
    for content, message in [
        ({"schemes": [{"name": "kgv"}]}, 'did you mean "kgw"'),
        ({"metrics": ["vowel"]}, 'did you mean "vowels"'),
        ({"attacks": ["shot"]}, 'did you mean "shout"'),
        ({"languages": {"en": {"tagger": "penn", "prompts": "no.jsonl"}}}, "no.jsonl"),
    ]:
        with pytest.raises(stela.StelaError, match=message):
            plan_of(mine, workplace, **content)


def test_bad_lines_are_named(mine: stela.Registry, tmp_path: Path) -> None:
    languages = {"en": {"tagger": "penn", "prompts": "bad.jsonl"}}
    good = json.dumps({"prompt": "a", "continuation": "b"})
    for line, message in [
        ("{", "bad.jsonl:2 is not JSON"),
        ("[]", "not a JSON object"),
        ("{}", 'has no "prompt"'),
    ]:
        (tmp_path / "bad.jsonl").write_text(f"{good}\n{line}\n", encoding="utf-8")
        with pytest.raises(stela.StelaError, match=message):
            plan_of(mine, tmp_path, languages=languages)
