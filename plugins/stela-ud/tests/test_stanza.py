"""``ud-stanza`` on a pipeline that Stanza's own programs train in a few seconds (see conftest.py)."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import pytest
from stela_testing import TaggerContract
from stela_ud import UdStanza

import stela_core as stela

pytest.importorskip("stanza")

TEXT = (
    "The old dog slept near the door. She has written three long letters to her brother. I don't know him. "
    "If it rains, they will stay at home. We can not go to London today. Who wants more coffee? "
)

pytestmark = [pytest.mark.slow, pytest.mark.deep(stand_in=None)]


@pytest.fixture(scope="module")
def tagger(stanza_folder: Path) -> UdStanza:
    return UdStanza(UdStanza.Parameters(model=str(stanza_folder)))


class TestContract(TaggerContract):
    @pytest.fixture(scope="class")
    @classmethod
    def tagger(cls, stanza_folder: Path) -> UdStanza:
        return UdStanza(UdStanza.Parameters(model=str(stanza_folder)))

    @pytest.fixture(scope="class")
    @classmethod
    def texts(cls) -> list[str]:
        return [TEXT[start : start + 8 + start % 41] for start in range(0, len(TEXT) - 60, 5)]


def test_tags_agree_with_a_human(
    tagger: UdStanza, hand_tagged: dict[str, list[list[tuple[str, str]]]]
) -> None:
    """On what it was trained on: words, spans and tags arrive where they belong."""
    right = total = 0
    for sentence in hand_tagged["en"]:
        text = " ".join(word for word, _ in sentence).replace(" .", ".").replace(" ,", ",")
        found = {(text[t.start : t.end], t.tag) for t in tagger.tag([text])[0]}
        right += sum(pair in found for pair in sentence)
        total += len(sentence)
    assert right / total > 0.85


def test_words_of_a_multi_word_token_share_its_span(tagger: UdStanza) -> None:
    text = "I don't know him."
    tags = tagger.tag([text])[0]
    assert [text[t.start : t.end] for t in tags] == ["I", "don't", "don't", "know", "him", "."]
    assert tags[1][1:] == tags[2][1:] == (2, 7)


def test_tags_are_those_of_stanza(tagger: UdStanza, stanza_folder: Path) -> None:
    import stanza
    from stela_ud.stanza_loading import options_of_folder

    language, options = options_of_folder(stanza_folder)
    assert language == "en"
    nlp = stanza.Pipeline(
        language, dir=str(stanza_folder), resources_filepath=_listing(stanza_folder), download_method=None,
        use_gpu=False, logging_level="ERROR", **options,
    )  # fmt: skip
    expected = [word.upos for sentence in nlp(TEXT).sentences for word in sentence.words]
    assert [tag.tag for tag in tagger.tag([TEXT])[0]] == expected


def _listing(folder: Path) -> str:
    file = folder.parent / "resources.json"
    file.write_text("{}", encoding="utf-8")
    return str(file)


def test_installed_language_by_name(
    stanza_folder: Path, tagger: UdStanza, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The layout that ``stanza.download`` leaves: resources.json, and LANGUAGE/PROCESSOR/PACKAGE.pt."""
    monkeypatch.setenv("STANZA_RESOURCES_DIR", str(tmp_path))
    with pytest.raises(stela.StelaError) as caught:
        UdStanza()
    assert "stanza.download('en', processors='tokenize,pos')" in caught.value.hint
    packages = {"tokenize": "hand", "mwt": "hand", "pos": "hand"}
    entry = {
        "lang_name": "English", "packages": {"default": packages}, "default_processors": packages,
        "tokenize": {"hand": {"md5": ""}}, "mwt": {"hand": {"md5": ""}}, "pos": {"hand": {"md5": ""}},
    }  # fmt: skip
    listing = {"en": entry, "english": {"alias": "en"}}
    (tmp_path / "resources.json").write_text(json.dumps(listing), encoding="utf-8")
    with pytest.raises(stela.StelaError, match="are not in"):
        UdStanza()
    for part, name in (("tokenize", "tokenizer"), ("pos", "tagger")):
        (tmp_path / "en" / part).mkdir(parents=True)
        shutil.copy(stanza_folder / f"en_hand_{name}.pt", tmp_path / "en" / part / "hand.pt")
    with pytest.raises(stela.StelaError) as caught:
        UdStanza()
    assert "processors='tokenize,mwt,pos'" in caught.value.hint
    (tmp_path / "en" / "mwt").mkdir()
    shutil.copy(stanza_folder / "en_hand_mwt_expander.pt", tmp_path / "en" / "mwt" / "hand.pt")
    by_name = UdStanza()
    assert (by_name.model, by_name.language, by_name.k) == ("en", "en", 2)
    assert by_name.tag([TEXT]) == tagger.tag([TEXT])
    assert UdStanza(UdStanza.Parameters(model="english")).language == "en"
    with pytest.raises(stela.StelaError, match='"xx" are not in'):
        UdStanza(UdStanza.Parameters(model="xx"))


