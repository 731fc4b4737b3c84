"""The hasher ``sir``: a network says of a context which of 256 outputs are high, a key which one a token has.

The class ``c`` of a token has output ``mix(seed_of(key, (2**32 - 3,)), c) >> 24``: uniform over the 256, and
independent from class to class. A token is green iff its output is high under the context. What is high does
not depend on the key, so a token that comes again has its colour from the same draw: all tokens of a class
share one, of which only the first counts, with those of the very same outputs (README.md).
"""

from __future__ import annotations

from copy import copy
from functools import cached_property
from math import log
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from pydantic import Field, field_validator, model_validator
from pydantic_core import PydanticCustomError
from stela_clusters.contexts import texts
from stela_clusters.named_files import CHOSEN

import stela_core as stela
from stela_core.api import Vocabulary, keyed_seeds, mix, seed_of
from stela_sir.network import OUTPUTS, WORDS
from stela_sir.network_file import FILES, NetworkFile

PURPOSE = 'hasher "sir" with a sentence-embedding model'

OF_TOKENS = 0xFFFFFFFD
"""First number of what the tokens' outputs are drawn from."""


class SirParameters(stela.HasherParameters):
    """What meaning is measured by."""

    context_width: int = Field(16, ge=1, le=64)
    """Preceding token ids whose meaning decides; fewer at the beginning of a text."""

    network: str = "tiny"
    """``tiny`` (for stela-tiny) or the SHA-256 of a file that ``stela sir train`` or ``keep`` kept."""

    sha256: str | None = Field(None, pattern=r"^[0-9a-f]{64}$")
    """SHA-256 of a shipped file, taken from it where a profile is made: another is refused from then on."""

    @model_validator(mode="before")
    @classmethod
    def _pin(cls, values: Any) -> Any:
        """Note the SHA-256 of the file that is chosen now."""
        return FILES.pinned(values, "tiny")

    @field_validator("gamma")
    @classmethod
    def _whole(cls, gamma: float) -> float:
        """The share of the 256 outputs that are high."""
        if not (gamma * OUTPUTS).is_integer():
            nearest = f"{round(gamma * OUTPUTS) / OUTPUTS:g}"
            raise PydanticCustomError("share", f"is not a multiple of 1/{OUTPUTS}, such as {nearest}")
        return gamma


class SirHasher(stela.GreenList[SirParameters]):
    """Lists by the meaning of the context: near contexts have nearly the same."""

    name = "sir"
    chosen = CHOSEN
    Parameters = SirParameters
    padding = -1
    seed_words = WORDS
    coins_hold_token = True

    @cached_property
    def _file(self) -> NetworkFile:
        return FILES.read(self.parameters.network, self.parameters.sha256)

    def bind(self, tokens: Vocabulary) -> None:
        """Check that the network is for this vocabulary.

        Raises:
            StelaError: the file is missing, another one, or of another vocabulary.
        """
        super().bind(tokens)
        self._file.require_fits(tokens)

    def under(self, key: int) -> Self:
        """The same network under another key."""
        other = copy(self)
        other.key = key
        other.__dict__.pop("_listed", None)
        return other

    @property
    def log_choices(self) -> float:
        """0 with a network that comes along; else all weights, which may have been chosen for the text."""
        if self.parameters.network in FILES.shipped:
            return 0.0
        return 8 * log(2) * sum(layer.weights.size for layer in self._file.network.layers)

    def seeds(self, contexts: npt.NDArray[np.int64]) -> npt.NDArray[np.uint64]:
        """Which outputs are high, (n, context_width) -> (n, 4); the key has no part in it."""
        if not len(contexts):
            return np.empty((0, WORDS), dtype=np.uint64)
        high = round(self.parameters.gamma * OUTPUTS)
        return self._file.network.patterns(self._vectors(contexts), high)

    def outputs_of(self, tokens: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Which output each token has, (n,) -> (n,)."""
        seed = np.uint64(seed_of(self.key, (OF_TOKENS,)))
        classes = self._file.classes_of(tokens)
        return (mix(np.full(len(classes), seed), classes) >> np.uint32(24)).astype(np.int64)

    def green(self, seeds: npt.NDArray[np.uint64], tokens: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
        """Whether each token's output is high: (n, 4), (n,) -> (n,)."""
        outputs = self.outputs_of(tokens)
        words = seeds[np.arange(len(seeds)), outputs >> 6]
        return np.asarray(words >> (outputs & 63).astype(np.uint64) & np.uint64(1), dtype=np.bool_)

    def listed(self, size: int, seed: npt.NDArray[np.uint64]) -> npt.NDArray[np.bool_]:
        """Mask (size,) of the green ids under a seed (4,)."""
        bits = np.unpackbits(seed.astype("<u8").view(np.uint8), bitorder="little").view(np.bool_)
        return bits[self._all_outputs(size)]

    def coins(self, seeds: npt.NDArray[np.uint64], tokens: npt.NDArray[np.int64]) -> npt.NDArray[np.uint64]:
        """A hash of the outputs that are high, and of the token's class: (n,)."""
        words = np.ascontiguousarray(seeds).view(np.uint32).reshape(len(seeds), 2 * WORDS)
        return keyed_seeds(0, np.column_stack([words, self._file.classes_of(tokens)]))

    def independent(
        self, seeds: npt.NDArray[np.uint64], tokens: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.bool_]:
        """The first token of each class, and those after it that are the same coin: (n,)."""
        first, of = np.unique(self._file.classes_of(tokens), return_index=True, return_inverse=True)[1:]
        return np.asarray((seeds == seeds[first[of.reshape(-1)]]).all(axis=1))

    def _vectors(self, contexts: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        if self._file.model is None:
            return self._file.of_contexts(contexts)
        from stela_models.known_sentence_models import known_sentence_model

        if self._vocabulary is None:
            raise stela.StelaError('hasher "sir" has no vocabulary yet.', "call bind(tokens) first")
        model = known_sentence_model(self._file.model, PURPOSE, "stela sir model")
        return model.vectors(texts(self._vocabulary, contexts))

    def _all_outputs(self, size: int) -> npt.NDArray[np.int64]:
        kept: tuple[int, npt.NDArray[np.int64]] | None = self.__dict__.get("_listed")
        if kept is None or kept[0] != size:
            kept = size, self.outputs_of(np.arange(size, dtype=np.int64))
            self.__dict__["_listed"] = kept
        return kept[1]
