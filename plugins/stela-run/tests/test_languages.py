"""``stela run --language``: an experiment in some of its languages."""

from __future__ import annotations

import pytest
from stela_run.cli.run import in_languages
from stela_run.plan.read import parse_experiment

import stela_core as stela

CONTENT = {
    "model": "tiny-small",
    "texts": 2,
    "languages": {"en": {"tagger": "penn"}, "ko": {"tagger": "sejong"}},
    "schemes": [
        {"name": "kgw"},
        {"name": "stela", "languages": ["ko"]},
        {
            "name": "stela",
            "label": "own",
            "languages": ["en", "ko"],
            "table": {"en": "e.json", "ko": "k.json"},
        },
    ],
    "metrics": [],
}


def test_what_is_of_other_languages_goes() -> None:
    kept = in_languages(parse_experiment(CONTENT, "it"), ["en"])
    assert list(kept.languages) == ["en"]
    assert [(one.name, one.label, one.languages) for one in kept.schemes] == [
        ("kgw", None, None),
        ("stela", "own", ["en"]),
    ]
    assert kept.schemes[1].table == {"en": "e.json"}
    again = parse_experiment(kept.model_dump(mode="json"), "it")
    assert again == kept, "it can be read again, as --resume and the report do"


def test_all_where_none_is_named_and_one_that_is_not_there() -> None:
    experiment = parse_experiment(CONTENT, "it")
    assert in_languages(experiment, []) is experiment
    assert in_languages(experiment, ["ko", "en"]) == experiment
    with pytest.raises(stela.StelaError, match=r'no language "fr".*it has en, ko'):
        in_languages(experiment, ["fr"])
