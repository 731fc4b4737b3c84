"""Model folders of strangers: nothing in them runs, whether a profile or the user names them."""

from __future__ import annotations

import json
import pickle
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from stela_ctb import Ctb
from stela_ctb.loading import TAGGERS, TOKENIZERS
from stela_testing import run_cli

import stela_core as stela

pytestmark = pytest.mark.slow

Make = Callable[[Path, Path], None]


class Touch:
    """Unpickled, it makes a file."""

    def __init__(self, marker: Path) -> None:
        self.marker = str(marker)

    def __reduce__(self) -> tuple[Any, ...]:
        return Path.touch, (Path(self.marker),)


def settings(folder: Path, part: str = "pos", **changes: Any) -> None:
    """Change the config of one of the two models."""
    file = folder / part / "config.json"
    content = {**json.loads(file.read_text(encoding="utf-8")), **changes}
    file.write_text(json.dumps(content), encoding="utf-8")


RNN = {
    "classpath": "hanlp.components.taggers.rnn_tagger.RNNTagger",
    "rnn_input": None,
    "rnn_hidden": 8,
    "drop": 0.0,
    "crf": False,
    "token_key": "char",
}


def words(folder: Path, marker: Path) -> str:
    """A pickle where HanLP keeps what it read of word vectors."""
    (folder / "words.vocab").write_bytes(pickle.dumps(Touch(marker)))
    (folder / "words.txt").write_text("a 1 2\n", encoding="utf-8")
    return str(folder / "words.txt")


def embedding(path: str) -> dict[str, Any]:
    return {"classpath": "hanlp.layers.embeddings.word2vec.Word2VecEmbedding", "field": "char", "embed": path}


def pickled_words(folder: Path, marker: Path) -> None:
    settings(folder, **RNN, embed=words(folder, marker))


def pickled_words_of_an_embedding(folder: Path, marker: Path) -> None:
    settings(folder, **RNN, embed=embedding(words(folder, marker)))


def pickled_words_deep_inside(folder: Path, marker: Path) -> None:
    inside = {
        "classpath": "hanlp.layers.embeddings.embedding.EmbeddingList",
        "embeddings": [embedding(words(folder, marker))],
    }
    settings(folder, **RNN, embed=inside)


def module(folder: Path, marker: Path) -> str:
    """A module on Python's path that makes a file when it is imported."""
    name = f"of_a_stranger_{marker.parent.name}".replace("-", "_")
    code = f"from pathlib import Path\nPath({str(marker)!r}).touch()\nclass Thing: pass\n"
    (folder.parent / f"{name}.py").write_text(code, encoding="utf-8")
    return f"{name}.Thing"


def nested_class(folder: Path, marker: Path) -> None:
    settings(folder, more={"classpath": module(folder, marker)})


def class_of_a_vocabulary(folder: Path, marker: Path) -> None:
    file = folder / "pos" / "vocabs.json"
    content = json.loads(file.read_text(encoding="utf-8"))
    content["tag"]["type"] = module(folder, marker)
    file.write_text(json.dumps(content), encoding="utf-8")


def other_config(folder: Path, marker: Path) -> None:
    """``meta.json``, which HanLP reads in place of ``config.json``."""
    path = module(folder, marker)
    (folder / "pos" / "meta.json").write_text(json.dumps({"classpath": path}), encoding="utf-8")


def pickled_weights(folder: Path, marker: Path) -> None:
    import torch

    torch.save(Touch(marker), folder / "pos" / "model.pt")


def table_of_characters(folder: Path, marker: Path) -> None:
    settings(
        folder,
        transform={
            "classpath": "hanlp.common.transform.NormalizeCharacter",
            "mapper": module(folder, marker).replace(".", "/"),
            "src": "token",
        },
    )


ATTACKS = [
    pickled_words,
    pickled_words_of_an_embedding,
    pickled_words_deep_inside,
    nested_class,
    class_of_a_vocabulary,
    other_config,
    pickled_weights,
    table_of_characters,
]


@pytest.fixture
def evil(shipped: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path]:
    """A folder as HanLP saves it, and where an attack leaves its mark."""
    shutil.copytree(shipped, tmp_path / "model")
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path / "model", tmp_path / "marker"


@pytest.mark.parametrize("attack", ATTACKS)
def test_a_folder_runs_nothing(evil: tuple[Path, Path], attack: Make) -> None:
    folder, marker = evil
    attack(folder, marker)
    with pytest.raises(stela.StelaError) as caught:
        Ctb(Ctb.Parameters(model=str(folder)))
    assert "\n" not in str(caught.value)
    assert not marker.exists()


@pytest.fixture(scope="module")
def profile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("profile") / "p.stela"
    command = ["profile", "new", "--scheme", "stela", "--tagger", "ctb", "--model", "tiny", "--public-key"]
    assert run_cli(*command, "-o", str(file)).status == 0
    return file


