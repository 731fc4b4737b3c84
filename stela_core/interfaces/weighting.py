"""Weighting: position of a text to a weight, for strength at insertion and evidence at detection."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Literal, Protocol, cast

import numpy as np
import numpy.typing as npt
from typing_extensions import TypeVar

from stela_core.errors import StelaError
from stela_core.interfaces.component import Component
from stela_core.parameters import P_co

if TYPE_CHECKING:
    from stela_core.interfaces.tagger import Tagger
    from stela_core.statistics.law import Law

Need = Literal["contexts", "text", "logits", "token", "green"]
Context = tuple[str, ...]

Calibration = Literal["tokens", "types"]
"""What a table's mean is taken over: the tokens of its corpora, or its distinct contexts."""


class Table(Protocol):
    """What a weighting looks up: read from a file, and never changed."""

    @property
    def k(self) -> int | None:
        """Length of the n-grams: one more than the tags of a context; ``None`` where it holds no tags."""


T_co = TypeVar("T_co", bound=Table | None, default=Table | None, covariant=True)
"""The class of the table that a weighting reads: of one that it requires where ``uses_table`` is set."""

SUFFIX_CHARS = 64
"""Characters of the text before a position that a weighting is shown."""


@dataclass(frozen=True, slots=True)
class Positions:
    """All that a weighting is given: n positions, at insertion the rows of one step, at detection the scored
    tokens of one text, or a part of them.

    What may be seen, and why p-values are exact all the same (invariant 4):

    - A weight of evidence may depend on anything in the text: what stands before a position, and the token
      there. A p-value is over random keys, and a text that nobody marked is fixed before the key is drawn.
      So its weights are numbers that no key changes, and given them the colours are as random as they ever
      were. ``over_text`` may look at all weights of a text for the same reason.
    - It may depend on neither key nor colours: they are not here. ``green_mass``, which depends on the key,
      is given only to strengths (:func:`.compose` refuses evidence that asks for it).
    - A strength may see what is known when a token is drawn: what stands before it, and the model's logits.
      ``tokens`` are not there yet.
    - Detection gives the weights that insertion used only where both see the same: a weighting on both
      sides reads ``contexts``, ``text`` or ``logits``, which are functions of the text before a position.
    """

    count: int
    contexts: Sequence[Context] = ()
    """POS contexts, n tuples of at most k - 1 tags, where the weighting ``needs`` them."""
    logits: Any = None
    """Logits (n, vocabulary), a torch tensor, where the weighting ``needs`` them."""
    green_mass: npt.NDArray[np.float64] | None = None
    """Probability of the green ids in each row, (n,), where a strength ``needs`` ``green``."""
    gamma: float = 0.5
    """Share of the vocabulary that is green."""
    text: Sequence[str] = ()
    """The last characters (``SUFFIX_CHARS``, fewer at the start) of the text before each position, prompt
    left out, where the weighting ``needs`` the ``text``."""
    tokens: npt.NDArray[np.int64] | None = None
    """The column of ``logits`` that the token at each position has, (n,), where evidence ``needs`` both."""
    cut: tuple[str, Sequence[int], Sequence[int]] = ("", (0,), ())
    """The text, where its tokens begin and the last one ends, and which of them are at the positions, (n,),
    where evidence ``needs`` the ``token`` and no logits."""


