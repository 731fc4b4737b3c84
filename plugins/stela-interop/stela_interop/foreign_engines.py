"""Configurations of vLLM's and SGLang's own marks; the marks themselves are stela-gumbel's."""

from __future__ import annotations

import re
from typing import Any, Literal

from pydantic import Field

import stela_core as stela
from stela_core.api import printable
from stela_interop.foreign import Foreign, settings_given, validated
from stela_interop.foreign_kinds import require_kind
from stela_interop.foreign_sbw import VllmSbwConfig
from stela_interop.foreign_unreleased import VllmHmacConfig, VllmRedGreenConfig

WORD = 1 << 64
CONTEXT = 64
"""Longest context that SGLang takes; vLLM warns from 16 on."""

HEX = re.compile(r"(?:0[xX])?[0-9a-fA-F]{1,16}")
"""Form in which SGLang writes its keys."""

LONG_HEX = re.compile(r"0[xX][0-9a-fA-F]{1,64}")
"""A key of 256 bits: numbers in JSON are read up to 64 digits."""


class VllmConfig(stela.Parameters):
    """``WatermarkConfig`` of vLLM 0.30 to 0.32, and of its main branch."""

    key: int
    algorithm: Literal["gumbel", "dual_key_gumbel", "synthid_text"] = "gumbel"
    alpha: float = Field(0.1, gt=0, lt=1)
    """vLLM takes 0 and 1, too, where one of two keys marks nothing."""
    context_width: int = Field(4, ge=1, le=CONTEXT)
    depth: int = Field(32, ge=1, le=64)
    """Layers of ``synthid_text``; vLLM takes more, too."""
    deduplicate_contexts: Literal["none", "single_turn", "all"] = "single_turn"
    deduplicate_contexts_max_history: int | None = Field(8192, ge=1)
    prf: Literal["philox"] = "philox"
    allow_target_only_watermarking: bool = False

    def foreign(self) -> Foreign:
        """The profile's side."""
        parameters: dict[str, Any] = {"deduplicate_contexts": self.deduplicate_contexts}
        name = "gumbel-vllm"
        if self.algorithm == "dual_key_gumbel":
            name = "gumbel-vllm-dual"
            parameters["alpha"] = self.alpha
        if self.algorithm == "synthid_text":
            name = "synthid-vllm"
            parameters["depth"] = self.depth
        remarks = []
        if self.deduplicate_contexts == "all":
            remarks.append(
                f"vLLM leaves the first {self.context_width} tokens of a text unmarked; they are scored, too"
            )
        history = self.deduplicate_contexts_max_history
        if self.deduplicate_contexts != "none" and history is not None and history < 8192:
            remarks.append(f"vLLM marks a context again after {history} tokens; it is scored once")
        return Foreign(
            name,
            scheme=name,
            key=self.key,
            context_width=self.context_width,
            parameters=parameters,
            remarks=tuple(remarks),
        )


class SglangConfig(stela.Parameters):
    """``WatermarkServerConfig`` of SGLang 0.5.23: all may be left out there, or null."""

    key: str
    key_b: str | None = None
    context_window: int | None = Field(None, ge=1, le=CONTEXT)
    mixing_probability: float | None = Field(None, gt=0, lt=1)
    max_probability: float | None = Field(None, gt=0, le=1)
    default_enabled: bool | None = None
    enforce_all: bool | None = None

    def foreign(self, what: str) -> Foreign:
        """The profile's side.

        Args:
            what: names the configuration in errors.

        Raises:
            stela.StelaError: there is a mixing probability of two keys, and one of them.
        """
        mixing = 0.5 if self.mixing_probability is None else self.mixing_probability
        if self.key_b is None and mixing != 0.5:
            raise stela.StelaError(
                f"{what} has a mixing_probability and one key.", 'give "key_b", too, or leave it out'
            )
        key, words = int(self.key, 16), 1
        parameters: dict[str, Any] = {}
        if self.max_probability is not None:
            parameters["max_probability"] = self.max_probability
        if self.key_b is not None:
            key, words = key * WORD + int(self.key_b, 16), 2
            parameters["mixing_probability"] = mixing
        return Foreign(
            "gumbel-sglang",
            scheme="gumbel-sglang",
            key=key,
            words=words,
            context_width=self.context_window or 4,
            parameters=parameters,
            remarks=("a request with a key or context_window of its own has another mark",),
        )


def read_vllm(given: str) -> Foreign:
    """What vLLM's configuration says, a file's or JSON itself.

    Raises:
        stela.StelaError: it cannot be read, is another toolkit's, or asks for what is not reproduced.
    """
    content, what = settings_given(given)
    require_kind(content, "--vllm", what)
    key = content.get("key")
    if key is None:
        raise stela.StelaError(f"{what} holds no key.", 'add it, as "key"')
    by_hmac = content.get("prf") == "hmac_sha256"
    bits = 256 if by_hmac else 64
    if by_hmac and isinstance(key, str) and LONG_HEX.fullmatch(key):
        key = int(key, 16)
        content = {**content, "key": key}
    # Here, since errors of other settings repeat the value.
    if not isinstance(key, int) or isinstance(key, bool) or not 0 <= key < 1 << bits:
        raise stela.StelaError(
            f"{what}: the key is not an integer of {bits} bits.",
            f"vLLM takes 0 <= key < 2**{bits}" + ', here also as "0x.."' * by_hmac,
        )
    if by_hmac:
        return validated(content, VllmHmacConfig, "--vllm", what).foreign()
    algorithm = content.get("algorithm")
    if algorithm == "sbw":
        return validated(content, VllmSbwConfig, "--vllm", what).foreign()
    if algorithm == "red_green":
        return validated(content, VllmRedGreenConfig, "--vllm", what).foreign()
    if algorithm == "gumbel_dual_key":
        raise stela.StelaError(
            f"{what} is TensorRT-LLM's, which is not reproduced.", "vLLM calls its own dual_key_gumbel"
        )
    known = VllmConfig.model_fields["algorithm"].annotation
    if isinstance(algorithm, str) and algorithm not in known.__args__:  # type: ignore[union-attr]
        raise stela.StelaError(
            f'{what}: algorithm "{printable(algorithm[:40])}" is not reproduced.',
            "gumbel, dual_key_gumbel, red_green, synthid_text and sbw are: docs/interop.md",
        )
    return validated(content, VllmConfig, "--vllm", what).foreign()


def read_sglang(given: str) -> Foreign:
    """The same for SGLang's."""
    content, what = settings_given(given)
    require_kind(content, "--sglang", what)
    if content.get("key") is None:
        raise stela.StelaError(
            f"{what} holds no key.",
            'requests bring their own then: add the key of the one whose texts are looked for, as "key"',
        )
    for name in ("key", "key_b"):
        key = content.get(name)
        if key is not None and not (isinstance(key, str) and HEX.fullmatch(key)):
            raise stela.StelaError(
                f"{what}: {name} is not 1 to 16 hex digits.", "SGLang's keys are strings of 0-9 and a-f"
            )
    return validated(content, SglangConfig, "--sglang", what).foreign(what)
