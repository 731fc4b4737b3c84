"""Scorer that looks for a text at every shift of the key sequence, with an exact tail and a union bound."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from pydantic import Field

import stela_core as stela
from stela_core.api import GroupedParameters, GroupedScorer
from stela_exp.key_sequence import KeySequenceHasher, require_sequence


class ScanParameters(GroupedParameters):
    """How a text is cut into blocks."""

    block: int = Field(256, ge=1, le=4096)
    """Tokens of a block, at most those of the key sequence; a shorter text is one block."""


class ScanScorer(GroupedScorer):
    """The largest sum of signals of any block at any shift: its own p-value, times their number.

    At one shift the tokens of a block have separate places, so their signals are independent and the tail
    of their sum is exact; the union bound over shifts and blocks is valid however they depend on each other.
    No p-value has a floor, as those of resampling do, and numpy is all it needs. z is that of the best block
    at its best shift: larger than that of one shift, as the maximum of many.
    """

    name = "exp-scan"
    Parameters: ClassVar[type[ScanParameters]] = ScanParameters
    parameters: ScanParameters

    def score_text(
        self, ids: npt.NDArray[np.int64], positions: npt.NDArray[np.intp], hasher: stela.Hasher[Any]
    ) -> stela.Score:
        """The best block and shift of a text; p is 1 where none of its tokens can be scored.

        Raises:
            StelaError: the hasher has no key sequence.
        """
        sequence = require_sequence(hasher, self.name)
        if len(positions) == 0:
            return stela.Score(z=0.0, z_plain=0.0, p_value=1.0)
        signals = signals_at_all_places(ids, sequence)
        block = min(self.parameters.block, sequence.parameters.key_length, len(ids))
        last = len(ids) - block
        starts = sorted({*range(0, last, max(1, block // 2)), last})
        best = max((block_at_best_shift(signals[start : start + block]) for start in starts), key=np.sum)
        score = self.score_signals(
            stela.Signals(best[:, None], np.ones(block), np.arange(block), sequence.law)
        )
        tests = len(starts) * sequence.parameters.key_length
        return replace(
            score, p_value=min(1.0, tests * score.p_value), beside={"shifts and blocks tested": tests}
        )


def signals_at_all_places(ids: npt.NDArray[np.int64], hasher: KeySequenceHasher) -> npt.NDArray[np.float64]:
    """Signal of each token of a text at each place of the key sequence, (tokens, places)."""
    seeds = hasher.sequence()
    tokens, rows = np.unique(ids, return_inverse=True)
    draws = hasher.draws(np.tile(seeds, len(tokens)), np.repeat(tokens, len(seeds)))
    return np.asarray(draws.reshape(len(tokens), len(seeds))[rows.reshape(-1)])


def block_at_best_shift(signals: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """The signals of a block's tokens, (tokens,), at the shift at which their sum is largest.

    Args:
        signals: of its tokens at each place, (tokens, places); at most as many tokens as places.
    """
    count, places = signals.shape
    sums = np.zeros(places)
    for t, row in enumerate(signals):
        sums[: places - t] += row[t:]
        sums[places - t :] += row[:t]
    at = (int(sums.argmax()) + np.arange(count)) % places
    return np.asarray(signals[np.arange(count), at])
