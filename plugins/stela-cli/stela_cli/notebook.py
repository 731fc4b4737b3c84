"""A detection as HTML for notebooks: the coloured text, with its passages."""

from __future__ import annotations

from html import escape

from stela_core import Detection
from stela_core.api import printable

MOST = 2_000
"""Tokens shown: a page of a whole book would stop the browser."""

LONGEST = 200
"""Characters shown of one token: a vocabulary that a stranger made may hold long ones."""

PALE, STRONG = 0.18, 0.62
"""Opacity of the green behind a token of no weight and of the largest: readable on white and on black."""

FRAME = "outline:2px solid rgba(0,110,220,.7);outline-offset:1px"
"""Around a passage."""

LEGEND = (
    "green tokens on green, darker with more weight; red tokens underlined; others are not scored; "
    "passages that look marked are framed"
)


def detection_html(detection: Detection) -> str:
    """One ``div`` with only inline styles: no script, no link, nothing of the text unescaped.

    Text colours are the page's own, so that it reads on a light and on a dark ground. At most ``MOST``
    tokens are shown.
    """
    tokens, passages = detection.tokens, detection.passages
    top = max((token.weight or 0.0 for token in tokens), default=0.0) or 1.0
    begins, ends = {each.token_start for each in passages}, {each.token_end for each in passages}
    spans, framed = "", False
    for number, token in enumerate(tokens[:MOST]):
        if framed and number in ends:
            spans, framed = spans + "</span>", False
        if number in begins:
            spans, framed = spans + f'<span style="{FRAME}">', True
        spans += _span(*token, top)
    spans += "</span>" if framed else ""
    if len(tokens) > MOST:
        spans += f'<span style="opacity:.6"> [{len(tokens) - MOST:,} more tokens are not shown]</span>'
    return (
        '<div style="max-width:60em">'
        f"<div><b>{escape(detection.verdict)}</b> &nbsp;{escape(_numbers(detection))}</div>"
        '<div style="white-space:pre-wrap;overflow-wrap:anywhere;line-height:1.7;margin:.5em 0;'
        f'text-align:left" dir="auto">{spans}</div>'
        f'<div style="opacity:.7;font-size:85%">{LEGEND}</div></div>'
    )


def _numbers(detection: Detection) -> str:
    """The line below the verdict."""
    numbers = (
        f"p-value {detection.p_value:.2g} (threshold {detection.threshold:g}), z {detection.z:.2f}, "
        f"{detection.green_fraction:.0%} green of {detection.scored_tokens} scored tokens{detection.best_of}"
    )
    window = detection.window
    if window is not None and not detection.passages:
        numbers += f"; characters {window.start}-{window.end} look marked most, p-value {window.p_value:.2g}"
    return numbers + "".join(
        f"; characters {passage.start}-{passage.end} look marked, p-value {passage.p_value:.2g}"
        for passage in detection.passages
    )


def _span(
    text: str, green: bool | None, weight: float | None, context: tuple[str, ...] | None, top: float
) -> str:
    """A token of a text."""
    shown = escape(printable(text[:LONGEST]) + ("..." if len(text) > LONGEST else ""))
    if not shown:
        return ""
    if weight is None:
        return f'<span style="opacity:.6">{shown}</span>'
    tags = f", context {' '.join(context)}" if context else ""
    title = escape(printable(f"weight {weight:.3f}{tags}"[:LONGEST]))
    if green:
        opacity = PALE + (STRONG - PALE) * weight / top
        style = f"background:rgba(0,160,70,{opacity:.2f})"
    else:
        style = "text-decoration:underline;text-decoration-color:#d33;text-underline-offset:.25em"
    return f'<span title="{title}" style="{style}">{shown}</span>'
