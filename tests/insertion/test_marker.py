"""Marker: a step of insertion against plain references, over ragged rows, numpy and torch, and threads."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from stela_testing.texts import ENGLISH, KOREAN, random_text
from tokenizers import Tokenizer

import stela_core as stela
from stela_core.creation import NewWatermark
from tests import oracles
from tests.helpers import OnDemand
from tests.tiers import examples

TAGGERS = {"en": "penn", "zh": "ctb", "ko": "sejong"}
WIDTH = 8200
"""Of the logits: eight ids of padding."""


@pytest.fixture(scope="module")
def marks(registry: stela.Registry) -> dict[str, stela.Watermark]:
    new: dict[str, Any] = {"model": "tiny", "key": "00000000000007ea", "registry": registry}

    def make(name: str) -> stela.Watermark:
        """By a language, with its tagger, or by a scheme that needs none."""
        if name in TAGGERS:
            return stela.create("stela", tagger=TAGGERS[name], **new)
        return stela.create(name, **new)

    return OnDemand(make)


def logits(rows: int, seed: int = 0) -> Any:
    return np.random.default_rng(seed).normal(0, 3, (rows, WIDTH)).astype(np.float32)


def expected(mark: stela.Watermark, ids: list[int], scores: Any) -> tuple[list[float], float | None]:
    """Of one row, with the weight that detection gives an ordinary token at this place."""
    weight = mark.detector.evidence([[*ids, 300]])[0].tokens()[-1].weight
    parts = mark.parts
    return oracles.marked_row(
        ids, scores.tolist(), parts.hasher, weight, parts.bias_per_weight, mark.profile.vocab_size
    ), weight


ragged = st.lists(st.lists(st.integers(0, 8191), max_size=30), min_size=1, max_size=4)


@pytest.mark.deep(keep=["en"])
@pytest.mark.slow
@pytest.mark.parametrize("name", ["en", "zh", "ko", "kgw", "unigram"])
@examples(5)
@given(rows=ragged, data=st.data())
def test_ragged_rows_against_the_reference(
    marks: dict[str, stela.Watermark], name: str, rows: list[list[int]], data: st.DataObject
) -> None:
    """Weights equal detection's at every row; numpy and torch logits are marked alike, bit for bit."""
    mark = marks[name]
    scores = logits(len(rows), data.draw(st.integers(0, 9)))
    before = scores.copy()
    marker = mark.marker()
    found, step = marker(rows, scores), marker.step(rows)
    assert (scores == before).all()
    assert found.dtype == np.float32
    assert (marker(rows, torch.from_numpy(scores)).numpy() == found).all()
    for row, ids in enumerate(rows):
        plain, weight = expected(mark, ids, scores[row])
        assert step.weights[row] == weight
        assert found[row].tolist() == plain


@pytest.mark.slow
@pytest.mark.parametrize("code", ["en", "zh", "ko"])
def test_weights_of_every_step_equal_detection(
    marks: dict[str, stela.Watermark], tiny_ids: dict[str, list[int]], code: str
) -> None:
    """All prefixes of a text as the rows of one step, in one call of the tagger."""
    mark, ids = marks[code], tiny_ids[code]
    step = mark.marker().step([ids[:length] for length in range(len(ids))])
    assert step.weights == [token.weight for token in mark.detector.evidence([ids])[0].tokens()]
    assert len(set(step.weights)) > 3


@pytest.fixture(scope="module")
def tiny_ids(marks: dict[str, stela.Watermark]) -> dict[str, list[int]]:
    tokenizer: Tokenizer = marks["kgw"].tokenizer
    chinese = "这座城市的历史很长，人们在老图书馆里读了很多书。"
    texts = {"en": ENGLISH * 2, "zh": chinese * 2, "ko": KOREAN * 2}
    return {code: tokenizer.encode(text).ids for code, text in texts.items()}


@pytest.mark.parametrize("scheme", [pytest.param("sweet", marks=pytest.mark.slow), "morphmark", "kgw"])
def test_schemes_that_read_logits(marks: dict[str, stela.Watermark], scheme: str) -> None:
    marker, rows = marks[scheme].marker(), [[400], [], [500, 600, 700]]
    scores = logits(3)
    before = scores.copy()
    found = marker(rows, scores)
    assert (found == marker(rows, torch.from_numpy(scores)).numpy()).all()
    assert (scores == before).all()
    for row, ids in enumerate(rows):
        assert (marker([ids], scores[row : row + 1])[0] == found[row]).all()
    if scheme != "kgw":
        with pytest.raises(stela.StelaError, match="reads the logits of the step"):
            marker.step(rows)


@pytest.mark.parametrize("kind", ["float16", "float32", "float64", ">f4", "strided", "read-only"])
@pytest.mark.parametrize("scheme", ["kgw", pytest.param("morphmark", marks=pytest.mark.slow)])
def test_types_of_numpy_logits(marks: dict[str, stela.Watermark], scheme: str, kind: str) -> None:
    """The same type comes back; the sum is rounded once."""
    marker, rows, scores = marks[scheme].marker(), [[400], [500, 600]], logits(2)
    plain = marker(rows, scores).copy()
    given: Any = scores
    if kind == "strided":
        given = np.repeat(scores, 2, axis=1)[:, ::2]
    elif kind == "read-only":
        given = scores.copy()
        given.flags.writeable = False
    else:
        given = scores.astype(kind)
    found = marker(rows, given)
    assert isinstance(found, np.ndarray)
    assert found.dtype == given.dtype
    assert found == pytest.approx(plain, abs=0.02 if kind == "float16" else 1e-5)
    assert (found != given).any(axis=1).all()


