"""At equal strength: by the mean bias, and by what the mark costs in perplexity."""

from __future__ import annotations

from pathlib import Path

from stela_paper.results import equal_bias
from stela_paper.results.cost import curves
from stela_paper.results.grids import Rows
from stela_paper.results.reading import Run


def measured(run: Run, figures: Path) -> dict[str, Rows]:
    """The tables."""
    return {"": equal_bias.table(run), **curves(run, figures, run.experiment["lengths"][-1])}
