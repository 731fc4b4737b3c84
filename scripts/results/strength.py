"""At equal strength: by the mean bias, and by what the mark costs in perplexity."""

from __future__ import annotations

from pathlib import Path

from scripts.results.cost import curves
from scripts.results.equal_bias import compared
from scripts.results.reading import Run


def section(run: Run, figures: Path) -> str:
    """The section of docs/results.md."""
    return f"{compared(run)}\n{curves(run, figures, run.experiment['lengths'][-1])}"


def equal_bias(run: Run, figures: Path) -> str:
    """The same table of more prompts, which costs no perplexity."""
    return compared(run)
