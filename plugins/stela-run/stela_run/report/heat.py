"""A marked text as the detector sees it: each token green or red, shaded by its weight."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from stela_run.cells.outcome import Token as ExampleToken
from stela_run.cells.outcome import columns_of
from stela_run.cells.results import MeasuredLength
from stela_run.report.clean import clean
from stela_run.report.read import Place, Run

TOKENS = 400
"""Tokens of a text that are shown, at most."""


@dataclass(frozen=True)
class Token:
    """One token on the page."""

    text: str
    kind: str
    """``green``, ``red`` or ``none``: not scored."""
    shade: float
    """Weight over the largest of the text, in [0, 1]."""
    about: str


@dataclass(frozen=True)
class Heat:
    """One text."""

    place: Place
    tokens: list[Token]
    about: str
    prompt: str
    """Prompt before the text; empty where it is not known."""
    unmarked: list[tuple[str, str, str]]
    """What was written after the same prompt without a mark: by whom, the text, its test."""


def heats(run: Run) -> list[Heat]:
    """One text for each scheme and language."""
    return [heat(*example) for example in run.examples()]


def heat(place: Place, measured: MeasuredLength) -> Heat:
    """The example of what was measured at a place, to show."""
    rows = measured.example or []
    beside: Mapping[str, Any] = measured.beside or {}
    top = max((weight for _, _, weight, _ in rows if weight is not None), default=0.0)
    tokens = [_token(row, top) for row in rows[:TOKENS]]
    scored = [(green, weight) for _, green, weight, _ in rows if green is not None and weight is not None]
    total = sum(weight for _, weight in scored)
    hits = sum(1 for green, _ in scored if green)
    about = f"{hits} of {len(scored)} scored tokens are green"
    if total > 0:
        about += f", with {sum(weight for green, weight in scored if green) / total:.0%} of the weight"
    about = "; ".join([about, *_tested(columns_of(measured.test or ()))])
    more = len(rows) - len(tokens)
    about += f"; {more} further tokens are not shown" if more else ""
    unmarked = [
        (who, clean(one["text"]), ", ".join(_tested(one)))
        for kind, who in (("model", "The same model without a mark"), ("human", "A person"))
        if (one := beside.get(kind)) is not None
    ]
    return Heat(place, tokens, about, clean(beside.get("prompt", "")), unmarked)


def _tested(test: Mapping[str, Any]) -> list[str]:
    names = (("z", "z"), ("p_value", "p"))
    return [f"{label} = {test[name]:.3g}" for name, label in names if test.get(name) is not None]


def _token(row: ExampleToken, top: float) -> Token:
    text, green, weight, context = row
    if green is None or weight is None:
        return Token(clean(text), "none", 0.0, "not scored")
    kind = "green" if green else "red"
    about = f"{kind}, weight {weight:.3g}" + (f", after {' '.join(context)}" if context else "")
    return Token(clean(text), kind, max(0.0, weight / top) if top > 0 else 0.0, clean(about))
