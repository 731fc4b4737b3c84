"""What every mark is held to where a text is looked at under many keys at once."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest

from stela_core import Hasher
from stela_testing.evidence import alike

KEYS, TOKENS = 12, 60


class ManyKeysContract:
    """What the contracts of both kinds of marks have; they have the fixture ``hasher``."""

    def test_sums_under_many_keys_are_those_of_each(self, hasher: Hasher[Any]) -> None:
        """The short cut gives the definition's sums; a short cut needs groups that no key changes."""
        source, random = Random(0), np.random.default_rng(0)
        bits = 64 * type(hasher).key_words(hasher.parameters)
        keys = [source.getrandbits(bits) for _ in range(KEYS)]
        ids = random.integers(0, 20, TOKENS + hasher.context_width)
        at = np.arange(TOKENS) + hasher.context_width
        contexts, tokens = hasher.contexts(ids, at), ids[at]
        weights = random.integers(0, 5, (TOKENS, len(hasher.law.parts))).astype(np.float64)
        defined = Hasher.sums_under(hasher, keys, contexts, tokens, weights)
        assert hasher.sums_under(keys, contexts, tokens, weights) == pytest.approx(defined, rel=1e-9)
        if hasher.sums_quickly:
            marks = [hasher.under(key) for key in keys]
            groups = {tuple(alike(own.groups(own.seeds(contexts), tokens))) for own in marks}
            assert len(groups) == 1
