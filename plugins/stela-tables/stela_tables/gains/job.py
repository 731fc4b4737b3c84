"""The job of measuring gains: workers run a model over pieces of text, and give the sums of each batch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from stela_cli.jobs.executor import Job
from stela_cli.jobs.workers import PluginFile, plugin_files, registry_of_worker
from stela_models.green_effects import EFFECTS, effects
from stela_models.loaded import Models
from stela_models.logits import ModelLogits
from stela_models.tokenizer import load_tokenizer

from stela_core import Registry
from stela_core.api import LanguageModel, TokenBytes
from stela_tables.counts import TaggerIdentity
from stela_tables.gains.sums import Gathered, gathered
from stela_tables.learning.job import Contexts
from stela_tables.learning.observed import NONE, Before
from stela_tables.learning.pieces import BATCH, Batch, Place
from stela_tables.learning.targets import one_thread
from stela_tables.values import UNIT, ValueTable

STRENGTHS = (*range(0, 4000, 100), *range(4000, 8001, 250))
"""Thousandths of a nat, of which a table's strengths are."""


@dataclass(frozen=True)
class GainRecipe:
    """What is measured."""

    temperatures: tuple[int, ...] = (700, 1000)
    """Temperatures in thousandths, ascending."""
    strengths: tuple[int, ...] = STRENGTHS
    longest: int = 1
    """Tags of the longest context."""
    bins: int = 10
    """Classes by the value of a table."""
    minimum: int = 200
    """Tokens of a class of tags."""
    max_tokens: int = 100_000
    """Most tokens of all corpora together, the same number of each."""


class Measured(NamedTuple):
    """The sums of a batch."""

    part: Gathered
    size: int
    """Tokens."""
    place: Place
    tagger: TaggerIdentity | None


@dataclass
class MeasureBatches(Job[Batch, Measured]):
    """Measure one batch at a time; models and tagger are loaded once in each worker."""

    models: tuple[str, ...]
    recipe: GainRecipe
    values: ValueTable | None
    """Table by whose values tokens are summed, where they are not summed by tags."""
    tagger: str | None
    device: str | None
    files: tuple[PluginFile, ...] = ()
    registry: Registry | None = field(default=None, repr=False)
    """Registry of the process that made the job; other processes make theirs."""
    _loaded: Models | None = field(default=None, repr=False)
    _contexts: dict[int, Contexts] = field(default_factory=dict, repr=False)

    @classmethod
    def of(
        cls,
        registry: Registry,
        models: Sequence[str],
        recipe: GainRecipe,
        values: ValueTable | None,
        tagger: str | None,
        device: str | None,
    ) -> MeasureBatches:
        """A job for the plugins of a registry, local files included."""
        return cls(tuple(models), recipe, values, tagger, device, plugin_files(registry), registry)

    def __reduce__(self) -> tuple[Any, ...]:
        # Neither a registry nor what was loaded travels.
        return MeasureBatches, (self.models, self.recipe, self.values, self.tagger, self.device, self.files)

    def start(self) -> None:
        """Make the plugins' registry; models are loaded when a batch needs them."""
        self.registry = self.registry or registry_of_worker(self.files)
        self._loaded = Models(self.registry, self.device)

    def run(self, item: Batch) -> Measured:
        """The sums of one batch."""
        assert self._loaded is not None
        contexts = self._contexts_of(item.model)
        keys = keys_of(contexts.before(item.rows), self.values)
        measured = effects_of(self._loaded.load(self.models[item.model]), item.rows, self.recipe)
        return Measured(gathered(keys, measured), item.size, item.place, contexts.tagger)

    def _contexts_of(self, model: int) -> Contexts:
        contexts = self._contexts.get(model)
        if contexts is None:
            assert self.registry is not None
            tokens = TokenBytes.of(load_tokenizer(self.registry, self.models[model]))
            longest = self.recipe.longest if self.values is None else self.values.longest
            contexts = self._contexts[model] = Contexts(self.registry, self.tagger, tokens, longest)
        return contexts


def keys_of(before: Before, values: ValueTable | None) -> list[str]:
    """What each position is summed by: its tags, or its text's value in whole thousandths."""
    units = before.units
    contexts = [[units[number] for number in row[::-1] if number != NONE] for row in before.steps.tolist()]
    if values is None:
        return [" ".join(tags) for tags in contexts]
    return [str(round(values.of_text("".join(text)) * UNIT)) for text in contexts]


def effects_of(
    model: LanguageModel, rows: Sequence[Sequence[int]], recipe: GainRecipe
) -> npt.NDArray[np.float64]:
    """Effects at each token but the first of each row, (tokens, temperatures, 3, strengths)."""
    reader = ModelLogits(*model, batch=BATCH)
    texts = [np.asarray(ids, dtype=np.int64) for ids in rows]
    positions = [np.arange(1, len(ids)) for ids in texts]
    shape = len(recipe.temperatures), len(EFFECTS), len(recipe.strengths)
    made = [np.zeros((len(at), *shape)) for at in positions]
    strengths = [strength / 1000 for strength in recipe.strengths]
    with one_thread(model):
        for chunk in reader.chunks(texts, positions, reader.prefixes(None, len(texts))):
            for number, temperature in enumerate(recipe.temperatures):
                part = effects(chunk.logits, temperature / 1000, strengths)
                made[chunk.text][chunk.start : chunk.stop, number] = part
    return np.concatenate(made)
