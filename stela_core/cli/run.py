"""``stela run``: compare plugins as an experiment file says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from stela_core.cli.common import console, registry_of
from stela_core.cli.progress import progress
from stela_core.errors import StelaError
from stela_core.experiment.schema import Experiment


@click.command("run")
@click.argument("experiment_file", metavar="EXPERIMENT.toml", type=click.Path())
@click.option("-o", "--output", metavar="DIR", help="Folder of the run.  [default: runs/NAME of the file]")
@click.option("--resume", is_flag=True, help="Go on with a run that was stopped.")
@click.option("--data", metavar="DIR", help="Folder that the file's paths are relative to.")
@click.option(
    "--model", "models", multiple=True, metavar="M", help="In place of the file's. May be repeated."
)
@click.option("--texts", type=click.IntRange(1), metavar="N", help="In place of the file's.")
@click.option("--device", metavar="D", help="torch device, in place of the file's.")
@click.option("--executor", metavar="NAME", help="Where cells run, in place of the file's: local, ray.")
@click.option("--workers", type=click.IntRange(1, 1024), metavar="N", help="Workers of the executor.")
@click.pass_context
def run(
    context: click.Context,
    experiment_file: str,
    output: str | None,
    resume: bool,
    data: str | None,
    models: tuple[str, ...],
    texts: int | None,
    device: str | None,
    executor: str | None,
    workers: int | None,
) -> int | None:
    """Run an experiment: records, tables and report.html go to the folder.

    Exit status 1 if a cell failed: its error is in the records, the others went on.
    """
    from stela_core.experiment.plan import make_plan
    from stela_core.experiment.read import read_experiment
    from stela_core.experiment.run import run_experiment
    from stela_core.experiment.summary import print_summary
    from stela_core.generation.load import require_generation

    chosen = {"models": list(models) or None, "texts": texts, "device": device, "data": data}
    overrides: dict[str, Any] = {name: value for name, value in chosen.items() if value is not None}
    if executor is not None or workers is not None:
        part = {"name": executor or "local"}
        overrides["executor"] = part if workers is None else {**part, "workers": workers}
    experiment = read_experiment(experiment_file, overrides)
    registry = registry_of(context)
    require_generation("stela run")
    folder = data_folder(experiment_file, data, experiment.data)
    experiment = tables_beside(experiment, Path(experiment_file).parent)
    plan = make_plan(registry, experiment, folder)
    for note in plan.notes:
        click.echo(f"note: {note}", err=True)
    target = Path(output) if output is not None else Path("runs") / Path(experiment_file).stem
    with progress("running", len(plan.generate) + len(plan.evaluate)) as advance:
        failed = run_experiment(registry, plan, target, resume, advance)
    print_summary(console(), target)
    if failed:
        click.echo(f"{failed} of {len(plan.evaluate)} cells failed; see records.jsonl", err=True)
    return 1 if failed else None


def tables_beside(experiment: Experiment, folder: Path) -> Experiment:
    """The experiment with tables that lie beside its file named by their full paths."""

    def located(table: str | dict[str, str] | None) -> str | dict[str, str] | None:
        if isinstance(table, dict):
            return {code: str(located(path)) for code, path in table.items()}
        beside = None if table is None else folder / table
        return str(beside.absolute()) if beside is not None and beside.is_file() else table

    schemes = [entry.model_copy(update={"table": located(entry.table)}) for entry in experiment.schemes]
    return experiment.model_copy(update={"schemes": schemes})


def data_folder(experiment_file: str, given: str | None, named: str | None) -> Path | None:
    """The folder that paths are relative to: ``--data``, else what the file names (relative to itself).

    Raises:
        StelaError: it does not exist.
    """
    beside = Path(experiment_file).parent
    folder = Path(given) if given is not None else None if named is None else beside / named
    if folder is None:
        return None
    if not folder.is_dir():
        raise StelaError(f'data folder "{folder}" does not exist.', "check --data, or data in the file")
    return folder.absolute()
