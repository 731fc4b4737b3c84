"""spaCy pipelines that a user brings: folders, packages, and what can be wrong with them."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example
from spacy.util import fix_random_seed
from stela_testing import TaggerContract, run_cli
from stela_ud import UdSpacy

import stela_core as stela

pytestmark = [
    pytest.mark.slow,
    pytest.mark.deep(stand_in="plugins/stela-ud/tests/test_shipped.py::TestEnglish"),
]


def tiny(language: str, component: str, words: list[str], tags: list[str]) -> Language:
    """A pipeline that has learnt one sentence by heart."""
    fix_random_seed(1)
    nlp = spacy.blank(language)
    nlp.add_pipe(component)
    given = {"pos": tags} if component == "morphologizer" else {"tags": [f"x{tag}" for tag in tags]}
    examples = [Example(nlp.make_doc(" ".join(words)), Doc(nlp.vocab, words=words, **given))]
    nlp.initialize(lambda: examples)
    for _ in range(12):
        nlp.update(examples)
    return nlp


GERMAN = ["Der", "Hund", "schläft", "heute", "."]
GERMAN_TAGS = ["DET", "NOUN", "VERB", "ADV", "PUNCT"]
ENGLISH = ["The", "dog", "sleeps", "today", "."]


@pytest.fixture(scope="module")
def german(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models") / "german"
    tiny("de", "morphologizer", GERMAN, GERMAN_TAGS).to_disk(folder)
    return folder


def ruled(patterns: list[dict[str, object]], parser: bool = False) -> Language:
    """Own tags, and an attribute ruler that maps them, as spaCy's English and Chinese models have it."""
    nlp = tiny("en", "tagger", ENGLISH, GERMAN_TAGS)
    if parser:
        nlp.add_pipe("parser").add_label("mark")
        nlp.get_pipe("parser").model.initialize()
    nlp.add_pipe("attribute_ruler").add_patterns(
        [{"patterns": [[{"TAG": f"x{tag}"}]], "attrs": {"POS": tag}} for tag in GERMAN_TAGS] + patterns
    )
    return nlp


class TestGerman(TaggerContract):
    @pytest.fixture(scope="class")
    @classmethod
    def tagger(cls, german: Path) -> UdSpacy:
        return UdSpacy(UdSpacy.Parameters(model=str(german)))

    @pytest.fixture(scope="class")
    @classmethod
    def texts(cls) -> list[str]:
        text = "Der Hund schläft heute nicht. Die Katze läuft, und der Vogel singt laut im Garten!"
        return [text[:end] for end in range(20, len(text))]


def test_folder_with_morphologizer(german: Path) -> None:
    tagger = UdSpacy(UdSpacy.Parameters(model=str(german)))
    assert [tag.tag for tag in tagger.tag([" ".join(GERMAN)])[0]] == GERMAN_TAGS
    assert (tagger.language, tagger.k, tagger.unit, tagger.tables()) == ("de", 3, "word", {})


def test_tagger_with_attribute_ruler(tmp_path: Path) -> None:
    ruled([]).to_disk(tmp_path / "m")
    tagger = UdSpacy(UdSpacy.Parameters(model=str(tmp_path / "m")))
    assert [tag.tag for tag in tagger.tag([" ".join(ENGLISH)])[0]] == GERMAN_TAGS
    assert tagger.language == "en"
    # As penn does: the tables of the shipped model of this language stand in, and profile new says so.
    assert tagger.tables() == UdSpacy().tables()
    assert set(tagger.tables()) >= {tagger.k}


def test_a_profile_takes_the_shipped_table(tmp_path: Path) -> None:
    ruled([]).to_disk(tmp_path / "m")
    command = ["profile", "new", "--scheme", "stela", "--model", "tiny", "--public-key"]
    out = str(tmp_path / "p.stela")
    done = run_cli(*command, "--tagger", f"ud-spacy:{tmp_path / 'm'}", "-o", out)
    assert done.status == 0
    assert "note: the table was built with" in done.err
    assert stela.load(out, tagger=f"ud-spacy:{tmp_path / 'm'}").detect("The dog sleeps today.").scored_tokens
    with pytest.raises(stela.StelaError, match="is not one that a profile may load"):
        stela.load(out)


