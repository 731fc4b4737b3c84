"""Embedding files: what is read, what is refused, what the command makes of a model."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from stela_clusters.kept import keep_file
from stela_clusters.reduce import clustered, matched, quantised, reduced
from stela_clusters.vocabulary_hash import vocabulary_hash
from stela_lsh.embedding_file import FILES, clusters_of, embedding_file, parsed
from stela_lsh.hasher import LshHasher, LshParameters
from stela_testing import run_cli

import stela_core as stela
from stela_core.api import TokenBytes

TINY = TokenBytes([b"a", b"b", b"c"], frozenset())


def small(vocabulary: str = "0" * 64) -> bytes:
    vectors = np.array([[1, 2], [3, -4], [5, 6]], dtype=np.int8)
    return embedding_file(vectors, np.array([0, -1, 0]), vocabulary, "by hand")


def test_what_is_written_is_read() -> None:
    digest = keep_file(small(vocabulary_hash(TINY)))
    embedding = FILES.read(digest, None)
    assert embedding.vectors.tolist() == [[1, 2], [3, -4], [5, 6]]
    assert embedding.clusters.groups() == [[0, 2]]
    embedding.require_fits(TINY)
    sums = embedding.of_contexts(np.array([[0, 1], [2, 3], [-1, 7]]))
    assert sums.tolist() == [[4, -2], [5, 6], [0, 0]]
    parameters = LshParameters.model_validate({"embedding": digest})
    with pytest.raises(stela.StelaError, match="another tokenizer"):
        LshHasher(parameters, 1).bind(TokenBytes([b"a"], frozenset()))


def changed(**fields: Any) -> bytes:
    line, _, body = small().partition(b"\n")
    return json.dumps({**json.loads(line), **fields}).encode() + b"\n" + body


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is not JSON"),
        (b"\xff\n", "is not JSON"),
        (b"x" * 10_000, "is not JSON"),
        (changed(format="stela-embedding/2"), "format"),
        (changed(ids=0), "ids"),
        (changed(ids=4), "bytes of numbers"),
        (changed(dimensions=10**9), "dimensions"),
        (changed(more=1), "more"),
        (small()[:-1], "bytes of numbers"),
        (small() + b"\0", "bytes of numbers"),
    ],
)
def test_wrong_files_get_one_line(tmp_path: Path, content: bytes, message: str) -> None:
    with pytest.raises(stela.StelaError, match=message):
        FILES.read(keep_file(content), None)
    (tmp_path / "e.bin").write_bytes(content)
    refused = run_cli("lsh", "keep", tmp_path / "e.bin")
    assert refused.status == 2
    assert refused.err.count("\n") == 1


def test_another_file_is_refused() -> None:
    with pytest.raises(stela.StelaError, match="not the one that the profile was made with"):
        FILES.read("tiny", "0" * 64)
    with pytest.raises(stela.StelaError, match="does not exist"):
        FILES.read("0" * 64, None)
    assert LshParameters().sha256 == FILES.shipped_digest("tiny")


@pytest.mark.parametrize("name", ["nonsense", "/etc/hostname", "0" * 63, ""])
def test_no_path_is_read(name: str) -> None:
    """A profile is a stranger's file: it names no file of this machine."""
    with pytest.raises(stela.StelaError, match="is not a SHA-256"):
        stela.create("lsh", "tiny", key="public", parameters={"embedding": name})


def test_the_command_keeps_a_file(tmp_path: Path) -> None:
    (tmp_path / "e.bin").write_bytes(small())
    done = run_cli("lsh", "keep", tmp_path / "e.bin")
    assert done.status == 0
    assert FILES.read(done.out.split("embedding=")[1].strip(), None).vectors.shape == (3, 2)


@given(st.lists(st.integers(-1, 4), max_size=30))
def test_clusters_are_ids_of_one_number(labels: list[int]) -> None:
    expected = [[i for i, label in enumerate(labels) if label == n] for n in range(5)]
    groups = clusters_of(np.array(labels, dtype=np.int64)).groups()
    assert sorted(groups) == sorted(group for group in expected if len(group) > 1)


