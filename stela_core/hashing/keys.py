"""Keys, and the seeds of hash contexts. (Passphrases and names of secret keys: ``key_file.py``.)

A key is a 64-bit unsigned integer, written as 16 hex digits; marks of other toolkits may have keys of several
64-bit words, the first one on top, 16 digits each. The seed of a hash context is::

    BLAKE2b(digest_size=8, key=key as 8 bytes, person=b"stela/hash/1",
            data=each context id as 4 bytes, oldest token first)

with all integers little-endian, the digest read as a little-endian 64-bit integer. BLAKE2b is
RFC 7693; its keyed mode is a MAC, so seeds say nothing about the key.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from hashlib import blake2b
from secrets import randbits

import numpy as np
import numpy.typing as npt

from stela_core.errors import StelaError

SEED = b"stela/hash/1"
"""Personalisation of the hash of contexts."""
_ID = b"stela/key-id/1"
_HEX = re.compile(r"(?:0[xX])?((?:[0-9a-fA-F]{16}){1,64})")

MOST_KNOWN = 1 << 20
"""Ids below this are kept by :class:`KnownSeeds`, 9 bytes each: a vocabulary of 152,000 in 1.4 MB."""


def seed_of(key: int, context: tuple[int, ...] | list[int]) -> int:
    """The seed of one hash context of token ids, oldest first: the definition in plain Python."""
    data = b"".join(token.to_bytes(4, "little") for token in context)
    digest = blake2b(data, digest_size=8, key=key.to_bytes(8, "little"), person=SEED).digest()
    return int.from_bytes(digest, "little")


def keyed_seeds(key: int, contexts: npt.NDArray[np.int64]) -> npt.NDArray[np.uint64]:
    """Seeds (n,) of hash contexts (n, width); each distinct context is hashed once.

    Args:
        key: 64-bit key.
        contexts: token ids in 0 .. 2**32 - 1, oldest first.
    """
    count, width = contexts.shape
    if width == 0:
        return np.full(count, seed_of(key, ()), dtype=np.uint64)
    if count == 1:  # mostly, of a step's new contexts
        return np.array([seed_of(key, contexts[0].tolist())], dtype=np.uint64)
    size = 4 * width
    data = contexts.astype("<u4").tobytes()
    fresh = blake2b(digest_size=8, key=key.to_bytes(8, "little"), person=SEED)
    digests: dict[bytes, bytes] = {}
    row_digests = []
    for start in range(0, count * size, size):
        row = data[start : start + size]
        digest = digests.get(row)
        if digest is None:
            state = fresh.copy()
            state.update(row)
            digest = digests[row] = state.digest()
        row_digests.append(digest)
    return np.frombuffer(b"".join(row_digests), dtype="<u8").astype(np.uint64)


def new_key(words: int = 1) -> int:
    """A random key from the operating system's generator (``randbits``, which tests may replace)."""
    return randbits(64 * words)


def format_key(key: int, words: int = 1) -> str:
    """A key as 16 hex digits a word."""
    return f"{key:0{16 * words}x}"


def key_id(key: int, words: int = 1) -> str:
    """Name of a public key, 8 hex digits. It is fast: of a secret key, :func:`slow_key_id` is the name."""
    return blake2b(key.to_bytes(8 * words, "little"), digest_size=4, person=_ID).hexdigest()


def hex_key(text: str, words: int = 1) -> int | None:
    """The key that 16 hex digits a word write (white space around them and ``0x`` are fine), or ``None``."""
    match = _HEX.fullmatch(text.strip())
    return int(match[1], 16) if match and len(match[1]) == 16 * words else None


def parse_key(value: str | int, words: int = 1) -> int:
    """A key from 16 hex digits a word (white space around them and ``0x`` are fine) or an integer.

    Raises:
        StelaError: it is neither. The message does not repeat the value: it may be a secret.
    """
    if isinstance(value, str):
        number = hex_key(value, words)
        if number is not None:
            return number
        raise StelaError(
            f"the key is not {16 * words} hex digits.",
            "write 16 digits of 0-9 and a-f, or give a passphrase in a file with --key-file"
            if words == 1
            else f"this mark's key has {words} words: write 16 digits of 0-9 and a-f for each, with no space",
        )
    bits = 64 * words
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 1 << bits:
        raise StelaError(
            f"the key is not an integer of {bits} bits.",
            f"give 0 <= key < 2**{bits}, or {16 * words} hex digits",
        )
    return value


Hashed = Callable[[npt.NDArray[np.int64]], npt.NDArray[np.uint64]]
"""What gives contexts (n, 1) their seeds, (n,)."""


class KnownSeeds:
    """The seeds of contexts of width 1 under one key, each hashed once and looked up from then on.

    Threads may share it: a seed is there before it counts as known.

    Args:
        key: 64-bit key.
        size: ids to make room for; it grows where there are more.
    """

    def __init__(self, key: int, size: int = 0) -> None:
        self.key = key
        size = min(size, MOST_KNOWN)
        self._arrays = np.zeros(size, dtype=np.uint64), np.zeros(size, dtype=np.bool_)

    def __reduce__(self) -> tuple[type[KnownSeeds], tuple[int]]:
        return KnownSeeds, (self.key,)

    def of(self, contexts: npt.NDArray[np.int64], hashed: Hashed) -> npt.NDArray[np.uint64]:
        """Seeds (n,) of contexts (n, 1) of ids in 0 .. 2**32 - 1.

        Args:
            contexts: of any ids.
            hashed: the definition, the same at every call; asked for what did not come before.
        """
        ids = contexts[:, 0]
        seeds, is_known = self._arrays
        try:
            known = is_known[ids]
        except IndexError:
            size = 1 + int(ids.max())
            if size > MOST_KNOWN:
                return hashed(contexts)
            room = (0, max(size, 2 * len(seeds)) - len(seeds))
            # Another thread may be adding seeds: with flags read first, none is flagged without its seed.
            is_known = np.pad(is_known, room)
            self._arrays = np.pad(seeds, room), is_known
            return self.of(contexts, hashed)
        if not known.all():
            new = ids[~known]
            seeds[new] = hashed(new[:, None])
            is_known[new] = True
        out: npt.NDArray[np.uint64] = seeds[ids]
        return out
