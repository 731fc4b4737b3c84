"""An SVG file as part of a page: separate ids, colours that follow the page's scheme."""

from __future__ import annotations

import re

from markupsafe import Markup, escape

from stela_run.report.draw import GRID, INK, PAPER, SERIES, SOFT, Panel

VARIABLES = {
    INK: "var(--ink)",
    GRID: "var(--grid)",
    PAPER: "var(--paper)",
    SOFT: "var(--soft)",
    **{colour: f"var(--c{index})" for index, colour in enumerate(SERIES)},
}


def inline(panel: Panel, prefix: str) -> Markup:
    """The ``<svg>`` element of a panel.

    Args:
        panel: drawn by matplotlib, which escapes its text.
        prefix: of its ids, no two panels' alike.
    """
    text = panel.svg.decode("utf-8")
    text = text[text.index("<svg") :]
    # It would hold for the whole page, which has a rule of its own for it.
    text = re.sub(r"<style .*?</style>", "", text, flags=re.DOTALL)
    text = re.sub(r'\bid="', f'id="{prefix}-', text)
    text = re.sub(r"url\(#", f"url(#{prefix}-", text)
    text = re.sub(r'href="#', f'href="#{prefix}-', text)
    text = re.sub("|".join(VARIABLES), lambda match: VARIABLES[match[0]], text)
    names = f'role="img" aria-label="{escape(panel.title)}. {escape(panel.about)}"'
    return Markup(
        re.sub(
            r"<svg [^>]*?viewBox=(\"[^\"]*\")[^>]*>", rf"<svg viewBox=\1 {_literal(names)}>", text, count=1
        )
    )


def _literal(text: str) -> str:
    return text.replace("\\", r"\\")
