"""TextSeal's ``WatermarkConfig`` to what a profile needs; the marks themselves are stela-gumbel's.

Read in the package textseal 0.0.5 and, for what it has not, in main (213e2b6b9a08).
"""

from __future__ import annotations

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


class TextSealConfig(stela.Parameters):
    """``WatermarkConfig``, of the command line's ``watermark.`` options, too."""

    secret_key: int
    watermark_type: Literal["gumbelmax", "textseal"] = "gumbelmax"
    ngram: int = Field(1, ge=1, le=10)
    scoring_method: Literal["v1", "v2", "none"] = "v2"
    secret_key_b: int = -1
    mixing_alpha: float = Field(0.5, gt=0, lt=1)
    """TextSeal takes 0 and 1, too, where one of two keys marks nothing."""
    key_routing: bool = False

    method: Literal["binary", "uniform"] = "uniform"
    """TextSeal sets it itself by the type; what follows is of its other types, and of training."""
    gamma: Any = None
    delta: Any = None
    alpha: Any = None
    depth: Any = None
    after_topp: Any = None
    k_morphmark: Any = None
    p_0: Any = None
    chunk_size: Any = None
    num_drafts: Any = None
    base_watermark: Any = None
    attenuation: Any = None
    attenuation_weight: Any = None
    backprop_on_nonzero: Any = None

    def foreign(self) -> Foreign:
        """The profile's side."""
        key, words = self.secret_key % WORD, 1
        parameters: dict[str, Any] = {"scoring_method": self.scoring_method}
        name = "gumbel-textseal"
        if self.watermark_type == "textseal":
            name = "gumbel-textseal-dual"
            parameters["mixing_alpha"] = self.mixing_alpha
            if self.secret_key_b >= 0 and self.secret_key_b != self.secret_key + OFFSET:
                key, words = key * WORD + self.secret_key_b, 2
                parameters["own_b"] = True
        remark = "42 is TextSeal's default key: anybody can make such text"
        return Foreign(
            name,
            scheme=name,
            key=key,
            words=words,
            context_width=self.ngram,
            parameters=parameters,
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
                f"{what}: {name} is no integer that TextSeal takes.",
                f"it takes those of 64 bits, signed, below 2**63 - {OFFSET}",
            )
    kind = content.get("watermark_type", "gumbelmax")
    if isinstance(kind, str) and kind not in ("gumbelmax", "textseal"):
        raise stela.StelaError(
            f'{what}: watermark_type "{printable(kind[:SHOWN])}" is not reproduced.',
            "gumbelmax and textseal are: docs/interop.md",
        )
    return validated(content, TextSealConfig, OPTION, what).foreign()
