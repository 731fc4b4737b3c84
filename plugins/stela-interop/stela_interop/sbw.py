"""SBW, Stateless Bernoulli Watermarking, bit for bit: a keyed draw for each token, without a permutation.

Ceppi, Sanchez: "Flip, Don't Shuffle: Watermarking LLMs at the Speed of Inference", EMNLP 2026,
arXiv 2609.03844. The seeds are in ``sbw_seeds.py``, the words in ``stela_kernels/philox/of_tokens.py``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from math import erfc, sqrt
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt
from pydantic import Field, model_validator
from stela_kernels.philox.of_tokens import token_words

import stela_core as stela
from stela_interop import sbw_seeds

if TYPE_CHECKING:
    from typing import Self

    import torch

LARGEST = 0x7FFFFFFF
"""Mask of the 31 bits of a word that are looked at."""


class SbwParameters(stela.HasherParameters):
    """What seeds a draw, and which ids are marked."""

    context_width: int = Field(3, ge=0, le=8)
    """Ids before the token; under ``selfhash`` one less than theirs, which counts the token."""

    scheme: Literal["selfhash", "lefthash"] = "selfhash"

    unread: int = Field(0, ge=0, le=1)
    """Oldest ids of a context that seed nothing, but tell contexts apart: 1 for vLLM's ``selfhash``."""

    candidates: int | None = Field(None, ge=1)
    """Number of the likeliest ids that get the bias; ``None``: all."""

    once: bool = False
    """Whether a context that came before in the text is neither marked nor scored again (vLLM)."""

    @model_validator(mode="after")
    def _fits(self) -> Self:
        width = self.context_width - self.unread
        if width < 0 or (self.scheme == "selfhash" and width > sbw_seeds.MOST):
            raise ValueError(f"selfhash is seeded by at most {sbw_seeds.MOST} ids before the token")
        if self.scheme == "lefthash" and width < 1:
            raise ValueError("lefthash is seeded by at least one id")
        return self


