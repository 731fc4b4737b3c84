"""How often messages are read, and read wrongly, from runs of ``payload``: a row for a mark, edit and length."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path

from stela_paper.results.markdown import table
from stela_paper.results.reading import LANGUAGES, Run
from stela_paper.results.which import drawn_at

VALUES = ("message-right", "message-wrong", "message-best", "bit-accuracy")
"""Values of the metric ``fidelity-message``."""

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


TEXTS = {
    ("none", "100"): "100",
    ("none", "200"): "200",
    ("none", "350"): "350",
    (DELETED, "200"): "200, 10 % deleted",
    (REPLACED, "200"): "200, 10 % replaced",
    (PASTED, "200"): "200, pasted",
}


def as_table(rows: Sequence[Row]) -> str:
    """Shares of messages that are shown whole and right: a column for each mark, a row for each kind of text."""
    models = {row["model"] for row in rows}
    shown = {(drawn_in(row, models), row["attack"], row["tokens"], row["mark"]): row for row in rows}
    marks = sorted({row["mark"] for row in rows})
    lines = []
    for temperature in sorted({key[0] for key in shown}):
        for (attack, tokens), text in TEXTS.items():
            cells = [shown.get((temperature, attack, tokens, mark)) for mark in marks]
            if any(cells):
                read = [cell["message-right"] if cell else "–" for cell in cells]
                lines.append([f"{temperature}: {text}", *read])
    return table(("temperature: tokens", *(f"`{mark}`" for mark in marks)), lines)


def drawn_in(row: Row, models: Collection[str]) -> str:
    """The temperature, and the model where there are several."""
    return row["temperature"] if len(models) == 1 else f"{row['temperature']}, {row['model']}"
