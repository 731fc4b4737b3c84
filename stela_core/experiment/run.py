"""Run an experiment: cells that are not on disk yet, one after the other or on an executor."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from stela_core.executors import make_executor
from stela_core.experiment.evaluating import Measurement
from stela_core.experiment.generating import Order
from stela_core.experiment.job import RunCells
from stela_core.experiment.plan import EvaluateCell, GenerateCell, Plan
from stela_core.experiment.records import write_records
from stela_core.experiment.store import Store
from stela_core.registry import Registry
from stela_core.report.write import write_report

Advance = Callable[[int], None]

NOTHING: dict[str, list[str]] = {"texts": []}
"""In place of unmarked texts, where none are tested."""


def run_experiment(
    registry: Registry, plan: Plan, folder: Path, resume: bool = False, advance: Advance | None = None
) -> int:
    """Run a plan; its results are in ``folder`` when this returns.

    Args:
        registry: the plugins.
        plan: what to do.
        folder: an empty or new one, or with ``resume`` that of the run to go on with.
        resume: cells that finished are kept, those that failed are tried again.
        advance: called with 1 after each cell.

    Returns:
        the number of cells that failed; each is recorded with its error.

    Raises:
        StelaError: the folder or the executor cannot be used.
    """
    folder = folder.absolute()
    store = Store.open(folder, plan, resume)
    hooks = registry.plugins.manager.hook
    hooks.stela_before_run(plan=plan, folder=folder)
    part = plan.experiment.executor
    executor = make_executor(registry, part.name, **part.parameters)
    job = RunCells.of(registry, plan.folder, plan.experiment.device)
    done = advance or (lambda steps: None)
    with executor.start(job) as workers:
        for items in (_orders(plan, store, done), _measurements(plan, store, done)):
            for outcome in workers.map(items):
                store.put(*outcome)
                done(1)
    failed = write_records(plan, store)
    write_report(folder)
    hooks.stela_after_run(plan=plan, folder=folder)
    return failed


def tokens_for(length: int) -> int:
    """Tokens to generate so that a text still has ``length`` when it is tokenised again.

    Where it comes out shorter, its text would be left out, and such texts differ from the others.
    """
    return length + max(8, length // 8)


def _missing(
    cells: Iterable[GenerateCell | EvaluateCell], store: Store, done: Advance
) -> Iterator[GenerateCell | EvaluateCell]:
    for cell in cells:
        if store.get(cell.id) is None:
            yield cell
        else:
            done(1)


def _orders(plan: Plan, store: Store, done: Advance) -> Iterator[Order]:
    experiment = plan.experiment
    for cell in _missing(plan.generate, store, done):
        assert isinstance(cell, GenerateCell)
        yield Order(
            cell,
            plan.texts[cell.language].prompts,
            experiment.temperature,
            experiment.batch_size,
            tokens_for(max(experiment.lengths)),
        )


def _measurements(plan: Plan, store: Store, done: Advance) -> Iterator[Measurement]:
    experiment = plan.experiment
    for cell in _missing(plan.evaluate, store, done):
        assert isinstance(cell, EvaluateCell)
        marked = store.get(cell.generated)
        plain = store.get(cell.unmarked) if experiment.negatives else NOTHING
        if marked is None or plain is None:
            reason = (store.read(cell.generated if marked is None else cell.unmarked) or {}).get("error", "?")
            store.put(cell.id, {"error": f"its texts could not be generated: {reason}"}, {})
            done(1)
            continue
        yield Measurement(
            cell,
            marked,
            plain,
            store.timing(cell.generated),
            store.timing(cell.unmarked),
            plan.texts[cell.language].human,
            experiment.lengths,
            experiment.keys,
            experiment.negatives,
            experiment.metrics,
        )
