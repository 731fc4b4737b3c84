"""Draw lambda by context: one figure per language, its own tag set beside the universal one."""

from __future__ import annotations

from pathlib import Path

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from stela_tables.table import IndeterminacyTable

matplotlib.rcParams.update(
    {"svg.hashsalt": "stela", "svg.fonttype": "none", "font.size": 9, "axes.spines.top": False}
)

SHOWN = 30
"""Contexts in a panel: the most frequent ones."""

INK, SOFT, MEAN = "#1f3a5f", "#c9d6e6", "#b3541e"


def draw(path: Path, panels: list[tuple[str, IndeterminacyTable, IndeterminacyTable]]) -> None:
    """Write an SVG; a panel is (title, table of k = 2, table of the default k)."""
    figure = Figure(figsize=(5.2 * len(panels), 8.6), layout="constrained")
    grid = figure.subplots(2, len(panels), height_ratios=[5, 1.3], squeeze=False)
    for column, (title, two, usual) in enumerate(panels):
        contexts(grid[0][column], title, two)
        distribution(grid[1][column], usual)
    figure.savefig(path, metadata={"Date": None, "Creator": None})
    path.write_text("".join(f"{line.rstrip()}\n" for line in path.read_text().splitlines()))


def contexts(axes: Axes, title: str, table: IndeterminacyTable) -> None:
    """Lambda after each single tag (k = 2); the area of a dot is the tag's share of the text."""
    total = sum(entry.seen for entry in table.entries)
    entries = sorted(table.entries, key=lambda e: -e.seen)[:SHOWN]
    entries.sort(key=lambda e: e.value)
    rows = np.arange(len(entries))
    values = np.array([entry.value for entry in entries])
    shares = np.array([entry.seen for entry in entries]) / total
    axes.hlines(rows, 0, values, color=SOFT, linewidth=1.2)
    axes.scatter(values, rows, s=6 + 1_500 * shares, color=INK, zorder=3)
    axes.axvline(table.mean_over_tokens, color=MEAN, linewidth=1, linestyle="--")
    axes.text(table.mean_over_tokens, -1.6, " mean over tokens", color=MEAN, fontsize=8, va="center")
    axes.set_yticks(rows, [entry.context[0] for entry in entries])
    axes.set_ylim(-2.2, len(entries) - 0.3)
    axes.set_xlim(0, 1)
    axes.set_title(title, loc="left", fontsize=11)
    axes.set_xlabel("lambda after this tag (k = 2); dot area: share of the text")
    axes.spines["right"].set_visible(False)


def distribution(axes: Axes, table: IndeterminacyTable) -> None:
    """How lambda spreads over contexts and over the text, at the k that is used."""
    values = np.array([entry.value for entry in table.entries])
    seen = np.array([entry.seen for entry in table.entries], dtype=float)
    bins = np.linspace(0, 1, 26).tolist()
    for weights, colour, label in ((seen, INK, "of the text"), (np.ones_like(seen), MEAN, "of the contexts")):
        axes.hist(
            values,
            bins,
            weights=weights / weights.sum(),
            histtype="step",
            color=colour,
            label=f"share {label}",
        )
    axes.set_xlim(0, 1)
    axes.set_xlabel(f"lambda at k = {table.k}: {len(values):,} contexts")
    axes.legend(frameon=False, fontsize=8)
    axes.spines["right"].set_visible(False)
