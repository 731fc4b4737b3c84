"""Which of several keys goes to which profile, and how many slow hashes that may cost."""

from __future__ import annotations

import secrets
from pathlib import Path

import pytest

import stela_core as stela
from stela_core.hashing import key_file
from stela_core.hashing.key_file import Passphrase, new_salt
from stela_core.profile import key as key_module
from stela_core.profile.key import KeyRing, NamedKey, read_keys
from stela_core.profile.key_set import key_set
from stela_core.profile.schema import HasherPart


def part(key: int, public: bool = False, named: bool = True, salt: str | None = None) -> HasherPart:
    fields = HasherPart.fields_of(key, public, salt, named)
    return HasherPart(name="keyed", gamma=0.5, context_width=1, **fields)


def unknown(salt: str) -> HasherPart:
    return HasherPart(name="keyed", gamma=0.5, context_width=1, key_id="00000000", salt=salt)


@pytest.fixture
def cheap(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """Slow hashes that cost nothing, counted: which keys match is the same."""
    calls: list[bytes] = []

    def fast(word: bytes, salt: bytes, n: int, r: int, p: int, maxmem: int, dklen: int) -> bytes:
        calls.append(word)
        from hashlib import blake2b

        return blake2b(word + salt, digest_size=dklen).digest()

    monkeypatch.setattr(key_file, "scrypt", fast)
    monkeypatch.setattr(key_file, "secrets", secrets)  # and no fixed salts (conftest.py)
    return calls


def test_a_key_goes_to_the_profile_whose_id_it_has(cheap: list[bytes]) -> None:
    keys = [NamedKey(f"k{n}", n) for n in range(20)] + [NamedKey("words", Passphrase(b"correct horse"))]
    ring = KeyRing(keys)
    for n in (13, 2, 19):
        assert ring.number_for("p", part(n)) == n
    salt = new_salt()
    number = Passphrase(b"correct horse").key(salt)
    assert ring.number_for("p", part(number, salt=salt)) == number
    assert ring.number_for("p", part(7, public=True)) is None
    with pytest.raises(stela.StelaError, match="none of 21 keys given is it"):
        ring.number_for("p", part(99))
    with pytest.raises(stela.StelaError, match="no key was given"):
        KeyRing().number_for("p", part(99))


def test_the_key_file_with_the_name_of_the_profile_comes_first(cheap: list[bytes]) -> None:
    parts = [part(n) for n in range(40)]
    cheap.clear()
    ring = KeyRing([NamedKey(f"client{n}", n) for n in range(40)])
    assert [ring.number_for(f"client{n}", one) for n, one in enumerate(parts)] == list(range(40))
    assert len(cheap) == 40, "one slow hash a profile"


def test_the_last_key_used_comes_next(cheap: list[bytes]) -> None:
    parts = [part(39) for _ in range(30)]
    cheap.clear()
    ring = KeyRing([NamedKey(f"k{n}", n) for n in range(40)])
    assert {ring.number_for("p", one) for one in parts} == {39}
    assert len(cheap) == 40 + 29


def test_keys_of_several_words_are_told_from_those_of_one(cheap: list[bytes]) -> None:
    two_words = (5 << 64) + 7
    digits = Passphrase(f"{two_words:032x}".encode())
    ring = KeyRing(
        [NamedKey("one", 7), NamedKey("two", digits), NamedKey("words", Passphrase(b"some words"))]
    )
    fields = HasherPart.fields_of(two_words, False, None, True, 2)
    wide = HasherPart(name="keyed", gamma=0.5, context_width=1, **fields)
    assert ring.number_for("p", wide, 2) == two_words
    assert ring.number_for("p", part(7), 1) == 7


def test_slow_hashes_are_bounded(cheap: list[bytes]) -> None:
    ring = KeyRing([NamedKey(f"k{n}", Passphrase(f"passphrase {n}".encode())) for n in range(256)])
    reasons = []
    cheap.clear()
    for _ in range(10):
        with pytest.raises(stela.StelaError) as caught:
            ring.number_for("p", unknown(new_salt()))
        reasons.append(str(caught.value))
    assert len(cheap) <= key_module.SLOW_TRIES
    assert "none of 256 keys" in reasons[0]
    assert "slow hashes were spent" in reasons[-1]
    assert "p.txt" in reasons[-1]
    # One whose file has the profile's name is found all the same.
    salt = new_salt()
    number = Passphrase(b"passphrase 3").key(salt)
    assert ring.number_for("k3", part(number, salt=salt)) == number


def test_a_copy_of_a_profile_costs_nothing(cheap: list[bytes]) -> None:
    one = part(5)
    ring = KeyRing([NamedKey(f"k{n}", n) for n in range(6)])
    cheap.clear()
    assert ring.number_for("a", one) == ring.number_for("b", one) == 5
    assert len(cheap) == 6


def test_without_an_id_there_must_be_no_choice() -> None:
    bare = part(7, named=False)
    assert KeyRing([NamedKey("any", 7)]).number_for("p", bare) == 7
    two = KeyRing([NamedKey("any", 7), NamedKey("p", 8)])
    assert two.number_for("p", bare) == 8, "named as the profile"
    with pytest.raises(stela.StelaError, match="which of 2 keys it is"):
        two.number_for("q", bare)
    with pytest.raises(stela.StelaError, match="none was given"):
        KeyRing().number_for("p", bare)


def test_the_key_of_the_environment_is_one_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STELA_KEY", f"{7:016x}")
    assert KeyRing().number_for("p", part(7)) == 7
    assert KeyRing().number_for("p", part(8, named=False)) == 7
    monkeypatch.setenv("STELA_KEY", "no key")
    with pytest.raises(stela.StelaError, match="none of 1 keys"):
        KeyRing().number_for("p", part(7))


def test_key_files_and_folders_of_them(tmp_path: Path) -> None:
    folder = tmp_path / "keys"
    (folder / "below").mkdir(parents=True)
    for name, content in {
        "b.key": f"{2:016x}",
        "a.txt": f"{1:016x}\n",
        ".hidden": f"{3:016x}",
        "p.stela": f"{4:016x}",
        "empty.txt": "",
        "below/c.txt": f"{5:016x}",
    }.items():
        (folder / name).write_text(content)
        (folder / name).chmod(0o600)
    (folder / "link").symlink_to(folder / "a.txt")
    (folder / "a.txt").chmod(0o644)
    (tmp_path / "one.txt").write_text("a long passphrase")
    (tmp_path / "one.txt").chmod(0o600)
    notes: list[str] = []
    keys = read_keys([folder, tmp_path / "one.txt"], notes.append)
    assert [(key.name, key.key) for key in keys[:2]] == [("a", 1), ("b", 2)]
    assert keys[2] == NamedKey("one", Passphrase(b"a long passphrase"))
    assert len(keys) == 3
    assert ["can be read by others" in note for note in notes] == [True, False]
    assert "is empty" in notes[1]
    assert "passphrase" not in repr(keys), "a key is never shown"
    with pytest.raises(stela.StelaError, match="is empty"):
        read_keys([folder / "empty.txt"], notes.append)
    with pytest.raises(stela.StelaError, match="gone"):
        read_keys([tmp_path / "gone"], notes.append)


def test_python_is_warned_of_key_files_that_others_may_read(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(f"{1:016x}")
    (tmp_path / "a.txt").chmod(0o644)
    with pytest.warns(UserWarning, match="can be read by others"):
        assert key_set(part(1, public=True), tmp_path, 1).known[0].number == 1


def test_keys_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(key_module, "MOST_KEYS", 3)
    for n in range(4):
        (tmp_path / f"{n}.txt").write_text(f"{n:016x}")
    with pytest.raises(stela.StelaError, match="more than 3 keys"):
        read_keys([tmp_path], lambda _: None)
