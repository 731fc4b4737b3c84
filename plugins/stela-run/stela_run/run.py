"""Run an experiment: cells that are not on disk yet, one after the other or on an executor."""

from __future__ import annotations

import shutil
from pathlib import Path

from stela_cli.jobs.workers import make_executor

from stela_core import Registry
from stela_run.cells.deciding import Deciding
from stela_run.cells.evaluation_queue import EvaluationQueue
from stela_run.cells.generation_queue import GenerationQueue
from stela_run.cells.job import RunCells
from stela_run.cells.model_weights import FOLDER as WEIGHTS
from stela_run.cells.store import Store
from stela_run.log import Log, Say
from stela_run.plan.plan import Plan
from stela_run.progress import Advance, Progress
from stela_run.report.records import write_records
from stela_run.report.write import write_report


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
            :func:`stela_run.progress.steps_of` in all, from a separate thread.
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
    registry.load(["run"])  # which brings the hooks below, and may not have been asked for yet
    hooks = registry.plugins.manager.hook
    hooks.stela_before_run(plan=plan, folder=folder)
    part = plan.experiment.executor
    executor = make_executor(registry, part.name, **part.parameters)
    log.step(f"{len(plan.generate)} cells to generate, {len(plan.evaluate)} to measure, in {folder}")
    with Progress(plan, folder, advance, log) as progress:
        chosen = plan.experiment
        job = RunCells.of(registry, plan.folder, chosen.device, folder, chosen.dtype)
        with executor.start(job) as workers:
            texts = GenerationQueue(plan, store, progress)
            for outcome in workers.map(texts.pilots()):
                texts.take(outcome)
            counts: dict[str, int] = {}
            if chosen.until_decided:
                deciding = Deciding(plan, store, progress, registry)
                while deciding.open:
                    for outcome in workers.map(deciding.orders()):
                        deciding.take(outcome)
                    for outcome in workers.map(deciding.tests()):
                        deciding.take(outcome)
                    deciding.look()
                counts = deciding.counts
                texts.cut(counts)
            for outcome in workers.map(texts.orders()):
                texts.take(outcome)
            tests = EvaluationQueue(plan, store, progress, registry, log)
            tests.cut(counts)
            for items in (tests.items(), tests.measurements()):
                for outcome in workers.map(items):
                    tests.take(outcome)
    shutil.rmtree(folder / WEIGHTS, ignore_errors=True)
    failed = write_records(plan, store)
    write_report(folder)
    log.step(f"done, {failed} of {len(plan.evaluate)} cells failed")
    hooks.stela_after_run(plan=plan, folder=folder)
    return failed