def unit(count: int, dimensions: int) -> np.ndarray[Any, np.dtype[np.float32]]:
    vectors = np.random.default_rng(0).normal(size=(count, dimensions)).astype(np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def test_reduction_keeps_what_varies() -> None:
    """Of vectors that lie in three dimensions, all angles; in quantised ones to a percent or so."""
    rotation = np.linalg.qr(np.random.default_rng(1).normal(size=(20, 20)))[0][:3]
    vectors = (unit(50, 3) @ rotation).astype(np.float32)
    short = reduced(vectors, 3)
    assert short.shape == (50, 3)
    assert short @ short.T == pytest.approx(vectors @ vectors.T, abs=1e-5)
    whole = quantised(short).astype(float)
    assert whole @ whole.T / 127**2 == pytest.approx(vectors @ vectors.T, abs=0.02)
    assert reduced(np.zeros((4, 5), dtype=np.float32), 2).tolist() == [[0, 0]] * 4


@pytest.mark.parametrize("count", [0, 1, 2, 7, 200])
def test_all_are_paired_but_one(count: int) -> None:
    vectors = unit(count, 5)
    partner = matched(vectors)
    assert (partner < 0).sum() == count % 2
    paired = np.flatnonzero(partner >= 0)
    assert (partner[partner[paired]] == paired).all()
    assert (partner[paired] != paired).all()
    if count == 200:
        near = (vectors[paired] * vectors[partner[paired]]).sum(axis=1).mean()
        assert near > 0.6  # far above the 0 of random pairs


def test_the_nearest_two_are_a_pair() -> None:
    vectors = unit(60, 4)
    products = vectors @ vectors.T - 3 * np.eye(60)
    one, other = np.unravel_index(int(products.argmax()), products.shape)
    assert matched(vectors)[one] == other


def test_equal_vectors_are_paired_too() -> None:
    partner = matched(np.ones((301, 2), dtype=np.float32))
    assert (partner < 0).sum() == 1
    assert len(set(partner.tolist())) == 301


def test_clusters_hold_all_members_once() -> None:
    members = np.arange(3, 90)
    groups = clustered(unit(100, 6), members, 3)
    assert sorted(token for group in groups for token in group) == members.tolist()
    assert max(map(len, groups)) == 8
    assert sum(len(group) == 8 for group in groups) >= 10
    assert clustered(unit(100, 6), members, 0) == [[token] for token in members.tolist()]


@pytest.mark.slow
def test_the_command_makes_a_file_that_fits(tmp_path: Path, tokens: TokenBytes) -> None:
    out = tmp_path / "e.bin"
    done = run_cli("lsh", "embed", "--model", "tiny", "-o", out, "--dimensions", 16, "--rounds", 2)
    assert done.status == 0
    assert "2048 clusters" in done.out
    embedding = parsed(out.read_bytes(), "it")
    embedding.require_fits(tokens)
    assert embedding.vectors.shape == (len(tokens), 16)
    lengths = np.linalg.norm(embedding.vectors[3:].astype(float), axis=1)
    assert np.median(lengths) == pytest.approx(127, abs=2)
    mark = stela.create(
        "lsh", "tiny", key="public", parameters={"embedding": done.out.split("embedding=")[1].strip()}
    )
    assert len(mark.parts.hasher.clusters) == 2048  # type: ignore[attr-defined]
    assert run_cli("lsh", "embed", "--model", "tiny", "-o", out).status == 2


def test_a_chosen_file_counts_as_chosen_for_the_text() -> None:
    """In a stranger's profile its vectors and clusters may have been fitted to a text: no p-value is left."""
    data = small(vocabulary_hash(TINY))
    hasher = LshHasher(LshParameters.model_validate({"embedding": keep_file(data)}), 1)
    assert hasher.log_choices == pytest.approx(8 * np.log(2) * len(data) + 2 * np.log(len(data) + 1))
    assert LshHasher(LshParameters(), 1).log_choices == 0
    assert LshHasher(LshParameters.model_validate({"model": "0" * 64}), 1).log_choices > 600
