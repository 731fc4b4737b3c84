"""``stela detect --keys``: candidates in place of the profile's own key."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from stela_testing.texts import marked_text, random_text

import stela_core as stela
from tests.commands import Stela

KEY = 0x0123456789ABCDEF


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A profile whose own key is secret and not given, forty keys, and a text that one of them marked."""
    made = tmp_path_factory.mktemp("keys")
    stela.create("kgw", model="tiny", key=5).save(made / "p.stela", key_file=made / "own.txt")
    lines = [{"key_id": f"customer-{n}", "key": f"{KEY + n:016x}"} for n in range(40)]
    (made / "keys.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    (made / "keys.jsonl").chmod(0o600)
    mark = stela.create("kgw", model="tiny", key=KEY + 17)
    (made / "marked.txt").write_text(marked_text(mark, 120))
    (made / "human.txt").write_text(random_text(1))
    (made / "empty").mkdir()
    (made / "sets").mkdir()
    write_keys(made / "sets" / "p.jsonl", 40)
    return made


def write_keys(file: Path, count: int, start: int = 0) -> None:
    lines = [{"key_id": f"{file.stem}-{n}", "key": f"{KEY + n:016x}"} for n in range(start, start + count)]
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    file.chmod(0o600)


def test_the_likeliest_key_is_named(stela_: Stela, folder: Path) -> None:
    given = ("--profile", folder / "p.stela", "--keys", folder / "keys.jsonl")
    texts = (folder / "marked.txt", folder / "human.txt")
    done = stela_("detect", *given, *texts, "--json")
    assert done.status == 0, done.err
    marked, human = map(json.loads, done.out.splitlines())
    assert (marked["verdict"], marked["key_id"], marked["tests"]) == ("watermarked", "customer-17", 40)
    assert human["verdict"] == "no watermark found"
    table = stela_("detect", *given, *texts)
    assert "watermarked (key customer-17)" in table.out
    assert "40 keys were tested, p-values are times their number" in table.out


@pytest.mark.deep(stand_in="test_several_profiles_each_with_keys")
def test_the_likeliest_key_is_named_by_workers(stela_: Stela, folder: Path) -> None:
    given = (
        "--profile",
        folder / "p.stela",
        "--keys",
        folder / "keys.jsonl",
        folder / "marked.txt",
        "--json",
    )
    alone, together = stela_("detect", *given), stela_("detect", *given, "--workers", 2)
    assert together.out == alone.out


def test_days_narrow_the_keys(stela_: Stela, folder: Path, tmp_path: Path) -> None:
    lines = [json.loads(line) for line in (folder / "keys.jsonl").read_text().splitlines()]
    for number, line in enumerate(lines):
        line.update(since=f"2026-{1 + number // 10:02}-01", until=f"2026-{2 + number // 10:02}-01")
    keys = tmp_path / "dated.jsonl"
    keys.write_text("".join(json.dumps(line) + "\n" for line in lines))
    keys.chmod(0o600)
    given = ("--profile", folder / "p.stela", "--keys", keys, folder / "marked.txt", "--json")
    done = stela_("detect", *given, "--written-between", "2026-02-01", "2026-02-28")
    said = json.loads(done.out)
    assert (said["key_id"], said["tests"], done.err) == ("customer-17", 10, "")
    none = stela_("detect", *given, "--written-between", "2027-02-01", "2027-02-28")
    assert (none.status, "no candidate key marked between" in none.err) == (2, True)


def test_mistakes_are_one_line(stela_: Stela, folder: Path) -> None:
    own, keys = folder / "own.txt", folder / "keys.jsonl"
    for options, says in (
        (
            ("--profile", folder / "p.stela", "--keys", keys, "--key-file", own),
            "in place of the profile's keys",
        ),
        (("--profile", folder / "p.stela", "--keys", keys, "--keys", keys), "one profile takes one file"),
        (("--profiles", folder, "--keys", keys), 'no profile is called "keys"'),
        (("--profiles", folder, "--keys", folder / "sets", "--keys", folder / "sets"), "two files of keys"),
        (("--profiles", folder, "--keys", folder / "empty"), "holds no file of keys"),
        (("--profiles", folder, "--keys", folder / "gone.jsonl"), "gone.jsonl"),
        (("--profile", folder / "p.stela", "--keys", folder / "human.txt"), "is not JSON"),
    ):
        done = stela_("detect", *options, folder / "human.txt")
        assert done.status == 2
        assert says in done.err
        assert done.err.splitlines()[-1].startswith("error: ")


def test_several_profiles_each_with_keys(stela_: Stela, folder: Path, tmp_path: Path) -> None:
    """One with 40 keys, one with 30, one with its own: p-values are those of each times 71 tests."""
    profiles, sets = tmp_path / "profiles", tmp_path / "sets"
    for made in (profiles, sets):
        made.mkdir()
    for name, scheme, key in (("one", "kgw", 5), ("two", "gumbel", 5), ("own", "kgw", "public")):
        stela.create(scheme, model="tiny", key=key).save(profiles / f"{name}.stela")
    write_keys(sets / "one.jsonl", 40)
    write_keys(tmp_path / "two.jsonl", 30, start=12)
    texts = (folder / "marked.txt", folder / "human.txt")
    given = ("--profiles", profiles, "--keys", sets, "--keys", tmp_path / "two.jsonl")
    done = stela_("detect", *given, *texts, "--json")
    assert (done.status, done.err) == (0, "")
    marked, human = map(json.loads, done.out.splitlines())
    assert (marked["verdict"], marked["profile"], marked["key_id"]) == ("watermarked", "one.stela", "one-17")
    assert marked["tests"] == human["tests"] == 71
    assert human["verdict"] == "no watermark found"
    for name, keys, count in (("one", sets / "one.jsonl", 40), ("two", tmp_path / "two.jsonl", 30)):
        alone = ("--profile", profiles / f"{name}.stela", "--keys", keys)
        for said, by_itself in zip(
            (marked, human),
            map(json.loads, stela_("detect", *alone, *texts, "--json").out.splitlines()),
            strict=True,
        ):
            [mark] = [mark for mark in said["marks"] if mark["profile"] == f"{name}.stela"]
            assert mark["key_id"] == by_itself["key_id"] or mark["p_value"] == 1
            wanted = min(1.0, by_itself["p_value"] * 71 / count)
            assert mark["p_value"] == pytest.approx(wanted, rel=1e-9) or by_itself["p_value"] == 1
    assert stela_("detect", *given, *texts, "--json", "--workers", 2).out == done.out
    table = stela_("detect", *given, *texts)
    assert "71 marks were tested, p-values are times their number" in table.out


def test_days_narrow_the_keys_of_profiles(stela_: Stela, folder: Path, tmp_path: Path) -> None:
    """A profile none of whose keys is of these days is left out, and counts in nothing."""
    sets = {"one": ("2026-01-01", "2026-02-01"), "two": ("2026-02-01", "2026-03-01")}
    for name, (since, until) in sets.items():
        stela.create("kgw", model="tiny", key=5).save(tmp_path / f"{name}.stela")
        line = {"key_id": name, "key": f"{KEY + 17:016x}", "since": since, "until": until}
        (tmp_path / f"{name}.jsonl").write_text(json.dumps(line))
        (tmp_path / f"{name}.jsonl").chmod(0o600)
    given = ("--profiles", tmp_path, "--keys", tmp_path, folder / "marked.txt", "--json")
    done = stela_("detect", *given, "--written-between", "2026-02-05", "2026-02-07")
    said = json.loads(done.out)
    assert (said["profile"], said["key_id"], said["tests"], done.status) == ("two.stela", "two", 1, 2)
    assert "one.stela is left out: no candidate key marked between" in done.err


def test_new_keys_by_the_command(stela_: Stela, folder: Path, tmp_path: Path) -> None:
    made = stela_("key", "new", "--count", 3, "-o", tmp_path / "new.jsonl")
    assert "3 new keys" in made.out
    given = ("--profile", folder / "p.stela", "--keys", tmp_path / "new.jsonl")
    assert json.loads(stela_("detect", *given, folder / "human.txt", "--json").out)["tests"] == 3
