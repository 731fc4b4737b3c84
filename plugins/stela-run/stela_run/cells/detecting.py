"""Texts cut to a length, changed by an attack, and tested under their keys."""

from __future__ import annotations

from collections.abc import Sequence

from stela_models.logits import ModelLogits

from stela_core import Detection, Watermark
from stela_core.api import Evidence, LanguageModel
from stela_run.cells.keys import Keys
from stela_run.cells.model_weights import ModelWeights


class Tester:
    """Test texts of a model with one watermark, each under its own keys.

    Args:
        watermark: the mark; its own key counts only where it is one of the texts'.
        keys: which a text has, by its prompt.
        language_model: the model, for its tokenizer.
        weights: by the model, where detection needs it and others share them.
    """

    def __init__(
        self,
        watermark: Watermark,
        keys: Keys,
        language_model: LanguageModel,
        weights: ModelWeights | None = None,
    ) -> None:
        self._watermark = watermark
        self._model = language_model if watermark.needs_model_to_detect else None
        self._weights = weights
        self._keys = keys
        self._tokenizer = language_model.tokenizer

    def cut(self, text: str, length: int) -> str | None:
        """The first ``length`` tokens of a text; ``None`` if it has fewer."""
        ids: list[int] = self._tokenizer(text, add_special_tokens=False)["input_ids"]
        return self._watermark.tokens.decode(ids[:length]) if len(ids) >= length else None

    def marked(self, texts: Sequence[str], prompts: Sequence[str]) -> list[Detection]:
        """One detection for each text, under the key of its prompt; an empty one is not detected."""
        evidence = self._evidence(texts, prompts)
        return [
            self._under(self._keys.of(prompt), of_text)
            for prompt, of_text in zip(prompts, evidence, strict=True)
        ]

    def unmarked(
        self, texts: Sequence[str], prompts: Sequence[str], owners: Sequence[str] | None = None
    ) -> list[list[Detection]]:
        """For each text a detection under each key; weights, which see no key, are worked out once.

        Args:
            texts: to test.
            prompts: what each was written after, for the model to read.
            owners: what each text's keys are drawn by, by default its prompt.
        """
        evidence = self._evidence(texts, prompts)
        return [
            [self._under(key, of_text) for key in self._keys.all_of(owner)]
            for owner, of_text in zip(owners or prompts, evidence, strict=True)
        ]

    def _under(self, key: int, evidence: Evidence) -> Detection:
        """The test of a text under a key: its evidence, which the watermark's key coloured, coloured anew."""
        detector = self._watermark.detector
        if key == self._watermark.parts.hasher.key:
            return detector.judge(evidence)
        other = detector.with_composition(self._watermark.parts.under(key))
        return other.judge(other.recoloured(evidence))

    def _evidence(self, texts: Sequence[str], prompts: Sequence[str]) -> list[Evidence]:
        rows = self._watermark.detector.ids_of(texts)
        detector = self._watermark.detector
        if self._model is None:
            return detector.evidence(rows)
        known = list(prompts) if all(prompts) else None
        if self._weights is None:
            return detector.evidence(rows, ModelLogits(*self._model), known)
        return detector.evidence(rows, prompts=known, raw=self._weights.of(detector, rows, known))
