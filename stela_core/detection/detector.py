"""Detector: texts to detections, the taggers called once for all texts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from tokenizers import Tokenizer

from stela_core.composition import Composition
from stela_core.detection.evidence import Evidence, gather, scored_positions
from stela_core.detection.result import Detection, Verdict
from stela_core.errors import StelaError
from stela_core.interfaces import Context
from stela_core.text.contexts import CausalContexts
from stela_core.text.token_bytes import TokenBytes
from stela_core.text.well_formed import require_well_formed


class Detector:
    """Test texts for one watermark.

    Args:
        parts: the watermark.
        tokenizer: cuts a text into token ids.
        tokens: bytes of the token ids.
        contexts: finds POS contexts; ``None`` where the scheme uses none.
        min_tokens: fewer distinct pairs than this are "insufficient text".
        alpha: largest p-value that is called watermarked.
    """

    def __init__(
        self,
        parts: Composition,
        tokenizer: Tokenizer,
        tokens: TokenBytes,
        contexts: CausalContexts | None,
        min_tokens: int,
        alpha: float,
    ) -> None:
        self._parts = parts
        self._tokenizer = tokenizer
        self._tokens = tokens
        self._contexts = contexts if "contexts" in parts.evidence.needs else None
        self._min_tokens = min_tokens
        self._alpha = alpha
        self._is_text = np.array([tokens.is_text(i) for i in range(len(tokens))] + [False])

    def detect_many(self, texts: Sequence[str]) -> list[Detection]:
        """Test each text; the tagger sees the windows of all texts in one call.

        Raises:
            StelaError: a text is empty or not well-formed unicode (named by its number, from 1).
        """
        for number, text in enumerate(texts, start=1):
            check_text(text, f"text {number}" if len(texts) > 1 else "the text")
        encodings = self._tokenizer.encode_batch_fast(list(texts), add_special_tokens=False)
        return self.detect_ids([encoding.ids for encoding in encodings])

    def detect_ids(self, texts: Sequence[Sequence[int]]) -> list[Detection]:
        """Like :meth:`detect_many`, for token ids (generated ones, say), prompt left out."""
        return [self._judge(evidence) for evidence in self.evidence(texts)]

    def evidence(self, texts: Sequence[Sequence[int]]) -> list[Evidence]:
        """Colours, weights and groups of each text of token ids."""
        if "logits" in self._parts.evidence.needs:
            raise StelaError(
                f'weighting "{type(self._parts.evidence).name}" weighs tokens by the logits of the model, '
                "which detection does not have.",
                "use it for strength alone, in a scheme whose evidence is another weighting",
            )
        rows = [np.asarray(ids, dtype=np.int64).reshape(-1) for ids in texts]
        width = self._parts.hasher.context_width
        positions = [scored_positions(ids, width, self._is_text) for ids in rows]
        contexts = self._contexts_at(rows, positions)
        return [
            gather(ids, at, before, self._parts, self._tokens)
            for ids, at, before in zip(rows, positions, contexts, strict=True)
        ]

    def _contexts_at(
        self, rows: list[npt.NDArray[np.int64]], positions: list[npt.NDArray[np.intp]]
    ) -> list[Sequence[Context]]:
        if self._contexts is None:
            return [()] * len(rows)
        windows: list[str] = []
        for ids, at in zip(rows, positions, strict=True):
            before = self._contexts.windows_before_each(ids.tolist())
            windows += [before[t] for t in at.tolist()]
        found = self._contexts.of_windows(windows)
        ends = np.cumsum([len(at) for at in positions]).tolist()
        return [found[end - len(at) : end] for at, end in zip(positions, ends, strict=True)]

    def _judge(self, evidence: Evidence) -> Detection:
        parts = self._parts
        score = parts.scorer.score(evidence.green, evidence.weights, evidence.groups, parts.hasher.gamma)
        scored = len(evidence.positions)
        pairs = int(evidence.groups.max()) + 1 if scored else 0
        verdict: Verdict = "no watermark found"
        if pairs < self._min_tokens:
            verdict = "insufficient text"
        elif score.p_value <= self._alpha:
            verdict = "watermarked"
        return Detection(
            verdict=verdict,
            p_value=score.p_value,
            z=score.z,
            z_plain=score.z_plain,
            scored_tokens=scored,
            unique_pairs=pairs,
            green_fraction=float(evidence.green.mean()) if scored else 0.0,
            threshold=self._alpha,
            evidence=evidence,
        )


def check_text(text: str, what: str) -> None:
    """Refuse what cannot be tested.

    Raises:
        StelaError: the text is empty, or holds a lone surrogate.
    """
    if not text:
        raise StelaError(f"{what} is empty.", "give a text to test")
    require_well_formed([text], what)
