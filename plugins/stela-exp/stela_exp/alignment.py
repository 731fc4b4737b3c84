"""Scorers that align a text with the whole key sequence: the mark is there wherever the text begins in it."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from pydantic import Field

import stela_core as stela
from stela_core.api import GroupedParameters, GroupedScorer, require
from stela_exp.key_sequence import KeySequenceHasher, require_sequence
from stela_exp.resampling import permutation_test, resampled_sequences


class AlignmentParameters(GroupedParameters):
    """How a text is cut into blocks, and how many key sequences it is compared with."""

    block: int = Field(256, ge=1, le=4096)
    """Tokens of a block (k of the paper); a shorter text is one block."""

    longest: int = Field(2048, ge=1, le=1 << 20)
    """Tokens of a text that are looked at: its first ones."""

    resamples: int = Field(1999, ge=19, le=1_000_000)
    """Resampled key sequences (T): no p-value is below 1 / (1 + T), times what it is corrected for."""


class AlignmentScorer(GroupedScorer):
    """The smallest cost of any block of the text at any shift of the sequence (Algorithm 3), and its p-value.

    The p-value is that of resampled sequences: valid for any statistic, whatever repeats itself in the text.
    Parts of a text (windows, passages) are scored as by the scorer ``grouped``, at the shift that the text
    shows.
    """

    Parameters: ClassVar[type[AlignmentParameters]] = AlignmentParameters
    parameters: AlignmentParameters

    def score_text(
        self, ids: npt.NDArray[np.int64], positions: npt.NDArray[np.intp], hasher: stela.Hasher[Any]
    ) -> stela.Score:
        """The permutation test of a text; p is 1 where none of its tokens can be scored.

        Raises:
            StelaError: the hasher has no key sequence, or numba is not installed.
        """
        sequence = require_sequence(hasher, self.name)
        require("numba", "aligning texts with a key sequence")
        if len(positions) == 0:
            return stela.Score(z=0.0, z_plain=0.0, p_value=1.0)
        ids = ids[: self.parameters.longest]
        tokens, rows = np.unique(ids, return_inverse=True)
        rows = rows.reshape(-1).astype(np.int64)

        def statistic(seeds: npt.NDArray[np.uint64]) -> float:
            return self.least_cost(sequence.costs(seeds, tokens), rows, sequence)

        others = resampled_sequences(sequence.key, ids, sequence.parameters.key_length)
        outcome = permutation_test(statistic, sequence.sequence(), others, self.parameters.resamples)
        return stela.Score(
            z=outcome.z,
            z_plain=outcome.z,
            p_value=outcome.p_value,
            beside={"resampled sequences": outcome.tried},
        )

    def least_p_of(self, signals: stela.Signals) -> float:
        """``1 / (1 + resamples)``; 1 where there is no token."""
        return 1 / (1 + self.parameters.resamples) if len(signals.weights) else 1.0

    @abstractmethod
    def least_cost(
        self, costs: npt.NDArray[np.float32], rows: npt.NDArray[np.int64], hasher: KeySequenceHasher
    ) -> float:
        """The test statistic.

        Args:
            costs: of each distinct token at each place, (m, n).
            rows: which row each of the text's tokens is, (tokens,).
            hasher: for what it says of costs, not for its key.
        """


class AlignScorer(AlignmentScorer):
    """The sum of the costs, token by token: for texts that were cut, or whose beginning is lost."""

    name = "exp-align"

    def least_cost(
        self, costs: npt.NDArray[np.float32], rows: npt.NDArray[np.int64], hasher: KeySequenceHasher
    ) -> float:
        """The least cost over all blocks and shifts."""
        from stela_exp.compiled import least_alignment

        return least_alignment(costs, rows, min(self.parameters.block, len(rows)))


class EditParameters(AlignmentParameters):
    """Parameters of an alignment with edits: also what an edit costs."""

    longest: int = Field(512, ge=1, le=1 << 20)
    """Tokens of a text that are looked at: its first ones. Time grows with the length and the block."""

    edit_cost: float | None = Field(None, ge=0, le=100)
    """What a token that was left out or put in costs (gamma of the paper). Where it is not given, as in the
    paper's experiments: 0 for exponential minimum sampling, 0.4 for inverse transform sampling."""


class EditScorer(AlignmentScorer):
    """The simple Levenshtein cost: for texts in which words were put in, left out and changed.

    Blocks begin at every half of a block, not at every token.
    """

    name = "exp-edit"
    Parameters: ClassVar[type[AlignmentParameters]] = EditParameters
    parameters: EditParameters

    def least_cost(
        self, costs: npt.NDArray[np.float32], rows: npt.NDArray[np.int64], hasher: KeySequenceHasher
    ) -> float:
        """The least cost over blocks and all shifts."""
        from stela_exp.compiled import least_edit

        cost = hasher.edit_cost if self.parameters.edit_cost is None else self.parameters.edit_cost
        block = min(self.parameters.block, len(rows))
        return least_edit(costs, rows, block, max(1, block // 2), cost)
