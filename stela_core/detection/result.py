"""What detection says about a text."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from stela_core.interfaces import Context

if TYPE_CHECKING:
    from stela_core.detection.scan import Passage

Verdict = Literal["watermarked", "no watermark found", "insufficient text"]


@dataclass(frozen=True, slots=True)
class TokenEvidence:
    """One token of the text; the last three are ``None`` where it is not scored."""

    text: str
    """The characters it completed: the texts of all tokens, joined, are the text."""
    green: bool | None
    weight: float | None
    context: Context | None
    """POS context before it, where the scheme uses one."""


@dataclass(frozen=True)
class Detection:
    """Outcome for one text. A verdict never says that a person wrote it."""

    verdict: Verdict
    p_value: float
    """P(evidence at least this strong) for unmarked text and a random key; exact, never 0."""
    z: float
    """Statistic with repeated (context, token) pairs grouped."""
    z_plain: float
    """The papers' statistic, where each token is its own coin: for comparison only."""
    scored_tokens: int
    """Tokens with a hash context."""
    unique_pairs: int
    """Distinct (hash context, token) pairs among them: the independent coins."""
    green_fraction: float
    """Share of scored tokens that are green; 0 if none is scored."""
    threshold: float
    """``p_value`` at or below it gives the verdict "watermarked" (the profile's alpha)."""
    evidence: Any
    window: Passage | None = None
    """What looks marked most, where windows were scanned; the verdict then rests on its p-value."""

    @cached_property
    def tokens(self) -> list[TokenEvidence]:
        """Text, green, weight and context of each token."""
        listed: list[TokenEvidence] = self.evidence.tokens()
        return listed

    def to_dict(self, tokens: bool = False) -> dict[str, Any]:
        """The fields that ``stela detect --json`` prints."""
        names = [
            "verdict",
            "p_value",
            "z",
            "z_plain",
            "scored_tokens",
            "unique_pairs",
            "green_fraction",
            "threshold",
        ]
        found: dict[str, Any] = {name: getattr(self, name) for name in names}
        if self.window is not None:
            found["window"] = self.window.to_dict()
        if tokens:
            found["tokens"] = [
                {
                    "text": token.text,
                    "green": token.green,
                    "weight": token.weight,
                    "context": None if token.context is None else list(token.context),
                }
                for token in self.tokens
            ]
        return found
