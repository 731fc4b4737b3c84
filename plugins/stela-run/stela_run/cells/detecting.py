"""Texts cut to a length, and tested under separate keys."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from stela_core import Detection, Watermark
from stela_core.api import Batch, Evidence, LanguageModel
from stela_run.cells.model_weights import ModelWeights


class Tester:
    """Cut and test texts of a model with one watermark.

    Args:
        watermark: the mark; its own key counts only where it is one of the texts'.
        language_model: the model, for its tokenizer.
        weights: by the model, where detection needs it.
        readings: whether texts are tested in all readings, as ``stela detect`` does, or as they are.
    """

    def __init__(
        self,
        watermark: Watermark,
        language_model: LanguageModel,
        weights: ModelWeights | None,
        readings: bool = False,
    ) -> None:
        self._watermark = watermark
        self._weights = weights
        self._tokenizer = language_model.tokenizer
        self._readings = readings

    def cut(self, text: str, length: int) -> str | None:
        """The first ``length`` tokens of a text; ``None`` if it has fewer."""
        ids: list[int] = self._tokenizer(text, add_special_tokens=False)["input_ids"]
        return self._watermark.tokens.decode(ids[:length]) if len(ids) >= length else None

    def detect(
        self, texts: Sequence[str], prompts: Sequence[str], keys: Sequence[Sequence[int]]
    ) -> list[list[Detection]]:
        """Detections of each text under each of its keys; weights, which see no key, are worked out once.

        Args:
            texts: to test; an empty one is not detected.
            prompts: what each was written after, for the model to read where all are known.
            keys: of each text, 64 bits.
        """
        return [
            [self._under(key, of_text) for key in of_its]
            for of_its, of_text in zip(keys, self.evidence(texts, prompts), strict=True)
        ]

    def evidence(self, texts: Sequence[str], prompts: Sequence[str]) -> list[list[Evidence]]:
        """The evidence of each text's readings, coloured by the watermark's key; as for :meth:`detect`."""
        detector = self._watermark.detector
        batch = self._batch(texts)
        raw = None
        if self._weights is not None:
            known = list(prompts) if self._weights.reads_prompts and all(prompts) else None
            batch = replace(batch, prompts=known)
            flat = [(n, reading.ids or ()) for n, of_text in enumerate(batch.readings) for reading in of_text]
            before = None if known is None else [known[n] for n, _ in flat]
            raw = self._weights.of(detector, [ids for _, ids in flat], before)
        return detector.readings_evidence(batch, raw)

    def _batch(self, texts: Sequence[str]) -> Batch:
        """The texts with their token ids, in all readings if so told."""
        detector = self._watermark.detector
        if not self._readings:
            return Batch.of_ids(detector.ids_of(texts))
        batch = Batch.of_texts(texts, reader=self._watermark.reader)
        ids = iter(detector.ids_of([reading.text for readings in batch.readings for reading in readings]))
        return replace(
            batch,
            readings=[[replace(each, ids=next(ids)) for each in readings] for readings in batch.readings],
        )

    def _under(self, key: int, readings: Sequence[Evidence]) -> Detection:
        """The test of a text under a key: its evidence, which the watermark's key coloured, coloured anew."""
        detector = self._watermark.detector
        if key == self._watermark.parts.hasher.key:
            return detector.judge_readings(readings)
        other = detector.with_composition(self._watermark.parts.under(key))
        return other.judge_readings([other.recoloured(evidence) for evidence in readings])
