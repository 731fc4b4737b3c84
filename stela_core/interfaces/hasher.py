"""Hasher: context token ids to a seed, and seed and token id to a signal whose law is known."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Generic, Protocol, Self

import numpy as np
import numpy.typing as npt
from pydantic import Field
from typing_extensions import TypeVar

from stela_core.interfaces.component import Component, has_own
from stela_core.parameters import Parameters
from stela_core.statistics.grouping import group_pairs, ranks
from stela_core.statistics.law import Law
from stela_core.statistics.sums import dot


class Vocabulary(Protocol):
    """The bytes of each token id: what a hasher may know of the tokenizer."""

    def __len__(self) -> int: ...

    def __getitem__(self, index: int) -> bytes: ...

    def is_text(self, index: int) -> bool:
        """Whether the id is an ordinary token: in the vocabulary and not special."""
        ...


class ContextParameters(Parameters):
    """Length of the hash context: what every hasher has."""

    context_width: int = Field(1, ge=0, le=16)
    """Number of preceding token ids that seed the split."""


M_co = TypeVar("M_co", bound=ContextParameters, default=ContextParameters, covariant=True)
"""The class of a mark's parameters."""


class Hasher(Component, Generic[M_co]):
    """What a watermark draws for each token: a keyed number of the token and of those before it.

    Plugins derive from one of the two kinds: :class:`stela_core.GreenList`, which raises the logits of green
    tokens, and :class:`stela_core.SamplingHasher`, which chooses the token. Here is what both have: hash
    contexts, seeds, draws and their law. All that detection asks for is integer arithmetic by numpy, the same
    on every machine, and O(1) a token.
    """

    kind = "hasher"
    hook = "stela_register_hashers"

    Parameters: ClassVar[type[ContextParameters]] = ContextParameters

    implied: ClassVar[Mapping[str, str]] = {
        "contexts": "own_contexts",
        "independent": "drops_dependent",
        "foreign_scores": "scored_elsewhere",
    }

    key_in_seed: ClassVar[bool] = False
    """Whether a colour depends on the key only through the seed. Rows under different keys are then marked
    in one pass; else those of each key by themselves."""

    draws_mix: ClassVar[bool] = False
    """Whether a draw is a function only of the core's ``mix(seed, token)``: green below ``gamma * 2**32``,
    or ``exponential_draws``. Many seeds of a token are then tried in one compiled pass."""

    samples: ClassVar[bool] = False
    """Whether it chooses the token (:class:`stela_core.SamplingHasher`) and puts no bias on green ones."""

    own_contexts: ClassVar[bool] = False
    """Whether :meth:`contexts` are something else than the last ids, and need all of a text's.
    A class that overrides the method says so by that."""

    drops_dependent: ClassVar[bool] = False
    """Whether :meth:`independent` leaves tokens out, which ones depending on the key. A class that overrides
    the method says so by that."""

    scored_elsewhere: ClassVar[bool] = False
    """Whether :meth:`foreign_scores` gives any. A class that overrides the method says so by that."""

    seed_words: ClassVar[int] = 1
    """64-bit words of a seed: seeds are (n,), or (n, seed_words) where there are several."""

    padding: ClassVar[int | None] = None
    """The id that stands in front of a text's first token, at least -1; ``None`` where tokens without a whole
    context are neither marked nor scored."""

    reads_prompt: ClassVar[bool] = False
    """Whether the contexts of a text's first tokens reach into the prompt, where detection knows it."""

    coins_hold_token: ClassVar[bool] = False
    """Whether equal :meth:`coins` are one draw whatever the tokens; else only those of equal tokens are."""

    chosen: ClassVar[str] = "this mark's keys are chosen part by part"
    """What a caveat says of :attr:`log_choices`."""

    _vocabulary: Vocabulary | None = None

    def __init__(self, parameters: M_co, key: int) -> None:
        self.parameters = parameters
        self.key = key

    @classmethod
    def key_words(cls, parameters: Any) -> int:
        """Number of 64-bit words of a key, at most 64; ``key`` is one integer, the first word on top.

        Args:
            parameters: of the class's own type.
        """
        return 1

    def under(self, key: int) -> Self:
        """The same mark under another key."""
        other = type(self)(self.parameters, key)
        if self._vocabulary is not None:
            other.bind(self._vocabulary)
        return other

    def bind(self, tokens: Vocabulary) -> None:
        """Take the profile's vocabulary, before anything is hashed.

        A mark that needs it overrides this, calls ``super().bind(tokens)``, and keeps what it makes of a
        vocabulary for the next key.

        Raises:
            StelaError: the vocabulary is not one that it works with.
        """
        self._vocabulary = tokens

    @property
    @abstractmethod
    def law(self) -> Law:
        """Distribution of a token's signal on unmarked text, over random keys."""

    @property
    def context_width(self) -> int:
        """Number of preceding token ids in a hash context (h)."""
        return self.parameters.context_width

    @property
    def log_choices(self) -> float:
        """Natural logarithm of the number of marks that a key chooses among, where it is chosen part by part.

        Whoever knows a text finds the part that suits it best for each, which takes seconds and makes the
        text look more marked than trying whole keys could. In a profile that somebody else made, a p-value is
        therefore multiplied by this number, too. 0, the default: the whole key enters every draw.
        """
        return 0.0

    @property
    def first_only(self) -> bool:
        """Whether a hash context that came before in the text is neither marked nor scored again."""
        return False

    @property
    def most_contexts(self) -> int | None:
        """How many contexts of a text are marked and scored, with :attr:`first_only`; ``None`` for all."""
        return None

    def contexts(self, ids: npt.NDArray[np.int64], positions: npt.NDArray[np.intp]) -> npt.NDArray[np.int64]:
        """Hash contexts (n, width) of the tokens at ``positions``, (n,), of a text of ``ids``, (tokens,).

        They are functions of the ids *before* each position. By default the last ``context_width`` of them,
        oldest first, with :attr:`padding` in front of the text.
        """
        width = self.context_width
        if self.padding is not None:
            ids = np.concatenate([np.full(width, self.padding, dtype=np.int64), ids])
            positions = positions + width
        return np.asarray(ids[positions[:, None] + np.arange(-width, 0)])

    def contexts_after(
        self, before: Sequence[int], ids: npt.NDArray[np.int64], positions: npt.NDArray[np.intp]
    ) -> npt.NDArray[np.int64]:
        """:meth:`contexts` of a text that stands after these ids of a prompt."""
        return self.contexts(*after_prompt(ids, positions, before))

    @abstractmethod
    def seeds(self, contexts: npt.NDArray[np.int64]) -> npt.NDArray[np.uint64]:
        """Seeds (n,) of hash contexts (n, context_width), oldest token first."""

    def seeds_of(self, rows: Sequence[int], contexts: npt.NDArray[np.int64]) -> npt.NDArray[np.uint64]:
        """Seeds (n,) of the hash contexts (n, context_width) of these rows of a batch, (n,).

        By default rows are alike; they differ only in a batch whose rows have separate keys.
        """
        return self.seeds(contexts)

    @abstractmethod
    def draws(self, seeds: npt.NDArray[np.uint64], tokens: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        """The draws of each token's signal under its seed, (n, parts of the :attr:`law`).

        Those of two tokens are independent, unless :attr:`first_only` lets a seed score one token.
        """

    def colours(
        self, seeds: npt.NDArray[np.uint64], tokens: npt.NDArray[np.int64]
    ) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.float64] | None]:
        """Which tokens are shown as green, (n,), and the draws where they say more than that, else ``None``.

        By default those whose signal is above the law's middle.
        """
        law, draws = self.law, self.draws(seeds, tokens)
        return law.signal(draws) > law.middle, draws

    def sums_under(
        self,
        keys: Sequence[int],
        contexts: npt.NDArray[np.int64],
        tokens: npt.NDArray[np.int64],
        weights: npt.NDArray[np.float64],
    ) -> npt.NDArray[np.float64]:
        """What the draws of a text's tokens come to under each of many keys, (keys,).

        By default key after key. Override it where one pass serves many keys: detection then looks at these
        sums first. Which tokens share their draws (:meth:`coins`) may then depend on no key, but for seeds
        that are equal once in 2**64.

        Args:
            keys: to try.
            contexts: hash contexts of the tokens, (n, width).
            tokens: (n,).
            weights: of the draws, (n, parts of the :attr:`law`).
        """
        marks = (self.under(key) for key in keys)
        drawn = (mark.draws(mark.seeds(contexts), tokens) for mark in marks)
        return np.array([dot(draws.ravel(), weights.ravel()) for draws in drawn])

    @property
    def sums_quickly(self) -> bool:
        """Whether :meth:`sums_under` is faster than key after key."""
        quick = type(self).sums_under is not Hasher.sums_under
        return quick and has_own(type(self), "sums_under", ("seeds", "draws", "green", "contexts", "coins"))

    def foreign_scores(
        self, ids: npt.NDArray[np.int64], positions: npt.NDArray[np.intp]
    ) -> Mapping[str, float]:
        """Numbers that another toolkit gives for the same mark, shown next to ours; by default none.

        Args:
            ids: of the text, (tokens,), after the end of a prompt that is known and read.
            positions: of the scored tokens among them, (n,).
        """
        return {}

    def coins(self, seeds: npt.NDArray[np.uint64], tokens: npt.NDArray[np.int64]) -> npt.NDArray[np.uint64]:
        """What each signal is drawn from, in addition to the token: (n,), (n,) -> (n,).

        Where coin and token are equal, the signals are one draw and count as one piece of evidence.
        That is the seed, unless several seeds give a token the same signal for certain.
        """
        return seeds

    def groups(self, seeds: npt.NDArray[np.uint64], tokens: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Numbers of the draws of n tokens, (n,): equal where a token's signal is one draw for certain."""
        coins = ranks(self.coins(seeds, tokens))
        return group_pairs(coins, np.zeros_like(tokens) if self.coins_hold_token else tokens)

    def independent(
        self, seeds: npt.NDArray[np.uint64], tokens: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.bool_] | None:
        """Whether each of a text's tokens, (n,), has a draw independent of those of the kept ones before it.

        The others are marked, but not scored. Tokens whose draws are one (:meth:`coins`) do not count as
        dependent. It may look at which seeds are equal and at the tokens, never at a draw. ``None``, the
        default: all are.
        """
        return None


def after_prompt(
    ids: npt.NDArray[np.int64], positions: npt.NDArray[np.intp], before: Sequence[int]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.intp]]:
    """A text's ids behind those of the prompt's end, and its positions there."""
    if not len(before):
        return ids, positions
    return np.concatenate([np.asarray(before, dtype=np.int64), ids]), positions + len(before)
