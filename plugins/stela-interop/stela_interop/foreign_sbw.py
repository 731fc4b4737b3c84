"""Configurations of SBW: arguments of the package's ``WatermarkDetector``, and vLLM's ``algorithm`` sbw."""

from __future__ import annotations

import re
from typing import Any, Literal

from pydantic import Field

import stela_core as stela
from stela_core.api import printable
from stela_interop.foreign import Foreign, alpha_of, settings_given, validated
from stela_interop.foreign_kinds import SHOWN

LIMIT = 1 << 63
"""torch takes a key of 64 bits, signed."""

SELFHASH = re.compile(r"gpu-(?:fused-)?selfhash(?:-(fullvocab|[1-9]\d{0,6}))?(?:-cudagraphs)?")
LEFTHASH = re.compile(r"gpu-(?:fused-)?simple_([1-9])(?:-(fullvocab|[1-9]\d{0,6}))?")
FREE = re.compile(
    r"gpu-ff-(?:anchored_minhash_prf-([1-9])-True|additive_prf-([1-9])-False)(?:-(fullvocab|[1-9]\d{0,6}))?"
)


class SbwConfig(stela.Parameters):
    """What the package takes, by the package's names."""

    gamma: float = Field(0.5, gt=0, lt=1)
    delta: float = Field(2.0, ge=0)
    seeding_scheme: str
    hash_key: int = Field(15485863, ge=0, lt=LIMIT)
    z_threshold: float | None = None

    def foreign(self) -> Foreign:
        """The profile's side.

        Raises:
            stela.StelaError: the seeding scheme is not reproduced.
        """
        salted, width, candidates = self._scheme()
        return sbw_foreign(
            self.hash_key,
            salted,
            width,
            gamma=self.gamma,
            delta=self.delta,
            parameters={"candidates": candidates},
            alpha=alpha_of(self.z_threshold),
        )

    def _scheme(self) -> tuple[bool, int, int | None]:
        """Whether the token itself seeds, the width as they count it, and the candidates."""
        name = self.seeding_scheme
        if made := SELFHASH.fullmatch(name):
            return True, 4, _candidates(made[1], 40)
        # The unfused simple_4 and the fused simple_1 are not schemes of theirs.
        if (made := LEFTHASH.fullmatch(name)) and made[1] == ("4" if "fused" in name else "1"):
            return False, int(made[1]), _candidates(made[2], None)
        if made := FREE.fullmatch(name):
            salted = made[1] is not None
            return salted, int(made[1] or made[2]), _candidates(made[3], 40 if salted else None)
        raise stela.StelaError(
            f'seeding_scheme "{printable(name[:SHOWN])}" is not reproduced.',
            "gpu-selfhash, gpu-fused-selfhash, gpu-simple_1, gpu-fused-simple_4 and their free forms are",
        )


class VllmSbwConfig(stela.Parameters):
    """``WatermarkConfig`` of vLLM with ``algorithm`` sbw."""

    key: int
    algorithm: Literal["sbw"]
    context_width: int | None = Field(None, ge=1)
    sbw_scheme: Literal["selfhash", "lefthash"] = "selfhash"
    sbw_gamma: float = Field(0.5, gt=0, lt=1)
    sbw_delta: float = Field(2.0, ge=0)
    deduplicate_contexts: Literal["none", "single_turn", "all"] = "single_turn"
    deduplicate_contexts_max_history: int | None = Field(8192, ge=1)
    prf: Literal["philox"] = "philox"
    """SBW's own Philox is another than that of vLLM's Gumbel marks, and has no choice."""
    alpha: Any = None
    allow_target_only_watermarking: bool = False

    def foreign(self) -> Foreign:
        """The profile's side.

        Raises:
            stela.StelaError: vLLM cannot run it, or the width is not reproduced.
        """
        if self.key >= LIMIT:
            raise stela.StelaError("the key has 64 bits, and vLLM's sbw fails on it.", "it takes key < 2**63")
        salted, once = self.sbw_scheme == "selfhash", self.deduplicate_contexts != "none"
        width = (4 if salted else 1) if self.context_width is None else self.context_width
        remarks = [f"vLLM marks the first {width} tokens, too; they are not scored"]
        if not salted:
            remarks.append("vLLM's own detector hashes the context of lefthash and does not find vLLM's text")
        return sbw_foreign(
            self.key,
            salted,
            width,
            gamma=self.sbw_gamma,
            delta=self.sbw_delta,
            parameters={"once": once},
            whole=once,
            remarks=tuple(remarks),
        )


def sbw_foreign(
    key: int,
    salted: bool,
    width: int,
    *,
    gamma: float,
    delta: float,
    parameters: dict[str, Any],
    whole: bool = False,
    alpha: float | None = None,
    remarks: tuple[str, ...] = (),
) -> Foreign:
    """A profile of SBW; ``width`` counts the token where it seeds.

    ``whole``: contexts differ by this many ids before the token, the oldest of which seeds nothing.

    Raises:
        stela.StelaError: the width is not reproduced.
    """
    most = 4 if salted else 8
    if width > most:
        raise stela.StelaError(
            f"SBW over {width} ids is not reproduced.",
            f"selfhash takes up to 4, lefthash up to 8: set context_width to {most} or less",
        )
    if salted and width == 1:
        remarks = (
            *remarks,
            "at context_width 1 selfhash does not depend on the context: it is one green list",
        )
    return Foreign(
        "interop-sbw",
        key=key,
        gamma=gamma,
        values={"delta": delta},
        context_width=width - (salted and not whole),
        parameters={
            "scheme": "selfhash" if salted else "lefthash",
            "unread": int(salted and whole),
            **parameters,
        },
        alpha=alpha,
        remarks=remarks,
    )


def read_sbw(given: str) -> Foreign:
    """What the package's arguments say, a file's or JSON itself.

    Raises:
        stela.StelaError: they cannot be read, are another toolkit's, or ask for what is not reproduced.
    """
    content, what = settings_given(given)
    key = content.get("hash_key", 15485863)
    # Here, since errors of other settings repeat the value.
    if not isinstance(key, int) or isinstance(key, bool) or not 0 <= key < LIMIT:
        raise stela.StelaError(
            f"{what}: hash_key is not an integer of 63 bits.", "sbw takes 0 <= hash_key < 2**63"
        )
    scheme = content.get("seeding_scheme")
    if isinstance(scheme, str) and not scheme.startswith("gpu-"):
        raise stela.StelaError(
            f'{what}: seeding_scheme "{printable(scheme[:SHOWN])}" is not SBW: it shuffles the vocabulary.',
            "SBW's names begin with gpu-, as gpu-selfhash and gpu-simple_1",
        )
    if scheme is None and "hash_key" in content:
        raise stela.StelaError(f"{what} holds no seeding_scheme.", "add it, as gpu-selfhash")
    return validated(content, SbwConfig, "--sbw", what).foreign()


def _candidates(said: str | None, default: int | None) -> int | None:
    if said is None:
        return default
    return None if said == "fullvocab" else int(said)
