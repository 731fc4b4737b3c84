"""Likelihood by public features: how likely each token was, from the characters and tokens before it.

A Gumbel mark chooses a token of probability p by a signal with mean ``H(1/p)``, the harmonic number. The best
linear weight of a token is then ``1 - 1/m``, m the mean signal of tokens like it (``docs/weights.md``). Here
"like it" means: as surprising after the last characters, and as much a repetition. The mean is
``m = 1 + exp(b . x)``, fitted to the signals of marked texts by the likelihood of exponentials.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
import numpy.typing as npt
from stela_tables.shipped import ShippedTables
from stela_tables.values import ValueTable
from stela_tables.weightings import ValueWeighting

import stela_core as stela
from stela_core.api import dots

Floats = npt.NDArray[np.float64]

SHIPPED = ShippedTables(Path(__file__).parent / "tables", "scripts/build_surprisals.py")

NATS = 16.0
"""Surprisal that a table's value of 1 stands for; no character counts more."""

KNOTS = (2.0, 4.0, 6.0, 9.0, 14.0)
"""Surprisals, in nats, at which the mean signal bends."""

LONGEST = 3
"""Tokens in front of a token by which a repetition is known, at most."""

COEFFICIENTS = (
    *(-0.73, -0.15, 0.20, 0.02, 0.07, 0.02, 0.52, 0.60, -0.33),
    *(-0.29, -1.43, -0.19, -0.07, -0.03, -0.12),
)
"""Values of b, as ``python -m benchmarks.text_likelihoods fit`` gave them for 100 English texts of SmolLM2
135M at temperature 0.7."""

STEPS = 1000
"""Weights are whole multiples of 1 over this number, equal on all machines."""


class LearnedLikelihood(ValueWeighting):
    """``1 - 1/m``, m the mean signal of tokens that are as surprising and as much repeated: no model."""

    name = "learned-likelihood"
    needs = frozenset({"token"})
    key = "characters"
    quantities = frozenset({"surprisal"})
    reads = "surprisals"
    command = SHIPPED.command

    @classmethod
    def own_table(cls, language: str | None, tagger: stela.Tagger | None, k: int | None) -> bytes | None:
        """The shipped table of the language.

        Raises:
            StelaError: there is none.
        """
        return SHIPPED.read("surprisal", language, cls.name)

    @classmethod
    def shipped_tables(cls) -> Sequence[Path]:
        """The tables of all languages."""
        return SHIPPED.files("surprisal")

    def weights(self, positions: stela.Positions) -> Floats:
        """Weights (n,), in [0, 1]."""
        text, ends, places = positions.cut
        surprisals = token_surprisals(text, ends, self.table)
        at = np.asarray(places, dtype=np.int64)
        seen = repetitions(text, ends)[at]
        excess = np.exp(dots(features(surprisals[at], seen), np.array(COEFFICIENTS)))
        return np.asarray(np.rint(STEPS * excess / (1 + excess)) / STEPS)


def token_surprisals(text: str, ends: Sequence[int], table: ValueTable) -> Floats:
    """Sum over a token's characters of their surprisals, nats, (tokens,).

    Args:
        text: the whole text.
        ends: where its tokens begin in it and the last one ends, (tokens + 1,).
        table: looked up by a character and those before it: the longest end that it holds.
    """
    longest = table.longest
    known: dict[str, float] = {}
    sums = np.zeros(len(text) + 1)
    for end in range(1, len(text) + 1):
        last = text[max(0, end - longest) : end]
        value = known.get(last)
        if value is None:
            value = known[last] = table.of_text(last)
        sums[end] = value
    return np.diff(np.cumsum(sums)[np.asarray(ends, dtype=np.int64)]) * NATS


def repetitions(text: str, ends: Sequence[int]) -> Floats:
    """What the text before says of each token, (tokens, 3).

    Returns:
        the number of tokens before it, at most 3, after which it stood before (0: none; -1: the token before
        it stood there, and others followed); its share of what followed those; whether it stood anywhere.
    """
    tokens = [text[start:end] for start, end in pairwise(ends)]
    followers: list[dict[tuple[str, ...], dict[str, int]]] = [{} for _ in range(LONGEST)]
    anywhere: set[str] = set()
    rows = np.zeros((len(tokens), 3))
    for place, token in enumerate(tokens):
        after = [tuple(tokens[place - n : place]) for n in range(1, min(LONGEST, place) + 1)]
        for n, context in reversed(list(enumerate(after))):
            those = followers[n].get(context)
            if those is None:
                continue
            if token in those:
                rows[place, :2] = n + 1, those[token] / sum(those.values())
                break
            rows[place, 0] = -1
        rows[place, 2] = token in anywhere
        anywhere.add(token)
        for n, context in enumerate(after):
            those = followers[n].setdefault(context, {})
            those[token] = those.get(token, 0) + 1
    return rows


def features(surprisals: Floats, seen: Floats) -> Floats:
    """The x of each token, (n, 15), from surprisals (n,) and :func:`repetitions` (n, 3)."""
    length, share, anywhere = seen.T
    some = np.minimum(surprisals, 9.0)
    columns = [np.ones(len(surprisals)), *(np.minimum(surprisals, knot) for knot in KNOTS)]
    columns += [(length == kind).astype(np.float64) for kind in (-1, 1, 2, 3)]
    columns += [share, anywhere, anywhere * (length <= 0) * some, (length < 0) * some, (length == 1) * some]
    return np.stack(columns, axis=1)
