"""TextSeal's ``WatermarkConfig`` to what a profile needs; its Gumbel marks are stela-gumbel's, its tournament
stela-synthid's.

Read in the package textseal 0.0.5 and, for what it has not, in main (213e2b6b9a08).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal

from pydantic import Field

import stela_core as stela
from stela_core.api import printable
from stela_interop.foreign import Foreign, settings_given, validated
from stela_interop.foreign_kinds import SHOWN, require_kind

OPTION = "--textseal"
LIMIT = 1 << 63
"""torch takes a key of 64 bits, signed."""

WORD = 1 << 64
OFFSET = 12345
"""Key B is key A and this, where none is given."""

DEFAULT_KEY = 42

TYPES = ("gumbelmax", "textseal", "greenlist", "synthid", "synthid-weighted")
"""What is reproduced."""

OF_MAIN = {"secret_key_b", "mixing_alpha", "key_routing"}
"""Settings that 0.0.5 has not."""

MAIN_STRIDE = 659101
"""Distance of the ids that main's SynthID asks for; 1 in 0.0.5."""

OLD_NAMES = {"openai": "gumbelmax", "maryland": "greenlist"}
"""Which main takes, too."""


class TextSealConfig(stela.Parameters):
    """``WatermarkConfig``, of the command line's ``watermark.`` options, too."""

    secret_key: int
    watermark_type: Literal["gumbelmax", "textseal", "greenlist", "synthid", "synthid-weighted"] = "gumbelmax"
    ngram: int = Field(1, ge=1, le=10)
    scoring_method: Literal["v1", "v2", "none"] = "v2"
    secret_key_b: int = -1
    mixing_alpha: float = Field(0.5, gt=0, lt=1)
    """TextSeal takes 0 and 1, too, where one of two keys marks nothing."""
    key_routing: bool = False
    gamma: float = Field(0.5, ge=0.001, le=0.999)
    delta: float = Field(2.0, ge=0, allow_inf_nan=False)
    depth: int = Field(30, ge=1, le=64)
    after_topp: bool = True

    method: Literal["binary", "uniform"] = "uniform"
    """TextSeal sets it itself by the type; what follows is of its other types, and of training."""
    alpha: Any = None
    k_morphmark: Any = None
    p_0: Any = None
    chunk_size: Any = None
    num_drafts: Any = None
    base_watermark: Any = None
    attenuation: Any = None
    attenuation_weight: Any = None
    backprop_on_nonzero: Any = None

    def foreign(self) -> Foreign:
        """The profile's side.

        Raises:
            stela.StelaError: two keys mark green lists or a tournament, or the latter's gamma is above 0.5.
        """
        if self.key_routing and self.watermark_type != "textseal":
            raise stela.StelaError(
                f"TextSeal's {self.watermark_type} with key_routing is not reproduced.",
                "of the marks with two keys, textseal is: docs/interop.md",
            )
        if self.watermark_type == "greenlist":
            return self._green()
        if self.watermark_type.startswith("synthid"):
            return self._tournament()
        key, words = self.secret_key % WORD, 1
        more: dict[str, Any] = {}
        name = "gumbel-textseal"
        if self.watermark_type == "textseal":
            name = "gumbel-textseal-dual"
            more["mixing_alpha"] = self.mixing_alpha
            if self.secret_key_b >= 0 and self.secret_key_b != self.secret_key + OFFSET:
                key, words = key * WORD + self.secret_key_b, 2
                more["own_b"] = True
        return replace(self._common(name, more), scheme=name, key=key, words=words)

    def _green(self) -> Foreign:
        values = {"delta": self.delta}
        foreign = replace(self._common("interop-textseal", {}), gamma=self.gamma, values=values)
        remark = "TextSeal adds delta after temperature and top-p, stela generate before: at 1 they are one"
        return foreign.noting(remark) if self.after_topp else foreign

    def _tournament(self) -> Foreign:
        if self.gamma > 0.5:
            raise stela.StelaError(
                f"TextSeal's {self.watermark_type} with gamma {self.gamma:g} is not reproduced.",
                "set gamma to 0.5 or less: above, the bits of its hash depend on each other too much",
            )
        # The settings of two keys came after 0.0.5, and with them another stride.
        stride = MAIN_STRIDE if self.model_fields_set & OF_MAIN else 1
        remark = (
            "read as main's: 0.0.5 has no secret_key_b, and its SynthID is another mark"
            if stride > 1
            else "read as 0.0.5's, which draws the likelier of neighbouring ids; main's has a secret_key_b"
        )
        more: dict[str, Any] = {"gamma": self.gamma, "depth": self.depth, "stride": stride}
        more["layers"] = "weighted" if "weighted" in self.watermark_type else "mean"
        name = "synthid-textseal"
        return replace(self._common(name, more), scheme=name).noting(remark)

    def _common(self, hasher: str, more: dict[str, Any]) -> Foreign:
        remark = "42 is TextSeal's default key: anybody can make such text"
        return Foreign(
            hasher,
            key=self.secret_key % WORD,
            context_width=self.ngram,
            parameters={"scoring_method": self.scoring_method, **more},
            remarks=(remark,) if self.secret_key == DEFAULT_KEY else (),
        )


def read_textseal(given: str) -> Foreign:
    """What TextSeal's configuration says, a file's or JSON itself.

    Raises:
        stela.StelaError: it cannot be read, is another toolkit's, or asks for what is not reproduced.
    """
    content, what = settings_given(given)
    require_kind(content, OPTION, what)
    if content.get("secret_key") is None:
        raise stela.StelaError(f"{what} holds no secret_key.", "add it; TextSeal's default is 42")
    # Here, since errors of other settings repeat the value.
    for name, least in (("secret_key", -LIMIT), ("secret_key_b", -1)):
        key = content.get(name, 0)
        if not isinstance(key, int) or isinstance(key, bool) or not least <= key < LIMIT - OFFSET:
            raise stela.StelaError(
                f"{what}: {name} is not an integer that TextSeal takes.",
                f"it takes those of 64 bits, signed, below 2**63 - {OFFSET}",
            )
    kind = content.get("watermark_type", "gumbelmax")
    if isinstance(kind, str):
        kind = OLD_NAMES.get(kind, kind)
        if kind not in TYPES:
            raise stela.StelaError(
                f'{what}: watermark_type "{printable(kind[:SHOWN])}" is not reproduced.',
                f"{', '.join(TYPES[:-1])} and {TYPES[-1]} are: docs/interop.md",
            )
        content = {**content, "watermark_type": kind}
    return validated(content, TextSealConfig, OPTION, what).foreign()
