"""Texts of a server under ``stela detect``; weights at detection, which are those of insertion."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import stela_core as stela
from scripts.serving.clients import Text

Line = dict[str, Any]
"""Of the record: profile, ids and weights of a text that left."""


def require_marked(profile: Path, texts: list[Text], folder: Path, key: Path | None = None) -> None:
    detections = detect(profile, texts, folder, key)
    worst = max(one["p_value"] for one in detections)
    marked = sum(one["verdict"] == "watermarked" for one in detections)
    print(f"{profile.stem}: {marked} of {len(texts)} found, largest p {worst:.1e}", flush=True)
    if marked < len(texts):
        missed = [
            text.asked for text, one in zip(texts, detections, strict=True) if one["verdict"] != "watermarked"
        ]
        raise SystemExit(f"not found: {missed}")


def detect(profile: Path, texts: list[Text], folder: Path, key: Path | None) -> list[dict[str, Any]]:
    """What ``stela detect`` says of texts."""
    file = folder / "texts.jsonl"
    file.write_text("".join(json.dumps({"text": text.text}) + "\n" for text in texts), encoding="utf-8")
    options = [] if key is None else ["--key-file", str(key)]
    lines = command("detect", "--profile", str(profile), "--json", *options, str(file)).splitlines()
    return [json.loads(line) for line in lines]


def compare_weights(marks: Mapping[str, stela.Watermark], texts: list[Text], record: Path) -> None:
    """What a server applied and what detection gives the same ids, token for token.

    Args:
        marks: by the names of their profiles.
        texts: of one server.
        record: the server's.

    Raises:
        SystemExit: they differ.
    """
    lines = [json.loads(line) for line in record.read_text(encoding="utf-8").splitlines()]
    compared = several = 0
    for text in texts:
        mark = marks[str(text.asked.profile)]
        ids = text.ids if mark.tokens.is_text(text.ids[-1]) else text.ids[:-1]  # the end of the text
        own = [line for line in lines if line["profile"] == text.asked.profile and begins(text.ids, line)]
        several += len(own) > 1
        [detection] = mark.detect_ids([ids])
        pairs = list(zip(applied(own, len(ids)), mark_weights(detection), strict=True))
        for place, (inserted, seen) in enumerate(pairs):
            if inserted != seen:
                raise SystemExit(f"{text.asked}: token {place}: {inserted} applied, {seen} at detection")
        compared += len(pairs)
    print(f"weights of {compared} tokens of {len(texts)} texts ({several} preempted) are those of insertion")


def begins(ids: list[int], line: Line) -> bool:
    """Whether a text was at the ids of a line when it left."""
    return bool(line["ids"]) and ids[: len(line["ids"])] == line["ids"]


def applied(lines: list[Line], count: int) -> list[float | None]:
    """Weights of a text's tokens: one that was preempted has a line for each time that it left.

    A token that no line has a weight of was drawn without mark, as detection has to see.
    """
    weights: list[float | None] = [None] * count
    for line in lines:
        for place, weight in enumerate(line["weights"][:count]):
            weights[place] = weights[place] if weight is None else weight
    return weights


def mark_weights(detection: stela.Detection) -> list[float | None]:
    """Weights of all tokens at detection."""
    return [token.weight for token in detection.evidence.tokens()]


def command(*arguments: str) -> str:
    """The output of ``stela``; 1 says that no mark was found."""
    done = subprocess.run(
        [sys.executable, "-m", "stela_cli", *arguments], capture_output=True, text=True, check=False
    )
    if done.returncode not in (0, 1):
        raise SystemExit(f"stela {' '.join(arguments)}\n{done.stderr}")
    return done.stdout
