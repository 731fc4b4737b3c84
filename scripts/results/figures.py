"""Figures for docs/results.md: SVG, the same bytes for the same numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import matplotlib as mpl
from matplotlib.figure import Figure

from scripts.results.reading import LANGUAGES

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
"""Okabe and Ito's, told apart by colour-blind readers too; line styles and marks differ as well."""

MARKS = "osD^vPX"

Line = tuple[Sequence[float], Sequence[float]]


def boxes(path: Path, values: Mapping[str, Mapping[str, Sequence[float]]], ylabel: str) -> None:
    """One panel for each language, a box (quartiles, whiskers of 5 and 95 %) for each label."""
    with mpl.rc_context({"svg.hashsalt": "stela", "font.size": 9, "svg.fonttype": "path"}):
        figure = Figure(figsize=(3.1 * max(1, len(values)), 2.9), layout="constrained")
        axes = figure.subplots(1, max(1, len(values)), squeeze=False)[0]
        for ax, (language, of) in zip(axes, values.items(), strict=False):
            shown = {label: list(numbers) for label, numbers in of.items() if len(numbers)}
            if shown:
                ax.boxplot(list(shown.values()), whis=(5, 95), showfliers=False)
                ax.set_xticks(range(1, len(shown) + 1), list(shown), rotation=45, ha="right")
            ax.set_title(LANGUAGES.get(language, language))
            ax.grid(axis="y", alpha=0.3)
        axes[0].set_ylabel(ylabel)
        path.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(path, format="svg", metadata={"Date": None})


def panels(
    path: Path,
    lines: Mapping[str, Mapping[str, Line]],
    xlabel: str,
    ylabel: str,
    bands: Mapping[str, Mapping[str, tuple[Sequence[float], Sequence[float]]]] | None = None,
    log: bool = False,
    diagonal: bool = False,
) -> None:
    """One panel for each language, one line for each label, with shaded intervals where given."""
    with mpl.rc_context({"svg.hashsalt": "stela", "font.size": 9, "svg.fonttype": "path"}):
        figure = Figure(figsize=(3.1 * max(1, len(lines)), 2.9), layout="constrained")
        axes = figure.subplots(1, max(1, len(lines)), sharey=True, squeeze=False)[0]
        labels = list(dict.fromkeys(label for of in lines.values() for label in of))
        for ax, (language, of) in zip(axes, lines.items(), strict=False):
            for label, (x, y) in of.items():
                style = labels.index(label) % len(COLOURS)
                ax.plot(x, y, color=COLOURS[style], marker=MARKS[style], markersize=4, label=label)
                if bands and label in bands.get(language, {}):
                    low, high = bands[language][label]
                    ax.fill_between(x, low, high, color=COLOURS[style], alpha=0.15, linewidth=0)
            if log:
                ax.set_xscale("log")
                ax.set_yscale("log")
            if diagonal:
                ends = [min(ax.get_xlim()[0], ax.get_ylim()[0]), max(ax.get_xlim()[1], ax.get_ylim()[1])]
                ax.plot(ends, ends, color="grey", linestyle=":", linewidth=1)
            ax.set_title(LANGUAGES.get(language, language))
            ax.set_xlabel(xlabel)
            ax.grid(alpha=0.3)
        axes[0].set_ylabel(ylabel)
        handles = {
            h.get_label(): h for ax in axes for h in ax.get_lines() if not h.get_label().startswith("_")
        }
        figure.legend(handles.values(), handles.keys(), loc="outside lower center", ncols=4, frameon=False)
        path.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(path, format="svg", metadata={"Date": None})
