"""Benchmarks in two steps: ``write`` makes texts that bear a mark, ``show`` measures them."""

from __future__ import annotations

from argparse import ArgumentParser, RawDescriptionHelpFormatter
from pathlib import Path
from typing import NamedTuple


class Commands(NamedTuple):
    """The parser of a benchmark, and those of its two steps."""

    parser: ArgumentParser
    writing: ArgumentParser
    showing: ArgumentParser


def write_and_show(name: str, about: str | None, count: int, tokens: int) -> Commands:
    """What all such benchmarks are told.

    Args:
        name: of the module in ``benchmarks``.
        about: its docstring.
        count: texts, where no other number is said.
        tokens: of each, likewise.
    """
    parser = ArgumentParser(
        prog=f"python -m benchmarks.{name}", description=about, formatter_class=RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    writing, showing = commands.add_parser("write"), commands.add_parser("show")
    writing.add_argument("--model", required=True, help="alias or folder of the model that writes")
    writing.add_argument("--language", choices=("en", "zh", "ko"), default="en")
    writing.add_argument("--data", type=Path, help="folder with prompts/LANGUAGE.jsonl.gz")
    writing.add_argument("--count", type=int, default=count)
    writing.add_argument("--tokens", type=int, default=tokens)
    writing.add_argument("--temperature", type=float, default=0.7)
    writing.add_argument("-o", "--output", type=Path, required=True)
    return Commands(parser, writing, showing)
