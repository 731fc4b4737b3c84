from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from stela_core.errors import StelaError
from stela_core.hashing.key_file import Passphrase, exposure_of, read_key_file, write_key_file

KEY = 0x0123456789ABCDEF
MODES = pytest.mark.skipif(os.name == "nt", reason="modes say nothing on Windows")


@pytest.mark.parametrize("text", ["0123456789abcdef", " 0x0123456789ABCDEF\n", "0X0123456789abcdef"])
def test_hex_digits_are_the_key(text: str, tmp_path: Path) -> None:
    file = tmp_path / "key"
    for content in (text.encode(), text.encode("utf-8-sig"), text.encode("utf-16")):
        file.write_bytes(content)
        assert read_key_file(file) == KEY


@pytest.mark.parametrize(
    ("content", "wanted"),
    [
        (b"correct horse battery", b"correct horse battery"),
        (b"\n correct horse battery\r\n", b"correct horse battery"),
        ("passphrase in wide characters".encode("utf-16"), b"passphrase in wide characters"),
        (bytes(range(128, 160)), bytes(range(128, 160))),
    ],
)
def test_other_files_hold_a_passphrase(content: bytes, wanted: bytes, tmp_path: Path) -> None:
    file = tmp_path / "key"
    file.write_bytes(content)
    found = read_key_file(file)
    assert found == Passphrase(wanted)
    assert "horse" not in repr(found)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b" \n\t", "is empty"),
        (b"s3same", "too short"),
        (b"x" * (1 << 20) + b"y", "larger"),
    ],
)
def test_files_of_no_sensible_length_are_refused(content: bytes, message: str, tmp_path: Path) -> None:
    file = tmp_path / "key"
    file.write_bytes(content)
    with pytest.raises(StelaError, match=message) as caught:
        read_key_file(file)
    assert "s3same" not in str(caught.value)
    assert caught.value.hint


def test_missing_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(StelaError, match=r"key file .*none.* does not exist") as caught:
        read_key_file(tmp_path / "none")
    assert "stela key new" in caught.value.hint
    with pytest.raises(StelaError, match=r"key file .* cannot be read"):
        read_key_file(tmp_path)


@MODES
def test_a_written_key_is_for_its_owner_alone_and_is_never_replaced(tmp_path: Path) -> None:
    file = tmp_path / "key"
    before = os.umask(0)
    try:
        write_key_file(file, KEY)
    finally:
        os.umask(before)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert read_key_file(file) == KEY
    assert exposure_of(file) is None
    with pytest.raises(StelaError, match="exists"):
        write_key_file(file, 1)
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(StelaError, match="exists"):
        write_key_file(link, 1)
    assert read_key_file(file) == KEY
    assert not (tmp_path / "elsewhere").exists()
    with pytest.raises(StelaError, match="cannot be written"):
        write_key_file(tmp_path / "no folder" / "key", 1)


@MODES
@pytest.mark.parametrize("mode", [0o640, 0o604, 0o644])
def test_a_key_file_that_others_may_read(mode: int, tmp_path: Path) -> None:
    file = tmp_path / "key"
    write_key_file(file, KEY)
    file.chmod(mode)
    assert f"mode {mode:o}" in (exposure_of(file) or "")
    assert exposure_of(tmp_path / "none") is None
