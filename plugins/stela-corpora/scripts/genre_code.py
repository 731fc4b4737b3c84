"""Code: a passage of each module of Python's standard library."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from genre_files import Document

CHARACTERS = 3200
LEFT_OUT = {"test", "tests", "idlelib", "lib2to3", "site-packages", "turtledemo", "pydoc_data", "ensurepip"}
"""Tests, and what later versions have no more, or is not code."""


def own_terms(source: str) -> bool:
    """Whether a module names another holder of copyright, who may have set terms of his own."""
    notices = re.findall(r"copyright\b.*", source, re.IGNORECASE)
    return any("Python Software Foundation" not in notice for notice in notices)


def passage(source: str) -> str | None:
    """Whole lines from the second top-level definition on, ``None`` where too few follow."""
    tree = ast.parse(source)
    starts = [
        node.lineno - 1
        for node in tree.body
        if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef)
    ]
    if len(starts) < 2:
        return None
    text = "\n".join(source.splitlines()[starts[1] :])
    return text[: text.index("\n", CHARACTERS)] if text.find("\n", CHARACTERS) >= 0 else None


def code(library: Path) -> list[Document]:
    """One document a module that is long enough."""
    documents = []
    for file in sorted(library.rglob("*.py")):
        place = file.relative_to(library)
        if LEFT_OUT.isdisjoint(place.parts):
            source = file.read_text(encoding="utf-8")
            text = None if own_terms(source) else passage(source)
            if text is not None:
                documents.append(Document(text, f"Python standard library, {place}"))
    return documents
