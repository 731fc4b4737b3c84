"""Texts by reference are those that were given, and a plan's digests are those of lists."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from stela_run.plan import on_disk
from stela_run.plan.on_disk import OnDisk, digest_of
from stela_run.plan.texts import Pair

import stela_core as stela

TEXT = st.text(st.characters(codec=None), max_size=12)


def kept(texts: Sequence[str]) -> OnDisk[str]:
    made = OnDisk(str)
    for text in texts:
        made.append(text)
    return made


def plain_digest(content: Any) -> str:
    data = json.dumps(content, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.blake2b(data.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


@given(st.lists(TEXT, max_size=9), st.slices(9))
def test_it_is_the_list(texts: list[str], place: slice) -> None:
    made = kept(texts)
    assert made == texts
    assert list(made) == texts
    assert made[place] == texts[place]
    assert [made[n] for n in range(-len(texts), len(texts))] == texts + texts
    assert (made == [*texts, "more"]) is False


@given(st.lists(st.tuples(TEXT, TEXT).map(lambda two: Pair(*two)), max_size=5), st.lists(TEXT, max_size=5))
def test_digests_are_those_of_lists(pairs: list[Pair], texts: list[str]) -> None:
    made = OnDisk(lambda pair: Pair(*pair))
    for pair in pairs:
        made.append(pair)
    assert list(made) == pairs

    def content(first: Any, second: Any) -> Any:
        return {"z": [first, {"한": None, "a": 1.5}], "b": second, "c": {"n": 3, "on": True}, "e": []}

    assert digest_of(content(kept(texts), made)) == plain_digest(content(texts, pairs))


@given(st.lists(TEXT, min_size=1, max_size=30))
def test_from_a_file_and_in_pieces(texts: list[str]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(on_disk, "IN_MEMORY", 1)
        patch.setattr(on_disk, "AT_ONCE", 3)
        made = kept(texts)
        assert list(made) == texts
        assert digest_of([made]) == plain_digest([texts])


def test_no_room_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("no device that is always full")
    made = kept(["a"])
    with full.open("wb", buffering=0) as file:
        monkeypatch.setattr(made, "_file", file)
        with pytest.raises(stela.StelaError, match="TMPDIR"):
            made.append("b")


def test_no_such_place() -> None:
    with pytest.raises(IndexError):
        kept(["a"])[1]
