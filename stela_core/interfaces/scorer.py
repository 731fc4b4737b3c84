"""Scorer: green flags, weights and groups to a statistic and a p-value."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Generic, NamedTuple

import numpy as np
import numpy.typing as npt

from stela_core.errors import StelaError
from stela_core.interfaces.component import Component
from stela_core.parameters import P_co
from stela_core.statistics.law import Law

if TYPE_CHECKING:
    from stela_core.interfaces.hasher import Hasher


@dataclass(frozen=True, slots=True)
class Signals:
    """The evidence of n scored tokens, whatever the mark."""

    draws: npt.NDArray[np.float64]
    """(n, parts of the law); tokens of one group have the same."""
    weights: npt.NDArray[np.float64]
    """(n,), at least 0."""
    groups: npt.NDArray[np.int64]
    """Numbers of the (coin, token) pairs, (n,)."""
    law: Law

    @property
    def green(self) -> npt.NDArray[np.bool_]:
        """Colours, (n,), of a green list's signals."""
        return np.asarray(self.draws[:, 0] > 0)


class Ordering(NamedTuple):
    """A weighted sum of a text's draws that orders its p-values under other keys."""

    at: npt.NDArray[np.intp]
    """Places among the scored tokens of those that count, (g,)."""
    weights: npt.NDArray[np.float64]
    """Weights of their draws, (g, parts of the law)."""


@dataclass(frozen=True, slots=True)
class Score:
    """Outcome of a test: the statistic that the p-value belongs to, and the paper's statistic."""

    z: float
    """Standardised statistic with repeated pairs grouped; sd 1 on unmarked text over random keys."""
    z_plain: float
    """The papers' z (every token its own coin), for comparison: too large on repetitive text."""
    p_value: float
    """P(statistic at least this large) on unmarked text over random keys."""
    beside: Mapping[str, float] = field(default_factory=dict, hash=False)
    """Further numbers for people to compare; no verdict rests on them."""


class Scorer(Component, Generic[P_co]):
    """Turn evidence into a statistic and a valid p-value.

    ``groups`` numbers the (hash context, token) pairs: tokens of one group share one coin flip, so
    they are all green or all red. For unmarked text and a random key, ``P(p <= a) <= a`` must hold.

    Copy me::

        class Bonferroni(stela.Scorer):
            name = "bonferroni"

            def score(self, green, weights, groups, gamma):
                ...
                return stela.Score(z=z, z_plain=z_plain, p_value=min(1.0, 2 * p))
    """

    kind = "scorer"
    hook = "stela_register_scorers"

    implied: ClassVar[Mapping[str, str]] = {"score_text": "reads_ids"}

    reads_ids: ClassVar[bool] = False
    """Whether :meth:`score_text` is the test. A class that overrides the method says so by that."""

    def __init__(self, parameters: P_co) -> None:
        self.parameters = parameters

    @abstractmethod
    def score(
        self,
        green: npt.NDArray[np.bool_],
        weights: npt.NDArray[np.float64],
        groups: npt.NDArray[np.int64],
        gamma: float,
    ) -> Score:
        """Score n tokens: green flags (n,), weights (n,) >= 0, group numbers (n,) in 0 .. n - 1."""

    def score_signals(self, signals: Signals) -> Score:
        """Score n tokens of any kind of mark; by default only those of green lists, by :meth:`score`.

        Raises:
            StelaError: the scorer knows no such signals.
        """
        if not signals.law.is_green_list:
            raise StelaError(
                f'scorer "{self.name}" scores only green lists.', 'take scorer "grouped", which scores all'
            )
        return self.score(signals.green, signals.weights, signals.groups, signals.law.share_above)

    def score_text(
        self, ids: npt.NDArray[np.int64], positions: npt.NDArray[np.intp], hasher: Hasher[Any]
    ) -> Score | None:
        """The test of a text by a scorer that looks at its ids under the hasher itself; by default ``None``.

        Where it is not ``None``, it is the test, and weights and groups are not looked at.

        Args:
            ids: of the text, (tokens,).
            positions: of the tokens that can be scored, (n,).
            hasher: with its key.
        """
        return None

    def shares(self, counts: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        """What each of the n tokens of one pair counts, as a factor on its weight: (m,) -> (m,).

        z is that of the pairs whose weights are the sums of these products. By default 1, whatever n: the
        weights are summed. Null checks and windows, which look at many keys or parts of a text, ask for it.
        """
        return np.ones(len(counts))

    def least_p_of(self, signals: Signals) -> float:
        """The smallest p-value that these tokens could have, whatever their draws.

        By default that of the largest draws, for p-values that never grow with a draw; 0 where draws have no
        upper end. It is asked for each text in which no mark was found: override it where it can be had for
        less.
        """
        law = signals.law
        if math.isinf(law.largest):
            return 0.0 if (signals.weights > 0).any() else 1.0
        most = np.full_like(signals.draws, law.largest)
        return self.score_signals(Signals(most, signals.weights, signals.groups, law)).p_value

    def ordering(self, signals: Signals) -> Ordering | None:
        """What sum orders the p-values of these tokens under other keys (:meth:`.Law.ordering_weights`).

        It may look at weights and groups, not at draws. ``None``, the default: nothing is known of that, and
        each key's p-value is worked out.
        """
        return None

    def coin_weights(
        self, weights: npt.NDArray[np.float64], groups: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.float64] | None:
        """What each group's colour counts in the statistic, (groups,), in the order of the group numbers.

        It is asked for the expected power of the test. ``None``, the default, where the statistic is no
        weighted count of green groups: no power is shown then.
        """
        return None
