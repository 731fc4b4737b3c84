"""Statements against the library's own verification, and whatever is changed in them."""

from __future__ import annotations

import base64
import contextlib
import json
from pathlib import Path
from typing import Any

import pytest
import rfc8785
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from hypothesis import given
from hypothesis import strategies as st
from stela_sign.signing_key import PREFIX, SMALL_ORDER, key_of, new_signing_key, read_signing_key, word_of
from stela_sign.statement import check, sign

import stela_core as stela

# RFC 8032, section 7.1, test 1.
SECRET = bytes.fromhex("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60")
PUBLIC = bytes.fromhex("d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a")

KEY = Ed25519PrivateKey.from_private_bytes(SECRET)
SAYS = {"profile_sha256": "0" * 64, "maker": "Ünïcode 新闻", "time": "2026-11-22T00:00:00Z"}

MOST = 2.0**53 - 1
"""Canonical JSON holds whole numbers up to here; larger floats look like such when they are read again."""

plain = st.none() | st.booleans() | st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
numbers = st.integers(int(-MOST), int(MOST)) | st.floats(-MOST, MOST)
json_values = st.recursive(
    plain | numbers,
    lambda one: st.lists(one, max_size=3) | st.dictionaries(st.text("abc", max_size=3), one, max_size=3),
    max_leaves=8,
)


def test_words_are_those_of_the_standard() -> None:
    word = word_of(KEY.public_key())
    assert word == "ed25519:" + base64.urlsafe_b64encode(PUBLIC).decode().rstrip("=")
    assert word_of(key_of(word)) == word


@pytest.mark.parametrize("word", ["", "ed25519:", "ed25519:AAAA", "rsa:" + "A" * 43, "ed25519:" + "é" * 43])
def test_no_words_of_keys(word: str) -> None:
    with pytest.raises(stela.StelaError, match="is not a public key"):
        key_of(word)


def test_one_spelling_a_key() -> None:
    """The last letter carries two bits of nothing: other spellings of a key are refused."""
    word = word_of(KEY.public_key())
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    others = [word[:-1] + letter for letter in letters if letter != word[-1]]
    same = [other for other in others if base64.urlsafe_b64decode(other[8:] + "=") == PUBLIC]
    assert same, "there are such spellings"
    for other in same:
        with pytest.raises(stela.StelaError):
            key_of(other)


def test_the_library_verifies_what_is_signed() -> None:
    """The bytes that are signed, put together here by hand."""
    form = json.loads(sign("profile", SAYS, KEY))
    body = rfc8785.dumps({"kind": "profile", "says": SAYS, "key": form["key"]})
    KEY.public_key().verify(base64.b64decode(form["signature"]), b"stela-signature/1\n" + body)


@given(st.dictionaries(st.text("abcé", max_size=4), json_values, max_size=4))
def test_what_was_said_comes_back(says: dict[str, Any]) -> None:
    statement = check(sign("verdict", says, KEY), "verdict", "it")
    assert json.loads(json.dumps(statement.says)) == json.loads(rfc8785.dumps(says))
    assert statement.key == word_of(KEY.public_key())


@given(st.data())
def test_no_byte_may_be_changed(data: st.DataObject) -> None:
    """A changed byte is refused, or leaves what is said as it was (white space between tokens)."""
    signed = sign("profile", SAYS, KEY)
    place = data.draw(st.integers(0, len(signed) - 1))
    changed = bytearray(signed)
    changed[place] ^= data.draw(st.integers(1, 255))
    try:
        statement = check(bytes(changed), "profile", "it")
    except stela.StelaError:
        return
    assert statement == check(signed, "profile", "it")


@pytest.mark.parametrize(
    "change",
    [
        {"says": {**SAYS, "maker": "Somebody else"}},
        {"kind": "verdict"},
        {"key": word_of(Ed25519PrivateKey.from_private_bytes(bytes(32)).public_key())},
        {"signature": base64.b64encode(bytes(64)).decode()},
        {"signature": "no base64"},
        {"signature": ""},
        {"format": "stela-signature/2"},
        {"more": 1},
        {"says": {"number": 2**60}},
        {"says": []},
        {"key": 7},
    ],
)
def test_what_was_changed_is_refused_in_a_line(change: dict[str, Any]) -> None:
    form = {**json.loads(sign("profile", SAYS, KEY)), **change}
    with pytest.raises(stela.StelaError) as raised:
        check(json.dumps(form).encode(), "profile", "it")
    assert "\n" not in raised.value.message


def test_a_signature_for_one_kind_is_none_for_another() -> None:
    form = {**json.loads(sign("profile", SAYS, KEY)), "kind": "verdict"}
    with pytest.raises(stela.StelaError, match="does not hold"):
        check(json.dumps(form).encode(), "verdict", "it")


def test_key_files(tmp_path: Path) -> None:
    file = tmp_path / "k.pem"
    made = new_signing_key(file)
    assert file.stat().st_mode & 0o777 == 0o600
    assert word_of(read_signing_key(file).public_key()) == word_of(made.public_key())
    with pytest.raises(stela.StelaError, match="exists"):
        new_signing_key(file)
    other = generate_private_key(SECP256R1()).private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    locked = made.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.BestAvailableEncryption(b"pass"),
    )
    for content in (
        b"",
        b"\xff" * 100,
        b"-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n",
        other,
        locked,
    ):
        (tmp_path / "bad.pem").write_bytes(content)
        with pytest.raises(stela.StelaError, match="no Ed25519 key"):
            read_signing_key(tmp_path / "bad.pem")


P = 2**255 - 19
D = -121665 * pow(121666, -1, P) % P


def x_of(y: int) -> int | None:
    """A point's x on edwards25519, where there is one (RFC 8032, 5.1.3)."""
    square = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    x = pow(square, (P + 3) // 8, P)
    for root in (x, x * pow(2, (P - 1) // 4, P) % P):
        if root * root % P == square:
            return root
    return None


def added(one: tuple[int, int], other: tuple[int, int]) -> tuple[int, int]:
    (x1, y1), (x2, y2) = one, other
    both = D * x1 * x2 * y1 * y2 % P
    return (
        (x1 * y2 + x2 * y1) * pow(1 + both, -1, P) % P,
        (y1 * y2 + x1 * x2) * pow(1 - both, -1, P) % P,
    )


def eight_times(point: tuple[int, int]) -> tuple[int, int]:
    for _ in range(3):
        point = added(point, point)
    return point


def test_keys_of_small_order_are_refused() -> None:
    """One signature of such a key holds of every statement, or of one in a few: nobody signed it."""
    spelled = set()
    for y in SMALL_ORDER:
        x = x_of(y)
        assert x is not None
        assert eight_times((x, y)) == (0, 1)
        # Also above the prime, and with the sign of x that there is not.
        spelled |= {value | sign << 255 for value in (y, y + P) if value < 1 << 255 for sign in (0, 1)}
    assert len(spelled) == 14
    held = 0
    for number in spelled:
        raw = number.to_bytes(32, "little")
        with contextlib.suppress(InvalidSignature):
            Ed25519PublicKey.from_public_bytes(raw).verify(
                (1).to_bytes(32, "little") + bytes(32), b"anything"
            )
            held += 1
        word = PREFIX + base64.urlsafe_b64encode(raw).decode().rstrip("=")
        with pytest.raises(stela.StelaError, match="small order"):
            key_of(word)
    assert held >= 4, "the library takes them"
    for _ in range(20):
        key = Ed25519PrivateKey.generate().public_key()
        assert word_of(key_of(word_of(key))) == word_of(key)
