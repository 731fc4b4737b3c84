"""Cluster files: what is read, what is refused, and what the command writes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from stela_clusters.kept import keep_file
from stela_clusters.vocabulary_hash import vocabulary_hash
from stela_testing import run_cli
from stela_watme.cluster_file import FILES, clusters_of, ids_file, parsed
from stela_watme.hasher import WatmeParameters
from stela_watme.neighbours import alike, mutual_neighbours
from stela_watme.word_forms import ids_of_words

import stela_core as stela
from stela_core.api import TokenBytes

GOOD: dict[str, Any] = {"format": "stela-clusters/1", "words": [["big", "large"]]}


def test_shipped_files_are_sound(tokens: TokenBytes) -> None:
    for name in FILES.shipped:
        file = FILES.read(name, None)
        assert FILES.read(name, FILES.shipped_digest(name)) == file
        assert len(clusters_of(file, tokens)) > 30
    words = [word for group in FILES.read("wordnet", None).words or () for word in group]
    assert len(words) == len(set(words))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("no json", "is not JSON"),
        ([], "should be a valid dictionary"),
        ({**GOOD, "format": "stela-clusters/2"}, "format"),
        ({**GOOD, "more": 1}, "more"),
        ({"format": GOOD["format"]}, "needs either words"),
        ({**GOOD, "ids": [[1, 2]], "vocabulary": "0" * 64}, "needs either words"),
        ({"format": GOOD["format"], "ids": [[1, 2]]}, "needs either words"),
        ({**GOOD, "words": [["big", 3]]}, "words"),
        ({**GOOD, "vocabulary": "0"}, "vocabulary"),
    ],
)
def test_wrong_files_get_one_line(tmp_path: Path, content: Any, message: str) -> None:
    data = content if isinstance(content, str) else json.dumps(content)
    with pytest.raises(stela.StelaError, match=message):
        FILES.read(keep_file(data.encode()), None)
    (tmp_path / "c.json").write_text(data)
    refused = run_cli("watme", "keep", tmp_path / "c.json")
    assert refused.status == 2
    assert refused.err.count("\n") == 1


def test_a_profile_speaks_of_kept_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    digest = keep_file(json.dumps(GOOD).encode())
    mark = stela.create("watme", "tiny", key="public", parameters={"clusters": digest})
    mark.save(tmp_path / "p.stela")
    assert len(mark.parts.hasher.clusters) == 1  # type: ignore[attr-defined]
    assert stela.load(tmp_path / "p.stela").profile.hasher.parameters["clusters"] == digest
    monkeypatch.setenv("STELA_STATE", str(tmp_path / "elsewhere"))
    with pytest.raises(stela.StelaError, match="does not exist") as caught:
        stela.load(tmp_path / "p.stela")
    assert "stela watme keep FILE" in caught.value.hint


@pytest.mark.parametrize("name", ["nonsense", "/etc/hostname", "0" * 63, ""])
def test_no_path_is_read(name: str) -> None:
    """A profile is a stranger's file: it names no file of this machine."""
    with pytest.raises(stela.StelaError, match="is not a SHA-256"):
        stela.create("watme", "tiny", key="public", parameters={"clusters": name})


def test_ids_of_another_tokenizer_are_refused(tokens: TokenBytes) -> None:
    with pytest.raises(stela.StelaError, match="another tokenizer"):
        clusters_of(parsed(ids_file([[5, 9]], "0" * 64, "by hand"), "it"), tokens)
    fitting = parsed(ids_file([[5, 9], [10, 11]], vocabulary_hash(tokens), "by hand"), "it")
    assert clusters_of(fitting, tokens).groups() == [[5, 9], [10, 11]]


def test_another_shipped_file_is_refused() -> None:
    with pytest.raises(stela.StelaError, match="not the one that the profile was made with"):
        FILES.read("wordnet", "0" * 64)
    assert WatmeParameters().sha256 == FILES.shipped_digest("wordnet")


def test_the_command_keeps_a_file(tmp_path: Path) -> None:
    (tmp_path / "c.json").write_text(json.dumps(GOOD))
    done = run_cli("watme", "keep", tmp_path / "c.json")
    assert done.status == 0
    name = done.out.split("clusters=")[1].strip()
    assert FILES.read(name, None).words == GOOD["words"]
    (tmp_path / "c.json").write_bytes(b" " * (FILES.largest + 1))
    assert "larger than" in run_cli("watme", "keep", tmp_path / "c.json").err


def test_forms_of_words_are_clusters_of_their_own() -> None:
    table = [b"", b" big", b"big", b" large", b"large", b"Big", b" Large", b"big", b" huge"]
    tokens = TokenBytes(table, frozenset({0}))
    groups = list(ids_of_words([["big", "large", "huge"], ["small", "little"]], tokens))
    assert groups == [[2, 4], [1, 3, 8]]


def test_neighbours_are_each_others_nearest() -> None:
    """Against a plain search over all pairs of tokens that are written alike."""
    draws = np.random.default_rng(0)
    words = [" a", " b", "c", " d", "e", " f", "X", "Y", " g1", "\udcff".encode("utf-8", "surrogateescape")]
    table = [word.encode() if isinstance(word, str) else word for word in words for _ in range(30)]
    tokens = TokenBytes(table, frozenset({0}))
    vectors = draws.normal(size=(len(table), 4)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    expected = []
    for ids in alike(tokens).values():
        nearest = {
            i: max((j for j in ids if j != i), key=lambda j, i=i: float(vectors[i] @ vectors[j]))  # type: ignore[misc]
            for i in ids
        }
        expected += [
            [i, j] for i, j in nearest.items() if nearest[j] == i < j and vectors[i] @ vectors[j] > 0.9
        ]
    assert mutual_neighbours(vectors, tokens, 0.9) == sorted(expected)
    assert sum(map(len, alike(tokens).values())) == 8 * 30 - 1


@pytest.mark.slow
def test_the_command_writes_what_is_shipped(tmp_path: Path, tokens: TokenBytes) -> None:
    """But for pairs whose cosine is within rounding of the threshold."""
    out = tmp_path / "c.json"
    done = run_cli("watme", "clusters", "--model", "tiny", "-o", out)
    assert done.status == 0
    assert "--param clusters=" in done.out
    made = {tuple(pair) for pair in parsed(out.read_bytes(), "it").ids or ()}
    shipped = {tuple(pair) for pair in FILES.read("tiny", None).ids or ()}
    assert len(made ^ shipped) <= 2
    assert run_cli("watme", "clusters", "--model", "tiny", "-o", out).status == 2
    assert run_cli("watme", "clusters", "--model", "tiny", "-o", tmp_path / "d", "--threshold", 1).status == 2
