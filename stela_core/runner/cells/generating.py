"""What a generate cell does: texts for all prompts, at the strength that was asked for."""

from __future__ import annotations

import time
from collections.abc import Callable, Container, Iterator
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from stela_core.errors import StelaError
from stela_core.generation.generate import Generated, Sampling, generate
from stela_core.hashing.keys import format_key
from stela_core.models.loaded import Models
from stela_core.runner.cells.keys import Keys, key_of
from stela_core.runner.cells.marks import Marks
from stela_core.runner.plan.plan import GenerateCell
from stela_core.runner.plan.schema import KeyPer
from stela_core.watermark import Watermark

PILOT_TEXTS = 32
"""Texts by which the strength is set: not those that are measured, for they are drawn with another seed."""

PILOT_TOKENS = 100
"""Their length, at most."""

PILOT_ROUNDS = 2
"""The mean bias is nearly, but not quite, in proportion to delta: a strong mark changes the text."""

WARM_UP = 8
"""Tokens, before the clock starts."""

PILOT_SEED = 1 << 20


@dataclass(frozen=True)
class Order:
    """A generate cell, with what a worker needs to carry it out."""

    cell: GenerateCell
    prompts: list[str]
    temperature: float
    batch_size: int
    new_tokens: int
    key_per: KeyPer = "text"


def generate_cell(
    order: Order, marks: Marks, models: Models, advance: Callable[[int], None] = lambda texts: None
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The texts of a cell, with the delta used; and its timings; ``advance`` hears how many are done.

    Raises:
        StelaError: model, tagger or table is missing, or the scheme has no delta to set.
    """
    cell = order.cell
    language_model = models.load(cell.model)
    keys = Keys(cell.seed, order.key_per)

    def watermark(delta: float | None) -> Watermark:
        # Under a key of the seed: where each text has its own, that one takes its place.
        return marks.watermark(cell.model, cell.entry, cell.tagset, delta, key_of(cell.seed), cell.language)

    def texts(
        mark: Watermark, prompts: list[str], seed: int, length: int = order.new_tokens
    ) -> Iterator[list[Generated]]:
        sampling = Sampling(length, length, order.temperature, seed)
        own = [keys.of(prompt) for prompt in prompts] if order.key_per == "text" else None
        return generate(mark, language_model, prompts, sampling, order.batch_size, own)

    target = delta = cell.entry.mean_bias
    if target is not None:
        require_delta(cell.entry.name, marks.parameters(cell.entry))
    mark = watermark(delta)  # before the clock starts: making a profile is no part of generating
    if target is not None and delta is not None:
        # Of a uniform strength, too: the first token of a text is not marked, and counts.
        for number in range(PILOT_ROUNDS):
            length = min(PILOT_TOKENS, order.new_tokens)
            pilot = texts(mark, order.prompts[:PILOT_TEXTS], PILOT_SEED + cell.seed + number, length)
            measured = fmean(text.mean_bias for batch in pilot for text in batch)
            if not measured > 0:
                raise StelaError(
                    f'scheme "{cell.entry.name}" marked no token of the pilot texts.', "take mean_bias out"
                )
            delta *= target / measured
            mark = watermark(delta)
    # What is compiled at first use is not timed.
    list(texts(mark, order.prompts[:1], 0, min(WARM_UP, order.new_tokens)))
    generated: list[Generated] = []
    began = time.perf_counter()
    for batch in texts(mark, order.prompts, cell.seed):
        generated += batch
        advance(len(generated))
    seconds = time.perf_counter() - began
    tokens = sum(len(text.token_ids) for text in generated)
    return (
        {
            "delta": delta,
            "texts": [{**text.to_dict(), "key": format_key(keys.of(text.prompt))} for text in generated],
        },
        {"seconds": seconds, "seconds_per_token": seconds / max(1, tokens)},
    )


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