def test_folders_that_are_not_pipelines(stanza_folder: Path, tmp_path: Path) -> None:
    with pytest.raises(stela.StelaError, match=r"no file \*tokenizer\*\.pt"):
        UdStanza(UdStanza.Parameters(model=str(tmp_path)))
    with pytest.raises(stela.StelaError, match="no folder"):
        UdStanza(UdStanza.Parameters(model=str(tmp_path / "nothing")))
    broken = tmp_path / "broken"
    shutil.copytree(stanza_folder, broken)
    (broken / "en_hand_tagger.pt").write_bytes(b"not a model")
    with pytest.raises(stela.StelaError, match="cannot load"):
        UdStanza(UdStanza.Parameters(model=str(broken)))
    shutil.copy(stanza_folder / "en_hand_tagger.pt", broken / "en_other_tagger.pt")
    with pytest.raises(stela.StelaError, match="2 files"):
        UdStanza(UdStanza.Parameters(model=str(broken)))


def test_fingerprint_is_of_the_bytes_and_not_the_place(
    tagger: UdStanza, stanza_folder: Path, tmp_path: Path
) -> None:
    shutil.copytree(stanza_folder, tmp_path / "copy")
    assert UdStanza(UdStanza.Parameters(model=str(tmp_path / "copy"))).fingerprint == tagger.fingerprint
    assert "stanza" in tagger.version


def test_number_of_threads_is_given_back(tagger: UdStanza) -> None:
    import torch

    before = torch.get_num_threads()
    tagger.tag([TEXT])
    assert torch.get_num_threads() == before


def test_without_stanza(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "stanza", None)
    assert not UdStanza.status().ok
    assert "pip install" in UdStanza.status().hint
    with pytest.raises(stela.MissingLibraryError, match="pip install"):
        UdStanza()


def test_hook_registers_the_tagger(registry: stela.Registry) -> None:
    assert registry.get(stela.Tagger, "ud-stanza") is UdStanza


class Touch:
    """Unpickled, it makes a file."""

    def __init__(self, marker: Path) -> None:
        self.marker = str(marker)

    def __reduce__(self) -> tuple[object, ...]:
        return Path.touch, (Path(self.marker),)


@pytest.mark.parametrize("name", ["en_hand_tokenizer.pt", "en_hand_tagger.pt", "en_hand_pretrain.pt"])
def test_a_folder_runs_nothing(stanza_folder: Path, tmp_path: Path, name: str) -> None:
    """Refused before Stanza reads any file: some of its versions unpickle what torch refuses."""
    import torch

    shutil.copytree(stanza_folder, tmp_path / "model")
    torch.save({"vocab": Touch(tmp_path / "marker")}, tmp_path / "model" / name)
    with pytest.raises(stela.StelaError, match=f"cannot load Stanza's model .*{name}") as caught:
        UdStanza(UdStanza.Parameters(model=str(tmp_path / "model")))
    assert "\n" not in str(caught.value)
    assert not (tmp_path / "marker").exists()


@pytest.mark.parametrize(
    ("name", "key"),
    [("en_hand_tagger.pt", "bert_model"), ("en_hand_tokenizer.pt", "charlm_forward_file")],
)
def test_a_folder_names_no_other_model(stanza_folder: Path, tmp_path: Path, name: str, key: str) -> None:
    import torch

    shutil.copytree(stanza_folder, tmp_path / "model")
    content = torch.load(tmp_path / "model" / name, weights_only=True)
    content["config"][key] = "nobody/of-a-stranger"
    torch.save(content, tmp_path / "model" / name)
    with pytest.raises(stela.StelaError, match=rf"nobody/of-a-stranger.*\({key}\), which is not loaded"):
        UdStanza(UdStanza.Parameters(model=str(tmp_path / "model")))


def test_another_folder_is_refused_before_it_is_loaded(
    stanza_folder: Path, tagger: UdStanza, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from stela_core.profile.parts import tagger_of
    from stela_core.profile.schema import TaggerPart

    registry = stela.create_registry()
    part = TaggerPart(name="ud-stanza", model="x", version="", fingerprint=tagger.fingerprint)
    shutil.copytree(stanza_folder, tmp_path / "model")
    spec = f"ud-stanza:{tmp_path / 'model'}"
    assert tagger_of(part, registry, spec).fingerprint == tagger.fingerprint
    for model in (str(tmp_path / "model"), "model", "english", "en/..", "zh-hans/x"):
        with pytest.raises(stela.StelaError, match="is not one that a profile may load"):
            tagger_of(part.model_copy(update={"model": model}), registry)
    with (tmp_path / "model" / "en_hand_tagger.pt").open("ab") as file:
        file.write(b"\n")
    monkeypatch.setattr("torch.load", lambda *_, **__: pytest.fail("loaded"))
    with pytest.raises(stela.StelaError, match="wrong tagger"):
        tagger_of(part, registry, spec)


def test_a_language_is_no_folder(
    stanza_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else a profile could name a folder beside it so."""
    monkeypatch.setenv("STANZA_RESOURCES_DIR", str(tmp_path / "none"))
    monkeypatch.chdir(tmp_path)
    shutil.copytree(stanza_folder, tmp_path / "en")
    assert UdStanza.accepts_from_profile("en")
    assert UdStanza.accepts_from_profile("zh-hans")
    with pytest.raises(stela.StelaError, match="are not in"):
        UdStanza(UdStanza.Parameters(model="en"))
    assert UdStanza(UdStanza.Parameters(model="./en")).language == "en"


def test_a_hint_repeats_no_strange_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STANZA_RESOURCES_DIR", str(tmp_path))
    with pytest.raises(stela.StelaError) as caught:
        UdStanza(UdStanza.Parameters(model="en'); import os #"))
    assert "import os" not in caught.value.hint
