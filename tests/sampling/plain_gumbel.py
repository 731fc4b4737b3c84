"""A Gumbel mark in a few lines, slow and plain: the example of a hasher that chooses tokens."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import torch

import stela_core as stela
from stela_core.hashing.colour import mix
from stela_core.hashing.keys import keyed_seeds


class PlainParameters(stela.SamplingParameters):
    context_width: int = 2
    once: bool = True
    """Mark a context once a text."""
    padded: bool = False


class PlainGumbel(stela.SamplingHasher[PlainParameters]):
    name = "plain_gumbel"
    key_in_seed = True
    Parameters = PlainParameters

    def __init__(self, parameters: PlainParameters, key: int) -> None:
        super().__init__(parameters, key)
        self.padding = 7 if parameters.padded else None  # type: ignore[misc]

    @property
    def first_only(self) -> bool:
        return self.parameters.once

    def seeds(self, contexts: npt.NDArray[np.int64]) -> npt.NDArray[np.uint64]:
        return keyed_seeds(self.key, contexts)

    def draws(self, seeds: npt.NDArray[np.uint64], tokens: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        return np.asarray(-np.log1p(mix(seeds, tokens) / -(2.0**32))[:, None])

    def mark(self, scores: torch.Tensor, seeds: npt.NDArray[np.uint64], vocab_size: int) -> torch.Tensor:
        out = torch.full_like(scores, -torch.inf)
        for row, seed in enumerate(seeds):
            u = torch.from_numpy((mix(seed, np.arange(vocab_size)) + 0.5) / 2**32)
            chosen = (scores[row, :vocab_size].double() - torch.log(-torch.log(u))).argmax()
            out[row, chosen] = 0.0
        return out


class Plain(stela.SamplingScheme):
    name = "plain_gumbel"
    paper = "Aaronson 2022"
    hasher = "plain_gumbel"


@stela.hookimpl
def stela_register_hashers() -> type[stela.Hasher]:
    return PlainGumbel


@stela.hookimpl
def stela_register_schemes() -> type[stela.Scheme]:
    return Plain
