"""The job of learning: workers run a model over pieces, and give the sums of each batch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from stela_cli.jobs.executor import Job
from stela_cli.jobs.workers import PluginFile, plugin_files, registry_of_worker
from stela_models.loaded import Models
from stela_models.tokenizer import load_tokenizer

from stela_core import Registry, StelaError
from stela_core.api import CausalContexts, Context, TokenBytes, contained, make_tagger, reason_of
from stela_tables.count_job import identity_of
from stela_tables.counts import TaggerIdentity
from stela_tables.learning.observed import Before, Observed, last_characters, last_tags, whole
from stela_tables.learning.pieces import Batch, Place
from stela_tables.learning.recipe import Recipe
from stela_tables.learning.shard import Shard, shard_of
from stela_tables.learning.targets import targets


class Learnt(NamedTuple):
    """The sums of a batch."""

    shard: Shard
    size: int
    """Tokens."""
    place: Place
    tagger: TaggerIdentity | None


@dataclass
class LearnBatches(Job[Batch, Learnt]):
    """Observe and sum one batch at a time; models and tagger are loaded once in each worker."""

    models: tuple[str, ...]
    recipe: Recipe
    tagger: str | None
    device: str | None
    files: tuple[PluginFile, ...] = ()
    registry: Registry | None = field(default=None, repr=False)
    """Registry of the process that made the job; other processes make theirs."""
    _loaded: Models | None = field(default=None, repr=False)
    _contexts: dict[int, Contexts] = field(default_factory=dict, repr=False)

    @classmethod
    def of(
        cls, registry: Registry, models: Sequence[str], recipe: Recipe, tagger: str | None, device: str | None
    ) -> LearnBatches:
        """A job for the plugins of a registry, local files included."""
        return cls(tuple(models), recipe, tagger, device, plugin_files(registry), registry)

    def __reduce__(self) -> tuple[Any, ...]:
        # Neither a registry nor what was loaded travels.
        return LearnBatches, (self.models, self.recipe, self.tagger, self.device, self.files)

    def start(self) -> None:
        """Make the plugins' registry; models are loaded when a batch needs them."""
        self.registry = self.registry or registry_of_worker(self.files)
        self._loaded = Models(self.registry, self.device)

    def run(self, item: Batch) -> Learnt:
        """The sums of one batch."""
        assert self._loaded is not None
        contexts = self._contexts_of(item.model)
        before = contexts.before(item.rows)
        n = len(before.steps)
        if self.recipe.counts_followers:
            followers = np.array([token for ids in item.rows for token in ids[1:]], dtype=np.int64)
            observed = Observed(before, np.zeros(n, dtype=np.int64), followers=followers)
        else:
            model = self._loaded.load(self.models[item.model])
            observed = Observed(before, whole(np.concatenate(targets(model, item.rows, self.recipe))))
        return Learnt(shard_of(observed), item.size, item.place, contexts.tagger)

    def _contexts_of(self, model: int) -> Contexts:
        contexts = self._contexts.get(model)
        if contexts is None:
            assert self.registry is not None
            tokens = TokenBytes.of(load_tokenizer(self.registry, self.models[model]))
            contexts = self._contexts[model] = Contexts(
                self.registry, self.tagger, tokens, self.recipe.longest
            )
        return contexts


class Contexts:
    """What stands before each token of a text, in the tokens of one model."""

    def __init__(self, registry: Registry, tagger: str | None, tokens: TokenBytes, longest: int) -> None:
        self._tokens = tokens
        self._longest = longest
        self._tags: CausalContexts | None = None
        self.tagger: TaggerIdentity | None = None
        if tagger is not None:
            made = make_tagger(registry, tagger, threads=1)
            self._tags = CausalContexts(made, longest + 1, made.window, tokens)
            self.tagger = identity_of(made)

    def before(self, rows: Sequence[Sequence[int]]) -> Before:
        """Characters, or tags, before each token but the first of each row."""
        if self._tags is None:
            return last_characters(rows, self._tokens, self._longest)
        return last_tags((tags for ids in rows for tags in self._tags_before(ids)[1:]), self._longest)

    def _tags_before(self, ids: Sequence[int]) -> list[Context]:
        """The last tags before each token; whatever the tagger raises is a StelaError."""
        assert self._tags is not None
        try:
            with contained:
                return self._tags.before_each(ids)
        except StelaError:
            raise
        except Exception as error:
            raise StelaError(
                f'tagger "{self._tags.tagger.name}" failed on a text that begins '
                f"{self._tokens.text_and_ends(ids[:10])[0][:40]!r}: {reason_of(error)}.",
                "report it to the maker of the plugin",
            ) from error
