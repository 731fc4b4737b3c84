"""Texts cut to a length, changed by an attack, and tested under one key or several."""

from __future__ import annotations

from collections.abc import Sequence

from stela_core.detection.evidence import Evidence
from stela_core.detection.result import Detection
from stela_core.models.load import LanguageModel
from stela_core.models.logits import ModelLogits
from stela_core.runner.cells.marks import with_key
from stela_core.watermark import Watermark


class Tester:
    """Test texts of a model with one watermark and its keys.

    Args:
        watermark: the mark; its key comes first.
        keys: further ones, for unmarked texts.
        language_model: the model, where detection needs it.
    """

    def __init__(self, watermark: Watermark, keys: Sequence[int], language_model: LanguageModel) -> None:
        self._watermark = watermark
        self._model = language_model if watermark.needs_model_to_detect else None
        self._others = [with_key(watermark.parts, key) for key in keys]
        self._tokenizer = language_model.tokenizer

    def cut(self, text: str, length: int) -> str | None:
        """The first ``length`` tokens of a text; ``None`` if it has fewer."""
        ids: list[int] = self._tokenizer(text, add_special_tokens=False)["input_ids"]
        return self._watermark.tokens.decode(ids[:length]) if len(ids) >= length else None

    def marked(self, texts: Sequence[str], prompts: Sequence[str]) -> list[Detection]:
        """One detection for each text; an empty one is not detected."""
        found = self._evidence(texts, prompts)
        return [self._watermark.detector.judge(evidence) for evidence in found]

    def unmarked(self, texts: Sequence[str], prompts: Sequence[str]) -> list[list[Detection]]:
        """For each text a detection under each key; weights, which see no key, are worked out once."""
        detector = self._watermark.detector
        found = self._evidence(texts, prompts)
        rows = [[detector.judge(evidence)] for evidence in found]
        for composition in self._others:
            other = detector.with_composition(composition)
            for row, evidence in zip(rows, found, strict=True):
                row.append(other.judge(other.recoloured(evidence)))
        return rows

    def _evidence(self, texts: Sequence[str], prompts: Sequence[str]) -> list[Evidence]:
        rows = self._watermark.detector.ids_of(texts)
        if self._model is None:
            return self._watermark.detector.evidence(rows)
        known = list(prompts) if all(prompts) else None
        return self._watermark.detector.evidence(rows, ModelLogits(*self._model), known)
