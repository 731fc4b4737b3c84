"""What metrics see of a cell whose shards were tested before: a shard in memory at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from stela_core import Detection
from stela_run.cells.kept_detection import detection_of
from stela_run.cells.keys import Keys
from stela_run.cells.paged import Paged
from stela_run.cells.shards import LARGEST
from stela_run.cells.trials import Trial, Trials
from stela_run.metric import Marked, Unmarked
from stela_run.plan.plan import NO_ATTACK
from stela_run.plan.texts import Pair


class Restored:
    """Texts and tests of a cell, shard by shard.

    Args:
        trials: cuts texts, and tests one again where its evidence is looked at.
        shards: how many there are.
        trial: gives a shard as it was tested, texts and all.
        kept: gives what :meth:`Trials.rows` said of it.
    """

    def __init__(
        self,
        trials: Trials,
        shards: int,
        trial: Callable[[int], Trial],
        kept: Callable[[int], dict[str, Any]],
    ) -> None:
        self._trials = trials
        self._shards = range(shards)
        self._trial = trial
        self._kept = kept

    def at(self, length: int) -> tuple[Sequence[Marked], Sequence[Unmarked], Sequence[Unmarked]]:
        """Marked, the model's unmarked and human texts at a length."""
        counts: dict[str, list[int]] = {"marked": [], "model": [], "human": []}
        for shard in self._shards:
            scores = self._kept(shard)["lengths"][str(length)]["scores"]
            keys = self._trial(shard).keys
            for kind, numbers in counts.items():
                numbers.append(len(scores[kind]) // (1 if kind == "marked" else keys))
        return (
            Paged(counts["marked"], lambda shard: self._marked(shard, length), LARGEST),
            Paged(counts["model"], lambda shard: self._unmarked(shard, length, "model"), LARGEST),
            Paged(counts["human"], lambda shard: self._unmarked(shard, length, "human"), LARGEST),
        )

    def example(self, length: int) -> Any:
        """Tokens of the first marked text; ``None`` where there is none."""
        examples = (self._kept(shard)["lengths"][str(length)]["example"] for shard in self._shards)
        return next((one for one in examples if one is not None), None)

    def _marked(self, shard: int, length: int) -> list[Marked]:
        trial, kept = self._trial(shard), self._kept(shard)["lengths"][str(length)]
        cut = self._trials.cut(trial, length)
        rows = kept["scores"]["marked"]
        cut = cut[len(cut) - len(rows) :]  # without those that an attack learns from
        texts = [text for _, text in cut] if trial.cell.attack.name == NO_ATTACK else kept["attacked"]
        prompts = [one.prompt for one, _ in cut]
        keys, threshold = Keys(trial.cell.seed, trial.key_per), self._threshold(trial)

        @cache
        def again() -> list[Detection]:
            return self._trials.tester(trial).marked(texts, prompts)

        return [
            Marked(one, text, detection_of(row, threshold, _at(again, place)), keys.of(one.prompt))
            for place, ((one, _), text, row) in enumerate(zip(cut, texts, rows, strict=True))
        ]

    def _unmarked(self, shard: int, length: int, kind: str) -> list[Unmarked]:
        trial, kept = self._trial(shard), self._kept(shard)["lengths"][str(length)]
        if not trial.negatives:
            return []
        pairs: list[Pair] = trial.plain if kind == "model" else trial.human
        cut, owners = self._trials.cut_pairs(trial, pairs, length)
        keys, threshold = Keys(trial.cell.seed, trial.key_per, trial.keys), self._threshold(trial)
        rows = kept["scores"][kind]

        @cache
        def again() -> list[Detection]:
            texts, prompts = [text for _, text in cut], [prompt for prompt, _ in cut]
            tests = self._trials.tester(trial).unmarked(texts, prompts, owners)
            return [one for each in tests for one in each]

        tests = [detection_of(row, threshold, _at(again, place)) for place, row in enumerate(rows)]
        return [
            Unmarked(prompt, text, tests[n * trial.keys : (n + 1) * trial.keys], keys.all_of(owner))
            for n, ((prompt, text), owner) in enumerate(zip(cut, owners, strict=True))
        ]

    def _threshold(self, trial: Trial) -> float:
        return self._trials.watermark(trial.cell, trial.delta).profile.alpha


def _at(again: Callable[[], list[Detection]], place: int) -> Callable[[], Detection]:
    return lambda: again()[place]
