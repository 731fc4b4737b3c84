"""A folder's pipeline with its special cases made once, beside what spaCy makes of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from stela_spacy.end_search import EndSearch
from stela_spacy.rules_once import load_folder
from stela_spacy.safety import read_config

spacy = pytest.importorskip("spacy")

TEXT = "I don't think they'd've gone to the U.S. (or km/h...), 'cause it's 10a.m. :-) and I'm gonna Stay."


def folder_of(language: str, norms: dict[str, str], folder: Path) -> Path:
    nlp = spacy.blank(language)
    if norms:
        nlp.vocab.lookups.add_table("lexeme_norm", norms)
    # A rule that the language has not, and one that it has and the folder not.
    rules = dict(nlp.tokenizer.rules)
    rules.pop("don't", None)
    nlp.tokenizer.rules = {**rules, "Stay.": [{65: "Stay"}, {65: ".", 67: "!"}]}
    nlp.to_disk(folder)
    return folder


def words_of(nlp: Any) -> list[tuple[str, str, str, str]]:
    return [(word.text, word.norm_, word.shape_, word.whitespace_) for word in nlp(TEXT)]


@pytest.mark.parametrize("norms", [{}, {"they": "THEY", "gone": "left"}], ids=["none", "norms"])
@pytest.mark.parametrize("language", ["en", "xx"])
def test_pipeline_is_that_of_spacy(language: str, norms: dict[str, str], tmp_path: Path) -> None:
    folder = folder_of(language, norms, tmp_path / "model")
    expected = spacy.load(folder)
    nlp: Any = load_folder(folder, (), read_config(folder, str(folder)))
    assert isinstance(nlp.tokenizer.suffix_search, EndSearch)
    assert words_of(nlp) == words_of(expected)
    assert dict(nlp.tokenizer.rules) == dict(expected.tokenizer.rules)
    assert nlp.config == expected.config
    for lexeme in expected.vocab:
        assert nlp.vocab[lexeme.orth].norm == lexeme.norm


def test_rules_are_made_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the folder has no norms: no rule of the language is made before those of the folder."""
    folder = folder_of("en", {}, tmp_path / "model")
    made: list[int] = []
    plain = spacy.tokenizer.Tokenizer

    def counting(vocab: Any, rules: Any = None, **others: Any) -> Any:
        made.append(len(rules or {}))
        return plain(vocab, rules=rules, **others)

    monkeypatch.setattr("spacy.tokenizer.Tokenizer", counting)
    monkeypatch.setattr("spacy.language.Tokenizer", counting)
    load_folder(folder, (), read_config(folder, str(folder)))
    assert made == [0]
