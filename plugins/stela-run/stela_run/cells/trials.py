"""What happens to the texts of an evaluate cell, or of a shard of it: cut, attacked, tested."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stela_models.generation.generate import Generated
from stela_models.loaded import Models
from stela_models.logits import ModelLogits

from stela_core import Registry, StelaError, Watermark, Weighting
from stela_core.api import parse_parameters
from stela_run.attack import Attack, Circumstances
from stela_run.cells.detecting import Tester
from stela_run.cells.detection_rows import example_of
from stela_run.cells.kept_detection import kept_row
from stela_run.cells.keys import Keys, key_of
from stela_run.cells.marks import Marks, without_key
from stela_run.cells.model_weights import ModelWeights
from stela_run.cells.shards import Shard
from stela_run.metric import Marked, Unmarked
from stela_run.plan.plan import NO_ATTACK, EvaluateCell
from stela_run.plan.schema import KeyPer, Part
from stela_run.plan.texts import Pair


@dataclass(frozen=True)
class Trial:
    """A shard of an evaluate cell, with what a worker needs to carry it out."""

    cell: EvaluateCell
    shard: Shard
    delta: float | None
    marked: list[dict[str, Any]]
    """Its texts, as the cell that generated them tells of them."""
    plain: list[Pair]
    """Unmarked ones."""
    human: list[Pair]
    pool: list[str]
    """Human texts that the attack may take from: those of the whole cell."""
    lengths: list[int]
    keys: int
    negatives: bool
    key_per: KeyPer
    inputs: dict[str, str]
    """Digests of the texts by the id of the cell that generated them; kept with the result."""
    beside: tuple[EvaluateCell, ...] = ()
    """Cells of the same texts: what they ask of the model is worked out at once."""

    @property
    def part(self) -> str:
        """Which part of its cell this makes."""
        return self.shard.name


class Trials:
    """Cut, attack and test the texts of a cell; what was tested without a mark is kept for the next attack.

    Args:
        registry: the plugins.
        marks: makes the watermarks.
        models: by name.
        folder: data folder.
        weights: folder where workers share what a model says of texts.
    """

    def __init__(
        self,
        registry: Registry,
        marks: Marks,
        models: Models,
        folder: Path | None,
        weights: Path | None = None,
    ) -> None:
        self._registry = registry
        self._marks = marks
        self._models = models
        self._folder = folder
        self._folder_of_weights = weights
        self._last: tuple[object, Watermark] | None = None
        self._weights: tuple[object, ModelWeights] | None = None
        self._asked: tuple[object, list[Weighting[Any, Any]]] | None = None
        self._kept: tuple[object, dict[int, tuple[list[Unmarked], list[Unmarked]]]] = (None, {})

    def watermark(self, cell: EvaluateCell, delta: float | None) -> Watermark:
        """The mark of a cell; the last one is kept, for the next shard."""
        place = (cell.model, cell.entry, cell.tagset, delta, key_of(cell.seed), cell.language)
        if self._last is None or self._last[0] != place:
            self._last = (place, self._marks.watermark(*place))
        return self._last[1]

    def tester(self, trial: Trial) -> Tester:
        """What tests its texts."""
        keys = Keys(trial.cell.seed, trial.key_per, trial.keys)
        watermark = self.watermark(trial.cell, trial.delta)
        return Tester(
            watermark, keys, self._models.load(trial.cell.model), self._weights_by(trial, watermark)
        )

    def _weights_by(self, trial: Trial, watermark: Watermark) -> ModelWeights | None:
        """What the model says of a shard's texts, where weights need it; kept until the next shard."""
        if not watermark.needs_model_to_detect:
            return None
        cell = trial.cell
        place = (cell.generated, cell.unmarked, cell.label, trial.shard)
        if self._weights is None or self._weights[0] != place:
            logits = ModelLogits(*self._models.load(cell.model))
            asked = self._weightings(trial, watermark)
            self._weights = place, ModelWeights(cell.model, logits, asked, self._folder_of_weights)
        return self._weights[1]

    def _weightings(self, trial: Trial, watermark: Watermark) -> list[Weighting[Any, Any]]:
        """All that are asked of the model for a cell's texts; kept for its next shard."""
        place = (trial.cell, trial.delta)
        if self._asked is None or self._asked[0] != place:
            own = watermark.parts.evidence
            others = (self._weighting(trial, other) for other in trial.beside)
            self._asked = place, [own, *(one for one in others if one is not None and one.needs == own.needs)]
        return self._asked[1]

    def _weighting(self, trial: Trial, other: EvaluateCell) -> Weighting[Any, Any] | None:
        """Of another cell of the texts; ``None`` where its strength is not known here."""
        delta = other.entry.delta
        if other.entry.mean_bias is not None:
            if other.generated != trial.cell.generated:
                return None
            delta = trial.delta
        place = (other.model, other.entry, other.tagset, delta, key_of(other.seed), other.language)
        return self._marks.watermark(*place).parts.evidence

    def rows(self, trial: Trial, advance: Callable[[int], None] = lambda texts: None) -> dict[str, Any]:
        """The tests of a shard as plain values, by length; ``advance`` hears how many texts are tested.

        Raises:
            StelaError: attack or scheme cannot run.
        """
        lengths = {}
        for place, length in enumerate(longest_first(trial.lengths), start=1):
            marked = self.marked(trial, length)
            model_text, human = self.unmarked(trial, length)
            lengths[str(length)] = {
                "scores": {
                    "marked": [kept_row(one.detection, one.generated.prompt, one.key) for one in marked],
                    "model": _rows(model_text),
                    "human": _rows(human),
                },
                "attacked": [one.text for one in marked] if trial.cell.attack.name != NO_ATTACK else None,
                "example": example_of(marked[0].detection) if marked else None,
            }
            advance(place * len(trial.marked))
        return {"inputs": trial.inputs, "lengths": {str(n): lengths[str(n)] for n in trial.lengths}}

    def cut(self, trial: Trial, length: int) -> list[tuple[Generated, str]]:
        """The marked texts that are long enough, and what is left of each."""
        tester = self.tester(trial)
        cut = [(one, tester.cut(one.text, length)) for one in map(generated_of, trial.marked)]
        return [(one, text) for one, text in cut if text]

    def marked(self, trial: Trial, length: int) -> list[Marked]:
        """The marked texts, cut, attacked and tested.

        Raises:
            StelaError: the attack cannot run, or learns from all texts there are.
        """
        kept = self.cut(trial, length)
        texts = [text for _, text in kept]
        if trial.cell.attack.name != NO_ATTACK:
            kept, texts = self._attacked(trial, kept, length)
        keys = Keys(trial.cell.seed, trial.key_per, trial.keys)
        prompts = [one.prompt for one, _ in kept]
        detections = self.tester(trial).marked(texts, prompts)
        own = [keys.of(prompt) for prompt in prompts]
        return [Marked(*row) for row in zip([one for one, _ in kept], texts, detections, own, strict=True)]

    def _attacked(
        self, trial: Trial, kept: list[tuple[Generated, str]], length: int
    ) -> tuple[list[tuple[Generated, str]], list[str]]:
        cell, texts = trial.cell, [text for _, text in kept]
        circumstances = Circumstances(
            cell.language,
            cell.seed,
            [one.prompt for one, _ in kept],
            trial.pool,
            self._models,
            self._folder,
            cell.model,
            without_key(self.watermark(cell, trial.delta).profile),
        )
        attack = attack_of(self._registry, cell.attack)
        left = kept[attack.studied :]
        if attack.studied and not left:
            raise StelaError(
                f'attack "{cell.attack.label}" learns from {attack.studied} texts, and {len(texts)} have '
                f"{length} tokens: none is left to attack.",
                "texts = a larger number, or fewer to learn from",
            )
        changed = attack.apply(texts, circumstances) if texts else []
        if len(changed) != len(left):
            raise StelaError(
                f'attack "{cell.attack.name}" gave {len(changed)} texts for {len(left)}.',
                "report it to the maker of the plugin",
            )
        return left, changed

    def unmarked(self, trial: Trial, length: int) -> tuple[list[Unmarked], list[Unmarked]]:
        """The model's own texts and the human ones, cut and tested; none where none are asked for."""
        if not trial.negatives:
            return [], []
        cell = trial.cell
        place = (cell.generated, cell.unmarked, cell.label, trial.shard)
        if self._kept[0] != place:
            self._kept = (place, {})
        kept = self._kept[1]
        if length not in kept:
            kept[length] = (
                self.tested(trial, trial.plain, length),
                self.tested(trial, trial.human, length),
            )
        return kept[length]

    def tested(self, trial: Trial, pairs: Sequence[Pair], length: int) -> list[Unmarked]:
        """Unmarked texts that are long enough, under all their keys."""
        rows, owners = self.cut_pairs(trial, pairs, length)
        prompts, texts = [prompt for prompt, _ in rows], [text for _, text in rows]
        keys = Keys(trial.cell.seed, trial.key_per, trial.keys)
        detections = self.tester(trial).unmarked(texts, prompts, owners)
        each = zip(rows, detections, owners, strict=True)
        return [Unmarked(prompt, text, tests, keys.all_of(owner)) for (prompt, text), tests, owner in each]

    def cut_pairs(
        self, trial: Trial, pairs: Sequence[Pair], length: int
    ) -> tuple[list[tuple[str, str]], list[str]]:
        """Prompts and texts of those that are long enough, cut, and what the keys of each are drawn by."""
        tester = self.tester(trial)
        cut = [(pair, tester.cut(pair.continuation, length)) for pair in pairs]
        kept = [(pair, text) for pair, text in cut if text]
        # A human text whose prompt is not known has the keys of its own words.
        owners = [pair.prompt or pair.continuation for pair, _ in kept]
        return [(pair.prompt, text) for pair, text in kept], owners


def longest_first(lengths: Sequence[int]) -> list[int]:
    """The order of the tests: a model that has read a text need not read its beginning."""
    return sorted(lengths, reverse=True)


def attack_of(registry: Registry, part: Part) -> Attack[Any]:
    """The attack that a part of an experiment file names."""
    attack = registry.get(Attack, part.name)
    return attack(parse_parameters(attack.Parameters, part.parameters, f'attack "{part.name}"'))


def generated_of(text: dict[str, Any]) -> Generated:
    """Of what a cell's file says of a text: its key stands there, too."""
    return Generated(**{name: value for name, value in text.items() if name != "key"})


def _rows(texts: Sequence[Unmarked]) -> list[list[Any]]:
    return [
        kept_row(detection, one.prompt, key)
        for one in texts
        for detection, key in zip(one.detections, one.keys, strict=True)
    ]
