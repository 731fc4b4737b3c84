"""Prompts and human texts of an experiment."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from stela_cli.documents.stream import HINT
from stela_corpora import TextSource
from stela_corpora.corpus import LIMITS
from stela_corpora.lines import LineFile

from stela_core import Registry, StelaError
from stela_run.bounded_files import objects_in
from stela_run.plan.defaults import stand_in
from stela_run.plan.on_disk import OnDisk
from stela_run.plan.schema import Language

STAND_IN = "stela-corpora"
"""The distribution whose texts stand in where there are no others."""


class Pair(NamedTuple):
    """A prompt, and how a person went on."""

    prompt: str
    continuation: str


class Texts(NamedTuple):
    """The texts of one language, by reference: memory does not grow with them."""

    prompts: OnDisk[str]
    human: OnDisk[Pair]
    """Human texts; the prompt is empty where it is not known."""


def read_texts(
    registry: Registry, code: str, language: Language, folder: Path | None, count: int, skip: int = 0
) -> tuple[Texts, str | None]:
    """``count`` prompts and human texts of a language, and a note where a sample stands in.

    Args:
        registry: knows the text sources.
        code: of the language.
        language: where the texts are.
        folder: paths are relative to it; ``None`` where no data folder was given.
        count: how many of each.
        skip: how many of each are left out before them.

    Raises:
        StelaError: a file is missing or bad, or has no more than are skipped.
    """
    note = None
    name = language.prompts
    if name is None:
        usual = None if folder is None else folder / "prompts" / f"{code}.jsonl.gz"
        if usual is not None and usual.is_file():
            name = str(usual)
        else:
            name = require_stand_in(registry, code)
            skip = 0  # it is small, and nothing is judged by it
            note = f"no prompts for {code}: the small shipped sample stands in; use --data FOLDER"
    prompts, human = OnDisk(str), OnDisk(lambda pair: Pair(*pair))
    path = _locate(registry, code, name, folder)
    for where, row in _rows(path, skip, count):
        prompts.append(_text(row, ("prompt",), where))
    if language.human is not None:
        path = _locate(registry, code, language.human, folder)
    for where, row in _rows(path, skip, count):
        text = _text(row, ("continuation", "text"), where)
        human.append(Pair(str(row.get("prompt", "")), text))
    return Texts(prompts, human), note


def require_stand_in(registry: Registry, code: str) -> str:
    """The text source for an experiment without data.

    Raises:
        StelaError: none is installed.
    """
    name = stand_in(registry)
    if name is None:
        raise StelaError(
            f"no prompts for {code}, and no text source is installed that stands in for them.",
            f"use --data FOLDER, or pip install {STAND_IN}",
        )
    return name


def _locate(registry: Registry, code: str, name: str, folder: Path | None) -> Path:
    if registry.has(TextSource, name):
        return registry.get(TextSource, name).location(code)
    path = Path(name)
    return path if folder is None or path.is_absolute() else folder / path


def _rows(path: Path, skip: int, count: int) -> Iterator[tuple[str, dict[str, Any]]]:
    """``count`` rows after those that are skipped; the others are read, too, and have to be right."""
    lines = LineFile(path, "text file", "give JSON lines")
    total = 0
    for where, row in objects_in(lines, str(path), limits=LIMITS, surrogates=True):
        if skip <= total < skip + count:
            yield where, row
        total += 1
    if not total:
        raise StelaError(f'"{path}" is empty.', HINT)
    if total <= skip:
        raise StelaError(f'"{path}" has {total} lines, and skip = {skip}.', "skip fewer")


def _text(row: dict[str, Any], names: tuple[str, ...], where: str) -> str:
    for name in names:
        if isinstance(row.get(name), str) and row[name].strip():
            return str(row[name])
    wanted = " or ".join(f'"{name}"' for name in names)
    raise StelaError(f"{where} has no {wanted}.", f"each line is a JSON object with a string {wanted}")
