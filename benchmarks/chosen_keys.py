"""Keys chosen to fit a text that nobody marked: part by part where a mark lets them be, else by trying.

What a p-value is worth where whoever knew the text chose the key. tests/strangers and the plugins' tests hold
detection to what is printed here.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from stela_synthid.hasher import SynthIdHasher
from stela_synthid.ngrams import MULTIPLIER

import stela_core as stela
from stela_core.hashing.keys import joined
from stela_core.models.load import load_tokenizer
from stela_core.profile.archive import Archive
from stela_core.profile.create import Settings, create_profile

Ids = npt.NDArray[np.int64]


def profile_of(plugins: stela.Registry, scheme: str, key: int, **parameters: object) -> Archive:
    """A profile of the embedded model's tokenizer with a public key; nothing remembers it."""
    tokenizer = load_tokenizer(plugins, "tiny")
    settings = Settings(scheme, hasher_parameters=parameters)
    return create_profile(plugins, settings, tokenizer, key, public=True).archive


def chosen_layers(plugins: stela.Registry, text: str, depth: int = 30, layers: str = "weighted") -> Archive:
    """A SynthID profile whose layers each have the shift of the table that gives the text most ones.

    A key is a shift modulo the table's size, the same work for every layer: one look at each shift.
    """
    some = joined(range(1, depth + 1))
    parameters = {"derived": False, "depth": depth, "layers": layers}
    mark = stela.Watermark(profile_of(plugins, "synthid", some, **parameters), some, plugins)
    hasher = mark.parts.hasher
    assert isinstance(hasher, SynthIdHasher)
    [evidence] = mark.detector.evidence(mark.detector.ids_of([text]))
    ids = np.asarray(evidence.ids, dtype=np.int64)
    seeds = hasher.seeds(hasher.contexts(ids, evidence.positions))
    coins = np.unique(hasher.coins(seeds, ids[evidence.positions])).astype(np.intp)
    size = hasher.settings.table_size
    table = np.concatenate([hasher.table, hasher.table]).astype(np.int64)
    ones = np.zeros(size, dtype=np.int64)
    for coin in coins.tolist():
        ones += table[coin : coin + size]
    best = np.argsort(-ones, kind="stable")[:depth]
    inverse = pow(MULTIPLIER, -1, size)
    chosen = [(shift - 1) * inverse % size for shift in best.tolist()]
    return profile_of(plugins, "synthid", joined(chosen), **parameters)
