"""``stela.create`` and ``stela.load_model``: a profile and a model in one call each."""

from __future__ import annotations

import os
import re
import stat
from dataclasses import MISSING, fields
from inspect import getdoc, signature
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import click
import pytest
from stela_testing.texts import ENGLISH
from tokenizers import Tokenizer
from transformers import PreTrainedTokenizerFast

import stela_core as stela
from stela_core.composition import resolve_scheme
from stela_core.interfaces import Hasher, Scheme
from stela_core.profile.archive import Archive
from stela_core.profile.create import Settings
from stela_core.profile.schema import NullCheck
from stela_core.registry.components import Registry
from stela_core.registry.manager import LOCAL, Origin, create_plugins
from stela_core.text.token_bytes import TokenBytes
from tests.helpers import LengthTagger, new_keys_are

TEXT = ENGLISH * 4


@pytest.mark.slow
def test_created_is_what_the_command_makes(
    registry: stela.Registry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from stela_cli.main import run

    new_keys_are(monkeypatch, 0x5EED)
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
    with pytest.raises(
        stela.StelaError, match=r"ships no table.*--tagger \S+ --corpus F.jsonl --k \d -o T.json$"
    ):
        stela.create("stela", tokenizer=tokenizer, tagger=tagger, registry=registry)
    with pytest.raises(stela.StelaError, match="needs a tagger"):
        stela.create("stela", tokenizer=tokenizer, registry=registry)
    for arguments in ({}, {"model": "tiny", "tokenizer": tokenizer}):
        with pytest.raises(stela.StelaError, match="either model=NAME or tokenizer"):
            stela.create("kgw", registry=registry, **arguments)  # type: ignore[arg-type]


LANGUAGES = {"en": "penn:causal", "ko": "sejong:causal", "zh": "ctb:causal"} | {
    code: code for code in ("ar", "de", "es", "fr", "hi", "id", "ja", "pt", "ru", "tr", "vi")
}


@pytest.mark.parametrize(("language", "spec"), LANGUAGES.items())
def test_a_language_has_a_tagger_where_none_is_named(
    language: str, spec: str, tokenizer: Tokenizer, registry: stela.Registry
) -> None:
    mark = stela.create("stela", tokenizer=tokenizer, key=7, language=language, registry=registry)
    named = stela.create("stela", tokenizer=tokenizer, key=7, tagger=spec, registry=registry)
    assert mark.profile.tagger == named.profile.tagger
    assert mark.profile.table_sha256 == named.profile.table_sha256
    assert mark.remarks[0] == f'tagger "{spec}": the default for language "{language}"'
    # What a scheme does not need is not taken, and what is named is.
    plain = stela.create("kgw", tokenizer=tokenizer, key=7, language=language, registry=registry)
    assert plain.profile.tagger is None


def test_what_is_named_comes_before_the_default(tokenizer: Tokenizer, registry: stela.Registry) -> None:
    mark = stela.create(
        "stela", tokenizer=tokenizer, key=7, tagger="sejong", language="ko", registry=registry
    )
    assert mark.profile.tagger is not None
    assert mark.profile.tagger.model != "causal"


def test_a_language_without_a_tagger_or_with_two_is_refused(tokenizer: Tokenizer) -> None:
    plugins = create_plugins()

    class Second(LengthTagger):
        name = "second"
        default_for: ClassVar = {"ko": None}

    class Local:
        @stela.hookimpl
        def stela_register_taggers(self) -> type[stela.Tagger]:
            return Second

    plugins.add("second", Local(), Origin("second", LOCAL))
    registry = Registry(plugins)
    with pytest.raises(stela.StelaError, match=r"no installed tagger is the default for language \"tlh\""):
        stela.create("stela", tokenizer=tokenizer, language="tlh", registry=registry)
    with pytest.raises(stela.StelaError, match=r"several taggers are \(second, sejong:causal\) the default"):
        stela.create("stela", tokenizer=tokenizer, language="ko", registry=registry)


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
    assert Archive.read(path).profile.hasher.key == other.key


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


def test_parameters_that_are_no_mapping_are_refused(tokenizer: Tokenizer, registry: stela.Registry) -> None:
    for given in ("gamma=0.5", ["gamma"]):
        with pytest.raises(stela.StelaError, match=r"parameters is a (str|list)\."):
            stela.create("kgw", tokenizer=tokenizer, parameters=given, registry=registry)  # type: ignore[arg-type]


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


@pytest.mark.parametrize("public", [True, False])
def test_a_checked_key_is_the_profiles(
    public: bool, tokenizer: Tokenizer, registry: stela.Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A public key that passed is as one that was drawn; a secret one stays, with its salt."""
    new_keys_are(monkeypatch, 5, 0x5EED)
    given = {"tokenizer": tokenizer, "tagger": "penn", "registry": registry}
    mark = stela.create("stela", key="public" if public else 5, **given)  # type: ignore[arg-type]
    expected = stela.create("stela", key="public", **given) if public else mark  # type: ignore[arg-type]
    check = NullCheck(
        corpus="c",
        corpus_sha256="0" * 64,
        documents=1,
        tests=1,
        keys_drawn=2,
        mean_z=0.0,
        sd_z=1.0,
        shares=[],
    )
    checked = mark.with_checked_key(lambda key, draw: (int(expected.key, 16), [check]))
    assert checked.profile == expected.profile.with_null_checks([check])
    assert (checked.key, checked.remarks) == (expected.key, expected.remarks)
    assert checked.detect(TEXT).p_value == expected.detect(TEXT).p_value
    assert (checked.key == mark.key) == (not public)


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


class Said(NamedTuple):
    """What a docstring says of a parameter."""

    line: str
    unset: str | None
    """What holds where it is not given, if scheme, tagger or profile decide that."""


def said_of_create() -> dict[str, Said]:
    """What the docstring of ``create`` says of each parameter, in its order."""
    told = str(getdoc(stela.create)).partition("Args:\n")[2].partition("\n\n")[0]
    rows = re.findall(r"^    (\w+): (.+?)(?: \[([^]]+)\])?$", re.sub(r"\n {8}", " ", told), re.MULTILINE)
    return {name: Said(line, unset or None) for name, line, unset in rows}


def test_command_and_python_take_the_settings_that_are_said_once(registry: stela.Registry) -> None:
    """Names, defaults and lines are the same in both, and nothing is beside them."""
    from tests.commands import whole_cli

    settings, said = {each.name: each for each in fields(Settings)}, said_of_create()
    taken = signature(stela.create).parameters
    assert list(taken) == list(said)
    assert settings.keys() - taken.keys() == {"hasher", "hasher_parameters", "device"}
    assert taken.keys() - settings.keys() == {"model", "tokenizer", "tagger", "key", "table", "registry"}
    command = whole_cli(registry)
    for name in ("profile", "new"):
        assert isinstance(command, click.Group)
        command = command.commands[name]
    options = {option.name: option for option in command.params}
    others = {"key_file", "public_key", "corpora", "output", "force", "verbose"}
    assert options.keys() - others == taken.keys() - {"tokenizer", "key", "registry"}
    for name, parameter in taken.items():
        if name in settings and settings[name].default is not MISSING:
            assert parameter.default == settings[name].default
            assert parameter.annotation == settings[name].type
        if name in options:
            option = options[name]
            assert isinstance(option, click.Option)
            unset = f"  [default: {said[name].unset}]" if said[name].unset else ""
            assert option.help == said[name].line + unset
            assert option.required == (name == "model")
    kinds = {name: options[name].type.name for name in ("gamma", "k", "language", "calibration")}
    assert kinds == {"gamma": "float", "k": "integer", "language": "text", "calibration": "choice"}
    wrong: dict[str, Any] = {"gama": 0.5}
    with pytest.raises(TypeError, match=r"^create\(\): .* 'gama'; did you mean \"gamma\"\?$"):
        stela.create("kgw", **wrong)


def test_stated_defaults_are_those_of_every_scheme(registry: stela.Registry) -> None:
    """A number that help gives as a default is the default of each scheme that has the setting."""
    said = said_of_create()
    for name in registry.names(Scheme):
        resolved = resolve_scheme(registry, name)
        fields_of = {
            **registry.get(Hasher, resolved.scheme.hasher).Parameters.model_fields,
            **resolved.parameters.model_fields,
        }
        for setting in ("gamma", "delta", "context_width"):
            stated = said[setting].unset
            if setting in fields_of and stated and stated[0].isdigit():
                assert fields_of[setting].default == float(stated), (name, setting)
    profile = stela.create("kgw", "tiny", key="public", registry=registry).profile
    for setting in ("min_tokens", "alpha"):
        assert getattr(profile, setting) == float(str(said[setting].unset))


def test_every_setting_reaches_the_profile(tokenizer: Tokenizer, registry: stela.Registry) -> None:
    given: dict[str, Any] = {
        "gamma": 0.25,
        "delta": 1.5,
        "context_width": 2,
        "bits": 8,
        "parameters": {"repeats": "sum"},
        "calibration": "types",
        "language": "xx",
        "min_tokens": 5,
        "alpha": 0.2,
        "allow_lenient": True,
    }
    profile = stela.create("kgw", tokenizer=tokenizer, key="public", registry=registry, **given).profile
    others = {"scheme", "k", "window", "model", "tokenizer", "tagger", "key", "table", "registry"}
    assert given.keys() == signature(stela.create).parameters.keys() - others
    assert (profile.hasher.gamma, profile.hasher.context_width) == (0.25, 2)
    assert (profile.scheme.parameters["delta"], profile.scheme.parameters["repeats"]) == (1.5, "sum")
    assert (profile.calibration, profile.language) == ("types", "xx")
    assert (profile.min_tokens, profile.alpha) == (5, 0.2)
    assert profile.message is not None
    assert (profile.message.bits, profile.message.code) == (8, "payload")
