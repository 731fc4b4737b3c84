"""Configurations of other toolkits, as JSON, to what a profile needs (docs/interop.md)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import erfc, sqrt
from pathlib import Path
from typing import Any, Literal, TypeVar

from pydantic import Field, ValidationError

import stela_core as stela
from stela_core.api import describe, did_you_mean, parse_json, printable, read_bounded
from stela_interop.foreign_kinds import SHOWN, require_kind, require_mark

LM_WATERMARKING_TABLE = 2971215073
"""Seed of the table behind its selfhash."""

Vocabulary = Literal["model", "tokenizer"]


@dataclass(frozen=True)
class Foreign:
    """A watermark of another toolkit."""

    hasher: str
    key: int
    context_width: int
    """Ids before a token."""
    scheme: str = "uniform"
    """A static bias, every token counted alike; it comes with the core."""
    values: Mapping[str, Any] = field(default_factory=dict)
    """Values of the scheme's parameters."""
    gamma: float | None = None
    """Share of green tokens, of a green list."""
    vocabulary: Vocabulary | None = None
    """Model or tokenizer whose size the toolkit takes for that of the vocabulary, unless the user says a
    number; ``None`` where the mark depends on none."""
    words: int = 1
    """64-bit words of the key."""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    """The hasher's own."""
    alpha: float | None = None
    """Rate of false alarms that the toolkit's threshold on z stands for."""
    remarks: tuple[str, ...] = ()

    def noting(self, *remarks: str) -> Foreign:
        """The same watermark with these remarks, too."""
        return replace(self, remarks=(*self.remarks, *remarks))


class SettingsError(stela.StelaError):
    """Everything that is wrong with a configuration, as one error: the first of it.

    Args:
        mistakes: one or more.
    """

    def __init__(self, mistakes: list[stela.StelaError]) -> None:
        super().__init__(mistakes[0].message, mistakes[0].hint)
        self.mistakes = mistakes


class TransformersConfig(stela.Parameters):
    """``WatermarkingConfig`` of transformers."""

    greenlist_ratio: float = Field(0.25, gt=0, lt=1)
    bias: float = Field(2.0, ge=0)
    hashing_key: int = Field(15485863, ge=0, lt=2**64)
    seeding_scheme: Literal["lefthash", "selfhash"] = "lefthash"
    context_width: int = Field(1, ge=1, le=8)

    def foreign(self) -> Foreign:
        """The profile's side."""
        common: dict[str, Any] = {
            "key": self.hashing_key,
            "gamma": self.greenlist_ratio,
            "values": {"delta": self.bias},
            "vocabulary": "model",
        }
        if self.seeding_scheme == "lefthash":
            remark = "lefthash looks at the last id alone, however wide its context"
            remarks = (remark,) if self.context_width > 1 else ()
            return Foreign("interop-lefthash", context_width=self.context_width, remarks=remarks, **common)
        remark = "at context_width 1 this selfhash does not depend on the context: it is one green list"
        return Foreign(
            "interop-selfhash",
            context_width=_before_candidate(self.context_width),
            parameters={"candidates": 40},
            remarks=(remark,) if self.context_width == 1 else (),
            **common,
        )


class LmWatermarkingConfig(stela.Parameters):
    """Arguments of lm-watermarking's ``WatermarkLogitsProcessor`` and ``WatermarkDetector``."""

    gamma: float = Field(0.25, gt=0, lt=1)
    delta: float = Field(2.0, ge=0)
    seeding_scheme: str = "selfhash"
    hash_key: int | None = Field(None, ge=0, lt=2**64)
    select_green_tokens: Literal[True] = True
    z_threshold: float | None = None

    def foreign(self) -> Foreign:
        """The profile's side."""
        prf, width, salted, key = self._scheme()
        common: dict[str, Any] = {
            "key": key if self.hash_key is None else self.hash_key,
            "gamma": self.gamma,
            "values": {"delta": self.delta},
            "vocabulary": "tokenizer",
            "alpha": alpha_of(self.z_threshold),
        }
        if (prf, width, salted) == ("additive_prf", 1, False):
            return Foreign("interop-lefthash", context_width=1, **common)
        if (prf, salted) == ("anchored_minhash_prf", True):
            parameters = {"table_seed": LM_WATERMARKING_TABLE, "candidates": 41}
            before = _before_candidate(width)
            return Foreign("interop-selfhash", context_width=before, parameters=parameters, **common)
        raise stela.StelaError(
            f'seeding_scheme "{self.seeding_scheme}" is not reproduced.',
            "simple_1 (lefthash) and selfhash (algorithm-3) are, also as ff-additive_prf-1-False-KEY and "
            "ff-anchored_minhash_prf-4-True-KEY",
        )

    def _scheme(self) -> tuple[str, int, bool, int]:
        if self.seeding_scheme in ("simple_1", "lefthash"):
            return "additive_prf", 1, False, 15485863
        if self.seeding_scheme in ("selfhash", "algorithm-3"):
            return "anchored_minhash_prf", 4, True, 15485863
        free = re.fullmatch(r"ff-(\w+)-([1-9])-(True|False)(?:-(\d+))?", self.seeding_scheme)
        if free is None:
            return self.seeding_scheme, 0, False, 0
        return free[1], int(free[2]), free[3] == "True", int(free[4] or 15485863)


