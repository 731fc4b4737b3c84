"""Bad input gets one clear line on stderr, nothing on stdout, and exit status 2."""

from __future__ import annotations

import json
import sys
import zipfile
from pathlib import Path

import pytest
from stela_testing import assert_refused

from tests.commands import Stela

NEW = ("profile", "new", "--model", "tiny", "--public-key")


@pytest.fixture
def text(tmp_path: Path) -> Path:
    file = tmp_path / "text.txt"
    file.write_text("한국의 역사는 오래되었다.", encoding="utf-8")
    return file


def change(source_: Path, to: Path, **members: bytes | None) -> Path:
    """A copy of a profile with some members replaced or left out."""
    with zipfile.ZipFile(source_) as source, zipfile.ZipFile(to, "w") as target:
        for name in source.namelist():
            data = members.get(name.split(".")[0], source.read(name))
            if data is not None:
                target.writestr(name, data)
    return to


def test_unknown_plugin_with_a_suggestion(stela_: Stela, tmp_path: Path) -> None:
    out = tmp_path / "p.stela"
    assert_refused(
        stela_(*NEW, "--scheme", "stella", "-o", out), 'unknown scheme "stella"', 'did you mean "stela"?'
    )
    assert_refused(
        stela_(*NEW, "--scheme", "stela", "--tagger", "sejon", "-o", out), 'did you mean "sejong"?'
    )
    assert_refused(stela_("detekt"), 'unknown command "detekt"', 'did you mean "detect"?')
    assert not out.exists()


@pytest.mark.parametrize(
    ("tagger", "library", "command"),
    [("penn", "spacy", 'pip install "spacy'), ("sejong", "kiwipiepy", "pip install kiwipiepy")],
)
def test_missing_optional_library(
    stela_: Stela, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tagger: str, library: str, command: str
) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    outcome = stela_(*NEW, "--scheme", "stela", "--tagger", tagger, "-o", tmp_path / "p.stela")
    assert_refused(outcome, command)
    listed = stela_("plugins", "--json")
    [row] = [row for row in json.loads(listed.out) if row["name"] == tagger]
    assert row["status"] == "unavailable"
    assert command in row["hint"]


