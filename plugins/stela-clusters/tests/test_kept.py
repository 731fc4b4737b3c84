"""Files that profiles speak of: by their hash alone, out of the user's own folder."""

import hashlib
from pathlib import Path

import pytest
from stela_clusters.kept import keep_file, kept_file

from stela_core import StelaError
from stela_core.api import state_folder

ABC = hashlib.sha256(b"abc").hexdigest()


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("STELA_STATE", str(tmp_path / "state"))
    return tmp_path / "state"


def test_what_is_kept_comes_back() -> None:
    with pytest.raises(StelaError, match=r"the clusters \(SHA-256 ba7816bf8f01...\) does not exist"):
        kept_file(ABC, 10, "the clusters", "keep it")
    assert keep_file(b"abc") == ABC
    assert keep_file(b"abc") == ABC
    assert kept_file(ABC, 10, "it", "") == b"abc"
    assert (state_folder() / "files").stat().st_mode & 0o077 == 0


def test_a_changed_file_is_refused(state: Path) -> None:
    keep_file(b"abc")
    (state / "files" / ABC).write_bytes(b"abd")
    with pytest.raises(StelaError, match="damaged"):
        kept_file(ABC, 10, "it", "")
    with pytest.raises(StelaError, match="larger than"):
        kept_file(ABC, 2, "it", "")


@pytest.mark.parametrize("name", ["", "/etc/passwd", "../profiles", ABC.upper(), ABC + "\n", r"\\host\share"])
def test_nothing_but_a_hash_is_looked_up(name: str) -> None:
    with pytest.raises(StelaError, match="is not a SHA-256"):
        kept_file(name, 10, "it", "")


def test_a_folder_that_cannot_be_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "state").write_text("a file")
    with pytest.raises(StelaError, match="cannot be made"):
        keep_file(b"abc")
