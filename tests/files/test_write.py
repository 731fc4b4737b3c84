"""Files written at once or not at all; what a user has is replaced only when asked."""

from __future__ import annotations

import os
import stat
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from stela_cli.output import is_stdout, open_output

from stela_core.errors import StelaError
from stela_core.files.write import require_free, write_atomically


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@contextmanager
def redirected(file: Path) -> Iterator[None]:
    """Standard output goes to the end of a file, as after ``>>``."""
    kept = os.dup(1)
    opened = os.open(file, os.O_WRONLY | os.O_APPEND)
    os.dup2(opened, 1)
    try:
        yield
    finally:
        os.dup2(kept, 1)
        os.close(kept)
        os.close(opened)


def test_a_new_file_gets_what_the_mask_leaves(tmp_path: Path) -> None:
    mask = os.umask(0o027)
    try:
        write_atomically(tmp_path / "new", b"x")
    finally:
        os.umask(mask)
    assert mode_of(tmp_path / "new") == 0o640


def test_a_replaced_file_keeps_its_mode(tmp_path: Path) -> None:
    file = tmp_path / "key"
    file.write_bytes(b"old")
    file.chmod(0o600)
    write_atomically(file, b"new")
    assert (file.read_bytes(), mode_of(file)) == (b"new", 0o600)
    with open_output(file, force=True) as out:
        out.write("newer")
    assert (file.read_bytes(), mode_of(file)) == (b"newer", 0o600)


def test_a_symlink_stays_one_and_its_target_is_written(tmp_path: Path) -> None:
    (tmp_path / "far").mkdir()
    target, link = tmp_path / "far" / "target", tmp_path / "link"
    target.write_bytes(b"old")
    target.chmod(0o640)
    link.symlink_to(Path("far") / "target")
    with pytest.raises(StelaError, match="exists"):
        require_free(link, force=False)
    write_atomically(link, b"new")
    assert link.is_symlink()
    assert (target.read_bytes(), mode_of(target)) == (b"new", 0o640)
    assert sorted(path.name for path in target.parent.iterdir()) == ["target"]


def test_a_symlink_to_nothing_makes_its_target(tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "target")
    require_free(link, force=False)
    write_atomically(link, b"new", replace=False)
    assert link.is_symlink()
    assert (tmp_path / "target").read_bytes() == b"new"


def test_symlinks_in_a_circle_are_refused(tmp_path: Path) -> None:
    for one, other in (("a", "b"), ("b", "a")):
        (tmp_path / one).symlink_to(tmp_path / other)
    for act in (lambda p: require_free(p, True), lambda p: write_atomically(p, b"")):
        with pytest.raises(StelaError, match="cannot write"):
            act(tmp_path / "a")
    assert (tmp_path / "a").is_symlink()


def test_devices_are_written_to_and_stay(tmp_path: Path) -> None:
    null = Path(os.devnull)
    require_free(null, force=False)
    write_atomically(null, b"gone", replace=False)
    with open_output(null, force=False) as out:
        out.write("gone")
    assert stat.S_ISCHR(null.stat().st_mode)
    link = tmp_path / "null"
    link.symlink_to(null)
    write_atomically(link, b"gone")
    assert link.is_symlink()


def test_a_pipe_is_written_to_and_stays(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    found: list[bytes] = []
    reader = threading.Thread(target=lambda: found.append(pipe.read_bytes()))
    reader.start()
    require_free(pipe, force=False)
    write_atomically(pipe, b"through", replace=False)
    reader.join(10)
    assert found == [b"through"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)


@pytest.mark.skipif(not os.path.exists("/dev/stdout"), reason="no /dev/stdout here")
def test_standard_output_goes_where_it_goes(tmp_path: Path) -> None:
    """Even into a file: what stands in it stays, and it is not replaced by another."""
    file, link = tmp_path / "redirected.txt", tmp_path / "link"
    file.write_text("before\n")
    link.symlink_to("/dev/stdout")
    number = file.stat().st_ino
    with redirected(file):
        for path in (Path("/dev/stdout"), Path("/dev/fd/1"), link):
            assert is_stdout(path)
            require_free(path, force=False)
            write_atomically(path, b"bytes\n", replace=False)
        with open_output(Path("/dev/stdout"), force=False) as out:
            out.write("records\n")
    assert file.read_text() == "before\n" + 3 * "bytes\n" + "records\n"
    assert file.stat().st_ino == number
    assert not is_stdout(tmp_path / "1")
    assert not is_stdout(Path("/dev/stderr"))


def test_what_exists_is_refused_without_force(tmp_path: Path) -> None:
    file = tmp_path / "t.json"
    file.write_bytes(b"mine")
    for act in (require_free, open_output):
        with pytest.raises(StelaError, match=r"exists.*--force"):
            act(file, False)
    require_free(file, force=True)
    assert file.read_bytes() == b"mine"
    for path, message in [
        (tmp_path, "is a folder"),
        (tmp_path / "no" / "t.json", "there is no folder"),
        (file / "t.json", "cannot write"),
    ]:
        for force in (False, True):
            with pytest.raises(StelaError, match=message):
                require_free(path, force)


def test_a_file_made_meanwhile_stays_and_so_does_the_work(tmp_path: Path) -> None:
    file = tmp_path / "t.json"
    require_free(file, force=False)
    file.write_bytes(b"theirs")
    for number in (1, 2):
        with pytest.raises(StelaError, match=f"made by something else meanwhile.*t-{number}.json"):
            write_atomically(file, b"hours of work", replace=False)
    assert file.read_bytes() == b"theirs"
    assert (tmp_path / "t-1.json").read_bytes() == b"hours of work"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["t-1.json", "t-2.json", "t.json"]


def test_without_hard_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on FAT: the name is taken first, then filled."""

    def refused(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", refused)
    write_atomically(tmp_path / "t.json", b"one", replace=False)
    with pytest.raises(StelaError, match="meanwhile"):
        write_atomically(tmp_path / "t.json", b"two", replace=False)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {
        "t.json": b"one",
        "t-1.json": b"two",
    }


def test_nothing_is_left_where_it_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    (tmp_path / "t").write_bytes(b"old")
    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(StelaError, match="No space left"):
        write_atomically(tmp_path / "t", b"new")
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {"t": b"old"}