class MarkLlmConfig(stela.Parameters):
    """MarkLLM's ``config/KGW.json``."""

    algorithm_name: Literal["KGW"]
    gamma: float = Field(gt=0, lt=1)
    delta: float = Field(ge=0)
    hash_key: int = Field(ge=0, lt=2**64)
    prefix_length: int = Field(ge=1, le=8)
    f_scheme: Literal["time", "additive", "skip", "min"]
    window_scheme: Literal["left"]
    z_threshold: float | None = None

    def foreign(self, what: str) -> Foreign:
        """The profile's side; ``what`` names the file in errors."""
        return Foreign(
            "interop-markllm",
            key=self.hash_key,
            gamma=self.gamma,
            values={"delta": self.delta},
            context_width=self.prefix_length,
            vocabulary="tokenizer",
            parameters={"f_scheme": self.f_scheme},
            alpha=alpha_of(self.z_threshold),
        )


M = TypeVar("M", bound=stela.Parameters)


def read_lm_watermarking(path: Path) -> Foreign:
    """What a file of lm-watermarking's arguments says.

    Raises:
        stela.StelaError: the file cannot be read, is not a JSON object, or asks for what is not reproduced.
    """
    content, what = read_settings(path), what_of(path)
    return validated(content, LmWatermarkingConfig, "--lm-watermarking", what).foreign()


def what_of(path: Path) -> str:
    """What errors call a file."""
    return f'configuration "{path}"'


def read_settings(path: Path) -> dict[str, Any]:
    """The settings in a JSON file, not yet looked at, also from within a ``generation_config.json``.

    Raises:
        StelaError: the file cannot be read, or is not a JSON object.
    """
    what = what_of(path)
    hint = "name the JSON file that the toolkit wrote"
    content = parse_json(read_bounded(path, 1 << 20, what, hint), what, hint)
    if isinstance(content, dict) and "watermarking_config" in content:
        content = content["watermarking_config"]
    if not isinstance(content, dict):
        raise stela.StelaError(
            f"{what} holds no watermark's settings.", "name a file with a JSON object of them"
        )
    require_mark(content, what)
    return content


def settings_given(given: str) -> tuple[dict[str, Any], str]:
    """The settings in a file or in JSON itself, and what errors call them.

    JSON on the command line is not repeated, it holds the key.

    Raises:
        stela.StelaError: they cannot be read.
    """
    if not given.lstrip().startswith("{"):
        path = Path(given)
        return read_settings(path), what_of(path)
    what = "the configuration"
    content = parse_json(given.encode(), what, "give the JSON that the engine was given")
    assert isinstance(content, dict)
    return content, what


def validated(content: Mapping[str, Any], model: type[M], option: str, what: str) -> M:
    """Settings as those of one toolkit, which ``option`` names.

    Raises:
        StelaError: they are of another toolkit.
        SettingsError: some are unknown, wrong or missing.
    """
    require_kind(content, option, what)
    see = "docs/interop.md lists what is reproduced"
    mistakes = [
        stela.StelaError(
            f'{what}: "{printable(name[:SHOWN])}" is not a setting of this toolkit.',
            f"{did_you_mean(name, model.model_fields)}; {see}",
        )
        for name in sorted(set(content) - set(model.model_fields))
    ]
    known = {name: value for name, value in content.items() if name in model.model_fields}
    try:
        made = model.model_validate(known)
    except ValidationError as error:
        said = (describe(error, number) for number in range(error.error_count()))
        mistakes += [stela.StelaError(f"{what}: {one}.", see) for one in said]
    if mistakes:
        raise SettingsError(mistakes)
    return made


def _before_candidate(width: int) -> int:
    if width > 4:
        raise stela.StelaError(
            f"selfhash over {width} ids is not reproduced.", "up to four are: set context_width to 4 or less"
        )
    return width - 1


def alpha_of(z_threshold: float | None) -> float | None:
    """Upper tail of the normal distribution: what the toolkits take the threshold to mean."""
    return None if z_threshold is None else erfc(z_threshold / sqrt(2)) / 2
