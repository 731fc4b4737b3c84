"""Network files: what is read, what is refused, what the command makes of a model and texts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from stela_clusters.kept import keep_file
from stela_clusters.vocabulary_hash import vocabulary_hash
from stela_models.testing import save_encoder
from stela_sir.hasher import SirHasher, SirParameters
from stela_sir.network import OUTPUTS, Layer
from stela_sir.network_file import FILES, network_file, parsed
from stela_testing import run_cli
from tokenizers import Tokenizer

import stela_core as stela
from stela_core.api import TokenBytes
from tests.helpers import human_english

TINY = TokenBytes([b"a", b"b", b"c"], frozenset())


def layers(dimensions: int = 2, hidden: int = 3) -> list[Layer]:
    random = np.random.default_rng(0)
    shapes = [(hidden, dimensions), (hidden, hidden), (hidden, hidden), (OUTPUTS, hidden)]
    return [
        Layer(random.integers(-9, 9, shape).astype(np.int8), np.arange(shape[0], dtype=np.int32), scale)
        for shape, scale in zip(shapes, [4, 5, 6, 1], strict=True)
    ]


def small(vocabulary: str = "0" * 64, classes: tuple[int, ...] = (0, 1, 0)) -> bytes:
    vectors = np.array([[1, 2], [3, -4], [5, 6]], dtype=np.int8)
    return network_file(layers(), vectors, np.array(classes), vocabulary, "by hand")


def test_what_is_written_is_read() -> None:
    digest = keep_file(small(vocabulary_hash(TINY)))
    file = FILES.read(digest, None)
    assert file.of_contexts(np.array([[0, 1], [2, 3], [-1, 7]])).tolist() == [[4, -2], [5, 6], [0, 0]]
    assert file.classes_of(np.array([2, 1, 0, 5])).tolist() == [0, 1, 0, 5]
    for one, other in zip(file.network.layers, layers(), strict=True):
        assert (one.weights == other.weights).all()
        assert (one.biases == other.biases).all()
        assert one.scale == other.scale
    hasher = SirHasher(SirParameters.model_validate({"network": digest, "context_width": 1}), 1)
    hasher.bind(TINY)
    seeds = hasher.seeds(np.array([[1], [1], [0]]))
    assert hasher.green(seeds[:2], np.array([0, 2])).tolist() in ([True] * 2, [False] * 2)
    assert hasher.independent(seeds[:2], np.array([0, 2])).tolist() == [True, True]  # one coin, counted so
    assert len(set(hasher.coins(seeds[:2], np.array([0, 2])).tolist())) == 1
    with pytest.raises(stela.StelaError, match="another tokenizer"):
        hasher.bind(TokenBytes([b"a"], frozenset()))


def test_a_chosen_network_counts_as_chosen_for_the_text() -> None:
    """In a stranger's profile its weights may have been fitted to a text: no p-value is left."""
    hasher = SirHasher(SirParameters.model_validate({"network": keep_file(small())}), 1)
    assert hasher.log_choices == pytest.approx(8 * np.log(2) * (6 + 9 + 9 + 3 * OUTPUTS))


def changed(**fields: Any) -> bytes:
    line, _, body = small().partition(b"\n")
    return json.dumps({**json.loads(line), **fields}).encode() + b"\n" + body


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is not JSON"),
        (b"\xff\n", "is not JSON"),
        (b"x" * 10_000, "is not JSON"),
        (changed(format="stela-sir/2"), "format"),
        (changed(ids=0), "ids"),
        (changed(ids=4), "bytes of numbers"),
        (changed(dimensions=10**9), "dimensions"),
        (changed(hidden=2000), "hidden"),
        (changed(scales=[1, 0, 1]), "scales"),
        (changed(scales=[1, 1]), "scales"),
        (changed(model="0" * 64), "bytes of numbers"),
        (changed(more=1), "more"),
        (small()[:-1], "bytes of numbers"),
        (small() + b"\0", "bytes of numbers"),
        (small(classes=(1, 1, 1)), "lowest id"),
        (small(classes=(0, 0, 1)), "lowest id"),
        (small(classes=(-1, 1, 2)), "lowest id"),
        (small(classes=(0, 1, 9)), "lowest id"),
    ],
)
def test_wrong_files_get_one_line(tmp_path: Path, content: bytes, message: str) -> None:
    with pytest.raises(stela.StelaError, match=message):
        FILES.read(keep_file(content), None)
    (tmp_path / "n.bin").write_bytes(content)
    refused = run_cli("sir", "keep", tmp_path / "n.bin")
    assert refused.status == 2
    assert refused.err.count("\n") == 1


