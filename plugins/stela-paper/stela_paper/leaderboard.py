"""The page that is made from submitted runs: a table a protocol, and where each row is from."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from stela_run.plan.read import read_experiment
from stela_run.submission.schema import Number, Record, Submission, read_submission
from stela_run.summary import shown

from stela_core import StelaError
from stela_core.api import one_line
from stela_paper.experiment_files import FOLDER
from stela_paper.results.markdown import each_once, table

SUBMISSIONS = "leaderboard"
"""Folder of the files, in that of the page."""

SHOWN = {
    "protocol-markmywords": ("size@0.02", "bias", "perplexity"),
    "protocol-markllm": ("tpr@p<=0.01", "tpr@0.01:human", "perplexity", "log-diversity"),
    "protocol-waterpark": ("tpr@p<=0.01", "tpr@0.01:human", "bias"),
    "protocol-waterseeker": ("f1@1e-06:windows", "iou@1e-06:windows", "f1@1e-06:seeker", "iou@1e-06:seeker"),
    "protocol-waterbench": ("tpr@p<=3.17e-05", "perplexity", "log-diversity", "rougeL:human"),
}
"""Values of each protocol that the page has, of texts that no attack changed."""

FOUND = "tpr@p<=0.01"
"""Value whose least over attacks is shown, where there are attacks."""

COMPARED = ("lengths", "texts", "skip", "temperature", "top_p", "attacks", "metrics", "keys", "seeds")
"""What of a plan may differ from the protocol's, and is then named; models and marks are the submitter's."""

MOST = 1_000
"""Files of a folder."""


PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._/@:+-]*")
"""Names of files and models. Someone else's command is pasted into a shell: others are refused."""


class Entry(NamedTuple):
    """A submitted run."""

    name: str
    """Name of its file."""
    protocol: str
    run: Submission


def entries_of(folder: Path) -> list[Entry]:
    """The submitted runs of a folder, by the names of their files.

    Raises:
        StelaError: a file is not a submission, or of no protocol; or there are too many.
    """
    titles = {read_experiment(str(FOLDER / f"{name}.toml"), {}).title: name for name in SHOWN}
    files = sorted(folder.glob("*.json"))
    if len(files) > MOST:
        raise StelaError(f'"{folder}" holds {len(files)} files, more than {MOST:,}.', "split them")
    made = []
    for file in files:
        run = read_submission(file)
        if run.title not in titles:
            raise StelaError(
                f'"{file}" is a run of "{one_line(run.title)}", which is not a protocol.',
                f"the protocols: {', '.join(titles)}",
            )
        for name in (file.name, *map(str, run.experiment.get("models", []))):
            if not PLAIN.fullmatch(name):
                raise StelaError(
                    f'"{file}": the name "{one_line(name)}" may mean something to a shell.',
                    "ask for a file whose names have only letters, digits and . _ / @ : + -",
                )
        made.append(Entry(file.name, titles[run.title], run))
    return made


def leaderboard(entries: Sequence[Entry]) -> str:
    """The tables and the list of runs, as Markdown."""
    parts = []
    for protocol in SHOWN:
        own = [entry for entry in entries if entry.protocol == protocol]
        if own:
            parts += [f"## {own[0].run.title}", "", _table(protocol, own), ""]
            parts += [f"{number}. {_source(entry)}" for number, entry in enumerate(own, start=1)]
            parts.append("")
    return "\n".join(parts)


def _table(protocol: str, entries: Sequence[Entry]) -> str:
    values = SHOWN[protocol]
    attacked = any(len({record.attack for record in entry.run.records}) > 1 for entry in entries)
    header = ["run", "mark", *(f"`{name}`" for name in values)]
    header += [f"least `{FOUND}` over attacks"] if attacked else []
    rows = []
    for number, entry in enumerate(entries, start=1):
        for record in _untouched(entry.run.records):
            said = [record.values.get(name) for name in values]
            worst = [_worst(record, entry.run.records)] if attacked else []
            delta = record.delta if record.delta is not None else _own_delta(record, entry.run)
            where = f"{_safe(record.model)} ({number}): {_safe(record.language)}"
            strength = f" delta={delta:.3g}" if _unsaid(delta, record.label) else ""
            facts = [f"{where}, {record.length} tokens, {record.texts} texts", _safe(record.label) + strength]
            rows.append([*facts, *map(_number, said), *worst])
    return table(header, each_once(rows)).rstrip("\n")


