"""Prose: paragraphs of Python's documentation and of its Chinese and Korean translations."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from genre_files import Document, by_lines

FOLDERS = ("tutorial", "faq", "howto", "reference", "whatsnew", "library", "extending", "using")
"""Folders of the documentation."""

CHARACTERS = {"en": 2600, "zh": 1150, "ko": 1300}
SHORTEST = {"en": 120, "zh": 40, "ko": 60}
"""Characters of a paragraph; shorter ones are titles, or single remarks."""


class Message(NamedTuple):
    """A paragraph and its translation, empty where there is none that somebody approved."""

    original: str
    translation: str


def messages(catalogue: str) -> Iterator[Message]:
    """The entries of a gettext catalogue that are one string and its translation."""
    for entry in re.split(r"\n\s*\n", catalogue):
        parts = {"msgid": "", "msgstr": ""}
        current = None
        for line in entry.splitlines():
            match = re.match(r"(msgid|msgstr) (\".*\")$", line)
            if match:
                current = match[1]
                parts[current] = ast.literal_eval(match[2])
            elif line.startswith('"') and current:
                parts[current] += ast.literal_eval(line)
        fuzzy = re.search(r"^#,.*\bfuzzy\b", entry, re.M)
        if parts["msgid"]:
            yield Message(parts["msgid"], "" if fuzzy else parts["msgstr"])


def plain(text: str) -> str:
    """A paragraph without the marks of reStructuredText: roles, links, code and emphasis."""
    text = re.sub(r":[\w:+-]+:`[~!]?([^`<]*?)\s*(?:<[^`>]*>)?`", r"\1", text)
    text = re.sub(r"`([^`<]+?)\s*<[^`>]*>`_+", r"\1", text)
    text = re.sub(r"`+([^`]*)`+_*", r"\1", text)
    text = re.sub(r"\*+([^*\s][^*]*)\*+", r"\1", text)
    text = re.sub(r"\|(\w+)\|", r"\1", text.replace("\\ ", "").replace("\\", ""))
    return " ".join(text.split())


def is_prose(text: str, code: str) -> bool:
    """Whether a paragraph is sentences: long enough, ended as one, and not full of signs."""
    signs = len(re.findall(r"[\[\]{}<>=_/|#@~^]", text))
    return len(text) >= SHORTEST[code] and text[-1] in ".!?。！？" and signs <= len(text) / 60


def prose(catalogues: Path, code: str) -> list[Document]:
    """One document of each file of the documentation.

    Args:
        catalogues: folder of a translation's ``.po`` files; English is what they translate.
        code: of the language.
    """
    documents = []
    for folder in FOLDERS:
        for file in sorted((catalogues / folder).rglob("*.po")):
            pairs = messages(file.read_text(encoding="utf-8"))
            texts = [plain(pair.original if code == "en" else pair.translation) for pair in pairs]
            whole = [text for text in dict.fromkeys(texts) if text and is_prose(text, code)]
            place = file.relative_to(catalogues).with_suffix("")
            pieces = list(by_lines(whole, CHARACTERS[code]))
            documents += [Document(piece, f"Python documentation, {place}") for piece in pieces[:2]]
    return documents
