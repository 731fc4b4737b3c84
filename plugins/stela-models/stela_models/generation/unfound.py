"""Texts just written that their own profile does not find: too short, or hardly anything in them was free."""

from __future__ import annotations

from collections.abc import Sequence

from stela_core import Watermark
from stela_core.api import LanguageModel
from stela_models.generation.generate import Generated


class Unfound:
    """Counts the texts whose p-value is above the profile's alpha, as a detector gets them: as text."""

    def __init__(self, watermark: Watermark, language_model: LanguageModel) -> None:
        self._watermark = watermark
        self._model = language_model
        self._tested = 0
        self._lengths: list[int] = []

    def add(self, batch: Sequence[Generated]) -> None:
        """Test some texts; those whose evidence is weighed by a model, by the one that wrote them."""
        detections = self._watermark.detect_many(
            [one.text for one in batch], self._model, [one.prompt for one in batch]
        )
        self._tested += len(batch)
        for one, detection in zip(batch, detections, strict=True):
            if detection.p_value is None or detection.p_value > self._watermark.profile.alpha:
                self._lengths.append(len(one.token_ids))

    def line(self) -> str | None:
        """What to tell of them; ``None`` where all are found."""
        if not self._lengths:
            return None
        least, most = min(self._lengths), max(self._lengths)
        tokens = f"{most}" if least == most else f"{least} to {most}"
        alpha, texts = self._watermark.profile.alpha, "text" if self._tested == 1 else "texts"
        how_many = f"{len(self._lengths)} of {self._tested} {texts} ({tokens} tokens)"
        # A mark that chooses tokens has none.
        has_delta = "delta" in self._watermark.profile.scheme.parameters
        stronger = ", or raise the profile's --delta" if has_delta else ""
        return (
            f"note: not found at p <= {alpha:g}: {how_many}. "
            f"hint: write longer ones (--max-new-tokens, --min-new-tokens){stronger}"
        )