@pytest.mark.parametrize("attack", [pickled_words, nested_class, class_of_a_vocabulary, other_config])
@pytest.mark.parametrize("named", ["by the profile", "by its path", "by the user"])
def test_a_profile_beside_a_folder(
    evil: tuple[Path, Path],
    profile: Path,
    attack: Make,
    named: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import zipfile

    folder, marker = evil
    attack(folder, marker)
    monkeypatch.chdir(folder.parent)
    text, mine = folder.parent / "text.txt", folder.parent / "mine.stela"
    text.write_text("今天早上我们一起去学校上课。", encoding="utf-8")
    with zipfile.ZipFile(profile) as source, zipfile.ZipFile(mine, "w") as target:
        for name in source.namelist():
            data = source.read(name)
            if name == "profile.json":
                content = json.loads(data)
                content["tagger"]["model"] = "model" if named == "by the profile" else str(folder)
                data = json.dumps(content).encode()
            target.writestr(name, data)
    chosen = ["--tagger", f"ctb:{folder}"] if named == "by the user" else []
    said = run_cli("detect", "--profile", mine, *chosen, text)
    assert said.status == 2
    assert said.out == ""
    assert len(said.err.splitlines()) == 1
    assert not marker.exists()


def test_an_honest_folder_is_compared_before_it_is_loaded(
    shipped: Path, profile: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(shipped, tmp_path / "model")
    mark = stela.load(profile, tagger=f"ctb:{tmp_path / 'model'}")
    assert mark.contexts is not None
    settings(tmp_path / "model", more=1)
    monkeypatch.setattr("stela_ctb.loading._load", lambda folder: pytest.fail("loaded"))
    with pytest.raises(stela.StelaError, match="wrong tagger"):
        stela.load(profile, tagger=f"ctb:{tmp_path / 'model'}")


def test_known_names_are_those_of_hanlp() -> None:
    import hanlp.pretrained.pos
    import hanlp.pretrained.tok

    assert set(vars(hanlp.pretrained.pos)) >= TAGGERS
    assert set(vars(hanlp.pretrained.tok)) >= TOKENIZERS
    assert all(Ctb.accepts_from_profile(name) for name in TAGGERS)
    assert all(Ctb.accepts_from_profile(f"{name}+CTB9_POS_ELECTRA_SMALL") for name in TOKENIZERS)
    assert not Ctb.accepts_from_profile("COARSE_ELECTRA_SMALL_ZH")


def test_a_known_name_is_no_folder(shipped: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else a profile could name a folder beside it so."""
    monkeypatch.setenv("HANLP_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    shutil.copytree(shipped, tmp_path / "CTB9_POS_ELECTRA_SMALL")
    with pytest.raises(stela.StelaError, match="is not on this machine"):
        Ctb(Ctb.Parameters(model="CTB9_POS_ELECTRA_SMALL"))
    assert Ctb(Ctb.Parameters(model="./CTB9_POS_ELECTRA_SMALL")).tag(["你好"])


def test_settings_of_published_models_pass(shipped: Path, tmp_path: Path) -> None:
    """What HanLP writes beside a transformer: builders, tables of characters at its own address, words."""
    from stela_ctb.safety import read_config

    shutil.copytree(shipped / "pos", tmp_path / "pos")
    settings(
        tmp_path,
        sampler_builder={"classpath": "hanlp.common.dataset.SortingSamplerBuilder", "batch_size": 32},
        transform={
            "classpath": "hanlp.common.transform.NormalizeCharacter",
            "mapper": "https://file.hankcs.com/corpus/char_table.json.zip",
            "src": "token",
            "dst": "token",
        },
        extra_embeddings={
            "classpath": "hanlp.layers.embeddings.char_cnn.CharCNNEmbedding",
            "field": "token",
            "embed": 16,
        },
        delimiter="/",
        reduction="sum",
        transformer="hfl/chinese-electra-180g-small-discriminator",
        scalar_mix=None,
        lr=5e-05,
    )
    assert read_config(tmp_path / "pos", "pos")["reduction"] == "sum"


def test_code_beside_a_transformer_is_not_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """transformers asks on standard input whether to run it, where detection may read a stranger's text."""
    import io

    from tiny_electra import save_pair

    folder, marker = save_pair(tmp_path / "pair"), tmp_path / "marker"
    code = f"import pathlib\npathlib.Path({str(marker)!r}).touch()\n"
    code += "from transformers import ElectraConfig as Own\n"
    (folder / "electra" / "own.py").write_text(code, encoding="utf-8")
    for name, kind in (("config.json", "AutoConfig"), ("tokenizer_config.json", "AutoTokenizer")):
        file = folder / "electra" / name
        content = json.loads(file.read_text(encoding="utf-8"))
        value: Any = "own.Own" if kind == "AutoConfig" else ["own.Own", "own.Own"]
        content |= {"auto_map": {kind: value}, "model_type": "of-its-own"}
        content.pop("tokenizer_class", None)
        file.write_text(json.dumps(content), encoding="utf-8")
    monkeypatch.setattr("sys.stdin", io.StringIO("y\ny\ny\ny\n"))
    with pytest.raises(stela.StelaError, match="cannot load"):
        Ctb(Ctb.Parameters(model=str(folder)))
    assert not marker.exists()
