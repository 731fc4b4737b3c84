"""Run an experiment: cells that are not on disk yet, one after the other or on an executor."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from stela_core.registry.components import Registry
from stela_core.registry.make_executor import make_executor
from stela_core.runner.cells.cell_file import texts_digest
from stela_core.runner.cells.environment import MADE_WITH, made_with
from stela_core.runner.cells.evaluating import Measurement
from stela_core.runner.cells.generating_all import GenerateAll
from stela_core.runner.cells.job import RunCells
from stela_core.runner.cells.model_weights import FOLDER as WEIGHTS
from stela_core.runner.cells.progress import Advance, Progress
from stela_core.runner.cells.records import write_records
from stela_core.runner.cells.store import Store
from stela_core.runner.log import Log, Say
from stela_core.runner.plan.plan import EvaluateCell, Plan
from stela_core.runner.report.write import write_report

NOTHING: dict[str, Any] = {"texts": []}
"""In place of unmarked texts, where none are tested."""


def run_experiment(
    registry: Registry,
    plan: Plan,
    folder: Path,
    resume: bool = False,
    advance: Advance | None = None,
    say: Say | None = None,
    steps_aloud: bool = False,
) -> int:
    """Run a plan; its results are in ``folder`` when this returns.

    Args:
        registry: the plugins.
        plan: what to do.
        folder: an empty or new one, or with ``resume`` that of the run to go on with.
        resume: cells that finished, and whose files are theirs and unchanged, are kept; those that
            failed are tried again.
        advance: called with the number of texts done since the last call, of
            :func:`stela_core.runner.cells.progress.steps_of` in all, from a thread of its own.
        say: called with lines for people; ``run.log`` in the folder holds all lines.
        steps_aloud: whether lines on progress are said, too, one in 30 s.

    Returns:
        the number of cells that failed; each is recorded with its error.

    Raises:
        StelaError: the folder or the executor cannot be used.
    """
    folder = folder.absolute()
    store = Store.open(folder, plan, resume)
    log = Log(folder, say, steps_aloud)
    if resume:
        for reason in store.set_aside(plan):
            log.tell(f"made again: {reason}")
    hooks = registry.plugins.manager.hook
    hooks.stela_before_run(plan=plan, folder=folder)
    part = plan.experiment.executor
    executor = make_executor(registry, part.name, **part.parameters)
    log.step(f"{len(plan.generate)} cells to generate, {len(plan.evaluate)} to measure, in {folder}")
    with Progress(plan, folder, advance, log) as progress:
        job = RunCells.of(registry, plan.folder, plan.experiment.device, progress.notes)
        with executor.start(job) as workers:
            texts = GenerateAll(plan, store, progress)
            for orders in (texts.pilots(), texts.orders()):
                for outcome in workers.map(orders):
                    texts.take(outcome)
            for outcome in workers.map(_measurements(plan, store, progress, registry, log)):
                store.put(outcome.id, outcome.result, outcome.timing)
                progress.done(outcome.id, outcome.timing.get("seconds"), outcome.result.get("error"))
    shutil.rmtree(folder / WEIGHTS, ignore_errors=True)
    failed = write_records(plan, store)
    write_report(folder)
    log.step(f"done, {failed} of {len(plan.evaluate)} cells failed")
    hooks.stela_after_run(plan=plan, folder=folder)
    return failed


def _measurements(
    plan: Plan, store: Store, progress: Progress, registry: Registry, log: Log
) -> Iterator[Measurement]:
    experiment = plan.experiment

    @cache
    def digest_of(cell: str) -> str | None:
        result = store.get(cell)
        return None if result is None else texts_digest(result)

    for cell in plan.evaluate:
        sources = [cell.generated, cell.unmarked] if experiment.negatives else [cell.generated]
        missing = next((source for source in sources if digest_of(source) is None), None)
        if missing is not None:
            reason = (store.read(missing) or {}).get("error", "?")
            error = f"its texts could not be generated: {reason}"
            store.put(cell.id, {MADE_WITH: made_with(registry), "error": error}, {})
            progress.done(cell.id, None, error)
            continue
        inputs = {source: str(digest_of(source)) for source in sources}
        result = store.get(cell.id)
        if result is not None and result.get("inputs") == inputs:
            progress.kept(cell.id)
            continue
        if result is not None:
            log.tell(f"made again: {cell.id} was measured on other texts.")
        yield Measurement(
            cell,
            _with_texts(store, cell.generated),
            _with_texts(store, cell.unmarked) if experiment.negatives else NOTHING,
            store.timing(cell.generated),
            store.timing(cell.unmarked),
            plan.texts[cell.language].human,
            experiment.lengths,
            experiment.keys,
            experiment.negatives,
            experiment.metrics,
            inputs,
            experiment.key_per or "text",
            experiment.temperature,
            _beside(plan, cell),
        )


def _beside(plan: Plan, cell: EvaluateCell) -> tuple[EvaluateCell, ...]:
    """Cells whose texts, marked or not, are those of this one."""
    same = (cell.model, cell.language, cell.seed)
    return tuple(one for one in plan.evaluate if (one.model, one.language, one.seed) == same and one != cell)


def _with_texts(store: Store, cell: str) -> dict[str, Any]:
    """The result of a generate cell, its texts out of its parts where it has such."""
    return {**(store.get(cell) or {}), "texts": list(store.texts(cell))}
