"""How often messages are read, and read wrongly, from runs of ``payload``: a row for a mark, edit and length."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from stela_paper.results.markdown import table
from stela_paper.results.reading import LANGUAGES, Run
from stela_paper.results.which import drawn_at

VALUES = ("message-right", "message-wrong", "message-best", "bit-accuracy")
"""Of the metric ``fidelity-message``."""

DELETED, PASTED = "edits-delete(share=0.1)", "edits-paste(share=0.5)"
REPLACED = "wordnet(share=0.1, path=wordnet/wordnet.zip)"

Row = Mapping[str, str]


def rows_of(runs: Iterable[Run]) -> list[Row]:
    """What was read of the texts of each run."""
    rows: list[Row] = []
    for run in runs:
        for record in run.records:
            values = record["values"]
            if VALUES[0] not in values:
                continue
            row = {
                "model": Path(record["model"]).name,
                "language": LANGUAGES[record["language"]],
                "temperature": drawn_at(run.experiment),
                "mark": record["label"],
                "attack": record["attack"],
                "tokens": str(record["length"]),
                "texts": str(values[VALUES[0]]["n"]),
            }
            for name in VALUES:
                row[name] = f"{values[name]['value']:.3f}"
            row["message-right, low"] = f"{values[VALUES[0]]['low']:.3f}"
            row["message-right, high"] = f"{values[VALUES[0]]['high']:.3f}"
            rows.append(row)
    return rows


HEADING = (
    "model",
    "mark",
    "temperature",
    "100 tokens",
    "200 tokens",
    "350 tokens",
    "200, 10 % deleted",
    "200, 10 % replaced",
    "200, in as much human text",
    "200, sure or not",
    "wrong, of all",
    "bit accuracy, 200",
)

COLUMNS = (
    ("none", "100"),
    ("none", "200"),
    ("none", "350"),
    (DELETED, "200"),
    (REPLACED, "200"),
    (PASTED, "200"),
)


def as_table(rows: Sequence[Row]) -> str:
    """Shares of messages that are shown whole and right; how many have a wrong digit, edited or not."""
    marks: dict[tuple[str, ...], dict[tuple[str, str], Row]] = {}
    for row in rows:
        place = row["model"], row["mark"], row["temperature"]
        marks.setdefault(place, {})[row["attack"], row["tokens"]] = row
    lines = []
    for (model, mark, temperature), own in sorted(
        marks.items(), key=lambda item: (item[0][0], item[0][2], item[0][1])
    ):
        wrong = sum(round(float(row["message-wrong"]) * int(row["texts"])) for row in own.values())
        texts = sum(int(row["texts"]) for row in own.values())
        cells = [own[at]["message-right"] if at in own else "–" for at in COLUMNS]
        shown = own.get(("none", "200"))
        best, accuracy = ("–", "–") if shown is None else (shown["message-best"], shown["bit-accuracy"])
        lines.append([model, f"`{mark}`", temperature, *cells, best, f"{wrong} of {texts}", accuracy])
    return table(HEADING, lines)
