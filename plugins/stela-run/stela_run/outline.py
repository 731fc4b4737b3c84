"""The plan of a run for people: its cells, and how much there is to do."""

from __future__ import annotations

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from stela_core.api import printable
from stela_run.cells.generating import PILOT_TOKENS, tokens_for
from stela_run.plan.plan import Cell, GenerateCell, Plan
from stela_run.progress import pilot_texts

BYTES_OF_TEST, BYTES_OF_TOKEN = 40, 8
"""Bytes on disk, compressed, of a test and of a token; measured on runs with the embedded models."""


def tokens_of(plan: Plan, cell: GenerateCell) -> int:
    """Tokens that a cell generates at most, those of its pilots included."""
    longest = tokens_for(max(plan.experiment.lengths))
    prompts = len(plan.texts[cell.language].prompts)
    each = longest if cell.entry.tpr is not None else min(PILOT_TOKENS, longest)
    return (prompts * longest if plan.writes(cell) else 0) + pilot_texts(plan, cell) * each


def tests_of(plan: Plan) -> int:
    """Tests of texts, under all keys and at all lengths."""
    experiment = plan.experiment
    tests = 0
    for cell in plan.evaluate:
        texts = plan.texts[cell.language]
        model = len(texts.prompts) if experiment.unmarked_texts else 0
        human = len(texts.human) if experiment.negatives else 0
        tests += (len(texts.prompts) + (model + human) * experiment.keys) * len(experiment.lengths)
    return tests


def print_outline(out: Console, plan: Plan) -> None:
    """Print all cells, and their number, tokens, tests and rough size."""
    table = Table("", "model", "language", "scheme", "seed", "attack", "texts", "tokens", box=None)
    marks: dict[str, list[str]] = {}
    for measured in plan.evaluate:
        marks.setdefault(measured.generated, []).append(measured.label)
    tokens = 0
    for cell in plan.generate:
        count = tokens_of(plan, cell)
        tokens += count
        label = ", ".join(dict.fromkeys(marks.get(cell.id, ["unmarked"])))
        table.add_row("generate", *_row(plan, cell, label, ""), f"{count:,}")
    for measured in plan.evaluate:
        table.add_row("measure", *_row(plan, measured, measured.label, measured.attack.label), "")
    out.print(table)
    tests = tests_of(plan)
    size = (tests * BYTES_OF_TEST + tokens * BYTES_OF_TOKEN) / 1e6
    out.print(
        f"{len(plan.generate)} cells to generate (at most {tokens:,} tokens), "
        f"{len(plan.evaluate)} to measure ({tests:,} tests of texts); about {max(size, 1):,.0f} MB"
    )


def _row(plan: Plan, cell: Cell, label: str, attack: str) -> list[str]:
    texts = len(plan.texts[cell.language].prompts)
    facts = (cell.model, cell.language, label, cell.seed, attack, texts)
    return [escape(printable(str(fact))) for fact in facts]
