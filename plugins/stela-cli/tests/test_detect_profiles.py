"""``stela detect --profiles``: whose mark is it."""

from __future__ import annotations

import csv
import io
import json
import shutil
from pathlib import Path

import pytest

import stela_core as stela
from tests.commands import Stela

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def folder(profiles: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Profiles of three marks, one of them with a secret key, and a damaged file."""
    folder = tmp_path_factory.mktemp("many")
    for name in ("stela", "kgw", "secret"):
        shutil.copy(profiles[name], folder)
    (folder / "zz.stela").write_bytes(b"nothing")
    return folder


@pytest.fixture(scope="module")
def texts(marked_texts: Path) -> Path:
    """One text marked under kgw, one under the secret key, one of nobody."""
    return marked_texts


def test_json_has_each_p_value_and_names_the_owner(
    stela_: Stela, folder: Path, texts: Path, profiles: dict[str, Path]
) -> None:
    ended = stela_("detect", "--profiles", folder, "--key-file", profiles["key"], texts, "--json")
    assert ended.status == 2
    assert ended.err.count("is left out") == 1
    assert "error: zz.stela is left out: " in ended.err
    human, kgw, secret = ended.json
    assert (kgw["verdict"], kgw["profile"], kgw["tests"]) == ("watermarked", "kgw.stela", 3)
    assert (secret["verdict"], secret["profile"]) == ("watermarked", "secret.stela")
    assert human["verdict"] == "no watermark found"
    for line in ended.json:
        assert sorted(one["profile"] for one in line["marks"]) == ["kgw.stela", "secret.stela", "stela.stela"]
        assert line["p_value"] == line["marks"][0]["p_value"]
    text = (texts / "kgw.txt").read_text(encoding="utf-8")
    alone = stela.load(profiles["kgw"]).detect(text)
    assert kgw["p_value"] == pytest.approx(3 * alone.p_value)
    assert kgw["key_id"] == stela.load(profiles["kgw"]).profile.hasher.key_id


def test_a_missing_key_is_said_and_counts_in_nothing(stela_: Stela, folder: Path, texts: Path) -> None:
    ended = stela_("detect", "--profiles", folder, texts / "kgw.txt", "--json")
    assert "error: secret.stela is left out: the profile's key (id " in ended.err
    [line] = ended.json
    assert line["tests"] == 2
    assert [one["profile"] for one in line["marks"]] == ["kgw.stela", "stela.stela"]


def test_csv_has_a_row_for_each_text_and_profile(stela_: Stela, folder: Path, texts: Path) -> None:
    ended = stela_("detect", "--profiles", folder, texts, "--csv")
    rows = list(csv.DictReader(io.StringIO(ended.out)))
    assert len(rows) == 3 * 2
    assert {row["tests"] for row in rows} == {"2"}
    assert rows[2]["source"].endswith("kgw.txt")
    assert (rows[2]["profile"], rows[2]["verdict"]) == ("kgw.stela", "watermarked")


def test_the_table_says_what_was_corrected(stela_: Stela, folder: Path, texts: Path) -> None:
    ended = stela_("detect", "--profiles", folder, texts)
    assert "2 marks were tested, p-values are times their number" in ended.out
    assert "3 texts; marks found: kgw.stela 1" in ended.out


def test_windows_tokens_and_exit_codes_go_with_it(stela_: Stela, folder: Path, texts: Path) -> None:
    text = texts / "kgw.txt"
    [line] = stela_("detect", "--profiles", folder, text, "--json", "--windows", "--tokens").json
    assert line["window"]["p_value"] == line["marks"][0]["p_window"]
    assert line["passages"]
    assert line["tokens"]
    shown = stela_("detect", "--profiles", folder, text, "--windows").out
    assert "look marked, p-value" in shown
    good = folder.parent / "good"
    good.mkdir(exist_ok=True)
    shutil.copy(folder / "kgw.stela", good)
    assert stela_("detect", "--profiles", good, text, "--quiet").status == 0
    assert stela_("detect", "--profiles", good, texts / "human.txt", "--quiet").status == 1


def test_one_mark_under_two_names_is_noted(
    stela_: Stela, profiles: dict[str, Path], texts: Path, tmp_path: Path
) -> None:
    for name in ("one.stela", "two.stela"):
        shutil.copy(profiles["kgw"], tmp_path / name)
    ended = stela_("detect", "--profiles", tmp_path, texts / "kgw.txt", "--json")
    assert "note: two.stela is the mark of one.stela under another name: it is tested once" in ended.err
    assert ended.status == 0
    assert ended.json[0]["tests"] == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "give either --profile P.stela or --profiles DIR"),
        (("--profiles", "{folder}", "--profile", "{folder}/kgw.stela"), "give either --profile"),
        (("--profiles", "{folder}", "--tagger", "penn:x"), "--tagger is for one profile"),
        (("--profiles", "{folder}/kgw.stela"), "is not a folder"),
        (("--profiles", "{folder}", "--key-file", "{folder}/gone"), "gone"),
        (("--profiles", "{folder}", "--csv", "--tokens"), "--csv has one row"),
    ],
)
def test_what_does_not_combine_is_one_line(
    stela_: Stela, folder: Path, texts: Path, arguments: tuple[str, ...], message: str
) -> None:
    given = [each.format(folder=folder) for each in arguments]
    ended = stela_("detect", *given, texts / "kgw.txt")
    assert ended.status == 2
    assert message in ended.err
    assert ended.err.count("\n") == 1
    assert json.dumps(ended.out) == '""'
