"""Prompts of other registers than prose, for the experiment ``registers``: source code, and talk.

``code/prompts/en.jsonl.gz`` is of the sources of installed packages, ``talk/...`` of the answers, e-mails,
newsgroups and reviews of the UD English Web Treebank. Nothing of it is shipped.
"""

from __future__ import annotations

import gzip
import importlib.util
import json
import lzma
import random
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from stela_cli.printing import say

PROMPT = 300
"""Characters of a prompt, to the end of a line or sentence."""

CONTINUATION = 600
"""Fewest characters that follow it."""

GENRES = ("answers", "email", "newsgroup", "reviews")
PACKAGES = ("sklearn", "scipy", "networkx", "pydantic")


class Pair(NamedTuple):
    """A prompt and what its writer wrote next."""

    prompt: str
    continuation: str


def code_of(package: str) -> Iterator[Pair]:
    """One pair of each source file that is long enough, from its middle."""
    spec = importlib.util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        return
    for path in sorted(Path(spec.submodule_search_locations[0]).rglob("*.py")):
        text = path.read_text("utf-8", errors="ignore")
        start = text.find("\n    def ", len(text) // 3) + 1
        pair = cut(text[start:].splitlines(keepends=True))
        if start and pair is not None:
            yield pair


def talk_of(treebank: Path) -> Iterator[Pair]:
    """One pair of each document of the genres that is long enough."""
    for path in sorted(treebank.glob("*.conllu.xz")):
        with lzma.open(path, "rt", encoding="utf-8") as file:
            documents = file.read().split("# newdoc id = ")[1:]
        for document in documents:
            if document.startswith(GENRES):
                lines = [line[9:] for line in document.splitlines() if line.startswith("# text = ")]
                pair = cut([f"{line} " for line in lines])
                if pair is not None:
                    yield pair


def cut(lines: list[str]) -> Pair | None:
    """Lines up to the length of a prompt, and the rest; ``None`` where too little is left."""
    length = count = 0
    while count < len(lines) and length < PROMPT:
        length += len(lines[count])
        count += 1
    prompt, rest = "".join(lines[:count]).rstrip(), "".join(lines[count:])
    return Pair(prompt, rest[: 4 * CONTINUATION]) if len(rest) >= CONTINUATION else None


def write(pairs: list[Pair], path: Path, most: int) -> None:
    """Write some of the pairs, drawn by a fixed seed."""
    random.Random(0).shuffle(pairs)
    path.parent.mkdir(parents=True, exist_ok=True)
    with gzip.open(path, "wt", encoding="utf-8") as file:
        for number, pair in enumerate(pairs[:most]):
            file.write(json.dumps({"id": str(number), **pair._asdict()}, ensure_ascii=False) + "\n")
    say(f"{path}: {min(most, len(pairs))} of {len(pairs)} pairs")


def write_prompts(treebank: Path, packages: Iterable[str], most: int, out: Path) -> None:
    """Prompts of both registers, each in a separate data folder: ``code`` and ``talk``.

    Args:
        treebank: folder of the ``.conllu.xz`` files of the UD English Web Treebank.
        packages: installed ones, whose sources are the code.
        most: pairs of each.
        out: folder of both.
    """
    code = [pair for package in packages for pair in code_of(package)]
    write(code, out / "code" / "prompts" / "en.jsonl.gz", most)
    write(list(talk_of(treebank)), out / "talk" / "prompts" / "en.jsonl.gz", most)
