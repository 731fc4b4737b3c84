"""Models of the user: by folder, by HanLP's name, and what is said when they cannot be used."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from ctb_texts import SENTENCES, windows
from stela_ctb import Ctb
from tiny_electra import TAGS, save_pair

import stela_core as stela

pytestmark = [
    pytest.mark.slow,
    pytest.mark.deep(stand_in="plugins/stela-ctb/tests/test_contract.py::TestShipped"),
]


@pytest.fixture(scope="module")
def electra(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a tiny pair of the same architecture as HanLP's pretrained one."""
    return save_pair(tmp_path_factory.mktemp("electra"))


@pytest.fixture(scope="module")
def tiny(electra: Path) -> Ctb:
    return Ctb(Ctb.Parameters(model=str(electra)))


def load(model: str | Path, **more: int) -> Ctb:
    return Ctb(Ctb.Parameters(model=str(model), **more))


TEXTS = [*SENTENCES[:8], *windows(20), "我 用 Linux", "龘🙂\u200b好", "", " \n", "中" * 300]


def test_a_pair_of_transformers_tags_all_but_white_space(tiny: Ctb) -> None:
    found = tiny.tag(TEXTS)
    for text, tags in zip(TEXTS, found, strict=True):
        assert "".join(text[t.start : t.end] for t in tags) == "".join(text.split())
        assert {t.tag for t in tags} <= set(TAGS)
    # Not all in one: the tokenizer cuts and the tagger tells apart.
    assert len({t.tag for tags in found for t in tags}) > 1
    assert any(t.end - t.start > 1 for tags in found for t in tags)


def test_transformers_say_what_hanlp_says(tiny: Ctb, electra: Path) -> None:
    import hanlp

    tokenizer, tagger = (
        hanlp.load(str(electra / part), devices=-1, verbose=False) for part in ("tok", "pos")
    )
    for text in ("今天早上我们一起去学校上课。", "湖水清澈见底，周围的山上长满了松树。"):
        words = tokenizer(text)
        expected = list(zip(words, tagger(words), strict=True))
        assert [(text[t.start : t.end], t.tag) for t in tiny.tag([text])[0]] == expected


def test_transformers_are_pure(tiny: Ctb) -> None:
    alone = [tiny.tag([text])[0] for text in TEXTS]
    assert tiny.tag(TEXTS) == alone
    assert tiny.tag(TEXTS[::-1]) == alone[::-1]
    assert tiny.last_tags(TEXTS, 2) == [tuple(t.tag for t in tags[-2:]) for tags in alone]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda text: tiny.tag([text])[0], TEXTS)) == alone


def test_threads_of_torch_are_left_alone(electra: Path, tiny: Ctb) -> None:
    import torch

    before = torch.get_num_threads()
    one = load(electra, threads=before + 1)
    assert one.tag(TEXTS[:9]) == tiny.tag(TEXTS[:9])
    assert one.fingerprint == tiny.fingerprint
    assert torch.get_num_threads() == before
    Ctb(Ctb.Parameters(threads=before + 1)).tag(TEXTS[:9])
    assert torch.get_num_threads() == before


