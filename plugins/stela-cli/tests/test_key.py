"""``stela key new``, and passphrases on the command line."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest
from stela_testing import assert_refused

from tests.commands import Stela

pytestmark = pytest.mark.skipif(os.name == "nt", reason="modes say nothing on Windows")


@pytest.mark.slow
def test_new_key_is_for_its_owner_alone_and_is_never_replaced(stela_: Stela, tmp_path: Path) -> None:
    file = tmp_path / "key"
    assert stela_("key", "new", "-o", file).status == 0
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    content = file.read_text()
    assert len(bytes.fromhex(content)) == 8
    assert_refused(stela_("key", "new", "-o", file), "exists", "is lost")
    assert file.read_text() == content
    assert stela_("key", "new", "-o", tmp_path / "other").status == 0
    assert (tmp_path / "other").read_text() != content
    made = stela_("profile", "new", "--scheme", "kgw", "--model", "tiny", "--key-file", file)
    assert_refused(made, "Missing option '-o'")
    new = ("profile", "new", "--scheme", "kgw", "--model", "tiny", "-o", tmp_path / "p.stela")
    made = stela_(*new, "--key-file", file)
    assert (made.status, made.err) == (0, "")
    assert content.strip() not in stela_("profile", "show", "--json", tmp_path / "p.stela").out


@pytest.mark.slow
def test_a_key_file_that_others_may_read_gets_a_note(stela_: Stela, tmp_path: Path) -> None:
    file, profile, text = (tmp_path / name for name in ("key", "p.stela", "text.txt"))
    file.write_text("a passphrase that is long enough\n")
    file.chmod(0o644)
    new = ("profile", "new", "--scheme", "kgw", "--model", "tiny", "--key-file", file, "-o", profile)
    made = stela_(*new)
    assert made.status == 0
    assert f'note: key file "{file}" can be read by others (mode 644): chmod 600' in made.err
    file.chmod(0o600)
    text.write_text("The history of the city.")
    found = stela_("detect", "--profile", profile, "--key-file", file, text)
    assert (found.status, found.err) == (0, "")
    file.write_text("another passphrase, also long\n")
    assert_refused(stela_("detect", "--profile", profile, "--key-file", file, text), "wrong key")