class Weighting(Component, Generic[P_co, T_co]):
    """Give each position a weight of at least 0.

    Type checkers know parameters and table where the class names theirs: ``stela.Weighting[NounParameters]``,
    ``stela.Weighting[stela.Parameters, IndeterminacyTable]``.

    Copy me (a local file named with ``--plugin`` can hold just this; ``--scheme nouns`` then uses it
    for both strength and evidence)::

        import numpy as np
        import stela_core as stela

        class Nouns(stela.Weighting):
            name = "nouns"
            needs = frozenset({"contexts"})

            def weights(self, positions):
                return np.array([1.0 if c[-1:] == ("NN",) else 0.5 for c in positions.contexts])

        @stela.hookimpl
        def stela_register_weightings():
            return Nouns
    """

    kind = "weighting"
    hook = "stela_register_weightings"

    implied: ClassVar[Mapping[str, str]] = {"over_text": "reads_whole_text"}

    needs: ClassVar[frozenset[Need]] = frozenset()
    """What it reads of a position; :class:`Positions` says who may read what. ``logits`` at detection means
    that detection needs the model, ``token`` with ``logits`` how likely the token was."""

    any_model: ClassVar[bool] = False
    """Whether the logits may be a surrogate's, over other tokens: it reads how likely tokens are, and
    not which. Those of a position then have two vocabularies, and chances of 0 are ``-inf``."""

    uses_table: ClassVar[bool] = False
    """Whether it reads a table. It is then made with one, which :meth:`check_table` has let pass. Such a
    weighting defines :meth:`read_table`, or takes that of a base class."""

    def __init__(self, parameters: P_co, table: T_co | None = None) -> None:
        self.parameters = parameters
        # None where none is used, or where T_co says that there may be none.
        self.table = cast("T_co", table)

    reads_whole_text: ClassVar[bool] = False
    """Whether :meth:`over_text` makes evidence that is not just the weights of each position. A class that
    overrides the method says so by that."""

    @property
    def reads_bos(self) -> bool:
        """Whether the model reads its beginning-of-text token, where it has one, before a text whose prompt
        is not known. It concerns evidence with logits. Else the model reads only the text.
        """
        return True

    @abstractmethod
    def weights(self, positions: Positions) -> npt.NDArray[np.float64]:
        """Weights (n,), float64, finite and at least 0."""

    @classmethod
    def read_table(cls, data: bytes, source: str) -> Table:
        """Read a table from the bytes of its file, which may be hostile; ``source`` names it in errors.

        Raises:
            StelaError: the bytes are not a table, or it is too large.
        """
        raise StelaError(
            f'weighting "{cls.name}" uses a table and does not say how to read one.',
            "give the class a method read_table",
        )

    @classmethod
    def check_table(cls, table: Table) -> None:
        """Find out whether a table, which another weighting may have read, is of the kind it reads.

        Raises:
            StelaError: it is not.
        """

    @classmethod
    def remarks_on_table(cls, table: Table, tagger: Tagger | None, language: str | None) -> list[str]:
        """What whoever makes a profile is told of a table that fits a tagger and a language only so so.

        Raises:
            StelaError: it does not fit.
        """
        return []

    @classmethod
    def own_table(cls, language: str | None, tagger: Tagger | None, k: int | None) -> bytes | None:
        """The bytes of the table it brings for a language and, where it reads contexts, a tagger.

        ``None`` leaves it to the tagger, whose plugin ships indeterminacy tables.

        Raises:
            StelaError: it brings tables, but none that fits.
        """
        return None

    @classmethod
    def own_table_for(
        cls, law: Law, language: str | None, tagger: Tagger | None, k: int | None
    ) -> bytes | None:
        """:meth:`own_table` for a mark whose signals have this law; by default one for all kinds of mark."""
        return cls.own_table(language, tagger, k)

    def over_text(self, weights: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Evidence of a whole text from the weights of all its scored tokens, (n,) -> (n,).

        With logits, ``weights`` sees a text in parts that fit into memory; what looks at the whole text,
        such as subtracting its smallest weight, belongs here.
        """
        return weights

    def gains(
        self, weights: npt.NDArray[np.float64], bias: npt.NDArray[np.float64], gamma: float
    ) -> npt.NDArray[np.float64] | None:
        """How much the mark raises the probability that each token is green, as far as the weights say, (n,).

        It is asked for the expected power of the test. ``None``, the default, where they do not say.

        Args:
            weights: of a text's tokens, as :meth:`weights` gave them, (n,).
            bias: on green logits at each, nats, (n,).
            gamma: share of green tokens.
        """
        return None

    def mean(self, calibration: Calibration) -> float:
        """Expected weight on human text: ``delta`` is divided by it, so that the mean bias is delta."""
        return 1.0