def test_names_of_hanlp_that_were_downloaded(
    electra: Path, tiny: Ctb, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As HanLP lays them out: below its home, in folders named by the addresses."""
    import hanlp.pretrained.pos
    import hanlp.pretrained.tok

    monkeypatch.setenv("HANLP_HOME", str(tmp_path))
    addresses = {
        "tok": hanlp.pretrained.tok.COARSE_ELECTRA_SMALL_ZH,
        "pos": hanlp.pretrained.pos.CTB9_POS_ELECTRA_SMALL,
    }
    name = "CTB9_POS_ELECTRA_SMALL"
    for part, address in addresses.items():
        with pytest.raises(stela.StelaError, match="is not on this machine") as caught:
            load(name)
        assert f"hanlp.load(hanlp.pretrained.{part}." in caught.value.hint
        assert address in caught.value.hint
        shutil.copytree(electra / part, tmp_path / part / Path(address).stem)
    found = load(name)
    assert found.model == name
    assert found.tag(TEXTS[:5]) == tiny.tag(TEXTS[:5])
    both = load(f"COARSE_ELECTRA_SMALL_ZH+{name}")
    assert both.fingerprint == found.fingerprint == tiny.fingerprint


def test_a_transformer_that_was_not_downloaded(
    electra: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HANLP_HOME", str(tmp_path / "home"))
    shutil.copytree(electra, tmp_path / "pair")
    config = tmp_path / "pair" / "tok" / "config.json"
    content = json.loads(config.read_text(encoding="utf-8"))
    for name, hint in (
        ("hfl/chinese-electra-180g-small-discriminator", "electra_zh_small"),
        ("nobody/has-this-model", "download it once with hf download"),
    ):
        config.write_text(json.dumps({**content, "transformer": name}), encoding="utf-8")
        with pytest.raises(stela.StelaError, match=name) as caught:
            load(tmp_path / "pair")
        assert hint in caught.value.hint
        assert "nobody" not in caught.value.hint  # a config's words are not part of a command


@pytest.mark.parametrize(
    ("model", "hint"),
    [
        ("CTB9_POS_ELECTRA_SMAL", 'did you mean "CTB9_POS_ELECTRA_SMALL"?'),
        ("COARSE_ELECTRA_SMAL_ZH+CTB9_POS_ELECTRA_SMALL", 'did you mean "COARSE_ELECTRA_SMALL_ZH"?'),
        ("shiped", 'did you mean "shipped"?'),
    ],
)
def test_unknown_names(model: str, hint: str) -> None:
    with pytest.raises(stela.StelaError, match="has no model") as caught:
        load(model)
    assert caught.value.hint == hint


@pytest.mark.parametrize("part", ["tok", "pos"])
@pytest.mark.parametrize("name", ["config.json", "vocabs.json", "model.pt"])
def test_files_that_are_missing_or_broken(shipped: Path, tmp_path: Path, part: str, name: str) -> None:
    folder = tmp_path / "model"
    shutil.copytree(shipped, folder)
    file = folder / part / name
    file.write_bytes(b"{" + file.read_bytes()[:100])
    with pytest.raises(stela.StelaError, match="cannot") as caught:
        load(folder)
    assert str(file.parent) in caught.value.message
    assert "pkg_resources" not in caught.value.message
    file.unlink()
    with pytest.raises(stela.StelaError, match=f"{name} is missing"):
        load(folder)


def test_models_in_the_wrong_place(shipped: Path, tmp_path: Path) -> None:
    for part, other in (("tok", "pos"), ("pos", "tok")):
        shutil.copytree(shipped / part, tmp_path / other)
    with pytest.raises(stela.StelaError, match="holds a CharacterTagger, which is not a tokenizer"):
        load(tmp_path)


def test_code_of_others_is_not_run(shipped: Path, tmp_path: Path) -> None:
    shutil.copytree(shipped, tmp_path / "model")
    config = tmp_path / "model" / "tok" / "config.json"
    content = json.loads(config.read_text(encoding="utf-8"))
    config.write_text(json.dumps({**content, "classpath": "other.CharacterTokenizer"}), encoding="utf-8")
    with pytest.raises(stela.StelaError, match="holds a CharacterTokenizer, which is not a tokenizer"):
        load(tmp_path / "model")


@pytest.mark.parametrize("own", ["tok", "pos"])
def test_one_shipped_model_beside_one_of_the_user(
    electra: Path, shipped: Path, tmp_path: Path, own: str
) -> None:
    for part in ("tok", "pos"):
        shutil.copytree((shipped if part == own else electra) / part, tmp_path / part)
    with pytest.raises(stela.StelaError, match="cannot load"):
        load(tmp_path)


def test_fingerprint_is_of_the_bytes_and_not_the_place(shipped: Path, tmp_path: Path) -> None:
    folder = tmp_path / "elsewhere"
    shutil.copytree(shipped, folder)
    copy = load(folder)
    assert copy.fingerprint == Ctb().fingerprint
    assert copy.model == str(folder)
    assert copy.tag(TEXTS) == Ctb().tag(TEXTS)
    config = folder / "pos" / "config.json"
    config.write_text(config.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    assert load(folder).fingerprint != copy.fingerprint


def test_shipped_models_are_small(shipped: Path) -> None:
    assert sum(file.stat().st_size for file in shipped.rglob("*") if file.is_file()) <= 6_000_000


def test_training_record_names_data_and_licences(shipped: Path) -> None:
    record = json.loads((shipped.parent / "training.json").read_text(encoding="utf-8"))
    assert "CC BY-SA 4.0" in " ".join(record["data"].values())
    assert record["figures"]["accuracy_gold_words_test"] >= 0.90
    assert record["figures"]["segmentation_f1_test"] >= 0.88


@pytest.mark.parametrize("library", ["hanlp", "torch"])
def test_without_a_library(monkeypatch: pytest.MonkeyPatch, library: str) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    assert not Ctb.status().ok
    assert "pip install" in Ctb.status().hint
    with pytest.raises(stela.MissingLibraryError, match=f"needs {library}.*pip install"):
        Ctb()


def test_import_is_light() -> None:
    code = (
        "import sys, stela_ctb; print(sorted({'hanlp', 'torch', 'numba', 'transformers'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_loading_says_nothing(shipped: Path) -> None:
    code = "from stela_ctb import Ctb; Ctb().tag(['你好'])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("", "")


def test_tables_are_files_named_by_k() -> None:
    assert all(path.name == f"k{k}.json" and path.is_file() for k, path in Ctb().tables().items())


def test_registered_under_its_name(registry: stela.Registry) -> None:
    assert registry.get(stela.Tagger, "ctb") is Ctb
