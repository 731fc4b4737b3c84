"""A tagger built on the library as the README does it."""

import re
from pathlib import Path
from typing import Any

import pytest
from stela_spacy.tagger import SpacyTagger

import stela_core as stela

pytestmark = pytest.mark.slow

spacy = pytest.importorskip("spacy")
README = Path(__file__).parents[1] / "README.md"


@pytest.mark.deep(stand_in="plugins/stela-ud/tests/test_shipped.py::test_tags_are_those_of_spacy")
def test_example_of_the_readme_tags_words_where_they_stand(tmp_path: Path) -> None:
    folder = tmp_path / "model"
    spacy.blank("fr").to_disk(folder)
    [code] = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    scope: dict[str, Any] = {}
    exec(code.replace("fr_core_news_sm", str(folder)), scope)
    tagger = scope["French"]()
    assert isinstance(tagger, SpacyTagger)
    text = "Il pleut,  déjà."
    expected = [(0, 2), (3, 8), (8, 9), (11, 15), (15, 16)]
    assert tagger.tag([text, ""]) == [[stela.Tag("X", *span) for span in expected], []]
    assert tagger.fingerprint == tagger.fingerprint_of_folder(folder)
    assert scope["stela_register_taggers"]() is scope["French"]
