"""Text and a tagger that the tests make themselves."""

from __future__ import annotations

import ast
import json
import random
import re
import sysconfig
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from pydoc_data.topics import topics
from typing import Any, TypeVar

import pytest
from tokenizers import Tokenizer

import stela_core as stela

T = TypeVar("T")

KOREAN = "한국의 역사는 오래되었고 그 문화는 다양하다. 사람들은 봄에 산을 오르고 가을에 책을 읽는다. "
ENGLISH = "The history of the city is long, and its people read many books in the old library. "


class LengthTagger(stela.Tagger):
    """Tags a word by its length: pure Python, fast, and sensitive to every character."""

    name = "length"
    language = "mul"
    tagset = "length"
    window = 4
    k = 3
    calls = 0

    def __init__(self, parameters: stela.Parameters | None = None) -> None:
        self.seen: list[list[str]] = []

    @property
    def model(self) -> str:
        return "none"

    @property
    def version(self) -> str:
        return "1"

    def tag(self, texts: Sequence[str]) -> list[list[stela.Tag]]:
        self.seen.append(list(texts))
        return [
            [stela.Tag(f"L{len(m.group())}", *m.span()) for m in re.finditer(r"\S+", text)] for text in texts
        ]


def random_text(seed: int, words: int = 60) -> str:
    """Words of both languages in random order."""
    rng = random.Random(seed)
    return " ".join(rng.choice((KOREAN + ENGLISH).split()) for _ in range(words))


def human_ids(registry: stela.Registry, tokenizer: Tokenizer, length: int) -> list[list[int]]:
    """Token ids of the shipped English sample, in pieces of this length; at least six."""
    file = registry.get(stela.TextSource, "sample").location("en")
    texts = [json.loads(line)["continuation"] for line in file.read_text(encoding="utf-8").splitlines()]
    rows = [tokenizer.encode(text, add_special_tokens=False).ids for text in texts]
    pieces = [row[i : i + length] for row in rows for i in range(0, len(row) - length + 1, length)]
    assert len(pieces) > 5
    return pieces


def little_english() -> str:
    """About 700 kB of prose that comes with every Python: its language reference."""
    return "\n".join(part for part in topics.values() if part)


@cache
def human_english() -> str:
    """About 3 MB of prose that comes with every Python: its language reference and docstrings."""
    parts = [little_english()]
    for file in sorted(Path(sysconfig.get_paths()["stdlib"]).glob("*.py")):
        tree = ast.parse(file.read_text(encoding="utf-8"))
        kinds = (ast.Module, ast.ClassDef, ast.FunctionDef)
        parts += [ast.get_docstring(node) or "" for node in ast.walk(tree) if isinstance(node, kinds)]
    return "\n".join(part for part in parts if part)


class OnDemand(dict[str, T]):
    """What is dear to make, by name: made when it is first asked for."""

    def __init__(self, make: Callable[[str], T]) -> None:
        super().__init__()
        self._make = make

    def __missing__(self, name: str) -> T:
        return self.setdefault(name, self._make(name))


def count_look_ups(patch: pytest.MonkeyPatch) -> list[int]:
    """A list that grows by the length of all rows whenever the texts of a processor look them up."""
    from stela_transformers.batch_texts import BatchTexts

    lengths: list[int] = []
    look_up = BatchTexts._look_up

    def counted(texts: BatchTexts, ids: Any) -> None:
        lengths.append(ids.shape[1])
        look_up(texts, ids)

    patch.setattr(BatchTexts, "_look_up", counted)
    return lengths
