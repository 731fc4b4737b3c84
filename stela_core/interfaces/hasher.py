"""Hasher: context token ids to a seed, and seed and token id to green or red."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, Self

import numpy as np
import numpy.typing as npt
from pydantic import Field
from typing_extensions import TypeVar

from stela_core.interfaces.component import Component
from stela_core.interfaces.law import Law
from stela_core.parameters import Parameters

if TYPE_CHECKING:
    import torch

    from stela_core.kernels.split import Split


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


class HasherParameters(ContextParameters):
    """Share of green tokens and length of the hash context."""

    gamma: float = Field(0.5, gt=0, lt=1)
    """Share of the vocabulary that is green, in (0, 1)."""

    context_width: int = Field(1, ge=1, le=8)
    """Number of preceding token ids that seed the split."""


H_co = TypeVar("H_co", bound=ContextParameters, default=HasherParameters, covariant=True)
"""The class of a hasher's parameters."""


class Hasher(Component, Generic[H_co]):
    """Split the vocabulary into green and red, as a function of key and preceding tokens.

    The definition is integer arithmetic, the same on every machine and device, and one token's
    membership costs O(1). ``green`` is what detection calls (numpy alone); ``add_bias`` is what
    generation calls, and has a slow default that a fast hasher overrides. Marks that are no green lists are
    :class:`stela_core.SamplingHasher`.

    Copy me::

        class Parity(stela.Hasher):
            name = "parity"

            def seeds(self, contexts):
                return (contexts.sum(axis=1) + self.key).astype(np.uint64)

            def green(self, seeds, tokens):
                return (seeds + tokens.astype(np.uint64)) % np.uint64(2) == 0
    """

    kind = "hasher"
    hook = "stela_register_hashers"

    Parameters: ClassVar[type[ContextParameters]] = HasherParameters

    key_in_seed: ClassVar[bool] = False
    """Whether a colour depends on the key through the seed alone. Rows under different keys are then marked
    in one pass; else those of each key by themselves."""

    samples: ClassVar[bool] = False
    """Whether the mark is a choice of the token rather than a bias on green ones."""

    seed_words: ClassVar[int] = 1
    """64-bit words of a seed: seeds are (n,), or (n, seed_words) where there are several."""

    padding: ClassVar[int | None] = None
    """The id that stands in front of a text's first token, at least -1; ``None`` where tokens without a whole
    context are neither marked nor scored."""

    reads_prompt: ClassVar[bool] = False
    """Whether the contexts of a text's first tokens reach into the prompt, where detection knows it."""

    coins_hold_token: ClassVar[bool] = False
    """Whether equal :meth:`coins` are one draw whatever the tokens; else only those of equal tokens are."""

    _vocabulary: Vocabulary | None = None

    def __init__(self, parameters: H_co, key: int) -> None:
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
        """The same hasher under another key."""
        other = type(self)(self.parameters, key)
        if self._vocabulary is not None:
            other.bind(self._vocabulary)
        return other

    def bind(self, tokens: Vocabulary) -> None:
        """Told the profile's vocabulary, before anything is hashed.

        A hasher that needs it overrides this, calls ``super().bind(tokens)``, and keeps what it makes of a
        vocabulary for the next key.

        Raises:
            StelaError: the vocabulary is not one that it works with.
        """
        self._vocabulary = tokens

    @property
    def gamma(self) -> float:
        """Probability that a token is green, over random keys."""
        gamma: float = getattr(self.parameters, "gamma")  # noqa: B009 (a sampling mark's have none)
        return gamma

    @property
    def law(self) -> Law:
        """Distribution of a token's signal on unmarked text, over random keys."""
        return Law("bernoulli", self.gamma)

    @property
    def context_width(self) -> int:
        """Number of preceding token ids in a hash context (h)."""
        return self.parameters.context_width

    @property
    def log_choices(self) -> float:
        """Natural logarithm of the number of marks that a key chooses among, where it is chosen part by part.

        Whoever knows a text finds the part that suits it best for each, which takes seconds and makes the
        text as improbable as no trying of whole keys does. In a stranger's profile a p-value is therefore
        times their number, too. 0, the default: all of a key enters every draw, and it can only be tried.
        """
        return 0.0

    @property
    def first_only(self) -> bool:
        """Whether a hash context that came before in the text is neither marked nor scored again."""
        return False

    @property
    def most_contexts(self) -> int | None:
        """With :attr:`first_only`: how many contexts of a text are marked and scored; ``None`` for all."""
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

    @abstractmethod
    def seeds(self, contexts: npt.NDArray[np.int64]) -> npt.NDArray[np.uint64]:
        """Seeds (n,) of hash contexts (n, context_width), oldest token first."""

    def seeds_of(self, rows: Sequence[int], contexts: npt.NDArray[np.int64]) -> npt.NDArray[np.uint64]:
        """Seeds (n,) of the hash contexts (n, context_width) of these rows of a batch, (n,).

        By default rows are alike; only a batch whose rows have keys of their own tells them apart.
        """
        return self.seeds(contexts)

    @abstractmethod
    def green(self, seeds: npt.NDArray[np.uint64], tokens: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
        """Whether each token is green under the seed beside it: (n,), (n,) -> (n,)."""

    def draws(self, seeds: npt.NDArray[np.uint64], tokens: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        """The draws of each token's signal under the seed beside it, (n, parts of the :attr:`law`)."""
        return self.green(seeds, tokens).astype(np.float64)[:, None]

    def beside(self, ids: npt.NDArray[np.int64], positions: npt.NDArray[np.intp]) -> Mapping[str, float]:
        """Numbers that another toolkit gives for the same mark, shown beside ours; by default none.

        Args:
            ids: of the text, (tokens,), after the end of a prompt that is known and read.
            positions: of the scored tokens among them, (n,).
        """
        return {}

    def coins(self, seeds: npt.NDArray[np.uint64], tokens: npt.NDArray[np.int64]) -> npt.NDArray[np.uint64]:
        """What each colour is drawn from, beside the token: (n,), (n,) -> (n,).

        Where coin and token are equal, the colours are one draw and count as one piece of evidence.
        That is the seed, unless several seeds give a token the same colour for certain.
        """
        return seeds

    def independent(
        self, seeds: npt.NDArray[np.uint64], tokens: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.bool_] | None:
        """Which of a text's tokens, (n,), have draws independent of those of the kept ones before them.

        The others are marked, but not scored. Tokens whose draws are one (:meth:`coins`) do not count as
        dependent. It may look at which seeds are equal and at the tokens, never at a draw. ``None``, the
        default: all are.
        """
        return None

    def add_bias(
        self,
        scores: torch.Tensor,
        seeds: npt.NDArray[np.uint64],
        biases: Sequence[float],
        vocab_size: int,
    ) -> torch.Tensor:
        """New scores (rows, width) with ``biases[r]`` added to row r's green ids below ``vocab_size``.

        ``scores`` is left as it was: transformers may hand it out as raw logits.
        """
        import torch

        out = scores.clone()
        tokens = np.arange(vocab_size, dtype=np.int64)
        for row, (seed, bias) in enumerate(zip(seeds, biases, strict=True)):
            if bias:
                mask = self.green(np.full(vocab_size, seed, dtype=np.uint64), tokens)
                out[row, :vocab_size] += bias * torch.from_numpy(mask).to(out.device, out.dtype)
        return out

    def add_bias_to_array(
        self,
        scores: npt.NDArray[Any],
        seeds: npt.NDArray[np.uint64],
        biases: Sequence[float],
        vocab_size: int,
    ) -> npt.NDArray[Any]:
        """:meth:`add_bias` for logits in a numpy array, without torch; slow here.

        Where a subclass overrides ``add_bias`` and not this, it is not called: ``add_bias`` is, by way of
        torch, so that both mark alike.
        """
        from stela_core.kernels.arrays import raised

        tokens = np.arange(vocab_size, dtype=np.int64)
        rows = zip(seeds, biases, strict=True)
        masks = (self.green(np.full(vocab_size, s, dtype=np.uint64), tokens) if b else None for s, b in rows)
        return raised(scores, masks, biases)

    def split(self, scores: torch.Tensor, seeds: npt.NDArray[np.uint64], vocab_size: int) -> Split:
        """Each row's split, for strengths that look at the probability of the green ids first.

        Arguments as for :meth:`add_bias`. Slow here; override it together with ``add_bias``.
        """
        import torch

        from stela_core.kernels.split import MaskSplit

        tokens = np.arange(vocab_size, dtype=np.int64)
        rows = [self.green(np.full(vocab_size, seed, dtype=np.uint64), tokens) for seed in seeds]
        return MaskSplit(scores, torch.from_numpy(np.array(rows)).to(scores.device))
