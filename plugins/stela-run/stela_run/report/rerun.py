"""Everything needed to run the experiment again, and what went wrong in it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from stela_run.report.read import Run
from stela_run.report.toml import to_toml

COMMAND = "stela run experiment.toml --data FOLDER -o DIR"


@dataclass(frozen=True)
class Rerun:
    """What the page says of it."""

    command: str
    toml: str
    """Experiment without its data folder, a path of one machine; the digest tells whether texts agree."""
    digest: str
    """Digest of the experiment with its prompts and human texts."""
    commits: list[str]
    versions: dict[str, str]
    """Versions by distribution; several where cells were made with several."""
    mixed: list[str]
    """Distributions of which cells were made with different versions, and ``commit``."""
    profiles: list[dict[str, Any]]
    """Model, language, scheme, seed, delta where it was worked out, sha256 of the profile, id of its key."""


def rerun_of(run: Run) -> Rerun:
    """What the records say on running it again."""
    made = [
        one
        for record in run.records
        for one in (record, *record.get("texts_made_with", {}).values(), *record.get("shards_made_with", []))
    ]
    by_name: dict[str, list[str]] = {}
    for one in made:
        for name, version in one["versions"].items():
            by_name.setdefault(name, []).append(version)
    versions = {name: list(dict.fromkeys(each)) for name, each in sorted(by_name.items())}
    commits = list(dict.fromkeys(str(one["commit"]) for one in made if one["commit"]))
    mixed = [name for name, each in versions.items() if len(each) > 1]
    profiles = {}
    for record in run.records:
        if "error" not in record:
            names = ("model", "language", "label", "seed", "delta", "profile_sha256", "key_id")
            row = {name: record[name] for name in names} | {"knob": record.get("knob", "delta")}
            profiles[tuple(row.values())] = row
    return Rerun(
        COMMAND,
        to_toml({**run.experiment, "data": None}),
        run.digest,
        commits,
        {name: ", ".join(each) for name, each in versions.items()},
        [*mixed, *(["commit"] if len(commits) > 1 else [])],
        list(profiles.values()),
    )


def failures_of(run: Run) -> list[tuple[str, str]]:
    """Cells that failed, and why."""
    return [
        (
            ", ".join(str(record[name]) for name in ("model", "language", "label", "attack"))
            + f", seed {record['seed']}",
            record["error"],
        )
        for record in run.records
        if "error" in record
    ]


def metric_errors_of(run: Run) -> list[tuple[str, str, int]]:
    """Metrics that could not be measured, why, and at how many places."""
    counts = Counter(item for record in run.records for item in record.get("errors", {}).items())
    return [(name, error, count) for (name, error), count in counts.items()]


def times_of(run: Run) -> list[tuple[str, float, str]]:
    """Cell, its seconds, and what else was timed in it."""
    rows = []
    for timing in run.timings:
        parts = []
        if "seconds_per_token" in timing:
            parts.append(f"{1000 * timing['seconds_per_token']:.3g} ms per token")
        for length, values in timing.get("lengths", {}).items():
            measured = ", ".join(
                f"{name} {value[0]:.3g}" for name, value in values.items() if value[0] is not None
            )
            parts += [f"{length} tokens: {measured}"] if measured else []
        if "seconds" in timing:
            rows.append((timing["cell"], timing["seconds"], "; ".join(parts)))
    return rows
