"""What detection says about a token."""

from __future__ import annotations

from dataclasses import dataclass

from stela_core.interfaces import Context


@dataclass(frozen=True, slots=True)
class TokenEvidence:
    """One token of the text; the last three are ``None`` where it is not scored."""

    text: str
    """The characters it completed: the texts of all tokens, joined, are the text."""
    green: bool | None
    weight: float | None
    context: Context | None
    """POS context before it, where the scheme uses one."""
