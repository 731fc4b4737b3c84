from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from stela_run.plan.labels import labels_of
from stela_run.plan.read import ExperimentError, expand, parse_experiment, read_experiment
from stela_run.plan.schema import Experiment, SchemeEntry

import stela_core as stela

KEYS = [*Experiment.model_fields, "grid", "model"]
LEAST: dict[str, Any] = {
    "model": "tiny",
    "languages": {"en": {"tagger": "penn"}},
    "schemes": [{"name": "kgw"}],
}


def test_short_forms() -> None:
    found = parse_experiment({**LEAST, "attacks": ["none", {"name": "wordnet", "share": 0.3}]}, "it")
    assert found.models == ["tiny"]
    assert [part.label for part in found.attacks] == ["none", "wordnet(share=0.3)"]
    assert found.attacks[1].parameters == {"share": 0.3}
    assert found.temperature == 0.7


def test_grid_is_a_product_the_last_key_fastest() -> None:
    grid = {"name": ["kgw", "stela"], "parameters": {"delta": [1.0, 2.0], "x": 3}, "languages": ["en"]}
    assert list(expand(grid)) == [
        {"name": name, "parameters": {"delta": delta, "x": 3}, "languages": ["en"]}
        for name in ("kgw", "stela")
        for delta in (1.0, 2.0)
    ]


@given(st.dictionaries(st.text(min_size=1), st.lists(st.integers(), min_size=1, max_size=3), max_size=4))
def test_grid_has_as_many_entries_as_the_product(grid: dict[str, list[int]]) -> None:
    grid.pop("languages", None)
    found = list(expand(grid))
    size = 1
    for values in grid.values():
        size *= len(values)
    assert len(found) == size
    assert all(entry[key] in values for entry in found for key, values in grid.items())


def test_grids_add_to_schemes() -> None:
    found = parse_experiment({**LEAST, "grid": [{"name": ["stela"], "k": [2, 3]}]}, "it")
    assert [(entry.name, entry.k) for entry in found.schemes] == [("kgw", None), ("stela", 2), ("stela", 3)]


def test_labels_tell_entries_of_one_name_apart() -> None:
    entries = [
        SchemeEntry(name="kgw", delta=1.0),
        SchemeEntry(name="stela", k=2),
        SchemeEntry(name="stela", k=3),
    ]
    assert labels_of(entries) == ["kgw", "stela k=2", "stela k=3"]
    with pytest.raises(stela.StelaError, match='2 schemes are called "kgw"'):
        labels_of([SchemeEntry(name="kgw"), SchemeEntry(name="kgw")])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"modell": "tiny"}, 'unknown key "modell"'),
        ({"lengths": [50, 25]}, "lengths: must be distinct and ascending"),
        ({"temperature": "hot"}, "temperature: "),
        ({"languages": {}}, "languages: "),
        ({"languages": {"en": {"tager": "penn"}}}, 'unknown key "languages.en.tager"'),
        ({"schemes": [{"name": "kgw", "delta": -1}]}, "schemes.0.delta: "),
        ({"schemes": [{"name": "kgw", "delta": 1, "parameters": {"delta": 1}}]}, "give one of delta"),
        ({"schemes": [{"name": "kgw", "divergence": 0.1, "mean_bias": 1}]}, "give one of delta"),
        ({"schemes": [{"name": "kgw", "divergence": 0.1}], "temperature": 0}, "needs a temperature above 0"),
        ({"schemes": [{"name": "kgw", "languages": ["fr"]}]}, 'names a language "fr"'),
        ({"schemes": [{"name": "kgw", "tagset": "coarse"}]}, 'names a tagset "coarse"'),
        ({"seeds": [1, 1]}, "seeds: must be distinct"),
        ({"grid": {"name": "kgw"}}, "grid is not a list of tables"),
    ],
)
def test_errors_name_the_key(change: dict[str, Any], message: str) -> None:
    with pytest.raises(stela.StelaError) as caught:
        parse_experiment({**LEAST, **change}, "it")
    assert message in caught.value.message
    assert "\n" not in str(caught.value)
    assert caught.value.hint


def test_misspelt_keys_get_a_suggestion() -> None:
    with pytest.raises(stela.StelaError, match='did you mean "temperature"'):
        parse_experiment({**LEAST, "temprature": 1.0}, "it")
    with pytest.raises(stela.StelaError, match='did you mean "delta"'):
        parse_experiment({**LEAST, "schemes": [{"name": "kgw", "dleta": 1.0}]}, "it")


def test_all_that_is_wrong_is_in_the_error_and_what_was_meant() -> None:
    with pytest.raises(ExperimentError) as caught:
        parse_experiment({**LEAST, "temprature": 1.0, "text": 5, "nonsense": 1}, "it")
    assert [str(one) for one in caught.value.mistakes] == [
        'it: unknown key "temprature". hint: did you mean "temperature"?',
        'it: unknown key "text". hint: did you mean "texts"?',
        f'it: unknown key "nonsense". hint: known are: {", ".join(sorted(KEYS))}',
    ]
    assert str(caught.value).endswith('did you mean "temperature"? (and 2 more mistakes)')
    meant = caught.value.mended
    assert meant is not None
    assert (meant.temperature, meant.texts) == (1.0, 5)
    with pytest.raises(ExperimentError) as caught:
        parse_experiment({"modles": ["tiny"], "lengths": [50, 25], "seeds": [-1]}, "it")
    assert [one.message.removeprefix("it: ")[:20] for one in caught.value.mistakes] == [
        'unknown key "modles"',
        "languages: field req",
        "schemes: field requi",
        "seeds.0: input shoul",
        "lengths: must be dis",
    ]
    assert caught.value.mended is None


def test_files(tmp_path: Path) -> None:
    path = tmp_path / "e.toml"
    with pytest.raises(stela.StelaError, match="does not exist"):
        read_experiment(path)
    path.write_text("model = ")
    with pytest.raises(stela.StelaError, match="is not TOML"):
        read_experiment(path)
    path.write_text('model = "tiny"\n[languages.en]\ntagger = "penn"\n[[schemes]]\nname = "kgw"\n')
    assert read_experiment(path, {"models": ["a", "b"]}).models == ["a", "b"]
