"""What all figures share: size, colours, line styles, and SVG of the same bytes every time.

Why matplotlib draws them: a figure is read, not explored, and all its numbers stand in the tables below it.
So a static SVG does: 12 kB a panel, no script in a page that fetches nothing, the same bytes for the same
results, and files that a paper can take. What it draws is legible on a phone and follows the page's
colours, light and dark (:mod:`stela_run.report.inline`). Vega-Lite or Plotly would add tooltips and zoom,
for 0.8 and 4.8 MB of script in each report. SVG written by hand would save half a second of imports in each
run, and axes, ticks, error bars and legends would be ours to keep.
"""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from stela_core import MissingLibraryError
from stela_run.report.clean import clean
from stela_run.report.strength import Strength
from stela_run.report.wrapped import wrapped

if TYPE_CHECKING:
    from matplotlib.axes import Axes

INK, GRID, PAPER, SOFT = "#1b1b1b", "#dcdcdc", "#fefefe", "#8a8a8a"
SERIES = ("#0060a8", "#c44e00", "#007a5a", "#8e3d8a", "#7a6a00", "#b0003a", "#3f6f8a", "#6d543f")
"""Each at least 4.5 : 1 on white; the page puts lighter ones in their place on a dark ground."""
DASHES: tuple[Any, ...] = ("-", (0, (5, 2)), (0, (1, 1.2)), (0, (5, 1.5, 1, 1.5)))
MARKERS = "osD^vPX*"
SIZE = (4.4, 3.3)
"""Inches of a panel; it is legible at the width of a phone."""
TITLE, LEGEND, TICK = 10, 8.5, 9
"""Points of letters."""
LINE = 0.18
"""Inches that a line more of the title or the legend adds to the height."""
LABELS = 1.3
"""Inches that names left of the axes take at most."""

STYLE: dict[str, Any] = {
    "svg.hashsalt": "stela",
    "svg.fonttype": "none",
    "text.parse_math": False,
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": TICK,
    "figure.titlesize": TITLE,
    "axes.titlesize": TITLE,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "axes.titlecolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": GRID,
    "grid.linewidth": 0.7,
    "xtick.color": INK,
    "ytick.color": INK,
    "text.color": INK,
    "figure.facecolor": PAPER,
    "axes.facecolor": PAPER,
    "legend.frameon": False,
    "legend.fontsize": LEGEND,
    "lines.linewidth": 1.6,
    "lines.markersize": 4.5,
    "path.simplify": False,
}
NO_METADATA = dict.fromkeys(("Date", "Creator", "Format", "Type"))


@dataclass(frozen=True)
class Panel:
    """One figure."""

    name: str
    """Name of its file, without the ending."""
    title: str
    about: str
    """What is to be seen, for who cannot see it."""
    svg: bytes
    strength: Strength | None
    """Strength of the schemes compared; ``None`` where it does not matter."""


def style_of(index: int) -> dict[str, Any]:
    """Colour, dashes and marker of the series of this number: distinct without colour, too."""
    return {
        "color": SERIES[index % len(SERIES)],
        "linestyle": DASHES[(index + index // len(SERIES)) % len(DASHES)],
        "marker": MARKERS[index % len(MARKERS)],
    }


def panel(
    name: str,
    title: str,
    about: str,
    paint: Callable[[Axes], None],
    strength: Strength | None = None,
    size: tuple[float, float] = SIZE,
) -> Panel:
    """Draw one figure.

    Args:
        name: of its file.
        title: above it, in as many lines as it takes.
        about: for who cannot see it.
        paint: draws on the axes; what it labels is shown in a legend below them.
        strength: of the schemes compared; that they are unequal stands in the figure itself.
        size: inches.

    Raises:
        MissingLibraryError: matplotlib is not installed.
    """
    try:
        import matplotlib
        from matplotlib.backends.backend_svg import FigureCanvasSVG
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingLibraryError("matplotlib", "a report", '"stela-core[run]"') from None
    with matplotlib.rc_context(cast(Any, STYLE)), warnings.catch_warnings():
        # Letters that the font lacks: the reader's own fonts draw them, only their width is guessed.
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        figure = Figure(figsize=size, layout="constrained")
        canvas = FigureCanvasSVG(figure)
        axes = figure.subplots()
        paint(axes)
        # Over the whole figure: over the axes it would stand to the right, and run out there.
        badge = f"\n{strength.badge}" if strength and strength.badge else ""
        heading = wrapped(clean(title + badge), size[0], TITLE)
        figure.suptitle(heading)
        handles, labels = axes.get_legend_handles_labels()
        lines = heading.count("\n")
        if handles:
            labels = [wrapped(label, size[0] - 0.8, LEGEND) for label in labels]
            columns = _columns(labels)
            figure.legend(handles, labels, loc="outside lower center", ncols=columns)
            lines += max(0, sum(label.count("\n") + 1 for label in labels) // columns - 2)
        figure.set_size_inches(size[0], size[1] + LINE * max(0, lines - 1))
        sink = io.BytesIO()
        canvas.print_svg(sink, metadata=NO_METADATA)  # type: ignore[no-untyped-call]
    return Panel(name, clean(title), clean(about), sink.getvalue(), strength)


def names_left(axes: Axes, labels: Sequence[str]) -> None:
    """Name the rows of a figure, from the bottom up."""
    axes.set_yticks(range(len(labels)), [wrapped(clean(label), LABELS, TICK) for label in labels])


def _columns(labels: list[str]) -> int:
    longest = max(len(line) for label in labels for line in label.split("\n"))
    return max(1, min(len(labels), 4, 52 // (longest + 6)))
