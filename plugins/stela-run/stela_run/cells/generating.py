"""What a generate cell does: texts for its prompts, shard by shard, at the strength that was asked for."""

from __future__ import annotations

import time
from collections.abc import Callable, Container, Iterator
from dataclasses import asdict, dataclass
from statistics import fmean

from stela_models.generation.generate import Generated, Sampling, generate
from stela_models.loaded import Models

from stela_core import StelaError, Watermark
from stela_core.api import format_key
from stela_run.cells.keys import Keys, key_of
from stela_run.cells.latest import Latest
from stela_run.cells.marks import Marks
from stela_run.cells.results import GeneratedShard, KeyedText, Timing
from stela_run.cells.shards import PILOT, Shard
from stela_run.plan.plan import GenerateCell
from stela_run.plan.schema import Experiment

PILOT_TEXTS = 32
"""Texts by which the strength is set: not those that are measured, for they are drawn with another seed."""

PILOT_TOKENS = 100
"""Their length, at most."""

PILOT_ROUNDS = 2
"""The mean bias is nearly, but not quite, in proportion to delta: a strong mark changes the text."""

PILOT_SEED = 1 << 20

WARM_TOKENS = 8
"""Generated before the clock starts, which compiles what is compiled at first use."""


@dataclass(frozen=True)
class Order:
    """A shard of a generate cell, with what a worker needs to carry it out."""

    cell: GenerateCell
    experiment: Experiment
    shard: Shard
    prompts: list[str]
    """Of the shard."""
    delta: float | None = None
    """What a pilot set the strength to, where ``mean_bias`` asks for it."""

    @property
    def part(self) -> str:
        """Which part of its cell this makes."""
        return self.shard.name


@dataclass(frozen=True)
class Pilot(Order):
    """Set the strength of a cell, once for all its shards."""

    @property
    def part(self) -> str:
        """The delta."""
        return PILOT


class Generator:
    """Carry out generate cells; the last watermark is kept, for the next shard."""

    def __init__(self, marks: Marks, models: Models) -> None:
        self._marks = marks
        self._models = models
        self._latest = Latest()
        self._warm: set[str] = set()

    def shard(
        self, order: Order, advance: Callable[[int], None] = lambda texts: None
    ) -> tuple[GeneratedShard, Timing]:
        """The texts of a shard, with the delta used; and its timings; ``advance`` hears how many are done.

        Raises:
            StelaError: model, tagger or table is missing.
        """
        cell, length = order.cell, tokens_for(max(order.experiment.lengths))
        mark = self._watermark(cell, order.delta)  # before the clock starts: it is no part of generating
        if cell.id not in self._warm:
            list(self._texts(order, mark, order.prompts[:1], 0, 0, min(WARM_TOKENS, length)))
            self._warm.add(cell.id)
        generated: list[Generated] = []
        began = time.perf_counter()
        for batch in self._texts(order, mark, order.prompts, cell.seed, order.shard.start, length):
            generated += batch
            advance(len(generated))
        seconds = time.perf_counter() - began
        tokens = sum(len(text.token_ids) for text in generated)
        keys = Keys.of_cell(cell, order.experiment)
        texts = [KeyedText(**asdict(text), key=format_key(keys.of(text.prompt))) for text in generated]
        timing: Timing = {
            "seconds": seconds,
            "seconds_per_token": seconds / max(1, tokens),
            "tokens": tokens,
        }
        return GeneratedShard(delta=order.delta, texts=texts), timing

    def delta(self, order: Pilot) -> float | None:
        """The delta that gives a cell its mean bias, by a pilot; ``None`` where it asks for none.

        Raises:
            StelaError: the scheme has no delta to set, or marks nothing.
        """
        cell = order.cell
        target = delta = cell.entry.mean_bias
        if target is None or delta is None:
            return None
        require_delta(cell.entry.name, self._marks.parameters(cell.entry))
        # Of a uniform strength, too: the first token of a text is not marked, and counts.
        for number in range(PILOT_ROUNDS):
            length = min(PILOT_TOKENS, tokens_for(max(order.experiment.lengths)))
            seed = PILOT_SEED + cell.seed + number
            mark = self._watermark(cell, delta)
            pilot = self._texts(order, mark, order.prompts[:PILOT_TEXTS], seed, 0, length)
            measured = fmean(text.mean_bias for batch in pilot for text in batch)
            if not measured > 0:
                raise StelaError(
                    f'scheme "{cell.entry.name}" marked no token of the pilot texts.', "take mean_bias out"
                )
            delta *= target / measured
        return delta

    def _watermark(self, cell: GenerateCell, delta: float | None) -> Watermark:
        # Under a key of the seed: where each text has its own, that one takes its place.
        made = (cell.model, cell.entry, cell.tagset, delta, key_of(cell.seed), cell.language)
        return self._latest.get("watermark", made, lambda: self._marks.watermark(*made))

    def _texts(
        self, order: Order, mark: Watermark, prompts: list[str], seed: int, first: int, length: int
    ) -> Iterator[list[Generated]]:
        experiment = order.experiment
        keys = Keys.of_cell(order.cell, experiment)
        sampling = Sampling(length, length, experiment.temperature, seed)
        text_keys = [keys.of(prompt) for prompt in prompts] if keys.per == "text" else None
        model = self._models.load(order.cell.model)
        return generate(mark, model, prompts, sampling, experiment.batch_size, text_keys, first)


def tokens_for(length: int) -> int:
    """Tokens to generate so that a text still has ``length`` when it is tokenised again.

    Where it comes out shorter, its text would be left out, and such texts differ from the others.
    """
    return length + max(8, length // 8)


def require_delta(scheme: str, parameters: Container[str]) -> None:
    """Find out whether a scheme's strength can be set by a mean bias.

    Raises:
        StelaError: it has no delta.
    """
    if "delta" not in parameters:
        raise StelaError(
            f'scheme "{scheme}" has no delta to set its mean bias by.',
            "take mean_bias out, and choose its own parameters",
        )
