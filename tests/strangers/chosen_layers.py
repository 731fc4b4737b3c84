"""SynthID profiles of a maker who chose the layers' keys one by one, to fit a text."""

from __future__ import annotations

from typing import Any

import numpy as np
from stela_models.tokenizer import load_tokenizer
from stela_synthid.hasher import SynthIdHasher
from stela_synthid.ngrams import MULTIPLIER

import stela_core as stela
from stela_core.profile.archive import Archive
from stela_core.profile.create import Settings
from tests.helpers import key_of_words


def profile_of(
    plugins: stela.Registry, scheme: str, key: int, hasher: str | None = None, **own: Any
) -> Archive:
    """A profile of the embedded model's tokenizer with a public key; nothing remembers it."""
    settings = Settings(scheme, hasher=hasher, hasher_parameters=own)
    return settings.create(plugins, load_tokenizer(plugins, "tiny"), key, public=True).archive


def chosen_layers(plugins: stela.Registry, text: str, depth: int = 30, layers: str = "weighted") -> Archive:
    """A SynthID profile whose layers each have the shift of the table that gives the text most ones.

    A key is a shift modulo the table's size, the same work for every layer: one look at each shift.
    """
    own: dict[str, Any] = {"derived": False, "depth": depth, "layers": layers}
    made = profile_of(plugins, "synthid", key_of_words(range(1, depth + 1)), **own)
    mark = stela.Watermark(made, None, plugins)
    [evidence] = mark.detector.evidence(mark.detector.ids_of([text]))
    ids = np.asarray(evidence.ids, dtype=np.int64)
    contexts, tokens = mark.parts.hasher.contexts(ids, evidence.positions), ids[evidence.positions]
    hasher = mark.parts.hasher
    assert isinstance(hasher, SynthIdHasher)
    coins = np.unique(hasher.coins(hasher.seeds(contexts), tokens)).astype(np.intp)
    size = hasher.settings.table_size
    table = np.concatenate([hasher.table, hasher.table]).astype(np.int64)
    ones = np.zeros(size, dtype=np.int64)
    for coin in coins.tolist():
        ones += table[coin : coin + size]
    best = np.argsort(-ones, kind="stable")[:depth]
    inverse = pow(MULTIPLIER, -1, size)
    return profile_of(
        plugins, "synthid", key_of_words([(shift - 1) * inverse % size for shift in best.tolist()]), **own
    )