def test_package_by_name(german: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A package as ``spacy package`` makes it, found through its metadata."""
    meta = json.loads((german / "meta.json").read_text(encoding="utf-8"))
    package = tmp_path / "de_tiny_ud"
    data = package / f"{meta['lang']}_{meta['name']}-{meta['version']}"
    data.parent.mkdir()
    data.symlink_to(german)
    (package / "meta.json").write_text(json.dumps(meta), encoding="utf-8")
    (package / "__init__.py").write_text(
        "from spacy.util import load_model_from_init_py\n"
        "def load(**overrides):\n    return load_model_from_init_py(__file__, **overrides)\n",
        encoding="utf-8",
    )
    information = tmp_path / "de_tiny_ud-0.1.dist-info"
    information.mkdir()
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: de_tiny_ud\nVersion: 0.1\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    tagger = UdSpacy(UdSpacy.Parameters(model="de_tiny_ud"))
    assert tagger.model == "de_tiny_ud"
    assert [tag.tag for tag in tagger.tag([" ".join(GERMAN)])[0]] == GERMAN_TAGS
    assert tagger.fingerprint == UdSpacy(UdSpacy.Parameters(model=str(german))).fingerprint


def test_only_what_is_needed_is_kept(tmp_path: Path) -> None:
    """The parser goes, unless a rule asks for what it finds."""
    ruled([], parser=True).to_disk(tmp_path / "free")
    rule: dict[str, object] = {"patterns": [[{"TAG": "xADV", "DEP": "mark"}]], "attrs": {"POS": "SCONJ"}}
    ruled([rule], parser=True).to_disk(tmp_path / "bound")
    pipes = {
        name: UdSpacy(UdSpacy.Parameters(model=str(tmp_path / name)))._nlp.pipe_names
        for name in ("free", "bound")
    }
    assert pipes == {"free": ["tagger", "attribute_ruler"], "bound": ["tagger", "parser", "attribute_ruler"]}


def test_no_universal_parts_of_speech(tmp_path: Path) -> None:
    spacy.blank("en").to_disk(tmp_path / "blank")
    tiny("en", "tagger", ENGLISH, GERMAN_TAGS).to_disk(tmp_path / "own")
    for name in ("blank", "own"):
        with pytest.raises(stela.StelaError, match="no universal parts of speech"):
            UdSpacy(UdSpacy.Parameters(model=str(tmp_path / name)))


def test_names_that_lead_nowhere(tmp_path: Path) -> None:
    with pytest.raises(stela.StelaError) as caught:
        UdSpacy(UdSpacy.Parameters(model="de_core_news_sm_"))
    assert caught.value.hint == 'did you mean "de_core_news_sm"?'
    with pytest.raises(stela.StelaError, match="cannot read"):
        UdSpacy(UdSpacy.Parameters(model=str(tmp_path)))


@pytest.mark.parametrize(
    ("tokenizer", "language", "package"),
    [
        ({"@tokenizers": "spacy.zh.ChineseTokenizer", "segmenter": "jieba"}, "zh", "jieba"),
        ({"@tokenizers": "spacy.zh.ChineseTokenizer", "segmenter": "pkuseg"}, "zh", "spacy-pkuseg"),
        ({"@tokenizers": "spacy.ko.KoreanTokenizer"}, "ko", "natto-py"),
    ],
)
def test_segmenter_that_is_not_installed(
    tokenizer: dict[str, str], language: str, package: str, tmp_path: Path
) -> None:
    if importlib.util.find_spec({"natto-py": "natto", "spacy-pkuseg": "spacy_pkuseg"}.get(package, package)):
        pytest.skip(f"{package} is installed")
    nlp = spacy.blank(language, config={"nlp": {"tokenizer": {"@tokenizers": "spacy.Tokenizer.v1"}}})
    nlp.to_disk(tmp_path / "m")
    config = spacy.util.load_config(tmp_path / "m" / "config.cfg")
    config["nlp"]["tokenizer"] = tokenizer
    config.to_disk(tmp_path / "m" / "config.cfg")
    if "segmenter" in tokenizer:
        (tmp_path / "m" / "tokenizer").unlink()
        (tmp_path / "m" / "tokenizer").mkdir()
        cfg = {"segmenter": tokenizer["segmenter"]}
        (tmp_path / "m" / "tokenizer" / "cfg").write_text(json.dumps(cfg), encoding="utf-8")
    with pytest.raises(stela.StelaError) as caught:
        UdSpacy(UdSpacy.Parameters(model=str(tmp_path / "m")))
    assert caught.value.hint == f"pip install {package}"


def test_without_spacy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "spacy", None)  # import spacy -> ImportError
    assert not UdSpacy.status().ok
    assert "pip install" in UdSpacy.status().hint
    with pytest.raises(stela.MissingLibraryError, match="pip install"):
        UdSpacy()


def test_import_is_light() -> None:
    code = "import sys, stela_ud; print(sorted({'spacy', 'thinc', 'stanza', 'torch'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
