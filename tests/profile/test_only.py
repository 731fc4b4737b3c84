"""What is known of a text before it is read narrows the search, and p-values count what is left."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from pathlib import Path
from random import Random

import pytest
from stela_detection.search.candidates import Candidate
from stela_sign.rotation.keys import rotated
from stela_testing.texts import marked_text, random_text
from tokenizers import Tokenizer

import stela_core as stela
from stela_core.profile.archive import Archive
from stela_core.profile.create import Settings

KEYS = [Random(9).getrandbits(64) + n for n in range(50)]


def public(registry: stela.Registry, tokenizer: Tokenizer, key: int) -> Archive:
    return Settings("kgw").create(registry, tokenizer, key, public=True).archive


@pytest.fixture(scope="module")
def marks(
    registry: stela.Registry, tokenizer: Tokenizer, tmp_path_factory: pytest.TempPathFactory
) -> stela.Watermarks:
    """Two epochs of one profile, a profile of one key, and one with candidates."""
    folder = tmp_path_factory.mktemp("only")
    first = public(registry, tokenizer, 1)
    replace(first, profile=rotated(first.profile, 2, 1, since=date(2026, 11, 1))).write(
        folder / "epochs.stela"
    )
    public(registry, tokenizer, 3).write(folder / "one.stela")
    public(registry, tokenizer, 4).write(folder / "many.stela")
    named = [Candidate(key_id=f"c{n}", key=key) for n, key in enumerate(KEYS)]
    return stela.load_all(folder, registry=registry, candidates={"many": named})


def test_all_are_counted(marks: stela.Watermarks) -> None:
    assert (len(marks), marks.names) == (53, ["epochs.stela", "one.stela", "many.stela"])
    text = random_text(1)
    attribution = marks.detect(text)
    assert (attribution.tests, len(attribution.tested)) == (53, 4)
    assert attribution.to_dict()["tests"] == 53
    [many] = [one for one in attribution.tested if one.name == "many.stela"]
    alone = marks["many.stela"].detect(text)
    assert many.p_value == pytest.approx(min(1.0, 53 / 50 * alone.p_value))


def test_a_candidates_mark_is_found_beside_others(
    marks: stela.Watermarks, registry: stela.Registry, tokenizer: Tokenizer
) -> None:
    mark = stela.Watermark(public(registry, tokenizer, KEYS[33]), None, registry)
    text = marked_text(mark)
    for windows in (False, True):
        said = marks.detect(text, windows=windows)
        assert (said.watermarked, said.name, said.key_id) == (True, "many.stela", "c33")
    narrowed = marks.only(key_id="c33").detect(text)
    assert (narrowed.tests, narrowed.watermarked) == (1, True)
    assert narrowed.p_value == mark.detect(text).p_value


def test_names_ids_and_days(marks: stela.Watermarks) -> None:
    text = random_text(2)
    epochs = marks["epochs.stela"]
    assert len(marks.only(["one.stela"])) == 1
    assert len(marks.only(["epochs.stela"])) == 2
    # A key without an epoch may be of any day.
    assert len(marks.only(written=("2026-12-01", "2026-12-24"))) == 52
    young = epochs.only(written=("2026-12-01", "2026-12-24"))
    assert (young.detect(text).tests, young.parts.hasher.key) == (1, 2)
    key_id = epochs.profile.hasher.earlier_keys[0].key_id
    old = epochs.only(key_id).detect(text)
    assert (old.key_id, old.tests) == (key_id, 1)
    assert old.z == epochs.detect(text).by_key[1].z


def test_nothing_left_is_said(marks: stela.Watermarks) -> None:
    for key_id, written in (("nobody", None), ("c3", ("2026-02-30", "2026-03-01"))):
        with pytest.raises(stela.StelaError):
            marks.only(key_id=key_id, written=written)
    with pytest.raises(stela.StelaError, match="no profile is named"):
        marks.only([])
    with pytest.raises(stela.StelaError, match="no key at hand"):
        marks["epochs.stela"].only("c3")


def test_a_file_of_keys_is_called_as_its_profile(tmp_path: Path, marks: stela.Watermarks) -> None:
    public(stela.create_registry(), marks["one.stela"].tokenizer, 3).write(tmp_path / "one.stela")
    with pytest.raises(stela.StelaError, match='no profile is called "two"'):
        stela.load_all(tmp_path, candidates={"two": [Candidate(key_id="a", key=1)]})