def test_types_of_torch_logits_and_of_ids(marks: dict[str, stela.Watermark]) -> None:
    marker, scores = marks["kgw"].marker(), torch.from_numpy(logits(2))
    wanted = marker([[400, 500], [600, 700]], scores)
    ids = np.array([[400, 500], [600, 700]])
    same: list[Any] = [ids, torch.from_numpy(ids), list(ids), [(400, 500), torch.tensor([600, 700])]]
    for one in same:
        assert torch.equal(marker(one, scores), wanted)
    for dtype in (torch.bfloat16, torch.float16, torch.float64):
        assert marker(ids, scores.to(dtype)).dtype == dtype


@pytest.mark.parametrize(
    ("ids", "given", "says"),
    [
        ([[400, -1]], logits(1), "id -1 is not a token"),
        ([400], logits(1), "not rows of token ids"),
        (np.array([400]), logits(1), "not rows of token ids"),
        (np.array([[400.0]]), logits(1), "not rows of token ids"),
        (torch.tensor([[400.0]]), logits(1), "not rows of token ids"),
        ([[400]], logits(2), "1 rows of ids for 2 rows of logits"),
        ([[400]], logits(1)[0], "floating-point numbers"),
        ([[400]], logits(1).astype(int), "floating-point numbers"),
        ([[400]], [[0.0]], "not list"),
    ],
)
def test_what_is_refused(marks: dict[str, stela.Watermark], ids: Any, given: Any, says: str) -> None:
    with pytest.raises(stela.StelaError, match=says):
        marks["kgw"].marker()(ids, given)


@pytest.mark.slow
def test_threads_share_a_marker(registry: stela.Registry, marks: dict[str, stela.Watermark]) -> None:
    """With a tagger, and its cache of windows: each step is what it is alone."""
    tokenizer: Tokenizer = marks["kgw"].tokenizer
    texts = [tokenizer.encode(random_text(seed)).ids[:60] for seed in range(4)]
    for code in TAGGERS:
        alone = [[marks[code].marker()([ids[:n]], logits(1, n)).copy() for n in range(60)] for ids in texts]
        new: dict[str, Any] = {"model": "tiny", "key": "00000000000007ea", "registry": registry}
        shared = stela.create("stela", tagger=TAGGERS[code], **new).marker()  # nothing cached yet

        def work(ids: list[int], shared: stela.Marker = shared) -> list[Any]:
            return [shared([ids[:n]], logits(1, n)).copy() for n in range(60)]

        with ThreadPoolExecutor(4) as pool:
            found = list(pool.map(work, texts))
        assert all(
            (a == b).all() for x, y in zip(alone, found, strict=True) for a, b in zip(x, y, strict=True)
        )


NO_TORCH = """
import sys
sys.modules["torch"] = sys.modules["transformers"] = None
import numpy as np, stela_core as stela
scores = np.load(sys.argv[2])
mark = stela.load(sys.argv[1], allow_lenient=True)
try:
    np.save(sys.argv[3], mark.marker()([[400], [500, 600]], scores))
except stela.StelaError as error:
    print(error)
"""


@pytest.mark.deep(keep=["en-", "morphmark-needs torch, which is not"])
@pytest.mark.slow
@pytest.mark.parametrize(
    ("scheme", "says"), [("kgw", ""), ("en", ""), ("morphmark", "needs torch, which is not")]
)
def test_numpy_logits_without_torch(
    marks: dict[str, stela.Watermark], tmp_path: Path, scheme: str, says: str
) -> None:
    mark = marks[scheme]
    assert isinstance(mark, NewWatermark)
    mark.save(tmp_path / "p.stela", key_file=tmp_path / "key.txt")
    np.save(tmp_path / "in.npy", logits(2))
    files = [str(tmp_path / name) for name in ("p.stela", "in.npy", "out.npy")]
    ran = subprocess.run(
        [sys.executable, "-c", NO_TORCH, *files],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "STELA_KEY": mark.key},
    )
    assert ran.returncode == 0, ran.stderr
    assert says in ran.stdout
    if not says:
        assert (np.load(files[2]) == mark.marker()([[400], [500, 600]], logits(2))).all()


class Foreign(stela.GreenList):
    """A hasher with the slow defaults alone."""

    name = "foreign"

    def seeds(self, contexts: Any) -> Any:
        return contexts.sum(axis=1).astype(np.uint64)

    def green(self, seeds: Any, tokens: Any) -> Any:
        return (seeds + tokens.astype(np.uint64)) % np.uint64(3) == 0


class ByTorchAlone(Foreign):
    """One that marks in its own way, and has no way for arrays."""

    def add_bias(self, scores: Any, seeds: Any, biases: Any, vocab_size: int) -> Any:
        return scores + 1.0


@pytest.mark.slow
def test_foreign_hashers(marks: dict[str, stela.Watermark]) -> None:
    parts, tokens = marks["kgw"].parts, marks["kgw"].tokens
    scores = logits(2)
    for kind in (Foreign, ByTorchAlone):
        hasher = kind(stela.HasherParameters(), 1)
        marker = stela.Marker(replace(parts, hasher=hasher), tokens, None, 8192)
        found = marker([[400], [500]], scores)
        assert found == pytest.approx(marker([[400], [500]], torch.from_numpy(scores)).numpy(), rel=1e-6)
        assert ((found - scores)[:, 8192:] != 0).any() == (kind is ByTorchAlone)
