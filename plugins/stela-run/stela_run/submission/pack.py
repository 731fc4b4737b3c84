"""A run's folder as a submission: refused where it is not whole, or nobody could make it again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pydantic import ValidationError
from stela_models.hub import ON_THE_HUB

from stela_core import StelaError
from stela_core.api import describe, write_atomically
from stela_run.report.read import Run, read_run
from stela_run.report.rerun import failures_of, metric_errors_of, rerun_of
from stela_run.submission.schema import Record, Submission, to_bytes

LEFT_OUT = ("executor", "data", "device")
"""Fields of an experiment that are left out: they are the machine's."""


def submit(folder: Path, target: Path) -> None:
    """Pack a run that ``--resume`` has just gone through: its files are those of its plan.

    Args:
        folder: of the run.
        target: file to write; one that is there is replaced.

    Raises:
        StelaError: the run is not to be compared with, or the file cannot be written.
    """
    write_atomically(target, to_bytes(submission_of(read_run(folder))))


def submission_of(run: Run) -> Submission:
    """The submission of a run.

    Raises:
        StelaError: something failed or was not measured, its texts are the small sample, or it was made with
            several versions or a changed checkout.
    """
    rerun = rerun_of(run)
    failed, unmeasured = failures_of(run), metric_errors_of(run)
    if failed:
        raise _refused(f"{failed[0][0]} failed", "mend it, and --resume")
    if unmeasured:
        raise _refused(f"{unmeasured[0][0]} was not measured: {unmeasured[0][1]}", "mend it, or leave it out")
    if run.sample:
        raise _refused("its texts are the small shipped sample", "use --data FOLDER")
    if rerun.mixed:
        raise _refused(
            f"it was made with several versions of {rerun.mixed[0]}", "run it again, with another -o"
        )
    commit = rerun.commits[0] if rerun.commits else None
    if commit is not None and commit.endswith("-dirty"):
        raise _refused("it was made from a changed checkout", "commit the changes, and run it again")
    experiment = {name: value for name, value in run.experiment.items() if name not in LEFT_OUT}
    experiment = _without_folders(experiment)
    records = [_record(record) for record in run.records]
    return Submission(
        digest=run.digest, experiment=experiment, commit=commit, versions=rerun.versions, records=records
    )


def _record(record: dict[str, Any]) -> Record:
    kept = {name: record[name] for name in Record.model_fields if name in record}
    try:
        return Record.model_validate({**kept, "model": _named(record["model"])})
    except ValidationError as error:
        raise _refused(describe(error), "measure with more texts, or leave that metric out") from None


def _named(model: str) -> str:
    """A name of the Hub or an alias; of a folder its last part."""
    return model if ON_THE_HUB.fullmatch(model.partition("@")[0]) else Path(model).name


def _without_folders(value: Any) -> Any:
    """The same with the last part of each full path in its place: others have other folders."""
    if isinstance(value, dict):
        return {name: _without_folders(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_without_folders(each) for each in value]
    if isinstance(value, str) and Path(value).is_absolute():
        return Path(value).name or value
    return value


def _refused(why: str, hint: str) -> StelaError:
    return StelaError(f"this run cannot be submitted: {why.removesuffix('.')}.", hint)
