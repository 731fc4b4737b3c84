"""The watermarks of cells: made from an experiment's entries, taggers shared."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import cache, lru_cache, partial
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

from stela_models.tokenizer import load_tokenizer

from stela_core import Registry, StelaError, Tagger, Watermark
from stela_core.api import CausalContexts, Profile, Settings, make_tagger, resolve_scheme
from stela_run.cost.knob import DELTA, knob_of
from stela_run.plan.keys import key_of
from stela_run.plan.plan import Cell
from stela_run.plan.schema import KeyPer, TagSet

_TAGGERS: WeakKeyDictionary[Registry, dict[str, Tagger]] = WeakKeyDictionary()
"""Taggers made in this process: a run uses the ones by which its experiment was checked."""


class Marks:
    """Make watermarks, each tagger constructed once.

    Args:
        registry: the plugins.
        folder: what the paths of tables are relative to.
    """

    def __init__(self, registry: Registry, folder: Path | None) -> None:
        self._registry = registry
        self._folder = folder
        self._taggers = _TAGGERS.setdefault(registry, {})
        self.tokenizer = cache(partial(load_tokenizer, registry))
        """Tokenizers by name of a model; errors as for :func:`load_tokenizer`."""
        self._made: dict[str, Any] = {}
        """A profile for each model: the next one shares its copy of the tokenizer."""
        self._contexts: dict[tuple[Any, ...], CausalContexts] = {}
        self._read_table: Callable[[Any, bytes], Any] = lru_cache(maxsize=1)(_read_table)

    def watermark(self, cell: Cell, delta: float | None = None) -> Watermark:
        """The watermark of a cell, made anew, under the key of its seed; a text's own key takes its place.

        Args:
            cell: with a scheme whose calibration is set.
            delta: in place of the entry's own, where a pilot worked it out; the value of its
                :class:`.Knob`, where that is another parameter.

        Raises:
            StelaError: the parts do not fit, or one is missing.
        """
        entry, tagset, key = cell.entry, cell.tagset, key_of(cell.seed)
        parts = resolve_scheme(self._registry, entry.name)
        parameters = dict(entry.parameters)
        if entry.delta is not None:
            parameters["delta"] = entry.delta
        if delta is not None:
            knob = knob_of(self._registry, entry) if entry.piloted else DELTA
            if knob != DELTA or "delta" in parts.parameters.model_fields:
                parameters[knob.parameter] = delta
        tagger = self.tagger(tagset.tagger) if parts.needs_contexts else None
        settings = Settings(
            scheme=entry.name,
            parameters=parameters,
            gamma=entry.gamma,
            context_width=entry.context_width,
            bits=entry.bits,
            k=tagset.k,
            calibration=entry.calibration or "tokens",
            language=cell.language,
            hasher=parts.scheme.hasher,
        )
        created = settings.create(
            self._registry,
            self._made.get(cell.model) or self.tokenizer(cell.model),
            key,
            public=True,
            tagger=tagger,
            table=self._table(tagset) if parts.uses_table else None,
            read_table=self._read_table,
        )
        self._made.setdefault(cell.model, created)
        profile = created.archive.profile
        reading = (tagset.tagger, profile.k, profile.window, profile.tokenizer_sha256)
        contexts = self._contexts.get(reading)
        watermark = Watermark(
            created.archive,
            key,
            self._registry,
            contexts,
            tagger=None if contexts else tagger,
            parts=created,
        )
        if watermark.contexts is not None:
            self._contexts[reading] = watermark.contexts
        return watermark

    def tagger(self, spec: str) -> Tagger:
        """The tagger of a name; errors as for :func:`make_tagger`."""
        if spec not in self._taggers:
            self._taggers[spec] = make_tagger(self._registry, spec)
        return self._taggers[spec]

    def _table(self, tagset: TagSet) -> bytes | None:
        if tagset.table is None:
            return None
        path = Path(tagset.table)
        path = path if self._folder is None else self._folder / path  # an absolute path stays what it is
        try:
            return path.read_bytes()
        except OSError as error:
            raise StelaError(f'table "{path}" cannot be read: {error.strerror}.', "check the path") from None


def _read_table(weighting: Any, data: bytes) -> Any:
    return weighting.read_table(data, "the table")


def without_key(profile: Profile) -> Profile:
    """The profile as one with a secret key and no name of it: what everyone may read."""
    return profile.model_copy(
        update={"hasher": profile.hasher.model_copy(update={"key": None, "key_id": None})}
    )


def profile_facts(watermark: Watermark, per: KeyPer) -> tuple[str, str | None]:
    """What a record says of the profile: its sha256 and the id of its key.

    Where each text has a separate key it is the profile without one, and ``key_id`` is ``None``.
    """
    profile = watermark.profile if per == "seed" else without_key(watermark.profile)
    return hashlib.sha256(profile.to_json()).hexdigest(), profile.hasher.key_id