def _unsaid(delta: float | None, label: str) -> bool:
    """Whether a strength is known that the label does not say."""
    return delta is not None and "delta=" not in label


def _untouched(records: Iterable[Record]) -> Iterator[Record]:
    """Records at the largest length that no attack changed."""
    plain = [record for record in records if record.attack == "none"]
    longest = max((record.length for record in plain), default=0)
    return (record for record in plain if record.length == longest)


def _worst(of: Record, records: Iterable[Record]) -> str:
    """The least share found over attacks on the same texts, and which attack that is."""
    same = ("model", "language", "label", "seed", "length")
    shares = [
        (value.value, record.attack)
        for record in records
        if all(getattr(record, name) == getattr(of, name) for name in same)
        if (value := record.values.get(FOUND)) is not None and value.value is not None
    ]
    if not shares:
        return ""
    share, attack = min(shares)
    return f"{share:.3f} ({_safe(attack)})"


def _own_delta(record: Record, run: Submission) -> float | None:
    """Delta of the scheme's entry in the plan."""
    own = [each for each in run.experiment.get("schemes", []) if isinstance(each, dict)]
    deltas = [each.get("delta") for each in own if each.get("name") == record.scheme]
    if len(deltas) > 1:  # then it is in the label
        deltas = [delta for delta in deltas if f"delta={delta}" in record.label]
    return float(deltas[0]) if len(deltas) == 1 and isinstance(deltas[0], int | float) else None


def _source(entry: Entry) -> str:
    run = entry.run
    made = f"commit `{_safe(run.commit[:12])}`" if run.commit else "released versions"
    core = _safe(run.versions.get("stela-core", "?"))
    differs = differences(entry)
    said = f"; other than the protocol's: {', '.join(differs)}" if differs else ""
    models = [word for model in run.experiment.get("models", []) for word in ("--model", str(model))]
    words = ["stela", "run", f"docs/experiments/{entry.protocol}.toml", *models]
    command = shlex.join([*words, "--texts", str(run.experiment.get("texts")), "--data", "DIR"])
    if "`" in command:
        raise StelaError(
            f'"{entry.name}" names a model by "`", which ends a command on the page.', "refuse it"
        )
    name = _safe(entry.name)
    return f"[{name}]({SUBMISSIONS}/{name}): `{one_line(command)}`, stela-core {core}, {made}{said}"


def differences(entry: Entry) -> list[str]:
    """Names of what differs from the protocol's file."""
    ours = read_experiment(str(FOLDER / f"{entry.protocol}.toml"), {}).model_dump(mode="json")
    return [name for name in COMPARED if entry.run.experiment.get(name) != ours.get(name)]


def _number(value: Number | None) -> str:
    return "" if value is None or value.value is None else shown(value.value, value.low, value.high)


def _safe(text: str) -> str:
    """Someone else's words in a cell: one line, and no Markdown."""
    return re.sub(r"([\\|`*_<>\[\]&])", lambda sign: f"&#{ord(sign[1])};", one_line(text))[:120]


def write_leaderboard(docs: Path) -> Path:
    """Write the page from its files; what stands above its tables is kept.

    Raises:
        StelaError: a file is not a submission, or the page has no place for tables.
    """
    page = docs / "leaderboard.md"
    begin, end = "<!-- leaderboard -->\n", "<!-- end of leaderboard -->\n"
    text = page.read_text("utf-8")
    if text.count(begin) != 1 or text.count(end) != 1:
        raise StelaError(f'"{page}" has no place for the tables.', f"it needs {begin.strip()}, {end.strip()}")
    made = leaderboard(entries_of(docs / SUBMISSIONS))
    head, rest = text.split(begin)
    page.write_text(f"{head}{begin}\n{made}{end}{rest.split(end)[1]}", "utf-8")
    return page
