"""``stela run``: compare plugins as an experiment file says."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from stela_cli.common import console, registry_of
from stela_cli.printing import say as say_on
from stela_cli.progress import progress

from stela_core import StelaError
from stela_run.plan.schema import Experiment, SchemeEntry


@click.command("run", epilog="\b\nExample:\n  stela run first.toml -o runs/first")
@click.argument("experiment_file", metavar="EXPERIMENT.toml", type=click.Path())
@click.option("-o", "--output", metavar="DIR", help="Folder to write to.  [default: runs/NAME of the file]")
@click.option("--resume", is_flag=True, help="Continue a run that was stopped.")
@click.option("--data", metavar="DIR", help="Folder that paths in the experiment file are relative to.")
@click.option(
    "--model", "models", multiple=True, metavar="M", help="Model in place of the file's. May be repeated."
)
@click.option(
    "--language",
    "languages",
    multiple=True,
    metavar="CODE",
    help="Run only this language of the file. May be repeated.",
)
@click.option("--texts", type=click.IntRange(1), metavar="N", help="Number of texts in place of the file's.")
@click.option(
    "--temperature", type=click.FloatRange(0), metavar="X", help="Temperature in place of the file's."
)
@click.option(
    "--top-p",
    type=click.FloatRange(0, 1, min_open=True),
    metavar="P",
    help="Nucleus sampling: keep the most likely tokens up to this total probability.",
)
@click.option("--surrogate", metavar="M", help="Surrogate in place of the file's.")
@click.option("--device", metavar="D", help="torch device in place of the file's.")
@click.option(
    "--dtype",
    type=click.Choice(["float32", "bfloat16", "float16"]),
    help="Numbers of the models in place of the file's.",
)
@click.option(
    "--executor", metavar="NAME", help="Executor in place of the file's. stela plugins lists executors."
)
@click.option(
    "--workers", type=click.IntRange(1, 1024), metavar="N", help="Number of workers of the executor."
)
@click.option(
    "--submit", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE", help="Pack the finished run."
)
@click.option("--dry-run", is_flag=True, help="Check everything and print the plan, without running it.")
@click.option(
    "--keep-going",
    is_flag=True,
    help="Run despite mistakes: their cells fail, and schemes that are not installed are left out.",
)
@click.pass_context
def run(
    context: click.Context,
    experiment_file: str,
    output: str | None,
    resume: bool,
    data: str | None,
    models: tuple[str, ...],
    languages: tuple[str, ...],
    texts: int | None,
    temperature: float | None,
    top_p: float | None,
    surrogate: str | None,
    device: str | None,
    dtype: str | None,
    executor: str | None,
    workers: int | None,
    submit: Path | None,
    dry_run: bool,
    keep_going: bool,
) -> int | None:
    """Run an experiment that compares plugins, and write records, tables and a report.

    Everything is checked first: all mistakes are listed before any work is done. The exit status is 1 if a
    cell failed. Its error is in the records, and the other cells are done.
    """
    from stela_core.api import require_generation
    from stela_run.mistakes import find_mistakes
    from stela_run.outline import print_outline
    from stela_run.plan.installed import with_installed_schemes
    from stela_run.plan.plan import make_plan
    from stela_run.plan.read import ExperimentError, read_experiment
    from stela_run.progress import steps_of
    from stela_run.run import run_experiment
    from stela_run.summary import print_summary

    chosen: dict[str, Any] = {"models": list(models) or None, "texts": texts, "temperature": temperature}
    chosen |= {"top_p": top_p, "device": device, "dtype": dtype, "data": data}
    overrides: dict[str, Any] = {name: value for name, value in chosen.items() if value is not None}
    if executor is not None or workers is not None:
        part = {"name": executor or "local"}
        overrides["executor"] = part if workers is None else {**part, "workers": workers}
    misspelt: list[StelaError] = []
    mended: Experiment | None
    try:
        mended = read_experiment(experiment_file, overrides)
    except ExperimentError as error:
        misspelt, mended = error.mistakes, error.mended
    if mended is None:
        raise refused(misspelt)
    # Misspelt keys end the command once all else that is wrong has been found, too.
    experiment = with_surrogate(in_languages(mended, languages), surrogate)
    registry = registry_of(context)
    require_generation("stela run")
    folder = data_folder(experiment_file, data, experiment.data)
    experiment = tables_beside(experiment, Path(experiment_file).parent)
    findings = find_mistakes(registry, experiment, folder)
    if misspelt:
        raise refused([*misspelt, *findings.mistakes])
    if keep_going:
        for mistake in findings.mistakes:
            say(f"note: {mistake}")
        experiment = with_installed_schemes(registry, experiment)
    elif findings.mistakes:
        raise refused(findings.mistakes)
    plan = make_plan(registry, experiment, folder)
    for note in plan.notes:
        say(f"note: {note}")
    target = Path(output) if output is not None else Path("runs") / Path(experiment_file).stem
    if dry_run:
        print_outline(console(), plan)
        return None
    with progress("running", steps_of(plan)) as advance:
        watched = Console(stderr=True).is_terminal
        failed = run_experiment(registry, plan, target, resume, advance, say, not watched)
    print_summary(console(), target)
    if submit is not None:
        from stela_run.submission.pack import submit as pack

        pack(target, submit)
        say(f"{submit}: the run, checked; docs/leaderboard.md says where to send it")
    if failed:
        say(f"{failed} of {len(plan.evaluate)} cells failed; see records.jsonl")
    return 1 if failed else None


def say(line: str) -> None:
    """A line on stderr; above the bar where there is one."""
    say_on(line, err=True)


def refused(mistakes: Sequence[StelaError]) -> StelaError:
    """List all mistakes but the last, one line each; the last is given, to be raised."""
    for mistake in mistakes[:-1]:
        say(f"error: {mistake}")
    return mistakes[-1]


def in_languages(experiment: Experiment, codes: Sequence[str]) -> Experiment:
    """The experiment in some of its languages, in its own order; in all where none is named.

    Raises:
        StelaError: it has none of that code.
    """
    for code in codes:
        if code not in experiment.languages:
            known = ", ".join(experiment.languages)
            raise StelaError(f'the experiment has no language "{code}".', f"it has {known}")
    if not codes:
        return experiment
    kept = {code: of for code, of in experiment.languages.items() if code in codes}
    own = (one for one in experiment.schemes if not one.languages or set(one.languages) & set(kept))
    schemes = [_in(kept, entry) for entry in own]
    return experiment.model_copy(update={"languages": kept, "schemes": schemes})


def with_surrogate(experiment: Experiment, name: str | None) -> Experiment:
    """The experiment with another surrogate in all schemes that have one; as it is where none is named.

    Raises:
        StelaError: no scheme of it has one.
    """
    if name is None:
        return experiment
    if all(entry.surrogate is None for entry in experiment.schemes):
        raise StelaError("no scheme of the experiment has a surrogate.", "leave --surrogate out")
    schemes = [
        entry if entry.surrogate is None else entry.model_copy(update={"surrogate": name})
        for entry in experiment.schemes
    ]
    return experiment.model_copy(update={"schemes": schemes})


def _in(languages: Collection[str], entry: SchemeEntry) -> SchemeEntry:
    """A scheme that names no other language."""
    own = None if entry.languages is None else [code for code in entry.languages if code in languages]
    table = entry.table
    if isinstance(table, dict):
        table = {code: path for code, path in table.items() if code in languages}
    return entry.model_copy(update={"languages": own, "table": table})


def tables_beside(experiment: Experiment, folder: Path) -> Experiment:
    """The experiment with tables that lie next to its file named by their full paths."""

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
