"""At equal strength: by the mean bias, and by what the mark costs in perplexity."""

from __future__ import annotations

from pathlib import Path

from stela_paper.results import equal_bias
from stela_paper.results.cost import curves
from stela_paper.results.reading import Run


def section(run: Run, figures: Path) -> str:
    """The section of docs/results.md."""
    return f"{equal_bias.section(run, figures)}\n{curves(run, figures, run.experiment['lengths'][-1])}"
