"""The texts and tests of a cell as metrics see them: made of its shards, one in memory at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from typing import Any

from stela_core import Detection
from stela_run.cells.cell_shards import CellShards
from stela_run.cells.outcome import Outcome
from stela_run.cells.shard_test import ShardTester
from stela_run.cells.shards import LARGEST, Paged
from stela_run.metric import Marked, Unmarked


class CellTexts:
    """Texts of a cell, and detections whose evidence is worked out again where it is looked at.

    Args:
        tester: cuts the texts, and tests those of a shard again.
        shards: all have been tested.
    """

    def __init__(self, tester: ShardTester, shards: CellShards) -> None:
        self._tester = tester
        self._numbers = range(len(shards.shards))
        self._tested = lru_cache(maxsize=2)(shards.tested)
        self._keys = shards.experiment.keys
        self._threshold = tester.watermark(shards.cell, shards.delta).profile.alpha

    def at(self, length: int) -> tuple[Sequence[Marked], Sequence[Unmarked], Sequence[Unmarked]]:
        """Marked, the model's unmarked and human texts at a length."""
        counts: dict[str, list[int]] = {"marked": [], "model": [], "human": []}
        for number in self._numbers:
            scores = self._tested(number).result.lengths[length].scores
            for kind, numbers in counts.items():
                numbers.append(len(scores[kind]) // (1 if kind == "marked" else self._keys))
        return (
            Paged(counts["marked"], lambda number: self._marked(number, length), LARGEST),
            Paged(counts["model"], lambda number: self._unmarked(number, length, "model"), LARGEST),
            Paged(counts["human"], lambda number: self._unmarked(number, length, "human"), LARGEST),
        )

    def example(self, length: int) -> list[list[Any]] | None:
        """Tokens of the first marked text; ``None`` where there is none."""
        examples = (self._tested(number).result.lengths[length].example for number in self._numbers)
        return next((example for example in examples if example is not None), None)

    def _marked(self, number: int, length: int) -> list[Marked]:
        test, result = self._tested(number)
        at_length = result.lengths[length]
        outcomes = at_length.scores["marked"]
        cut = self._tester.cut(test, length)
        cut = cut[len(cut) - len(outcomes) :]  # without those that an attack learns from
        texts = [text for _, text in cut] if at_length.attacked is None else at_length.attacked
        prompts = [generated.prompt for generated, _ in cut]
        detections = self._detections(
            outcomes, cache(lambda: self._tester.tester(test).marked(texts, prompts))
        )
        keys = map(test.keys.of, prompts)
        generated = [generated for generated, _ in cut]
        return [Marked(*row) for row in zip(generated, texts, detections, keys, strict=True)]

    def _unmarked(self, number: int, length: int, kind: str) -> list[Unmarked]:
        test, result = self._tested(number)
        if not test.experiment.negatives:
            return []
        cut = self._tester.cut_pairs(test, test.plain if kind == "model" else test.human, length)

        @cache
        def again() -> list[Detection]:
            tests = self._tester.tested(test, cut)
            return [detection for text in tests for detection in text.detections]

        detections = self._detections(result.lengths[length].scores[kind], again)
        each = [detections[start : start + self._keys] for start in range(0, len(detections), self._keys)]
        return [
            Unmarked(text.prompt, text.text, under_keys, test.keys.all_of(text.owner))
            for text, under_keys in zip(cut, each, strict=True)
        ]

    def _detections(
        self, outcomes: Sequence[Outcome], again: Callable[[], Sequence[Detection]]
    ) -> list[Detection]:
        return [
            outcome.detection(self._threshold, lambda place=place: again()[place])  # type: ignore[misc]
            for place, outcome in enumerate(outcomes)
        ]
