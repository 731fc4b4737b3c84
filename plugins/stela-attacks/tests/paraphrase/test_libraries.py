"""NLTK, which cuts texts into sentences, is looked for before a run begins."""

from __future__ import annotations

import sys

import pytest
import stela_run
from stela_run.testing.preflights import Everything

import stela_core as stela


@pytest.mark.parametrize(
    ("name", "parameters", "extra"),
    [
        ("paraphrase-dipper", {}, "paraphrase"),
        ("paraphrase-translate", {"there": "a", "back": "b"}, "paraphrase"),
        ("wordnet", {}, "wordnet"),
    ],
)
def test_without_nltk_it_is_one_line(
    registry: stela.Registry,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    parameters: dict[str, str],
    extra: str,
) -> None:
    kind = registry.get(stela_run.Attack, name)
    attack = kind(kind.Parameters(**parameters))
    monkeypatch.setitem(sys.modules, "nltk", None)
    with pytest.raises(stela.MissingLibraryError, match=rf'hint: pip install "stela-attacks\[{extra}\]"$'):
        attack.check(Everything())
