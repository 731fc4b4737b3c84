"""Synonyms of a WordNet of a few words, and what happens where there is none."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
import stela_run
from hypothesis import given, settings
from hypothesis import strategies as st
from stela_attacks.wordnet import WordNet
from stela_attacks.wordnet.attack import WORD
from stela_attacks.wordnet.database import open_wordnet
from stela_attacks.wordnet.synonyms import Synonyms
from stela_models.loaded import Models
from stela_run.testing import AttackContract
from stela_run.testing.preflights import Everything

import stela_core as stela
from stela_core.api import parse_parameters

KNOWN = ["city", "Cities", "boxes", "stopped", "watching", "big", "QUICKLY"]
UNKNOWN = ["a", "the", "men", "went", "Bayer", "rivers", "don't", "도시는", "é", "42", ",", "xyz"]


def attack(**parameters: Any) -> stela_run.Attack:
    return WordNet(parse_parameters(WordNet.Parameters, parameters, "wordnet"))


def circumstances(registry: stela.Registry, seed: int = 0) -> stela_run.Circumstances:
    return stela_run.Circumstances("en", seed, [], [], Models(registry))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("form", "expected"),
    [
        ("city", ("metropolis",)),
        ("cities", ("metropolises",)),  # es after a sibilant
        ("boxes", ("crates",)),
        ("watched", ("observed",)),  # verb: its sense is the more frequent; see has no -ed
        ("watching", ("observing", "seeing")),
        ("watches", ("observes", "sees")),
        ("stopped", ("ceased", "halted")),  # irregular in the list, and regular synonyms
        ("halting", ("ceasing", "stopping")),  # and the other way round
        ("halts", ("ceases", "stops")),
        ("big", ("large",)),
        ("quickly", ("rapidly", "speedily")),
        ("man", ("gentleman",)),
        ("moves", ("goes", "travels")),
        ("men", ()),  # an irregular plural
        ("went", ()),
        ("bigger", ()),
        ("a", ()),  # and not angstrom
        ("bayer", ()),  # and not aspirin
        ("river", ()),  # alone in its synset
        ("ties", ()),
        ("s", ()),
        ("", ()),
    ],
)
def test_synonyms(wordnet: Path, form: str, expected: tuple[str, ...]) -> None:
    assert Synonyms(open_wordnet(str(wordnet)), 1, False).of(form) == expected


def test_more_senses_and_phrases(wordnet: Path) -> None:
    reader = open_wordnet(str(wordnet))
    assert Synonyms(reader, 2, False).of("city") == ("metropolis", "town")
    assert Synonyms(reader, 2, False).of("cities") == ("metropolises", "towns")
    assert Synonyms(reader, 1, True).of("city") == ("metropolis", "urban center")
    assert Synonyms(reader, 1, True).of("cities") == ("metropolises",)


def test_capitals_and_what_stands_between(registry: stela.Registry, wordnet: Path) -> None:
    text = "City, (CITY) city's cities; the\nbig CITIES!"
    [changed] = attack(share=1.0, senses=1, path=str(wordnet)).apply([text], circumstances(registry))
    assert changed == "Metropolis, (METROPOLIS) city's metropolises; the\nlarge METROPOLISES!"


@pytest.mark.slow
@settings(deadline=None)
@given(
    st.lists(st.sampled_from(KNOWN + UNKNOWN), max_size=30).map(" ".join), st.floats(0, 1), st.integers(0, 9)
)
def test_the_share_is_replaced(
    registry: stela.Registry, wordnet: Path, text: str, share: float, seed: int
) -> None:
    made = attack(share=share, path=str(wordnet))
    [changed] = made.apply([text], circumstances(registry, seed))
    before, after = WORD.findall(text), WORD.findall(changed)
    able = sum(word in KNOWN for word in before)
    replaced = [old for old, new in zip(before, after, strict=True) if old != new]
    assert len(replaced) == min(int(share * len(before) + 0.5), able)
    assert set(replaced) <= set(KNOWN)
    assert made.apply([text], circumstances(registry, seed)) == [changed]


@given(st.text(max_size=60))
@settings(deadline=None)
def test_any_text(registry: stela.Registry, wordnet: Path, text: str) -> None:
    [changed] = attack(share=0.0, path=str(wordnet)).apply([text], circumstances(registry))
    assert changed == text
    [changed] = attack(share=1.0, path=str(wordnet)).apply([text], circumstances(registry))
    assert WORD.sub("", changed) == WORD.sub("", text)


def test_a_larger_share_replaces_more_of_the_same(registry: stela.Registry, wordnet: Path) -> None:
    text = " ".join(f"{word} x{number}" for number, word in enumerate(KNOWN * 5))
    replaced = []
    for share in (0.1, 0.3, 0.5):
        [changed] = attack(share=share, path=str(wordnet)).apply([text], circumstances(registry))
        pairs = zip(text.split(), changed.split(), strict=True)
        replaced.append({number for number, (old, new) in enumerate(pairs) if old != new})
    assert replaced[0] < replaced[1] < replaced[2]


class TestWordNet(AttackContract):
    @pytest.fixture(scope="class")
    @classmethod
    def attack(cls, wordnet: Path) -> stela_run.Attack:
        return attack(share=0.4, path=str(wordnet))

    @pytest.fixture(scope="class")
    @classmethod
    def texts(cls) -> list[str]:
        return [f"Word {number}: the city stopped watching big boxes quickly." for number in "abcdefgh"]


@pytest.mark.parametrize("nested", [True, pytest.param(False, marks=pytest.mark.slow)])
def test_zip_and_folder_are_the_same(wordnet: Path, tmp_path: Path, nested: bool) -> None:
    base = {"root_dir": wordnet.parent, "base_dir": "wordnet"} if nested else {"root_dir": wordnet}
    packed = shutil.make_archive(str(tmp_path / "wordnet"), "zip", **base)  # type: ignore[arg-type]
    expected = Synonyms(open_wordnet(str(wordnet)), 3, False)
    found = Synonyms(open_wordnet(packed), 3, False)
    assert [found.of(word.lower()) for word in KNOWN] == [expected.of(word.lower()) for word in KNOWN]
    assert found.of("city")
    around = Synonyms(open_wordnet(str(wordnet.parent)), 3, False)
    assert around.of("city") == expected.of("city")


def test_no_wordnet_there(tmp_path: Path) -> None:
    with pytest.raises(stela.StelaError, match="there is no WordNet at"):
        open_wordnet(str(tmp_path / "none.zip"))
    with pytest.raises(stela.StelaError, match=r"no index\.noun in it"):
        open_wordnet(str(tmp_path))
    (tmp_path / "not.zip").write_bytes(b"PK")
    with pytest.raises(stela.StelaError, match="holds no WordNet"):
        open_wordnet(str(tmp_path / "not.zip"))
    (tmp_path / "index.noun").write_text("", encoding="utf-8")
    with pytest.raises(stela.StelaError, match="cannot be read") as raised:
        open_wordnet(str(tmp_path))
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("answer", [False, OSError("no route to host")])
def test_offline_says_what_to_do(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, answer: object) -> None:
    import nltk

    def download(*_: object, **__: object) -> object:
        if isinstance(answer, Exception):
            raise answer
        return answer

    monkeypatch.setattr(nltk.data, "path", [str(tmp_path)])
    monkeypatch.setattr(nltk, "download", download)
    with pytest.raises(stela.StelaError, match=r"could not be downloaded.* nltk\.downloader wordnet"):
        open_wordnet(None)
    with pytest.raises(stela.StelaError, match="could not be downloaded"):
        attack().check(Everything())
    with pytest.raises(stela.StelaError, match="holds no WordNet"):
        attack(path=str(tmp_path)).check(Everything())


def test_found_where_nltk_has_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, wordnet: Path) -> None:
    """As a zip, which is what NLTK's downloader leaves, and after a download."""
    import nltk

    def download(*_: object, **__: object) -> bool:
        (tmp_path / "corpora").mkdir()
        shutil.make_archive(str(tmp_path / "corpora" / "wordnet"), "zip", wordnet.parent, "wordnet")
        return True

    monkeypatch.setattr(nltk.data, "path", [str(tmp_path)])
    monkeypatch.setattr(nltk, "download", download)
    assert Synonyms(open_wordnet(None), 1, False).of("big") == ("large",)


@pytest.mark.parametrize("wrong", [{"share": 1.1}, {"senses": 0}, {"words": 3}, {"path": 7}])
def test_wrong_parameters(wrong: dict[str, Any]) -> None:
    with pytest.raises(stela.StelaError, match="wordnet"):
        attack(**wrong)


def test_registered_for_english(registry: stela.Registry) -> None:
    found = registry.get(stela_run.Attack, "wordnet")
    assert found.languages == {"en"}
