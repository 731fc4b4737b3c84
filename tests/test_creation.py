"""``stela.create`` and ``stela.load_model``: a profile and a model in one call each."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest
from tokenizers import Tokenizer
from transformers import PreTrainedTokenizerFast

import stela_core as stela
from stela_core.profile.archive import read_archive
from stela_core.registry.components import Registry
from stela_core.registry.manager import create_plugins
from stela_core.text.token_bytes import TokenBytes
from tests.helpers import ENGLISH, LengthTagger

TEXT = ENGLISH * 4


@pytest.mark.slow
def test_created_is_what_the_command_makes(
    registry: stela.Registry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from stela_core.cli.main import run

    for module in ("cli.profile_new", "creation"):
        monkeypatch.setattr(f"stela_core.{module}.new_key", lambda *words: 0x5EED)
    command = "profile new --scheme stela --tagger penn --model tiny --public-key --delta 1.5 --k 3 -o"
    assert run([*command.split(), str(tmp_path / "command.stela")]) == 0
    mark = stela.create("stela", model="tiny", tagger="penn", key="public", delta=1.5, k=3, registry=registry)
    mark.save(tmp_path / "python.stela")
    assert (tmp_path / "python.stela").read_bytes() == (tmp_path / "command.stela").read_bytes()
    loaded = stela.load(tmp_path / "python.stela", registry=registry)
    assert loaded.detect(TEXT).to_dict() == mark.detect(TEXT).to_dict()


def test_tokenizer_and_tagger_may_be_objects(tokenizer: Tokenizer, registry: stela.Registry) -> None:
    mark = stela.create("kgw", tokenizer=tokenizer, key=7, registry=registry)
    wrapped = stela.create(
        "kgw", tokenizer=PreTrainedTokenizerFast(tokenizer_object=tokenizer), key=7, registry=registry
    )
    assert mark.profile.vocab_size == wrapped.profile.vocab_size == len(TokenBytes.of(tokenizer))
    tagger = LengthTagger()
    with pytest.raises(stela.StelaError, match="ships no table"):
        stela.create("stela", tokenizer=tokenizer, tagger=tagger, registry=registry)
    with pytest.raises(stela.StelaError, match="needs a tagger"):
        stela.create("stela", tokenizer=tokenizer, registry=registry)
    for arguments in ({}, {"model": "tiny", "tokenizer": tokenizer}):
        with pytest.raises(stela.StelaError, match="either model=NAME or tokenizer"):
            stela.create("kgw", registry=registry, **arguments)  # type: ignore[arg-type]


def test_an_existing_profile_is_replaced_only_by_force(
    tokenizer: Tokenizer, tmp_path: Path, registry: stela.Registry
) -> None:
    path = tmp_path / "p.stela"
    stela.create("kgw", tokenizer=tokenizer, key="public", registry=registry).save(path)
    first = path.read_bytes()
    other = stela.create("kgw", tokenizer=tokenizer, key="public", registry=registry)
    with pytest.raises(stela.StelaError, match="exists"):
        other.save(path)
    assert path.read_bytes() == first
    other.save(path, force=True)
    assert read_archive(path).profile.hasher.key == other.key


def test_a_drawn_secret_key_is_never_lost(
    tokenizer: Tokenizer, tmp_path: Path, registry: stela.Registry
) -> None:
    path, key_file = tmp_path / "p.stela", tmp_path / "key.txt"
    mark = stela.create("kgw", tokenizer=tokenizer, registry=registry)
    with pytest.raises(stela.StelaError, match=r"nobody else has it.*key_file"):
        mark.save(path)
    assert not path.exists()
    mark.save(path, key_file=key_file)
    assert mark.profile.hasher.key is None
    assert key_file.read_text() == mark.key + "\n"
    if os.name == "posix":
        assert stat.S_IMODE(key_file.stat().st_mode) == 0o600
    assert stela.load(path, key=key_file.read_text(), registry=registry).detect(TEXT).scored_tokens > 10
    other = stela.create("kgw", tokenizer=tokenizer, registry=registry)
    with pytest.raises(stela.StelaError, match=r"exists.*lost"):
        other.save(tmp_path / "q.stela", key_file=key_file)
    assert not (tmp_path / "q.stela").exists()
    with pytest.raises(stela.StelaError, match="cannot be written"):
        other.save(tmp_path / "q.stela", key_file=tmp_path / "none" / "key.txt")


def test_a_given_key_is_secret_and_the_users_own(
    tokenizer: Tokenizer, tmp_path: Path, registry: stela.Registry
) -> None:
    mark = stela.create("kgw", tokenizer=tokenizer, key="00000000000000ff", registry=registry)
    mark.save(tmp_path / "p.stela")
    assert mark.profile.hasher.key is None
    assert stela.load(tmp_path / "p.stela", key=255, registry=registry).profile == mark.profile
    with pytest.raises(stela.StelaError, match="not 16 hex digits"):
        stela.create("kgw", tokenizer=tokenizer, key="secret", registry=registry)
    public = stela.create("kgw", tokenizer=tokenizer, key="public", registry=registry)
    with pytest.raises(stela.StelaError, match="the key is public"):
        public.save(tmp_path / "q.stela", key_file=tmp_path / "key.txt")


def test_model_by_name(tmp_path: Path, registry: stela.Registry) -> None:
    model, tokenizer = stela.load_model("tiny", device="cpu", registry=registry)
    assert model.config.vocab_size >= len(tokenizer)
    assert tokenizer.padding_side == "left"
    (tmp_path / "empty").mkdir()
    (tmp_path / "file").write_text("x")
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "config.json").write_text("{}")
    for name, reason in {
        "none": "does not exist",
        "empty": "holds no model: it has no config.json",
        "file": "is a file, not a model's folder",
        "broken": r"cannot be loaded: .* give an alias \(tiny, tiny-small\), a folder",
    }.items():
        with pytest.raises(stela.StelaError, match=reason):
            stela.load_model(str(tmp_path / name), registry=registry)
    bare = Registry(create_plugins(installed=[]))
    with pytest.raises(stela.StelaError, match=r'"tiny" is not installed. hint: pip install stela-tiny'):
        stela.load_model("tiny", registry=bare)
