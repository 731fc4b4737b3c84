import hashlib

from stela_clusters.vocabulary_hash import vocabulary_hash

from stela_core.api import TokenBytes


def of(*table: bytes) -> str:
    return vocabulary_hash(TokenBytes(table, frozenset()))


def test_of_lengths_and_bytes() -> None:
    assert of(b"ab", b"") == hashlib.sha256(b"\x02\0\0\0ab\0\0\0\0").hexdigest()


def test_other_ids_have_another() -> None:
    assert of(b"ab", b"c") == of(b"ab", b"c")
    assert len({of(b"ab", b"c"), of(b"a", b"bc"), of(b"c", b"ab"), of(b"ab", b"c", b""), of()}) == 5
