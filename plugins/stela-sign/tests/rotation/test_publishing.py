"""Secret keys with epochs: the day's is needed to mark, one that is over can be published."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
from stela_sign.rotation import commands
from stela_sign.rotation.keys import rotated, with_published
from stela_testing.texts import marked_text
from tokenizers import Tokenizer

import stela_core as stela
from stela_core.hashing.key_file import write_key_file
from stela_core.profile import epochs
from stela_core.profile.archive import Archive
from stela_core.profile.create import Settings
from stela_core.profile.provenance import trusted
from stela_core.profile.schema import parse_profile

MARCH = date(2026, 3, 1)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[date]:
    """The day it is; its one entry may be changed."""
    now = [date(2026, 1, 15)]
    monkeypatch.setattr(epochs, "today", lambda: now[0])
    monkeypatch.setattr(commands, "today", lambda: now[0])
    return now


@pytest.fixture(scope="module")
def secret(registry: stela.Registry, tokenizer: Tokenizer) -> Archive:
    """Secret key 1 until March, then key 2."""
    made = Settings("kgw").create(registry, tokenizer, 1, public=False).archive
    made = replace(made, profile=rotated(made.profile, 2, 1, "00" * 16, MARCH))
    trusted.add(made.profile)
    return made


def test_the_key_of_today_alone_is_needed_to_mark(
    secret: Archive, registry: stela.Registry, clock: list[date]
) -> None:
    first = stela.Watermark(secret, 1, registry)
    assert first.parts_now().hasher.key == 1
    assert first.keys.missing == (secret.profile.hasher.key_id,)
    clock[0] = MARCH
    with pytest.raises(stela.StelaError, match="secret and was not given"):
        first.parts_now()
    with pytest.raises(stela.StelaError, match="none of 1 keys given is it"):
        stela.Watermark(secret, 9, registry)


def test_a_published_key_tests_for_all_and_says_so(
    secret: Archive, registry: stela.Registry, clock: list[date]
) -> None:
    old = secret.profile.hasher.earlier_keys[0]
    with pytest.raises(stela.StelaError, match="ends with 2026-02-28"):
        with_published(secret.profile, old.key_id, 1, 1, clock[0])
    made = with_published(secret.profile, old.key_id, 1, 1, MARCH)
    assert parse_profile(made.to_json(), "it") == made
    assert made.hasher.key is None
    assert made.hasher.earlier_keys[0].key == f"{1:016x}"
    anyone = stela.Watermark(replace(secret, profile=made), None, registry)
    assert anyone.keys.missing == (made.hasher.key_id,)
    insider = stela.Watermark(secret, 1, registry)
    text = marked_text(insider)
    detection = anyone.detect(text)
    assert detection.p_value == insider.detect(text).p_value
    assert (detection.key_id, detection.tests) == (old.key_id, 1)
    assert f"key {old.key_id} was published on 2026-03-01" in str(detection.caveat)
    assert insider.detect(text).caveat is None
    several = stela.Watermarks({"p": anyone}).detect(text)
    assert "was published on" in str(several.tested[0].caveat)
    both = stela.Watermark(replace(secret, profile=made), 2, registry).detect(text)
    assert both.tests == 2
    assert ["published" in (one.caveat or "") for one in both.by_key] == [False, True]
    clock[0] = MARCH
    with pytest.raises(stela.StelaError, match="secret and was not given"):
        anyone.parts_now()
    with pytest.raises(stela.StelaError, match="public already"):
        with_published(made, old.key_id, 1, 1, MARCH)
    with pytest.raises(stela.StelaError, match="has no key 12345678"):
        with_published(made, "12345678", 1, 1, MARCH)
    with pytest.raises(stela.StelaError, match="has no end"):
        with_published(made, str(made.hasher.key_id), 2, 1, MARCH)
    early = with_published(made, str(made.hasher.key_id), 2, 1, MARCH, early=True)
    assert not early.hasher.is_public
    with pytest.raises(stela.StelaError, match="no key of the profile marks"):
        stela.Watermark(replace(secret, profile=early), None, registry).parts_now()


@pytest.mark.slow
def test_commands_rotate_publish_and_test(
    registry: stela.Registry,
    tokenizer: Tokenizer,
    tmp_path: Path,
    clock: list[date],
    capsys: pytest.CaptureFixture[str],
) -> None:
    from stela_cli.main import run

    made = Settings("kgw").create(registry, tokenizer, 1, public=False).archive
    trusted.add(made.profile)
    file = tmp_path / "p.stela"
    made.write(file)
    for key in (1, 2, 3):
        write_key_file(tmp_path / f"{key}.txt", key)
    name, out = str(file), ["-o", str(file), "--force"]
    rotate = ["profile", "rotate", name, "--key-file", str(tmp_path / "2.txt"), *out]
    assert run([*rotate, "--until", "2026-09-01"]) == 2
    assert "has no first day" in capsys.readouterr().err
    assert run([*rotate, "--from", "2026-01-01"]) == 2
    assert "is past" in capsys.readouterr().err
    assert run([*rotate, "--from", "1.3.2026"]) == 2
    assert "is not a day" in capsys.readouterr().err
    assert run([*rotate, "--from", "2026-03-01", "--until", "2026-06-01"]) == 0
    assert "marks since 2026-03-01, until 2026-06-01 (UTC)" in capsys.readouterr().out
    publish = ["profile", "publish", name, *out, "--key-file"]
    assert run([*publish, str(tmp_path / "1.txt")]) == 2
    assert "ends with 2026-02-28" in capsys.readouterr().err
    clock[0] = MARCH
    assert run([*publish, str(tmp_path / "3.txt")]) == 2
    assert "holds none of the profile's keys" in capsys.readouterr().err
    assert run([*publish, str(tmp_path / "1.txt"), "--key-id", "00000000"]) == 2
    assert "has no key 00000000" in capsys.readouterr().err
    assert run([*publish, str(tmp_path / "1.txt")]) == 0
    assert "is public, 1 of 2 keys stay secret" in capsys.readouterr().out
    assert run(["profile", "show", name]) == 0
    assert "until 2026-03-01, published 2026-03-01" in " ".join(capsys.readouterr().out.split())
    text = tmp_path / "text.txt"
    text.write_text(marked_text(stela.Watermark(made, 1, registry)))
    detect = ["detect", "--profile", name, str(text)]
    assert run(detect) == 0
    said = capsys.readouterr()
    assert "watermarked (key" in said.out
    assert "anyone could write text that carries its mark" in said.out
    assert "was not given: texts are not tested for it" in said.err
    between = [*detect, "--written-between", "2026-01-01", "2026-02-28"]
    assert run([*between, "--json"]) == 0
    said = capsys.readouterr()
    assert '"caveat": "key ' in said.out
    assert not said.err, "the key of another day is not missed"
    assert run([*detect, "--written-between", "2026-07-01", "2026-07-02"]) == 2
    assert "no key of the profile marked between" in capsys.readouterr().err
    assert run([*detect, "--written-between", "2026-07-01", "soon"]) == 2
    assert run([*publish, str(tmp_path / "2.txt"), "--early"]) == 0
    assert "warning: key" in capsys.readouterr().err
    assert run([*rotate[:4], str(tmp_path / "3.txt"), *out]) == 0
    assert "marks since 2026-06-01 (UTC)" in capsys.readouterr().out
