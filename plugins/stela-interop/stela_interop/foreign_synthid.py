"""SynthID-Text's configuration to what a profile needs; the mark itself is stela-synthid's."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from pydantic import Field, field_validator

import stela_core as stela
from stela_interop.foreign import Foreign, TransformersConfig, read_settings, validated, what_of

OPTION = "--transformers"
WORD = 1 << 64


class SynthIdConfig(stela.Parameters):
    """``SynthIDTextWatermarkingConfig`` of transformers, or the arguments of the package synthid-text."""

    ngram_len: int = Field(ge=2, le=32)
    keys: list[int] = Field(min_length=1, max_length=64)
    context_history_size: int = Field(1024, ge=0)
    sampling_table_seed: int = Field(0, ge=0, lt=WORD)
    sampling_table_size: int = Field(1 << 16, ge=1 << 12, le=1 << 24)
    skip_first_ngram_calls: bool = False
    debug_mode: Literal[False] = False
    """True makes text without the model's logits."""

    num_leaves: int = Field(2, ge=2, le=64)
    """Leaves of the tournament, a setting of synthid-text only, as all that follows."""
    device: Any = None
    temperature: Any = None
    top_k: Any = None
    apply_top_k: Any = None

    @field_validator("keys")
    @classmethod
    def _of_64_bits(cls, keys: list[int]) -> list[int]:
        # Of the value nothing is said: it may be a secret.
        if not all(-(WORD >> 1) <= key < WORD >> 1 for key in keys):
            raise ValueError("a key is not a signed integer of 64 bits")
        return keys

    def foreign(self, what: str) -> Foreign:
        """The profile's side.

        Args:
            what: names the file in errors.

        Raises:
            stela.StelaError: the table's size is not a power of two, or layers share a key.
        """
        size = self.sampling_table_size
        if size & (size - 1):
            raise stela.StelaError(
                f"{what}: a sampling_table_size of {size} is not reproduced.",
                "powers of two are, as 65536",
            )
        if len({key % size for key in self.keys}) < len(self.keys):
            raise stela.StelaError(
                f"{what}: two keys are equal modulo the sampling_table_size: their layers are one draw.",
                "take other keys: no p-value of such a mark is right",
            )
        key = 0
        for one in self.keys:
            key = key * WORD + one % WORD
        return Foreign(
            "synthid",
            key=key,
            scheme="synthid",
            context_width=self.ngram_len - 1,
            words=len(self.keys),
            parameters={
                "depth": len(self.keys),
                "derived": False,
                "leaves": self.num_leaves,
                "table_seed": self.sampling_table_seed,
                "table_size": size,
                "skip_first": self.skip_first_ngram_calls,
            },
        )


def read_transformers(path: Path) -> Foreign:
    """What a file of transformers says, of either of its marks.

    Raises:
        stela.StelaError: the file cannot be read, or is not one of them.
    """
    content, what = read_settings(path), what_of(path)
    if {"ngram_len", "keys"} & content.keys():
        return validated(content, SynthIdConfig, OPTION, what).foreign(what)
    return validated(content, TransformersConfig, OPTION, what).foreign()
