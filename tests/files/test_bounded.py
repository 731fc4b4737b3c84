"""Bounds on files, archives and JSON, before anything is made of them."""

from __future__ import annotations

import gzip
import io
import json
import struct
import zipfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stela_run.bounded_files import gunzip_bounded

from stela_core.errors import StelaError
from stela_core.files import json_shape
from stela_core.files.bounded import parse_json, read_bounded
from stela_core.files.bounded_zip import MAX_DIRECTORY, unzip_bounded
from stela_core.files.json_shape import Limits

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63) | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=30,
)


def depth_of(value: Any) -> int:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else None
    return 0 if inner is None else 1 + max(map(depth_of, inner), default=0)


def parsed(text: str | bytes, **bounds: int) -> Any:
    return parse_json(text, "it", "mend it", limits=Limits(**bounds))


@settings(deadline=None)
@given(VALUES, st.booleans())
def test_what_is_within_the_bounds_reads_as_json(value: Any, ascii_: bool) -> None:
    text = json.dumps(value, ensure_ascii=ascii_)
    assert parsed(text) == value


@settings(deadline=None)
@given(VALUES, st.sampled_from([3, 7, 1 << 20]))
def test_depth_is_exact(value: Any, chunk: int) -> None:
    """Also with brackets in strings, escaped quotes, and pieces that cut anywhere."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_shape, "CHUNK", chunk)
        data = json.dumps([value, '[["{\\"', {"a": []}]).encode()
        depth = depth_of([value, {"a": []}])
        assert Limits(depth=depth).excess(data) is None
        assert Limits(depth=depth - 1).excess(data) == f"nested deeper than {depth - 1}"


@pytest.mark.parametrize("depth", [40, 5_000, 100_000])
@pytest.mark.parametrize("opening", ["[", '{"a":'])
def test_deep_json(depth: int, opening: str) -> None:
    with pytest.raises(StelaError, match="it is nested deeper than 32"):
        parsed(opening * depth)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[" + "1" * 65 + "]", "more than 64 digits"),
        ('{"a": 0.' + "1" * 5000 + "}", "more than 64 digits"),
        ("[" + "0," * 1_000_000 + "0]", "more than 1,000,000 values"),
        ("[" + "{}," * 300_000 + "0]", "more than 1,000,000 values"),
        ('["' + "a" * (5 << 20) + '"]', "a string of more than 4 MiB"),
        ('["' + 'aaaaaaa\\"' * (5 << 17) + '"]', "a string of more than 4 MiB"),
        ("[NaN]", "is not JSON"),
        ("[Infinity]", "is not JSON"),
        ('["\\ud800"]', "is not JSON"),
        ("\ud800", "is not JSON"),
        (b'["\xff"]', "is not JSON"),
        ("[1,]", "is not JSON"),
        ("", "is not JSON"),
    ],
)
def test_what_is_refused(text: str | bytes, expected: str) -> None:
    with pytest.raises(StelaError, match=expected):
        parsed(text)


def test_what_only_looks_large_is_read() -> None:
    assert parsed('["' + "[{" * 5000 + '"]') == ["[{" * 5000]
    assert parsed('["' + "1" * 5000 + '"]') == ["1" * 5000]
    assert len(parsed('["' + "," * 1_000_100 + '"]')[0]) == 1_000_100
    assert parsed(b'["\\\\", "' + b'\\"' * 9 + b'"]') == ["\\", '"' * 9]
    assert parsed(b"\xef\xbb\xbf[1]") == [1]
    assert parse_json('["\\udc80"]', "it", "mend it", surrogates=True) == ["\udc80"]
    with pytest.raises(StelaError, match="NaN"):
        parse_json('["\\udc80", NaN]', "it", "mend it", surrogates=True)


def test_a_file_is_not_read_beyond_its_bound(tmp_path: Path) -> None:
    file = tmp_path / "f"
    file.write_bytes(b"12345")
    assert read_bounded(file, 5, "it", "mend it") == b"12345"
    with pytest.raises(StelaError, match="it is larger than"):
        read_bounded(file, 4, "it", "mend it")
    for path in (tmp_path / "none", tmp_path, tmp_path / "a\0b"):
        with pytest.raises(StelaError, match=r"it (does not exist|cannot be read)"):
            read_bounded(path, 4, "it", "mend it")


def test_gzip_counts_what_comes_out() -> None:
    data = bytes(3 << 20) + b"end"
    assert gunzip_bounded(gzip.compress(data), len(data), "it", "mend it") == data
    for changed, expected in (
        (gzip.compress(data + b"."), "unpacks to more"),
        (gzip.compress(data)[:-9], "corrupt"),
        (gzip.compress(data) + b"more", "bytes follow"),
        (b"", "corrupt"),
        (b"no gzip", "corrupt"),
    ):
        with pytest.raises(StelaError, match=expected):
            gunzip_bounded(changed, len(data), "it", "mend it")


LIMITS = {"a": 100, "b": 100}


def a_zip(parts: list[tuple[str, bytes]], method: int = zipfile.ZIP_DEFLATED) -> bytearray:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as target:
        for name, data in parts:
            target.writestr(zipfile.ZipInfo(name), data, method)
    return bytearray(buffer.getvalue())


def test_a_zip_of_known_members_is_read() -> None:
    for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        data = a_zip([("a", b"1" * 100), ("c", b"x" * 1000)], method)
        assert unzip_bounded(bytes(data), LIMITS, "it", "mend it") == {"a": b"1" * 100}


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_zips_that_are_refused() -> None:
    honest = a_zip([("a", b"1" * 100)])
    central = honest.index(b"PK\x01\x02")
    end = honest.index(b"PK\x05\x06")

    def changed(at: int, value: bytes) -> bytes:
        return bytes(honest[:at] + value + honest[at + len(value) :])

    many = a_zip([(f"member{n}", b"") for n in range(MAX_DIRECTORY // 46)])
    cases = {
        "over": bytes(a_zip([("a", b"1" * 101)])),
        "twice": bytes(a_zip([("a", b"1"), ("a", b"2")])),
        "no profile has": bytes(a_zip([("a", b"1")], zipfile.ZIP_LZMA)),
        "a form": changed(central + 8, struct.pack("<H", 1)),  # encrypted
        "corrupt": changed(central + 42, struct.pack("<L", 0xFFFFFFF0)),  # a header before the beginning
        "truncated": bytes(honest[:-1]),
        "corrupt or": changed(end + 12, struct.pack("<L", 0xFFFFFFFF)),
        "is corrupt": bytes(many),
        "or truncated": b"",
    }
    for expected, data in cases.items():
        with pytest.raises(StelaError, match=expected):
            unzip_bounded(data, LIMITS, "it", "mend it")


@settings(deadline=None)
@given(st.binary(max_size=200), st.integers(0, 400))
def test_no_zip_gives_another_error(junk: bytes, at: int) -> None:
    data = a_zip([("a", b"1" * 100), ("b", b"22")])
    data[at : at + len(junk)] = junk
    try:
        found = unzip_bounded(bytes(data), LIMITS, "it", "mend it")
    except StelaError:
        return
    assert set(found) <= set(LIMITS)
