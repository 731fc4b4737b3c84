"""Profiles whose key was changed: the newest marks, texts are tested for all, p-values for their number."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from stela_sign.rotation.keys import rotated, with_newest
from stela_testing.texts import marked_text, random_text
from tokenizers import Tokenizer

import stela_core as stela
from stela_core.hashing.key_file import number_of, write_key_file
from stela_core.profile.archive import Archive
from stela_core.profile.create import Settings
from stela_core.profile.provenance import trusted
from stela_core.profile.schema import Profile, parse_profile
from tests.tiers import Draws


def public(registry: stela.Registry, tokenizer: Tokenizer, *keys: int) -> Archive:
    """The first key is the oldest."""
    made = Settings("kgw").create(registry, tokenizer, keys[0], public=True).archive
    for key in keys[1:]:
        made = replace(made, profile=rotated(made.profile, key, 1))
    trusted.add(made.profile)
    return made


@pytest.fixture(scope="module")
def three(registry: stela.Registry, tokenizer: Tokenizer) -> stela.Watermark:
    return stela.Watermark(public(registry, tokenizer, 1, 2, 3), None, registry)


@pytest.fixture(scope="module")
def alone(registry: stela.Registry, tokenizer: Tokenizer) -> dict[int, stela.Watermark]:
    return {key: stela.Watermark(public(registry, tokenizer, key), None, registry) for key in (1, 2, 3)}


def test_the_newest_key_marks_and_all_are_tested(
    three: stela.Watermark, alone: dict[int, stela.Watermark]
) -> None:
    assert three.parts.hasher.key == 3
    for key, mark in alone.items():
        text = marked_text(mark)
        detection = three.detect(text)
        assert detection.watermarked
        assert detection.key_id == mark.profile.hasher.key_id
        assert (detection.tests, len(detection.by_key)) == (3, 3)
        assert detection.p_value == 3 * mark.detect(text).p_value
        assert [one.z for one in detection.by_key] == [alone[k].detect(text).z for k in (3, 2, 1)]
        assert detection.to_dict()["tests"] == 3
        ids = three.detector.ids_of([text])
        assert three.detect_ids(ids)[0].p_value == pytest.approx(detection.p_value)
        window = three.with_passage(detection)
        assert window.key_id == detection.key_id
        assert window.window is not None
        own = mark.with_passage(mark.detect(text)).window
        assert own is not None
        assert window.window.p_value == pytest.approx(3 * own.p_value)
        assert key in (1, 2, 3)


def test_a_passage_under_an_old_key_is_found(
    three: stela.Watermark, alone: dict[int, stela.Watermark]
) -> None:
    """Also where the whole text looks a little more marked under another key."""
    text = random_text(5, 300) + marked_text(alone[1], 120) + random_text(6, 300)
    scanned = three.with_passage(three.detect(text))
    assert scanned.watermarked
    assert scanned.key_id == alone[1].profile.hasher.key_id


def test_a_profile_of_one_key_is_written_and_tested_as_before(alone: dict[int, stela.Watermark]) -> None:
    assert "earlier_keys" not in alone[1].profile.to_json().decode()
    detection = alone[1].detect(random_text(1))
    assert (detection.key_id, detection.tests, detection.by_key) == (None, 1, ())
    assert "tests" not in detection.to_dict()


def test_rotation_keeps_the_keys_youngest_first(registry: stela.Registry, tokenizer: Tokenizer) -> None:
    made = public(registry, tokenizer, 1, 2, 3).profile
    assert [made.hasher.key, *(one.key for one in made.hasher.earlier_keys)] == [
        f"{key:016x}" for key in (3, 2, 1)
    ]
    assert parse_profile(made.to_json(), "it") == made
    assert [one.key for one in with_newest(made, 2).hasher.earlier_keys] == [f"{2:016x}"]
    assert with_newest(made, 1).hasher.earlier_keys == ()
    with pytest.raises(stela.StelaError, match="one of the profile's keys already"):
        rotated(made, 2, 1)
    for key in range(10, 10 + Profile.MOST_KEYS - 3):
        made = rotated(made, key, 1)
    with pytest.raises(stela.StelaError, match="16 keys, the most"):
        rotated(made, 99, 1)
    bare = Settings("kgw").create(registry, tokenizer, 1, public=False, named=False).archive.profile
    with pytest.raises(stela.StelaError, match="has no id"):
        rotated(bare, 2, 1)


@pytest.mark.slow
def test_secret_keys_are_given_together_or_said_to_be_missing(
    registry: stela.Registry, tokenizer: Tokenizer, tmp_path: Path
) -> None:
    made = Settings("kgw").create(registry, tokenizer, 1, public=False).archive
    made = replace(made, profile=rotated(made.profile, 2, 1))
    made.write(tmp_path / "p.stela")
    keys = tmp_path / "keys"
    keys.mkdir()
    for key in (1, 2, 3):
        write_key_file(keys / f"{key}.txt", key)
    for given in (keys, [keys / "1.txt", keys / "2.txt"], [1, f"{2:016x}"]):
        both = stela.load(tmp_path / "p.stela", given, registry)
        assert both.keys.missing == ()
        assert [key.number for key, _ in both.detectors] == [2, 1]
    one = stela.load(tmp_path / "p.stela", 2, registry)
    assert one.keys.missing == (made.profile.hasher.earlier_keys[0].key_id,)
    assert one.detect(random_text(1)).tests == 1, "what is not tested counts in nothing"
    with pytest.raises(stela.StelaError, match="none of 1 keys given is it"):
        stela.load(tmp_path / "p.stela", 1, registry)
    with pytest.raises(stela.StelaError, match="no key was given"):
        stela.load(tmp_path / "p.stela", None, registry)


def test_keys_of_a_folder_s_profiles_are_counted_each(
    three: stela.Watermark, alone: dict[int, stela.Watermark]
) -> None:
    several = stela.Watermarks({"old.stela": alone[1], "three.stela": three})
    assert len(several) == 3, "key 1 is tested once"
    text = marked_text(alone[2])
    attribution = several.detect(text)
    assert (attribution.name, attribution.key_id) == ("three.stela", alone[2].profile.hasher.key_id)
    assert attribution.p_value == 3 * alone[2].detect(text).p_value


def test_the_command_rotates_a_profile(
    registry: stela.Registry, tokenizer: Tokenizer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from stela_cli.main import run

    file = tmp_path / "p.stela"
    public(registry, tokenizer, 1).write(file)
    assert run(["profile", "rotate", str(file), "-o", str(file)]) == 2
    assert "--force" in capsys.readouterr().err
    assert run(["profile", "rotate", str(file), "-o", str(file), "--force"]) == 0
    assert "texts are tested for 2 keys" in capsys.readouterr().out
    mark = stela.load(file)
    assert mark.provenance.caveat is None, "still one's own"
    assert [key.number for key, _ in mark.detectors][1] == 1
    assert run(["profile", "show", str(file)]) == 0
    assert "earlier: id " in capsys.readouterr().out
    text = tmp_path / "text.txt"
    text.write_text(marked_text(stela.Watermark(public(registry, tokenizer, 1), None, registry)))
    assert run(["detect", "--profile", str(file), str(text)]) == 0
    shown = capsys.readouterr().out
    assert f"watermarked (key {Archive.read(file).profile.hasher.earlier_keys[0].key_id})" in shown
    assert "2 keys were tested" in shown
    assert run(["detect", "--profile", str(file), str(text), "--csv"]) == 0
    names, row = capsys.readouterr().out.splitlines()
    assert dict(zip(names.split(","), row.split(","), strict=True))["tests"] == "2"
    write_key_file(tmp_path / "k.txt", 5)
    assert run(["profile", "rotate", str(file), "--key-file", str(tmp_path / "k.txt"), "-o", "x"]) == 2
    assert "keys" in capsys.readouterr().err


@pytest.mark.slow
def test_the_p_value_of_a_set_is_one(registry: stela.Registry, tokenizer: Tokenizer, draws: Draws) -> None:
    """Unmarked texts, three random keys each."""
    archive = public(registry, tokenizer, 1, 2, 3)
    mark = stela.Watermark(archive, None, registry)
    rng = np.random.default_rng(3)
    p = []
    for n in range(draws(1_500, 400)):
        keys = [
            (
                replace(key, number=int(number)),
                detector.with_composition(replace(mark.parts, hasher=mark.parts.hasher.under(int(number)))),
            )
            for (key, detector), number in zip(mark.detectors, rng.integers(0, 2**63, 3), strict=True)
        ]
        mark.__dict__["detectors"] = keys
        p.append(mark.detect(random_text(n)).p_value)
    for alpha in (0.2, 0.1, 0.05, 0.01):
        assert (np.array(p) <= alpha).mean() <= alpha + 4 * (alpha * (1 - alpha) / len(p)) ** 0.5
    assert (np.array(p) <= 0.2).mean() > 0.1


@pytest.mark.deep(keep=["digits"])
@pytest.mark.parametrize("written", ["digits", pytest.param("passphrase", marks=pytest.mark.slow)])
def test_a_key_that_the_profile_has_is_no_new_one(
    registry: stela.Registry,
    tokenizer: Tokenizer,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    written: str,
) -> None:
    """Not the current one, nor any earlier one, each under the salt of its own; a dropped one neither."""
    from stela_cli.main import run

    files = [tmp_path / f"{number}.txt" for number in range(3)]
    for number, file in enumerate(files):
        words = f"{number + 7:016x}" if written == "digits" else f"a long passphrase, number {number}"
        file.write_text(words)
        file.chmod(0o600)
    salts = [f"{number:032x}" for number in range(3)]
    first, second = (number_of(file, salt) for file, salt in zip(files[:2], salts[:2], strict=True))
    made = Settings("kgw").create(registry, tokenizer, first, public=False, salt=salts[0]).archive
    profile = tmp_path / "p.stela"
    replace(made, profile=rotated(made.profile, second, 1, salts[1])).write(profile)
    before = profile.read_bytes()
    for file, which in ((files[1], "marks now"), (files[0], "marked before")):
        for more in ([], ["--keep", "1"]):
            command = ["profile", "rotate", str(profile), "--key-file", str(file), *more, "-o", str(profile)]
            assert run([*command, "--force"]) == 2
            said = capsys.readouterr().err
            assert "one of the profile's keys already" in said
            assert which in said
    assert profile.read_bytes() == before
    command = ["profile", "rotate", str(profile), "--key-file", str(files[2]), "-o", str(profile), "--force"]
    assert run(command) == 0
    assert len(Archive.read(profile).profile.hasher.keys) == 3
