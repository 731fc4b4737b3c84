"""Text and a tagger that the tests make themselves."""

from __future__ import annotations

import ast
import json
import re
import sysconfig
import traceback
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, wraps
from importlib.metadata import EntryPoint
from inspect import signature
from itertools import chain, repeat
from pathlib import Path
from typing import Any, TypeVar

import pytest
from stela_corpora import TextSource
from stela_testing.texts import little_english
from tokenizers import Tokenizer

import stela_core as stela
from stela_core import catalogue
from stela_core.detection.readings import Reader, reader_of

T = TypeVar("T")


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


def human_ids(registry: stela.Registry, tokenizer: Tokenizer, length: int) -> list[list[int]]:
    """Token ids of the shipped English sample, in pieces of this length; at least six."""
    file = registry.get(TextSource, "sample").location("en")
    texts = [json.loads(line)["continuation"] for line in file.read_text(encoding="utf-8").splitlines()]
    rows = [tokenizer.encode(text, add_special_tokens=False).ids for text in texts]
    pieces = [row[i : i + length] for row in rows for i in range(0, len(row) - length + 1, length)]
    assert len(pieces) > 5
    return pieces


def statements(tree: ast.Module) -> Iterator[ast.AST]:
    """As ``ast.walk``, without expressions: it takes half the time."""
    kinds = (ast.stmt, ast.ExceptHandler, ast.match_case)
    todo: deque[ast.AST] = deque([tree])
    while todo:
        node = todo.popleft()
        yield node
        for _, field in ast.iter_fields(node):
            if isinstance(field, list):
                todo.extend(one for one in field if isinstance(one, kinds))


@cache
def human_english() -> str:
    """About 3 MB of prose that comes with every Python: its language reference and docstrings."""
    parts = [little_english()]
    for file in sorted(Path(sysconfig.get_paths()["stdlib"]).glob("*.py")):
        tree = ast.parse(file.read_text(encoding="utf-8"))
        kinds = (ast.Module, ast.ClassDef, ast.FunctionDef)
        parts += [ast.get_docstring(node) or "" for node in statements(tree) if isinstance(node, kinds)]
    return "\n".join(part for part in parts if part)


def words_in(text: str) -> int:
    """The words of a text, as budgets of pages count them: what has a letter or a digit between spaces."""
    return sum(any(sign.isalnum() for sign in piece) for piece in text.split())


def for_each(name: str, values: Iterable[Any], say: Callable[[Any], str] = str) -> Callable[..., Any]:
    """Run a test for each value, and fail once with all that failed.

    ``parametrize`` makes a test of each value instead. For cheap checks of each folder or name of the
    repository that costs more than the checks do.
    """

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        @wraps(test)
        def run(**fixtures: Any) -> None:
            failed = []
            for value in values:
                try:
                    test(**{name: value}, **fixtures)
                except Exception:
                    failed.append(f"{say(value)}:\n{traceback.format_exc(limit=-1)}")
            assert not failed, "\n".join(failed)

        own = signature(test)
        others = [one for one in own.parameters.values() if one.name != name]
        run.__signature__ = own.replace(parameters=others)  # type: ignore[attr-defined]
        return run

    return decorate


class OnDemand(dict[str, T]):
    """What is dear to make, by name: made when it is first asked for."""

    def __init__(self, make: Callable[[str], T]) -> None:
        super().__init__()
        self._make = make

    def __missing__(self, name: str) -> T:
        return self.setdefault(name, self._make(name))


def flat_ids(mark: stela.Watermark, tokens: int = 80) -> list[int]:
    """Ids that are drawn under the mark where all tokens are equally likely: no model is needed."""
    import torch

    generator, marker = torch.Generator().manual_seed(0), mark.marker()
    ids = list(range(100, 100 + max(1, mark.parts.hasher.context_width)))
    for _ in range(tokens):
        scores = marker([ids], torch.zeros(1, len(mark.tokens)))
        ids.append(int(torch.multinomial(scores.softmax(-1), 1, generator=generator)))
    return ids


def uninstall(monkeypatch: pytest.MonkeyPatch, package: str = "stela_") -> None:
    """Until the test ends, what this package lends to the core is not to be had; by default nothing is."""
    entry_of = catalogue.lent_entry

    def entry(name: str) -> EntryPoint | None:
        lent = entry_of(name)
        return None if lent is None or lent.value.startswith(package) else lent

    monkeypatch.setattr(catalogue, "lent_entry", entry)


def new_keys_are(patch: pytest.MonkeyPatch, *keys: int) -> None:
    """New keys are these in turn, and then the last one again and again."""
    drawn = chain(keys, repeat(keys[-1]))
    patch.setattr("stela_core.hashing.keys.randbits", lambda bits: next(drawn))


@cache
def _all_readings() -> Reader:
    return reader_of(stela.create_registry())


def all_readings(text: str) -> list[stela.Reading]:
    """The text in all readings that the installed plugins give, as ``Watermark.detect`` tests it."""
    return _all_readings()(text)


def key_of_words(words: Sequence[int]) -> int:
    """The key of these 64-bit words, the first one on top."""
    key = 0
    for word in words:
        key = key << 64 | word
    return key
