"""``stela detect --keys``: candidates in place of the profile's own key."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import stela_core as stela
from stela_core.testing.texts import marked_text, random_text
from tests.cli.conftest import Stela

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
    return made


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
    shared = stela_("detect", *given, *texts, "--json", "--workers", 2)
    assert shared.out == done.out


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
        (("--profiles", folder, "--keys", keys), "--keys is for one profile"),
        (("--profile", folder / "p.stela", "--keys", folder / "human.txt"), "is not JSON"),
    ):
        done = stela_("detect", *options, folder / "human.txt")
        assert done.status == 2
        assert says in done.err
        assert done.err.splitlines()[-1].startswith("error: ")


def test_new_keys_by_the_command(stela_: Stela, folder: Path, tmp_path: Path) -> None:
    made = stela_("key", "new", "--count", 3, "-o", tmp_path / "new.jsonl")
    assert "3 new keys" in made.out
    given = ("--profile", folder / "p.stela", "--keys", tmp_path / "new.jsonl")
    assert json.loads(stela_("detect", *given, folder / "human.txt", "--json").out)["tests"] == 3
