"""Compressed corpora come out byte for byte, a bounded piece at a time."""

from __future__ import annotations

import gzip
import io
import lzma
import random

import pytest
import zstandard
from stela_corpora.chunks import BURST, CHUNK, chunks_of

from tests.safety.bombs import wide_window, zstd_zeros
from tests.tiers import Draws

COMPRESS = {"plain": bytes, "gz": gzip.compress, "xz": lzma.compress, "zst": zstandard.compress}


def read(data: bytes) -> list[bytes]:
    return list(chunks_of(io.BufferedReader(io.BytesIO(data))))


@pytest.mark.parametrize("kind", COMPRESS)
@pytest.mark.parametrize("size", [1, CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK])
@pytest.mark.parametrize("content", ["zeros", "noise"])
def test_every_size_comes_out_whole(kind: str, size: int, content: str) -> None:
    data = b"a" * size if content == "zeros" else b"n" + random.Random(size).randbytes(size)
    assert b"".join(read(COMPRESS[kind](data))) == data


@pytest.mark.parametrize("kind", ["gz", "xz"])
def test_streams_may_follow_each_other_with_padding_between(kind: str) -> None:
    one, two = COMPRESS[kind](b"one"), COMPRESS[kind](b"two" * CHUNK)
    assert b"".join(read(one + bytes(8) + two + bytes(CHUNK + 4))) == b"one" + b"two" * CHUNK


@pytest.mark.parametrize("kind", ["gz", "xz", "zst"])
@pytest.mark.parametrize("content", ["zeros", "noise"])
def test_a_truncated_file_is_never_taken_for_a_whole_one(kind: str, content: str) -> None:
    data = bytes(3 * CHUNK) if content == "zeros" else random.Random(3).randbytes(3 * CHUNK)
    packed = COMPRESS[kind](data)
    for end in (len(packed) - 1, len(packed) - 9, len(packed) // 2, 20):
        with pytest.raises(Exception) as error:  # noqa: PT011 - the libraries' own, each with its class
            read(packed[:end])
        assert isinstance(error.value, (EOFError, OSError)) or "Error" in type(error.value).__name__


@pytest.mark.slow
def test_pieces_are_small_however_much_a_file_unpacks_to(draws: Draws) -> None:
    size = draws(256, 64)
    zeros = bytes(8 * BURST)
    for data in (gzip.compress(zeros, 1), lzma.compress(zeros, preset=0)):
        assert max(map(len, read(data))) <= CHUNK
    pieces = [len(piece) for piece in read(zstd_zeros(size))]
    assert sum(pieces) == size << 20
    assert max(pieces) <= BURST


def test_a_window_of_gigabytes_is_refused() -> None:
    with pytest.raises(lzma.LZMAError, match=r"[Mm]emory"):
        read(wide_window())
