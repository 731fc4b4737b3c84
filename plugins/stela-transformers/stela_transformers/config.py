"""The watermark as a transformers ``watermarking_config``."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from inspect import currentframe
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any, NamedTuple

import torch
from transformers import GenerationConfig, WatermarkingConfig

from stela_core import StelaError
from stela_core.api import NotPickled
from stela_transformers.generate_call import require_known_rows
from stela_transformers.processor import WatermarkLogitsProcessor

if TYPE_CHECKING:
    from stela_core import Marker
    from stela_core.api import Profile


# A dataclass, since transformers writes only those into the JSON of a GenerationConfig; a WatermarkingConfig,
# since transformers 4.56 makes one of anything else. Nothing of that class is left: its fields are set by
# an __init__ that this one does not call.
@dataclass(eq=False, repr=False)
class ProfileWatermarkingConfig(NotPickled, WatermarkingConfig):
    """What ``model.generate(..., watermarking_config=...)`` takes.

    It never changes: transformers copies configurations at every call, and a copy is the object itself.
    Each call of ``generate`` gets a new processor. As JSON it names the profile and never holds
    the key. In a saved ``generation_config.json`` it is left out, with a warning: transformers makes a
    ``WatermarkingConfig`` of whatever stands there, on machines without this project, too.
    """

    profile: Profile
    make: Callable[[], WatermarkLogitsProcessor]
    """A new processor."""

    def __copy__(self) -> ProfileWatermarkingConfig:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> ProfileWatermarkingConfig:
        return self

    def __iter__(self) -> Iterator[tuple[str, Any]]:
        yield from self._named().items()

    def __repr__(self) -> str:
        return f"{type(self).__name__} {json.dumps(self._named())}"

    # transformers writes what it returns into generation_config.json, and reads null as no mark.
    def to_dict(self) -> dict[str, Any]:  # type: ignore[override,unused-ignore]
        """Scheme, hasher and key id of the profile, under ``stela_profile``; ``None`` to be saved."""
        asks = who_asks(currentframe().f_back)  # type: ignore[union-attr]
        if not asks.to_save:
            return self._named()
        warnings.warn(self._left_out(), stacklevel=asks.depth)
        return None  # type: ignore[return-value]

    def _named(self) -> dict[str, Any]:
        profile = self.profile
        named = {
            "scheme": profile.scheme.name,
            "hasher": profile.hasher.name,
            "key_id": profile.hasher.key_id,
            "tokenizer_sha256": profile.tokenizer_sha256,
        }
        return {"stela_profile": named}

    def _left_out(self) -> str:
        profile = self.profile
        return (
            f'the mark "{profile.scheme.name}" (key {profile.hasher.key_id}) is not saved with the generation'
            " config: a model loaded from there marks nothing. Give it again, "
            "model.generation_config.watermarking_config = wm.watermarking_config(tokenizer)"
        )

    def to_json_string(self) -> str:
        """:meth:`to_dict` as JSON."""
        return json.dumps(self._named(), indent=2) + "\n"

    def to_json_file(self, json_file_path: str | os.PathLike[str]) -> None:
        """Write :meth:`to_json_string`: a file that names the profile, which nothing reads back."""
        Path(json_file_path).write_text(self.to_json_string(), encoding="utf-8")

    def update(self, **kwargs: Any) -> None:
        """Refused: what it says is the profile's.

        Raises:
            TypeError: always, where there is something to change.
        """
        if kwargs:
            raise TypeError("a profile cannot be changed: make another with stela.create")

    def validate(self) -> None:
        """Nothing to check: the profile was checked when it was made or loaded."""

    def construct_processor(  # type: ignore[override]
        self, vocab_size: int, device: torch.device | str | None = None
    ) -> WatermarkLogitsProcessor:
        """A processor for one call of ``generate``; the profile says how many ids are marked.

        Raises:
            StelaError: ``generate_batch`` asks, whose processors are not told which text a row is of.
        """
        require_known_rows()
        return self.make()


def config_of(profile: Profile, marker: Marker) -> ProfileWatermarkingConfig:
    """The configuration of a mark.

    Raises:
        StelaError: its strength reads the model's logits, which temperature and top-k have changed by then.
    """
    if "logits" in marker.composition.strength.needs:
        raise StelaError(
            f'scheme "{profile.scheme.name}" reads the model\'s logits, and transformers hands a '
            "watermarking_config those that temperature and top-k have changed.",
            "give model.generate logits_processor=[wm.logits_processor(tokenizer)]",
        )

    def processor() -> WatermarkLogitsProcessor:
        return WatermarkLogitsProcessor(marker, final=True)

    return ProfileWatermarkingConfig(profile, processor)


class Asking(NamedTuple):
    """Who asked."""

    to_save: bool
    """Whether what is answered may be read back by transformers, from a file or a string."""
    depth: int
    """Frames from the asked method out of transformers: the ``stacklevel`` of a warning of that method."""


def who_asks(frame: FrameType | None) -> Asking:
    """Who asks a ``watermarking_config`` to describe itself.

    ``GenerationConfig`` asks when it is saved, and when it is shown, hashed or compared, which is told by
    ``ignore_metadata``: what has none is not for reading back. Whatever else of transformers asks counts as
    saving, so that a file of any version of transformers can be loaded. transformers calls one method for all
    of them, and does not say what for: so the callers are looked at.

    Args:
        frame: the one that called the method.
    """
    inside, shown, depth = False, False, 1
    while frame is not None:
        depth += 1
        if str(frame.f_globals.get("__name__")).partition(".")[0] != "transformers":
            break
        inside = True
        local = frame.f_locals
        if frame.f_code.co_name == "to_json_string" and isinstance(local.get("self"), GenerationConfig):
            shown = local.get("ignore_metadata") is True
        frame = frame.f_back
    return Asking(inside and not shown, depth)
