"""MarkLLM's configurations to what a profile needs: KGW, SWEET, EWD, MorphMark and SynthID.

Read in MarkLLM's sources of October 2025 (commit 112fa7419b11).
"""

from __future__ import annotations

from abc import abstractmethod
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

import stela_core as stela
from stela_interop.foreign import Foreign, MarkLlmConfig, alpha_of, read_settings, validated, what_of
from stela_interop.foreign_kinds import MARKLLM, require_kind
from stela_interop.foreign_synthid import SynthIdConfig

OPTION = "--markllm"
LONGEST_KEY = 1 << 40
"""Bound of keys that are multiplied by an id: torch refuses seeds beyond 64 bits."""

OWN_TEXT = (
    "detection runs the model on the text alone, as MarkLLM does: no beginning-of-text token (bos=false)"
)


class _Lists(stela.Parameters):
    """What configurations of green lists have in common."""

    gamma: float = Field(gt=0, lt=1)
    hash_key: int = Field(ge=0, lt=LONGEST_KEY)
    prefix_length: int = Field(ge=1, le=8)
    z_threshold: float | None = None

    @abstractmethod
    def foreign(self, what: str) -> Foreign:
        """The profile's side; ``what`` names the file in errors."""

    def _made(self, scheme: str, f_scheme: str, values: dict[str, Any], *remarks: str) -> Foreign:
        return Foreign(
            "interop-markllm",
            key=self.hash_key,
            scheme=scheme,
            values=values,
            gamma=self.gamma,
            context_width=self.prefix_length,
            vocabulary="tokenizer",
            parameters={"f_scheme": f_scheme},
            alpha=alpha_of(self.z_threshold),
            remarks=remarks,
        )


class SweetConfig(_Lists):
    """``config/SWEET.json``."""

    algorithm_name: Literal["SWEET"]
    delta: float = Field(ge=0)
    entropy_threshold: float = Field(ge=0)

    def foreign(self, what: str) -> Foreign:
        """The profile's side."""
        values = {"delta": self.delta, "threshold": self.entropy_threshold, "bos": False}
        return self._made("sweet", "product", values, OWN_TEXT)


class EwdConfig(_Lists):
    """``config/EWD.json``."""

    algorithm_name: Literal["EWD"]
    delta: float = Field(ge=0)

    def foreign(self, what: str) -> Foreign:
        """The profile's side."""
        return self._made("ewd", "product", {"delta": self.delta, "bos": False}, OWN_TEXT)


class MorphMarkConfig(_Lists):
    """``config/MorphMark.json``; of its factors the one counts that ``type`` names.

    With ``ewd`` lists are seeded, and tokens weighed, as MarkLLM's EWD does.
    """

    algorithm_name: Literal["MorphMark"]
    type: Literal["linear", "exp", "log"]
    k_linear: float = Field(1.55, ge=0)
    k_exp: float = Field(1.30, ge=0)
    k_log: float = Field(2.15, ge=0)
    p_0: float = Field(ge=0, le=1)
    ewd: bool = False
    delta_ewd: float = Field(1.25, ge=0)
    f_scheme: Literal["time", "additive", "skip", "min"]
    window_scheme: Literal["left"]

    def foreign(self, what: str) -> Foreign:
        """The profile's side."""
        factor = {"linear": self.k_linear, "exp": self.k_exp, "log": self.k_log}[self.type]
        values = {"form": self.type, "k": factor, "p0": self.p_0}
        if not self.ewd:
            return self._made("morphmark", self.f_scheme, values)
        return self._made(
            "morphmark+ewd", "product", {**values, "delta": self.delta_ewd, "bos": False}, OWN_TEXT
        )


class MarkLlmSynthId(stela.Parameters):
    """``config/SynthID.json``."""

    algorithm_name: Literal["SynthID"]
    ngram_len: int
    keys: list[int]
    sampling_table_size: int
    sampling_table_seed: int
    context_history_size: int
    watermark_mode: Literal["non-distortionary", "distortionary"]
    num_leaves: int
    detector_type: Literal["mean", "weighted_mean", "bayesian"] = "mean"
    threshold: float | None = None

    def foreign(self, what: str) -> Foreign:
        """The profile's side; without distortion there are two leaves, whatever ``num_leaves`` says.

        Raises:
            stela.StelaError: a value is not one that SynthID-Text has.
        """
        apart = self.watermark_mode == "distortionary"
        own = {"algorithm_name", "watermark_mode", "detector_type", "threshold"}
        settings = self.model_dump(exclude=own) | ({} if apart else {"num_leaves": 2})
        made = validated(settings, SynthIdConfig, "--transformers", what).foreign(what)
        remarks = ["the threshold is of MarkLLM's mean score, and is not taken over: verdicts are by p-value"]
        if apart:
            remarks.append("MarkLLM marks and counts a repeated context each time in this mode; here once")
        if self.detector_type == "bayesian":
            remarks.append("MarkLLM's trained detector is not reproduced; the mean score is")
        return made.noting(*remarks)


CONFIGS: dict[str, type[_Lists | MarkLlmSynthId | MarkLlmConfig]] = {
    "KGW": MarkLlmConfig,
    "SWEET": SweetConfig,
    "EWD": EwdConfig,
    "MorphMark": MorphMarkConfig,
    "SynthID": MarkLlmSynthId,
}
assert set(CONFIGS) == MARKLLM


def read_markllm(path: Path) -> Foreign:
    """What a file of MarkLLM's folder ``config`` says.

    Raises:
        stela.StelaError: the file cannot be read, is of another toolkit, or asks for what is not reproduced.
    """
    content, what = read_settings(path), what_of(path)
    require_kind(content, OPTION, what)
    name = content.get("algorithm_name")
    if not isinstance(name, str):
        raise stela.StelaError(
            f"{what}: algorithm_name: field required.",
            f"it says whose settings these are: {', '.join(CONFIGS)}",
        )
    return validated(content, CONFIGS[name], OPTION, what).foreign(what)
