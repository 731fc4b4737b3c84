"""What a generate cell does: texts for its prompts, shard by shard, at the strength that was asked for."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from functools import partial
from statistics import fmean

from stela_models.generation.generate import Generated, Sampling, generate

from stela_core import StelaError, Watermark
from stela_run.cells.bench import Bench
from stela_run.cells.pilot_tests import texts_found
from stela_run.cells.results import GeneratedShard, KeyedText, Result, Strength, Timing
from stela_run.cost.knob import DELTA, Knob, knob_of
from stela_run.cost.pilot import PILOT_ROUNDS, PILOT_TEXTS, POWERS, delta_for, value_for
from stela_run.cost.places import bias_at, cost_at, keys_for, mean_bias_along, places_of, reads_no_logits
from stela_run.cost.share import delta_for_share
from stela_run.plan.keys import Keys, message_of
from stela_run.plan.plan import PLAIN, GenerateCell
from stela_run.plan.schema import COSTS, Experiment
from stela_run.plan.shards import PILOT, Shard
from stela_run.progress import Advance, Rising

PILOT_TOKENS = 100
"""Tokens of a pilot's texts, at most."""

PILOT_SEED = 1 << 20

PILOT_PLACES, PILOT_KEYS = 8, 32
"""Positions of each text at which a cost is measured, and keys there: positions differ the most."""

CHOOSING_PLACES, CHOOSING_KEYS = 2, 128
"""The same of marks that choose tokens, whose keys differ more (:func:`.pools_of`)."""

FIRST_DELTA = 1.5
"""Delta of the texts at which a cost is measured first."""

WARM_TOKENS = 8
"""Tokens generated before the clock starts, which compiles what is compiled at first use."""


@dataclass(frozen=True)
class Order:
    """A shard of a generate cell, with what a worker needs to carry it out."""

    cell: GenerateCell
    experiment: Experiment
    shard: Shard
    prompts: list[str]
    """Prompts of the shard."""
    delta: float | None = None
    """What a pilot set the strength to, where ``mean_bias``, a cost or ``tpr`` asks for it."""

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
        mark = bench.watermark(self.cell, self.delta)  # before the clock starts: it is not part of generating
        if self.cell.id not in bench.warm:
            list(self._texts(bench, mark, self.prompts[:1], seed=0, first=0, length=min(WARM_TOKENS, length)))
            bench.warm.add(self.cell.id)
        generated: list[Generated] = []
        heard = Rising(advance)
        began = time.perf_counter()
        for batch in self._texts(bench, mark, self.prompts, seed, first, length, heard):
            generated += batch
            heard(len(generated))
        seconds = time.perf_counter() - began
        tokens = sum(len(text.token_ids) for text in generated)
        keys = Keys.of_cell(self.cell, self.experiment)
        texts = [KeyedText(**asdict(text), key=f"{keys.of(text.prompt):016x}") for text in generated]
        timing: Timing = {
            "seconds": seconds,
            "seconds_per_token": seconds / max(1, tokens),
            "tokens": tokens,
        }
        return GeneratedShard(delta=self.delta, texts=texts), timing

    def _texts(
        self,
        bench: Bench,
        mark: Watermark,
        prompts: list[str],
        seed: int,
        first: int,
        length: int,
        heard: Rising | None = None,
    ) -> Iterator[list[Generated]]:
        keys = Keys.of_cell(self.cell, self.experiment)
        text_keys = [keys.of(prompt) for prompt in prompts] if keys.per == "text" else None
        sampling = Sampling(length, length, self.experiment.temperature, seed, self.experiment.top_p)
        model = bench.models.load(self.cell.model)
        bits = self.cell.entry.bits
        messages = None if bits is None else [message_of(keys.of(each), each, bits) for each in prompts]
        size = self.experiment.batch_size
        return generate(mark, model, prompts, sampling, size, text_keys, first, messages, heard)


