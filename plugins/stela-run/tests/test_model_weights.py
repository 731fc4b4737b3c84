"""What a model says of texts is asked once, and is what the detector would have asked."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from time import sleep
from typing import Any

import numpy as np
import pytest
from filelock import FileLock
from stela_models.load import load_model
from stela_models.logits import ModelLogits
from stela_run.cells.model_weights import ModelWeights

import stela_core as stela
from stela_core.interfaces.logits import Chunk

PROMPTS = ["The house", "A river of", "Nobody said"]
TEXTS = [
    " that stands on the hill was built by people who had never seen the sea, and its rooms are cold.",
    " some length runs through the valley, and in spring it carries what the winter has left behind.",
    " anything for a while; then the door was opened, and all of them went out into the light.",
]


class Counted(ModelLogits):
    """A model that counts what it reads."""

    read = 0

    def chunks(self, *args: Any) -> Iterator[Chunk]:
        self.read += len(args[0])
        return super().chunks(*args)


@pytest.fixture(scope="module")
def marks(registry: stela.Registry) -> dict[str, stela.Watermark]:
    return {
        name: stela.create(name, model="tiny-small", key=5, registry=registry)
        for name in ("ewd", "sweet", "kgw+ewd-gain")
    }


@pytest.fixture
def logits(registry: stela.Registry) -> Counted:
    return Counted(*load_model(registry, "tiny-small"))


@pytest.mark.parametrize("prompts", [PROMPTS, None])
def test_weights_are_those_that_detection_asks_for(
    prompts: list[str] | None, marks: dict[str, stela.Watermark], logits: Counted
) -> None:
    detector = marks["ewd"].detector
    weights = ModelWeights("m", logits, [mark.parts.evidence for mark in marks.values()], None)
    whole = [ids[:20] for ids in detector.ids_of(TEXTS)]
    for length in (20, 12, 5):
        rows = [ids[:length] for ids in whole]
        raw = weights.of(detector, rows, prompts)
        asked = detector.evidence(rows, logits, prompts)
        for mine, theirs in zip(detector.evidence(rows, prompts=prompts, raw=raw), asked, strict=True):
            assert mine.positions.tolist() == theirs.positions.tolist()
            np.testing.assert_allclose(mine.weights, theirs.weights, atol=2e-6)
            assert mine.weights.any()


def test_each_text_is_read_once(marks: dict[str, stela.Watermark], logits: Counted) -> None:
    weights = ModelWeights("m", logits, [mark.parts.evidence for mark in marks.values()], None)
    for mark in marks.values():
        rows = mark.detector.ids_of(TEXTS)
        for length in (40, 10, 15):
            weights.of(mark.detector, [ids[:length] for ids in rows], PROMPTS)
    assert logits.read == len(TEXTS)
    changed = [[7, *ids[1:9]] for ids in rows]
    weights.of(mark.detector, changed, PROMPTS)
    assert logits.read == 2 * len(TEXTS), "another text"
    weights.of(mark.detector, [ids[:9] for ids in rows], PROMPTS[::-1])
    assert logits.read == 3 * len(TEXTS) - 1, "after other prompts, but for the one in the middle"


def test_workers_share_files(
    marks: dict[str, stela.Watermark], logits: Counted, tmp_path: Path, registry: stela.Registry
) -> None:
    weightings = [mark.parts.evidence for mark in marks.values()]
    mine, others = (ModelWeights("m", logits, weightings, tmp_path / "weights") for _ in range(2))
    detector = marks["sweet"].detector
    rows = detector.ids_of(TEXTS)
    first = mine.of(detector, rows, PROMPTS)
    again = others.of(detector, rows, PROMPTS)
    assert logits.read == len(TEXTS)
    for (_, one), (_, other) in zip(first, again, strict=True):
        assert np.array_equal(one, other)
    third = ModelWeights("another model", logits, weightings, tmp_path / "weights")
    third.of(detector, rows, PROMPTS)
    assert logits.read == 2 * len(TEXTS)
    for file in (tmp_path / "weights").glob("*.npz"):
        file.write_bytes(file.read_bytes()[:50])
    ModelWeights("m", logits, weightings, tmp_path / "weights").of(detector, rows, PROMPTS)
    assert logits.read == 3 * len(TEXTS), "files cut short are made again"


def test_what_another_worker_is_at_is_waited_for(
    marks: dict[str, stela.Watermark], logits: Counted, tmp_path: Path
) -> None:
    detector = marks["ewd"].detector
    rows = detector.ids_of(TEXTS)
    folder = tmp_path / "weights"
    ModelWeights("m", logits, [], folder).of(detector, rows, PROMPTS)
    [file] = folder.glob("*.npz")
    content = file.read_bytes()
    file.unlink()

    def other() -> None:
        with FileLock(file.with_suffix(".lock")):
            sleep(0.3)
            file.write_bytes(content)

    thread = Thread(target=other)
    thread.start()
    sleep(0.1)
    ModelWeights("m", logits, [], folder).of(detector, rows, PROMPTS)
    thread.join()
    assert logits.read == len(TEXTS), "read by the other"


def test_a_folder_that_cannot_be_written_keeps_nothing(
    marks: dict[str, stela.Watermark], logits: Counted, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("in the way")
    detector = marks["ewd"].detector
    ModelWeights("m", logits, [], tmp_path / "file" / "weights").of(detector, detector.ids_of(TEXTS), None)
    assert logits.read == len(TEXTS)


def test_marks_that_score_other_tokens_have_files_of_their_own(
    marks: dict[str, stela.Watermark], logits: Counted, tmp_path: Path, registry: stela.Registry
) -> None:
    """A context of three scores fewer tokens, by the same weighting."""
    wide = stela.create("ewd", model="tiny-small", key=5, context_width=3, registry=registry).detector
    narrow = marks["ewd"].detector
    rows = narrow.ids_of(TEXTS)
    for detector in (wide, narrow):
        raw = ModelWeights("m", logits, [], tmp_path / "weights").of(detector, rows, None)
        asked = detector.evidence(rows, logits)
        assert [at.tolist() for at, _ in raw] == [one.positions.tolist() for one in asked]
    assert len(list((tmp_path / "weights").glob("*.npz"))) == 2
