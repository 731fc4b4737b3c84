"""Which tokens an attacker believes green after which context."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Ids = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Context = tuple[int, ...]


class Assumed(NamedTuple):
    """What the attacker takes the mark to be."""

    gamma: float
    """Share of green tokens."""
    bias: float
    """Bias on green logits at temperature 1, nats."""


class Place(NamedTuple):
    """A token of a marked text."""

    context: Context
    """The ids before it that seed its split."""
    token: int
    ids: Ids
    """Ids that might have stood there, (n,), without repetition; others had next to no probability."""
    probabilities: Floats
    """Theirs without the mark, (n,)."""


class Beliefs:
    """Probability of being green of (context, token), minus that of being red; 0 for what was not seen.

    Args:
        width: of the contexts.
        rows: by context, ids (n,) and beliefs (n,) in [-1, 1].
    """

    def __init__(self, width: int, rows: dict[Context, tuple[Ids, Floats]]) -> None:
        self.width = width
        self._rows = rows
        leads: dict[Context, list[int]] = {}
        for context in rows if width else ():
            leads.setdefault(context[:-1], []).append(context[-1])
        self._leads = {start: np.array(ids, dtype=np.int64) for start, ids in leads.items()}

    def __len__(self) -> int:
        """Contexts known."""
        return len(self._rows)

    def after(self, context: Sequence[int]) -> tuple[Ids, Floats]:
        """Ids and beliefs after a context; two empty arrays where nothing is known of it."""
        return self._rows.get(tuple(context), _NOTHING)

    def leads(self, context: Sequence[int]) -> Ids:
        """Ids that, put after a context, make the last ids a known context."""
        return self._leads.get(tuple(context[1:]), _NOTHING[0])

    @classmethod
    def learn(cls, places: Iterable[Place], width: int, assumed: Assumed) -> Beliefs:
        """Bayes' rule for each pair on its own, the colours of the others taken at their mean.

        With p the probability of v without the mark, ``a = exp(bias)`` and ``m = gamma a + 1 - gamma`` the
        mean factor of the other tokens, v is drawn with probability ``p a / (p a + (1 - p) m)`` if it is
        green and ``p / (p + (1 - p) m)`` if it is red. The log odds of green add up over the places of a
        context: ``log a`` for each time it was drawn, less the log of the ratio of the denominators.
        """
        gain = np.exp(assumed.bias)
        other = assumed.gamma * gain + 1 - assumed.gamma
        odds: dict[Context, dict[int, float]] = {}
        for place in places:
            known = odds.setdefault(place.context, {})
            p = place.probabilities
            lost = np.log((p * gain + (1 - p) * other) / (p + (1 - p) * other))
            for token, loss in zip(place.ids.tolist(), lost.tolist(), strict=True):
                known[token] = known.get(token, 0.0) - loss
            known[place.token] = known.get(place.token, 0.0) + assumed.bias
        prior = float(np.log(assumed.gamma / (1 - assumed.gamma)))
        neutral = 2 * assumed.gamma - 1
        rows = {}
        for context, known in odds.items():
            ids = np.fromiter(known, np.int64, len(known))
            total = np.fromiter(known.values(), np.float64, len(known)) + prior
            # tanh(x / 2) is the sigmoid's 2 s - 1; what is not known stays where all tokens are: at 0.
            rows[context] = (ids, np.tanh(total / 2) - neutral)
        return cls(width, rows)


_NOTHING: tuple[Ids, Floats] = (np.zeros(0, np.int64), np.zeros(0))
