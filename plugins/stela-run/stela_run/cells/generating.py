"""What a generate cell does: texts for its prompts, shard by shard, at the strength that was asked for."""

from __future__ import annotations

import time
from collections.abc import Container, Iterator
from dataclasses import asdict, dataclass
from statistics import fmean

from stela_models.generation.generate import Generated, Sampling, generate

from stela_core import StelaError, Watermark
from stela_core.api import format_key, resolve_scheme
from stela_run.cells.bench import Bench
from stela_run.cells.results import GeneratedShard, KeyedText, Result, Strength, Timing
from stela_run.plan.keys import Keys
from stela_run.plan.plan import GenerateCell
from stela_run.plan.schema import Experiment
from stela_run.plan.shards import PILOT, Shard
from stela_run.progress import Advance

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

    @property
    def length(self) -> int:
        """Tokens of each text."""
        return tokens_for(max(self.experiment.lengths))

    def run(self, bench: Bench, advance: Advance) -> tuple[Result, Timing]:
        """The texts of the shard, and how long they took; ``advance`` hears how many are done.

        Raises:
            StelaError: model, tagger or table is missing.
        """
        seed, first, length = self.cell.seed, self.shard.start, self.length
        mark = bench.watermark(self.cell, self.delta)  # before the clock starts: it is no part of generating
        if self.cell.id not in bench.warm:
            list(self._texts(bench, mark, self.prompts[:1], seed=0, first=0, length=min(WARM_TOKENS, length)))
            bench.warm.add(self.cell.id)
        generated: list[Generated] = []
        began = time.perf_counter()
        for batch in self._texts(bench, mark, self.prompts, seed, first, length):
            generated += batch
            advance(len(generated))
        seconds = time.perf_counter() - began
        tokens = sum(len(text.token_ids) for text in generated)
        keys = Keys.of_cell(self.cell, self.experiment)
        texts = [KeyedText(**asdict(text), key=format_key(keys.of(text.prompt))) for text in generated]
        timing: Timing = {
            "seconds": seconds,
            "seconds_per_token": seconds / max(1, tokens),
            "tokens": tokens,
        }
        return GeneratedShard(delta=self.delta, texts=texts), timing

    def _texts(
        self, bench: Bench, mark: Watermark, prompts: list[str], seed: int, first: int, length: int
    ) -> Iterator[list[Generated]]:
        keys = Keys.of_cell(self.cell, self.experiment)
        text_keys = [keys.of(prompt) for prompt in prompts] if keys.per == "text" else None
        sampling = Sampling(length, length, self.experiment.temperature, seed)
        model = bench.models.load(self.cell.model)
        return generate(mark, model, prompts, sampling, self.experiment.batch_size, text_keys, first)


@dataclass(frozen=True)
class Pilot(Order):
    """Set the strength of a cell, once for all its shards."""

    @property
    def part(self) -> str:
        """The delta."""
        return PILOT

    def run(self, bench: Bench, advance: Advance) -> tuple[Result, Timing]:
        """The delta that gives the cell its mean bias, by a few texts.

        Raises:
            StelaError: the scheme has no delta to set, or marks nothing.
        """
        entry = self.cell.entry
        assert entry.mean_bias is not None, "others have no pilot"
        require_delta(entry.name, resolve_scheme(bench.registry, entry.name).parameters.model_fields)
        delta = entry.mean_bias
        length = min(PILOT_TOKENS, self.length)
        # Of a uniform strength, too: the first token of a text is not marked, and counts.
        for number in range(PILOT_ROUNDS):
            seed = PILOT_SEED + self.cell.seed + number
            mark = bench.watermark(self.cell, delta)
            pilot = self._texts(bench, mark, self.prompts[:PILOT_TEXTS], seed, 0, length)
            measured = fmean(text.mean_bias for batch in pilot for text in batch)
            if not measured > 0:
                raise StelaError(
                    f'scheme "{entry.name}" marked no token of the pilot texts.', "take mean_bias out"
                )
            delta *= entry.mean_bias / measured
        return Strength(delta=delta), {}


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