def test_missing_torch(stela_: Stela, profiles: dict[str, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    outcome = stela_("generate", "--profile", profiles["kgw"], "--model", "tiny", "--prompt", "a")
    assert_refused(outcome, "torch", 'pip install "stela-core[generate]"')


def test_missing_torch_where_detection_needs_it(
    stela_: Stela, tmp_path: Path, text: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    profile = tmp_path / "ewd.stela"
    assert stela_(*NEW, "--scheme", "ewd", "-o", profile).status == 0
    monkeypatch.setitem(sys.modules, "torch", None)
    assert_refused(
        stela_("detect", "--profile", profile, text), 'scheme "ewd" weighs each token', "--model NAME"
    )
    outcome = stela_("detect", "--profile", profile, text, "--model", "tiny")
    assert_refused(outcome, "running the language model needs torch", 'pip install "stela-core[generate]"')


def test_wrong_tokenizer_or_table_for_a_profile(
    stela_: Stela, profiles: dict[str, Path], tmp_path: Path, text: Path
) -> None:
    changed = change(profiles["stela"], tmp_path / "a.stela", tokenizer=b"{}")
    assert_refused(stela_("detect", "--profile", changed, text), "the tokenizer", "sha256")
    changed = change(profiles["stela"], tmp_path / "b.stela", table=b"{}")
    assert_refused(stela_("detect", "--profile", changed, text), "the table", "sha256")
    changed = change(profiles["stela"], tmp_path / "c.stela", table=None)
    assert_refused(stela_("detect", "--profile", changed, text), "holds no table")


def test_wrong_tagger_for_a_profile(
    stela_: Stela, profiles: dict[str, Path], tmp_path: Path, text: Path
) -> None:
    with zipfile.ZipFile(profiles["stela"]) as source:
        content = json.loads(source.read("profile.json"))
    content["tagger"]["fingerprint"] = "0" * 16
    content["tagger"]["version"] = "kiwipiepy 0.1"
    changed = change(profiles["stela"], tmp_path / "a.stela", profile=json.dumps(content).encode())
    assert_refused(stela_("detect", "--profile", changed, text), "wrong tagger", "kiwipiepy 0.1", "0" * 16)


@pytest.mark.deep(
    stand_in="plugins/stela-tables/tests/test_lambda_conllu.py::test_profile_with_a_treebank_s_table"
)
@pytest.mark.slow
def test_table_of_another_tagger_or_k(stela_: Stela, tmp_path: Path) -> None:
    from stela_sejong import Sejong

    table = Sejong().tables()[4]
    out = ("-o", tmp_path / "p.stela")
    assert_refused(
        stela_(*NEW, "--scheme", "stela", "--tagger", "penn", "--lambda", table, *out),
        'wrong table: it was built with tagger "sejong"',
    )
    assert_refused(
        stela_(*NEW, "--scheme", "stela", "--tagger", "sejong", "--lambda", table, "--k", 3, *out),
        "wrong table: it has k = 4, not 3",
    )
    assert_refused(
        stela_(*NEW, "--scheme", "stela", "--tagger", "sejong", "--k", 7, *out), "ships no table for k = 7"
    )
    assert_refused(stela_(*NEW, "--scheme", "stela", *out), 'scheme "stela" needs a tagger')


def test_no_text(stela_: Stela, profiles: dict[str, Path], tmp_path: Path) -> None:
    empty = tmp_path / "empty.jsonl"
    empty.write_bytes(b"\n")
    assert_refused(stela_("detect", "--profile", profiles["kgw"], empty), "empty.jsonl is empty")
    assert_refused(stela_("detect", "--profile", profiles["kgw"]), "no text to test")
    assert_refused(
        stela_("generate", "--profile", profiles["kgw"], "--model", "tiny", "--prompt", ""), "prompt is empty"
    )


def test_text_that_is_not_utf8(stela_: Stela, profiles: dict[str, Path], tmp_path: Path) -> None:
    file = tmp_path / "latin.txt"
    file.write_bytes("한국어 문장".encode("euc-kr"))
    assert_refused(stela_("detect", "--profile", profiles["kgw"], file), "latin.txt is not UTF-8", "iconv")


def test_corrupt_or_truncated_profile(
    stela_: Stela, profiles: dict[str, Path], tmp_path: Path, text: Path
) -> None:
    data = profiles["stela"].read_bytes()
    broken = tmp_path / "broken.stela"
    for length in (0, 10, len(data) // 2, len(data) - 5):
        broken.write_bytes(data[:length])
        assert_refused(stela_("detect", "--profile", broken, text), "corrupt or truncated")
    broken.write_text('{"mark": "of another command"}', "utf-8")
    assert_refused(stela_("detect", "--profile", broken, text), "another kind of file", "stela profile new")
    flipped = bytearray(data)
    for position in range(200, len(data), len(data) // 50):
        flipped[position] ^= 0xFF
    broken.write_bytes(flipped)
    assert_refused(stela_("profile", "show", broken), "broken.stela")
    assert_refused(stela_("profile", "show", tmp_path / "none.stela"), "does not exist")


@pytest.mark.parametrize(
    ("change_", "expected"),
    [
        ({"format": "stela-profile/9"}, "stela-profile/9"),
        ({"alpha": 2.0}, "alpha"),
        ({"hasher": {"name": "keyed"}}, "hasher.context_width"),
        ({"surprise": 1}, "surprise"),
    ],
)
def test_invalid_profile_json_names_the_field(
    stela_: Stela, profiles: dict[str, Path], tmp_path: Path, change_: dict[str, object], expected: str
) -> None:
    with zipfile.ZipFile(profiles["kgw"]) as source:
        content = json.loads(source.read("profile.json")) | change_
    changed = change(profiles["kgw"], tmp_path / "a.stela", profile=json.dumps(content).encode())
    assert_refused(stela_("profile", "show", changed), expected)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (("--gamma", "1"), "gamma"),
        (("--gamma", "0"), "gamma"),
        (("--gamma", "-0.5"), "gamma"),
        (("--gamma", "nan"), "gamma"),
        (("--delta", "-1"), "delta"),
        (("--delta", "inf"), "delta"),
        (("--alpha", "1.5"), "alpha"),
        (("--min-tokens", "0"), "min_tokens"),
        (("--context-width", "0"), "context_width"),
        (("--param", "delat=1"), 'did you mean "delta"?'),
        (("--param", "delta"), "is not a parameter"),
        (("--key-file", "k.txt"), "either --key-file FILE or --public-key"),
    ],
)
def test_wrong_numbers(stela_: Stela, tmp_path: Path, options: tuple[str, ...], expected: str) -> None:
    out = tmp_path / "p.stela"
    assert_refused(stela_(*NEW, "--scheme", "kgw", *options, "-o", out), expected)
    assert not out.exists()


@pytest.mark.slow
def test_secret_key(
    stela_: Stela, profiles: dict[str, Path], tmp_path: Path, text: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    detect = ("detect", "--profile", profiles["secret"], text)
    assert_refused(stela_(*detect), "is secret", "--key-file FILE", "STELA_KEY")
    wrong = tmp_path / "wrong.txt"
    wrong.write_text("fedcba9876543210")
    wrong.chmod(0o600)
    assert_refused(stela_(*detect, "--key-file", wrong), "wrong key")
    assert_refused(stela_(*detect, "--key-file", tmp_path / "none.txt"), "none.txt")
    assert stela_(*detect, "--key-file", profiles["key"]).status == 0
    monkeypatch.setenv("STELA_KEY", "0123456789abcdef")
    assert stela_(*detect).status == 0


def test_model_that_is_not_there(stela_: Stela, profiles: dict[str, Path], tmp_path: Path) -> None:
    outcome = stela_("generate", "--profile", profiles["kgw"], "--model", tmp_path / "none", "--prompt", "a")
    assert_refused(outcome, "does not exist", "alias (tiny, tiny-small)")


def test_usage_errors_are_one_line(stela_: Stela) -> None:
    outcome = stela_("detect", "--profil", "x")
    assert_refused(outcome, "--profil", "see stela detect --help")
    assert_refused(stela_("generate", "--profile", "x"), "--model")
    assert_refused(stela_("--plugin"), "needs a file")
