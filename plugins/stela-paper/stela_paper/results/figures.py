"""Figures for docs/results.md, in the style of a run's report: SVG, the same bytes for the same numbers."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure
from stela_run.report.draw import NO_METADATA, STYLE, style_of

from stela_core.api import write_atomically
from stela_paper.results.reading import LANGUAGES

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WIDTH, HEIGHT = 3.1, 2.9
"""Inches of a panel."""

Line = tuple[Sequence[float], Sequence[float]]


def boxes(path: Path, values: Mapping[str, Mapping[str, Sequence[float]]], ylabel: str) -> None:
    """One panel for each language, a box (quartiles, whiskers of 5 and 95 %) for each label."""

    def paint(axes: Axes, language: str) -> None:
        shown = {label: list(numbers) for label, numbers in values[language].items() if len(numbers)}
        if shown:
            axes.boxplot(list(shown.values()), whis=(5, 95), showfliers=False)
            axes.set_xticks(range(1, len(shown) + 1), list(shown), rotation=45, ha="right")

    _draw(path, list(values), paint, ylabel, share=False)


def dots(path: Path, points: Mapping[str, tuple[float, float]], xlabel: str, ylabel: str) -> None:
    """One panel, a named dot for each label."""
    right, top = (max(one[axis] for one in points.values()) for axis in (0, 1))
    upwards = sorted(points.items(), key=lambda point: point[1][1])

    def paint(axes: Axes, _: str) -> None:
        # Names of near dots stand above each other, a line apart.
        highest: dict[bool, float] = {}
        for number, (label, (x, y)) in enumerate(upwards):
            axes.plot([x], [y], **{**style_of(number), "linestyle": "none"})
            at = max(y, highest.get(x > right / 2, 0.0) + top / 14)
            highest[x > right / 2] = at
            axes.annotate(label, (x, at), xytext=(7, -3), textcoords="offset points")
        axes.set_xlim(-0.1 * right, 1.5 * right)
        axes.set_xlabel(xlabel)

    _draw(path, [""], paint, ylabel, share=False)


def panels(
    path: Path,
    lines: Mapping[str, Mapping[str, Line]],
    xlabel: str,
    ylabel: str,
    bands: Mapping[str, Mapping[str, tuple[Sequence[float], Sequence[float]]]] | None = None,
) -> None:
    """One panel for each language, one line for each label, with shaded intervals where given."""
    labels = list(dict.fromkeys(label for of in lines.values() for label in of))

    def paint(axes: Axes, language: str) -> None:
        for label, (x, y) in lines[language].items():
            style = style_of(labels.index(label))
            axes.plot(x, y, label=label, **style)
            if bands and label in bands.get(language, {}):
                axes.fill_between(x, *bands[language][label], color=style["color"], alpha=0.15, linewidth=0)
        axes.set_xlabel(xlabel)

    _draw(path, list(lines), paint, ylabel, share=True)


def _draw(
    path: Path, languages: Sequence[str], paint: Callable[[Axes, str], None], ylabel: str, share: bool
) -> None:
    style: Any = STYLE
    with mpl.rc_context(style):
        count = max(1, len(languages))
        # The legend of a single panel is wider than the others' share of it.
        figure = Figure(figsize=(WIDTH * max(count, 1.5), HEIGHT), layout="constrained")
        canvas = FigureCanvasSVG(figure)
        row = figure.subplots(1, count, sharey=share, squeeze=False)[0]
        for axes, language in zip(row, languages, strict=False):
            paint(axes, language)
            axes.set_title(LANGUAGES.get(language, language))
        row[0].set_ylabel(ylabel)
        named = {
            label: handle
            for axes in row
            for handle, label in zip(*axes.get_legend_handles_labels(), strict=True)
        }
        if named:
            figure.legend(
                named.values(), named.keys(), loc="outside lower center", ncols=4 if count > 1 else 2
            )
        sink = io.BytesIO()
        canvas.print_svg(sink, metadata=NO_METADATA)  # type: ignore[no-untyped-call]
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, sink.getvalue())
