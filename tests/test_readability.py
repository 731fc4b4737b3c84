"""README and first pages are in short sentences and in the field's words; docstrings have a subject."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest
import spacy
from markdown_it import MarkdownIt
from markdown_it.token import Token

from tests.helpers import for_each

ROOT = Path(__file__).parents[1]
ENTRY = [
    ROOT / "README.md",
    *(
        ROOT / "docs" / f"{name}.md"
        for name in (
            "install",
            "which-scheme",
            "experiments",
            "writing-a-scheme",
            "generating",
            "serving",
            "detecting",
            "service",
            "checking",
            "trust",
            "glossary",
        )
    ),
]
PAGES = [ROOT / "README.md", *sorted(ROOT.glob("docs/*.md")), *sorted(ROOT.glob("plugins/*/README.md"))]
ENGLISH = spacy.blank("en")
ENGLISH.add_pipe("sentencizer")
PRIVATE = r"\bat home\b|\btold apart\b|\bcan be told\b|\bnowhere else\b|\bwhat finds most\b|\bbeside\b"
"""What earlier pages said for: on the model it was learned from, distinguishable, measurable, next to."""
IN_DOCSTRINGS = (
    PRIVATE
    + r"|\bso many\b|\bof theirs\b|\bstranger's|\balone\b|\bstays?\b|\bbears?\b|\bof (its|their|one's) own\b"
)
"""The same and more in docstrings: this many, of them, someone else's, only, is kept, has, separate."""


def paragraphs(markdown: str) -> list[str]:
    """The prose of a page: its paragraphs and list items. No code, no tables, no headings, no HTML."""
    texts, around = [], ""
    for token in MarkdownIt("commonmark").enable("table").parse(markdown):
        if token.type == "inline" and around == "paragraph_open":
            texts.append("".join(map(plain, token.children or [])))
        around = token.type
    return [text for text in texts if text.strip()]


def plain(token: Token) -> str:
    """A piece of prose as it is read, with a word for each piece of code."""
    if token.type == "code_inline":
        return "code"
    if token.type in ("softbreak", "hardbreak"):
        return " "
    return token.content if token.type == "text" else ""


def sentence_length(markdown: str) -> float:
    """Words of an average sentence; a list item is one at least."""
    sentences = [part for text in ENGLISH.pipe(paragraphs(markdown)) for part in text.sents]
    return sum(any(map(str.isalnum, word.text)) for part in sentences for word in part) / len(sentences)


def test_sentences_are_counted_as_a_reader_counts_them() -> None:
    page = (
        "# Title\n\nOne two three four, e.g. 0.5 of `p.stela`. Five six `a. b` eight.\n\n- nine ten eleven\n"
    )
    table = "\n| a | b |\n|---|---|\n| one two three | four |\n\n```\ncode. More code.\n```\n"
    assert paragraphs(page + table) == [
        "One two three four, e.g. 0.5 of code. Five six code eight.",
        "nine ten eleven",
    ]
    assert sentence_length(page + table) == pytest.approx((8 + 4 + 3) / 3)


@for_each("page", ENTRY)
def test_sentences_are_short(page: Path) -> None:
    assert sentence_length(page.read_text(encoding="utf-8")) <= 18


@for_each("page", PAGES)
def test_words_are_the_fields(page: Path) -> None:
    prose = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    assert re.findall(PRIVATE, prose, re.IGNORECASE) == []


BARE = re.compile(
    r"(Of|Where|By|As|In|From|For|At|With|Without|On|To|Under|Above|Below|Before|After|Until|When|If|Only|Not"
    r"|Also|Has|Are|Does|May|Can|Takes|Gives|See|Told|Those|That|Whose|Their|Over|Between|Stands|And|Again)\b"
)
"""Beginnings that say nothing to a reader who sees only the docstring: "Of the hasher.", "By name."."""
SOURCES = sorted([*ROOT.glob("stela_core/**/*.py"), *ROOT.glob("plugins/*/s*/**/*.py")])


def docstrings(node: ast.AST) -> Iterator[ast.Constant]:
    """Docstrings of classes and functions, and those below attributes and constants."""
    body = getattr(node, "body", [])
    for number, child in enumerate(body if isinstance(body, list) else []):
        is_text = isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant)
        if (
            is_text
            and isinstance(child.value.value, str)
            and not (isinstance(node, ast.Module) and not number)
        ):
            yield child.value
        yield from docstrings(child)


@cache
def documented(source: str) -> tuple[str, list[tuple[int, str]]]:
    """A module's docstring, and line and text of each other one; parsing all modules takes a second."""
    module = ast.parse(source)
    texts = [(text.lineno, str(text.value).strip()) for text in docstrings(module)]
    return ast.get_docstring(module) or "", texts


def bare(source: str) -> list[str]:
    """Line and beginning of each docstring without a subject."""
    return [f"{line}: {text[:60]}" for line, text in documented(source)[1] if BARE.match(text)]


def odd(source: str) -> list[str]:
    """Words of :data:`IN_DOCSTRINGS` in the docstrings of a module, its first one included."""
    first, others = documented(source)
    texts = [first, *(text for _, text in others)]
    return [match[0] for text in texts for match in re.finditer(IN_DOCSTRINGS, text)]


def test_docstrings_without_a_subject_are_found() -> None:
    source = (
        '"""By hand."""\nN = 3\n"""Of words."""\nclass A:\n    """A thing."""\n    b: int\n    """Bits."""\n'
        '    c: int\n    """\n    As b."""\n    def d(self):\n        """Where it is."""\n        "For all"\n'
    )
    assert bare(source) == ["3: Of words.", "9: As b.", "12: Where it is.", "13: For all"]


def faults(of: Callable[[str], list[str]]) -> dict[str, list[str]]:
    """What is wrong with the docstrings of each distribution."""
    wrong: dict[str, list[str]] = {}
    for path in SOURCES:
        where = path.relative_to(ROOT)
        if "tests" not in where.parts and (lines := of(path.read_text(encoding="utf-8"))):
            place = where.parts[1] if where.parts[0] == "plugins" else where.parts[0]
            wrong.setdefault(place, []).extend(f"{where}:{line}" for line in lines)
    return wrong


def test_docstrings_have_a_subject() -> None:
    assert faults(bare) == {}


def test_odd_words_are_found() -> None:
    source = (
        '"""It stays."""\nN = 3\n"""So many, by a\nkey of its own. Alone."""\n'
        'class A:\n    """A bear, alone."""\n'
    )
    assert odd(source) == ["stays", "of its own", "bear", "alone"]


def test_words_of_docstrings_are_plain() -> None:
    assert faults(odd) == {}