@pytest.mark.parametrize("name", ["nonsense", "/etc/hostname", "0" * 63, ""])
def test_no_path_is_read(name: str) -> None:
    """A profile is a stranger's file: it names no file of this machine."""
    with pytest.raises(stela.StelaError, match="is not a SHA-256"):
        stela.create("sir", "tiny", key="public", parameters={"network": name})


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    file = tmp_path / "c.jsonl"
    text = human_english()
    file.write_text("".join(json.dumps({"text": text[n : n + 900]}) + "\n" for n in range(0, 9_000, 900)))
    return file


@pytest.mark.slow
def test_the_command_makes_a_network_that_works(tmp_path: Path, corpus: Path, tokens: TokenBytes) -> None:
    """Of X-SIR's kind: four near tokens have one colour, and count once."""
    out = tmp_path / "n.bin"
    options = ["--corpus", corpus, "--steps", 20, "--hidden", 16, "--dimensions", 8, "--rounds", 2]
    done = run_cli("sir", "train", "--model", "tiny", "-o", out, *options)
    assert done.status == 0, done.err
    file = parsed(out.read_bytes(), "it")
    file.require_fits(tokens)
    assert f"{len(np.unique(file.classes))} classes" in done.out
    assert np.bincount(file.classes).max() == 4
    name = done.out.split("network=")[1].strip()
    mark = stela.create("sir", "tiny", key="public", parameters={"network": name})
    hasher = mark.parts.hasher
    assert isinstance(hasher, SirHasher)
    members = np.flatnonzero(file.classes == np.bincount(file.classes).argmax())
    seeds = hasher.seeds(np.tile(np.arange(16), (4, 1)))
    assert len(set(hasher.green(seeds, members).tolist())) == 1
    again = run_cli("sir", "train", "--model", "tiny", "-o", out, *options)
    assert again.status == 2
    assert "exists" in again.err


@pytest.mark.deep(stand_in="test_the_command_makes_a_network_that_works")
@pytest.mark.slow
def test_a_sentence_model_may_read_the_contexts(
    tmp_path: Path, corpus: Path, tokenizer: Tokenizer, tokens: TokenBytes
) -> None:
    encoder = save_encoder(tmp_path / "encoder", tokenizer, 0)
    out = tmp_path / "n.bin"
    options = ["--corpus", corpus, "--documents", 3, "--steps", 5, "--hidden", 8, "--context-width", 4]
    done = run_cli("sir", "train", "--model", "tiny", "--sentence-model", encoder, "-o", out, *options)
    assert done.status == 0, done.err
    name = done.out.split("network=")[1].strip()
    mark = stela.create("sir", "tiny", key=5, delta=3.0, context_width=4, parameters={"network": name})
    file = parsed(out.read_bytes(), "it")
    assert file.vectors is None
    assert run_cli("sir", "model", encoder).out.split("known as ")[1].strip() == file.model
    hasher = mark.parts.hasher
    words = {tokens[index]: index for index in range(len(tokens))}
    spelt = [[-1, -1, words[b"th"], words[b"e"]], [-1, -1, words[b"t"], words[b"he"]]]
    one, same = hasher.seeds(np.array(spelt)).tolist()
    assert one == same  # of the text, not of the ids


def test_a_corpus_that_is_too_small_gets_one_line(tmp_path: Path) -> None:
    (tmp_path / "c.jsonl").write_text('{"text": "a short text"}\n')
    options = ("--model", "tiny", "-o", tmp_path / "n.bin", "--corpus", tmp_path / "c.jsonl")
    refused = run_cli("sir", "train", *options)
    assert refused.status == 2
    assert refused.err.count("\n") == 1
    assert "a network learns from 1000 and more" in refused.err