class Sbw(stela.GreenList[SbwParameters]):
    """Green where the low 31 bits of the token's word are below ``int(gamma * (2**31 - 1))``."""

    name = "interop-sbw"
    Parameters = SbwParameters

    def __init__(self, parameters: SbwParameters, key: int) -> None:
        super().__init__(parameters, key)
        self._limit = int(parameters.gamma * LARGEST)
        self._width = parameters.context_width - parameters.unread
        self._salted = parameters.scheme == "selfhash"

    def bind(self, tokens: Any) -> None:
        """Ids of a context are packed into one seed.

        Raises:
            stela.StelaError: there are more ids than can be.
        """
        if self._salted and len(tokens) > 1 << sbw_seeds.BITS:
            raise stela.StelaError(
                f"SBW's selfhash takes at most {1 << sbw_seeds.BITS} tokens, and the tokenizer has more.",
                'take "lefthash", or another scheme',
            )
        super().bind(tokens)

    @property
    def first_only(self) -> bool:
        """Whether a context is marked only once, as the parameter ``once`` says."""
        return self.parameters.once

    def seeds(self, contexts: npt.NDArray[np.int64]) -> npt.NDArray[np.uint64]:
        """The generator's seed, or for ``selfhash`` the packed ids, (n, context_width) -> (n,)."""
        read = contexts[:, self.parameters.unread :]
        return sbw_seeds.packed(read) if self._salted else sbw_seeds.lefthash(self.key, read)

    def coins(self, seeds: npt.NDArray[np.uint64], tokens: npt.NDArray[np.int64]) -> npt.NDArray[np.uint64]:
        """The generator's seed: under ``selfhash`` many contexts share a token's, and so its colour."""
        return sbw_seeds.selfhash(self.key, seeds, self._width, tokens) if self._salted else seeds

    def green(self, seeds: npt.NDArray[np.uint64], tokens: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
        """Whether each token is green under its seed."""
        own: npt.NDArray[np.bool_] = token_words(self.coins(seeds, tokens), tokens) & LARGEST < self._limit
        return own

    def listed(self, size: int, seed: np.uint64) -> npt.NDArray[np.bool_]:
        """Mask (size,) of the green ids under a seed, by the compiled pass where there is numba."""
        run = compiled()
        ids = np.arange(size, dtype=np.int64)
        if run is None:
            return self.green(np.full(size, seed, dtype=np.uint64), ids)
        hashes = _hashes(size) if self._salted else ids
        places = np.arange(self._width if self._salted else 0, dtype=np.uint64)
        before = (seed >> np.uint64(sbw_seeds.BITS) * places & np.uint64((1 << sbw_seeds.BITS) - 1)).view(
            np.int64
        )
        out = np.empty(size, dtype=np.bool_)
        key = np.uint64(self.key).view(np.int64)
        before = sbw_seeds.hashed(before).view(np.int64)
        run(hashes, before, key, np.uint64(seed), self._salted, np.uint64(self._limit), out)
        return out

    def add_bias(
        self,
        scores: torch.Tensor,
        seeds: npt.NDArray[np.uint64],
        biases: Sequence[float],
        vocab_size: int,
    ) -> torch.Tensor:
        """New scores (rows, width), equal to theirs: the bias is rounded to the scores' type, then added."""
        import torch

        out = scores.clone()
        size = min(vocab_size, scores.shape[1])
        for row, (seed, bias) in enumerate(zip(seeds, biases, strict=True)):
            if bias:
                mask = torch.from_numpy(self.listed(size, seed)).to(scores.device)
                if self.parameters.candidates is not None and self.parameters.candidates < size:
                    chosen = torch.zeros_like(mask)
                    chosen[scores[row, :size].topk(self.parameters.candidates).indices] = True
                    mask &= chosen
                shift = torch.tensor(bias, dtype=scores.dtype, device=scores.device)
                own = scores[row, :size]
                out[row, :size] = torch.where(mask, own + shift, own)
        return out

    def add_bias_to_array(
        self,
        scores: npt.NDArray[Any],
        seeds: npt.NDArray[np.uint64],
        biases: Sequence[float],
        vocab_size: int,
    ) -> npt.NDArray[Any]:
        """The same for an array, without torch; of equally likely candidates the lowest ids."""
        out = scores.copy()
        size = min(vocab_size, scores.shape[1])
        for row, (seed, bias) in enumerate(zip(seeds, biases, strict=True)):
            if bias:
                mask, own = self.listed(size, seed), scores[row, :size]
                if self.parameters.candidates is not None and self.parameters.candidates < size:
                    chosen = np.zeros_like(mask)
                    chosen[np.argsort(-own, kind="stable")[: self.parameters.candidates]] = True
                    mask &= chosen
                out[row, :size] = np.where(mask, own + np.array([bias], dtype=scores.dtype), own)
        return out

    def foreign_scores(
        self, ids: npt.NDArray[np.int64], positions: npt.NDArray[np.intp]
    ) -> Mapping[str, float]:
        """Z and p-value of the package's detector over the scored tokens: each n-gram once, a normal tail.

        Of vLLM's marks nothing: its detector scores tokens that have no context, too.
        """
        if self.parameters.once or not len(positions):
            return {}
        contexts = self.contexts(ids, positions)
        grams = np.unique(np.column_stack([contexts, ids[positions]]), axis=0)
        green = int(self.green(self.seeds(grams[:, :-1]), grams[:, -1]).sum())
        z = (green - self.gamma * len(grams)) / sqrt(len(grams) * self.gamma * (1 - self.gamma))
        return {"SBW z": z, "SBW p-value": erfc(z / sqrt(2)) / 2}


@cache
def _hashes(size: int) -> npt.NDArray[np.int64]:
    return sbw_seeds.hashed(np.arange(size, dtype=np.int64)).view(np.int64)


@cache
def compiled() -> Any:
    """The compiled pass, or ``None`` where numba cannot be used."""
    try:
        from stela_interop import sbw_pass
    except Exception:  # not installed, or broken by the numpy beside it: numpy does the work then
        return None
    return sbw_pass.green_row
