"""``stela language check``: which language texts are in, and whether it is the profile's."""

import json
from pathlib import Path

import pytest
from stela_cli.main import run

import stela_core as stela

pytest.importorskip("py3langid")

TURKISH = (
    "Kahveyi pişirmek için önce cezveye su koyulur. Şehir merkezinde eski evlerin çoğu onarıldı ve "
    "bazıları bugün müze olarak kullanılıyor."
)
ENGLISH = "The old houses in the centre of the city were repaired, and some of them are museums today."


@pytest.fixture
def profile(tmp_path: Path) -> Path:
    """A profile that is meant for Turkish."""
    path = tmp_path / "p.stela"
    assert run(["profile", "new", "--scheme", "kgw", "--model", "tiny", "--public-key", "--language", "tr",
                "-o", str(path)]) == 0  # fmt: skip
    return path


def checked(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, str, str]:
    capsys.readouterr()
    status = run(["language", "check", *map(str, words)])
    printed = capsys.readouterr()
    return status, printed.out, printed.err


def written(folder: Path, **texts: str) -> list[Path]:
    paths = []
    for name, text in texts.items():
        paths.append(folder / f"{name}.txt")
        paths[-1].write_text(text, encoding="utf-8")
    return paths


def test_another_language_than_the_profile_s(
    tmp_path: Path, profile: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = written(tmp_path, own=TURKISH, other=ENGLISH, code="x" * 3)
    status, out, err = checked(capsys, "--profile", profile, "--json", *files)
    assert status == 0
    own, other, unknown = map(json.loads, out.splitlines())
    assert (own["language"], own["fits"]) == ("tr", True)
    assert (other["language"], other["fits"]) == ("en", False)
    assert unknown["fits"] is None
    assert "1 of 3 texts are not in tr" in err


SCRIPTS = {
    "ko": "한국어 문장이 여기에 있습니다.",
    "zh": "这里有一个中文句子。",
    "ar": "هذه جملة باللغة العربية.",
}


@pytest.mark.parametrize("code", SCRIPTS)
def test_scripts(code: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = checked(capsys, "--json", *written(tmp_path, one=SCRIPTS[code]))
    assert status == 0
    assert json.loads(out)["language"] == code


def test_table(tmp_path: Path, profile: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = checked(capsys, "--profile", profile, *written(tmp_path, one=TURKISH))
    assert status == 0
    assert out.splitlines()[0].split() == ["text", "language", "share", "profile's"]
    assert out.splitlines()[1].split()[1] == "tr"
    assert out.splitlines()[1].split()[-1] == "yes"


def test_what_cannot_be_read_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    [good] = written(tmp_path, one=ENGLISH)
    status, out, err = checked(capsys, "--json", tmp_path / "none.txt", good)
    assert status == 2
    assert json.loads(out)["language"] == "en"
    assert len(err.strip().splitlines()) <= 2
    assert "does not exist" in err


def test_bad_profile_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    [good] = written(tmp_path, one=ENGLISH)
    status, out, err = checked(capsys, "--profile", good, good)
    assert (status, out) == (2, "")
    assert err.startswith("error: ")


def test_profile_for_any_language_is_compared_with_none(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "any.stela"
    stela.create(scheme="kgw", model="tiny", key=7).save(path)
    status, out, err = checked(capsys, "--profile", path, "--json", *written(tmp_path, one=ENGLISH))
    assert status == 0
    assert json.loads(out)["fits"] is None
    assert "any language" in err