@dataclass(frozen=True)
class Pilot(Order):
    """Set the strength of a cell, once for all its shards."""

    _heard: list[Rising] = field(default_factory=list, compare=False, repr=False)
    """What hears of the texts, while it runs."""

    @property
    def part(self) -> str:
        """The delta."""
        return PILOT

    def run(self, bench: Bench, advance: Advance) -> tuple[Result, Timing]:
        """The value of the scheme's knob that gives the cell the cost, bias or share of texts asked for.

        Raises:
            StelaError: the scheme has no knob, marks nothing, or costs less at any value.
        """
        entry = self.cell.entry
        self._heard.append(Rising(advance))
        knob = knob_of(bench.registry, entry)
        if self.experiment.expected:
            return Strength(value=self._of_plain(bench, knob)), {}
        if knob != DELTA:
            return Strength(value=self._of_knob(bench, knob)), {}
        if entry.piloted in COSTS:
            return Strength(value=self._of_cost(bench, entry.piloted)), {}
        if entry.tpr is not None:
            return Strength(value=delta_for_share(entry.tpr, partial(self._found, bench), self._name)), {}
        assert entry.mean_bias is not None, "others have no pilot"
        delta = entry.mean_bias
        # Of a uniform strength, too: the first token of a text is not marked, and counts.
        for number in range(PILOT_ROUNDS):
            measured = fmean(text.mean_bias for text in self._pilot(bench, delta, number))
            if not measured > 0:
                raise self._marks_nothing()
            delta *= entry.mean_bias / measured
        return Strength(value=delta), {}

    def _of_plain(self, bench: Bench, knob: Knob) -> float:
        """The value that texts without a mark give, which are those that expectations are taken along.

        They are the same whatever the scheme, and nothing of them changes with the value: one round does.
        """
        aim = str(self.cell.entry.piloted)
        target = float(getattr(self.cell.entry, aim))
        same = self.cell.model, self.cell.language, self.cell.seed
        texts = bench.latest.get("pilot", same, lambda: self._pilot(bench, knob.weakest, 0))
        cost = self._cost(bench, aim, texts, 0)
        if knob != DELTA:
            nothing = cost(knob.weakest)
            ends = knob.weakest, knob.strongest
            return value_for(target, lambda value: cost(value) - nothing, ends, self._name, aim).value
        if aim in COSTS:
            return delta_for(target, cost, self._name, aim)
        if not (measured := cost(target)) > 0:
            raise self._marks_nothing()
        return target * target / measured

    def _of_cost(self, bench: Bench, aim: str) -> float:
        """The first round's texts find a delta, and those that it marks correct it."""
        delta, target = FIRST_DELTA, float(getattr(self.cell.entry, aim))
        for number in range(PILOT_ROUNDS):
            cost = self._cost(bench, aim, self._pilot(bench, delta, number), number)
            if number == 0:
                delta = delta_for(target, cost, self._name, aim)
                continue
            measured = cost(delta)
            if not measured > 0:
                raise self._marks_nothing()
            delta *= (target / measured) ** (1 / POWERS[aim])
        return delta

    def _of_knob(self, bench: Bench, knob: Knob) -> float:
        """The value that texts of the scheme's own strength give; texts of that value then correct it once.

        What is measured at the weakest value, where the cost is 0, is the error of the keys that were drawn:
        they are the same at each value, so it is taken off (a control variate).
        """
        aim, ends = str(self.cell.entry.piloted), (knob.weakest, knob.strongest)
        target = float(getattr(self.cell.entry, aim))

        def costs(value: float | None, number: int) -> Callable[[float], float]:
            cost = self._cost(bench, aim, self._pilot(bench, value, number), number)
            nothing = cost(knob.weakest)
            return lambda at: cost(at) - nothing

        value, slope = value_for(target, costs(None, 0), ends, self._name, aim)
        if slope:
            value += (target - costs(value, 1)(value)) / slope
        return min(max(value, min(ends)), max(ends))

    def _cost(self, bench: Bench, aim: str, texts: list[Generated], number: int) -> Callable[[float], float]:
        """The mean cost at positions of these texts, as a function of the knob, under the same keys."""
        model = bench.models.load(self.cell.model)
        seed = PILOT_SEED + self.cell.seed + number
        chooses = bench.watermark(self.cell, None).parts.hasher.samples
        count, draws = (CHOOSING_PLACES, CHOOSING_KEYS) if chooses else (PILOT_PLACES, PILOT_KEYS)
        if (
            aim == "mean_bias"
            and self.experiment.expected
            and reads_no_logits(bench.watermark(self.cell, None))
        ):
            ids = [text.token_ids[:PILOT_TOKENS] for text in texts]
            return lambda value: mean_bias_along(bench.watermark(self.cell, value), ids)
        places = list(places_of(model, texts, PILOT_TOKENS, count, seed))

        def cost(value: float) -> float:
            mark = bench.watermark(self.cell, value)
            keys = [keys_for(mark, draws, seed, text) for text in range(len(texts))]
            if aim == "mean_bias":
                return fmean(bias_at(mark, place, keys[place.text]) for place in places)
            temperature = self.experiment.temperature
            costs = (cost_at(mark, place, temperature, keys[place.text]) for place in places)
            return fmean(each.of(aim) for each in costs)

        return cost

    def _found(self, bench: Bench, delta: float, number: int) -> list[bool]:
        """Which texts of a round are found at a delta."""
        texts = self._pilot(bench, delta, number, self.length)
        return texts_found(bench, self.cell, self.experiment, texts, delta, number)

    def _pilot(
        self, bench: Bench, delta: float | None, number: int, longest: int = PILOT_TOKENS
    ) -> list[Generated]:
        """Texts of a round, marked with a delta, or the value of another knob; ``None``: the scheme's own."""
        seed = PILOT_SEED + self.cell.seed + number
        mark = bench.watermark(self.cell, delta)
        length = min(longest, self.length)
        prompts, before = self.prompts[:PILOT_TEXTS], number * len(self.prompts[:PILOT_TEXTS])
        heard = self._heard[-1].after(before) if self._heard else None
        batches = self._texts(bench, mark, prompts, seed, 0, length, heard)
        return [text for batch in batches for text in batch]

    @property
    def _name(self) -> str:
        """The scheme as the experiment names it: its texts are made with plain evidence."""
        return self.cell.entry.name.removesuffix(PLAIN)

    def _marks_nothing(self) -> StelaError:
        entry = self.cell.entry
        return StelaError(
            f'scheme "{self._name}" marked no token of the pilot texts.', f"take {entry.piloted} out"
        )


def tokens_for(length: int) -> int:
    """Tokens to generate so that a text still has ``length`` when it is tokenised again.

    Where it comes out shorter, its text would be left out, and such texts differ from the others.
    """
    return length + max(8, length // 8)
