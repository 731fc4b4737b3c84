"""Prompts of other registers than prose, for docs/experiments/registers.toml: source code, and talk.

    python -m scripts.registers --ewt DIR -o FOLDER [--package NAME ...]

Writes ``FOLDER/code/prompts/en.jsonl.gz`` from the sources of installed packages, and ``FOLDER/talk/...``
from the answers, e-mails, newsgroups and reviews of the UD English Web Treebank (DIR holds its ``.conllu.xz``
files). Then ``stela run docs/experiments/registers.toml --data FOLDER/code`` and
``python -m scripts.register_shares runs/registers``. Nothing of it is shipped.
"""

from __future__ import annotations

import argparse
import gzip
import importlib.util
import json
import lzma
import random
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

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
    """Some of the pairs, drawn by a fixed seed."""
    random.Random(0).shuffle(pairs)
    path.parent.mkdir(parents=True, exist_ok=True)
    with gzip.open(path, "wt", encoding="utf-8") as file:
        for number, pair in enumerate(pairs[:most]):
            file.write(json.dumps({"id": str(number), **pair._asdict()}, ensure_ascii=False) + "\n")
    print(f"{path}: {min(most, len(pairs))} of {len(pairs)} pairs")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--ewt", type=Path, required=True)
    parser.add_argument("--package", nargs="*", default=PACKAGES)
    parser.add_argument("--most", type=int, default=300)
    parser.add_argument("-o", "--output", type=Path, required=True)
    args = parser.parse_args()
    code = [pair for package in args.package for pair in code_of(package)]
    write(code, args.output / "code" / "prompts" / "en.jsonl.gz", args.most)
    write(list(talk_of(args.ewt)), args.output / "talk" / "prompts" / "en.jsonl.gz", args.most)


if __name__ == "__main__":
    main()
