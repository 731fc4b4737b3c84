from pathlib import Path

import pytest
from stela_template import Template
from stela_template.tagger import TemplateParameters, endings, learn
from stela_testing import TaggerContract

import stela_core as stela

# Not in the treebank: what the endings say (nouns -o, adjectives -a, adverbs -e, verbs -as -is -i) is right.
PROSE = "La verda stelo lumas super nia vojo, kaj ni esperas trovi amikojn en ĉiuj landoj de la mondo. "


class TestTemplate(TaggerContract):
    @pytest.fixture(scope="class")
    @classmethod
    def tagger(cls) -> Template:
        return Template()

    @pytest.fixture(scope="class")
    @classmethod
    def texts(cls) -> list[str]:
        return [PROSE[start : start + 12 + start] for start in range(0, 60, 2)]


def test_endings_decide_for_new_words() -> None:
    [tags] = Template().tag(["Bluaj okuloj dancis dolĉe."])
    assert [tag.tag for tag in tags] == ["ADJ", "NOUN", "VERB", "ADV", "PUNCT"]


def test_learning_by_hand() -> None:
    treebank = "1\tarbo\t_\tNOUN\n1-2\tal la\t_\t_\n1.1\tx\t_\tX\n2\tdo\t_\tADV\n3\tdo\t_\tADV\n"
    best = learn(treebank)
    assert best["\narbo"] == best["bo"] == "NOUN"
    assert best["o"] == best[""] == best["\ndo"] == "ADV"
    assert endings("do") == ["\ndo", "do", "o", ""]


def test_treebank_missing_or_empty(tmp_path: Path) -> None:
    with pytest.raises(stela.StelaError, match="cannot be read"):
        Template(TemplateParameters(model=str(tmp_path / "none.conllu")))
    (tmp_path / "empty.conllu").write_text("\n", encoding="utf-8")
    with pytest.raises(stela.StelaError, match="holds no tags"):
        Template(TemplateParameters(model=str(tmp_path / "empty.conllu")))


def test_tables_of_the_shipped_treebank_alone(tmp_path: Path) -> None:
    assert set(Template().tables()) == {2}
    other = tmp_path / "other.conllu"
    other.write_text("1\tarbo\t_\tNOUN\n", encoding="utf-8")
    tagger = Template(TemplateParameters(model=str(other)))
    assert tagger.tables() == {}
    assert tagger.fingerprint != Template().fingerprint
