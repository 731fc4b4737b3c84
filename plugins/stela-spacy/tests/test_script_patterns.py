"""Python's regular expressions as JavaScript takes them."""

import re

import pytest
from stela_spacy.script_patterns import ranges, script_pattern

import stela_core as stela


@pytest.mark.parametrize(
    ("pattern", "script"),
    [
        (r"^\(a|b\)$", r"(?:^\(a|b\)(?=\n?$))"),
        (r"\!\"\'\-", "!\"'-"),
        (r"[\]\-a-c^]", r"[\]\-a-c\^]"),
        (r"[^\n]+?x{2,}", r"(?:[^\u{a}]){1,}?(?:x){2,}"),
        (r"(?<=[0-9])\+(?![0-9])", r"(?<=[0-9])\+(?![0-9])"),
        (r"(?:km|kmh)", r"km(?:|h)"),
        ("\u00b5\U0001f600\u2028", "\u00b5\U0001f600\\u{2028}"),
    ],
)
def test_what_is_written(pattern: str, script: str) -> None:
    assert script_pattern(pattern) == script


def test_classes_are_written_out_as_python_knows_them() -> None:
    assert script_pattern(r"[\d]").startswith("[0-9\u0660-\u0669")
    digits = {c for first, last in ranges(str.isdecimal) for c in range(first, last + 1)}
    assert {c for c in range(0x3000) if re.fullmatch(r"\d", chr(c))} == {c for c in digits if c < 0x3000}


@pytest.mark.parametrize("pattern", [r"(a)\1", r"a\b", r"(?i:a)", r"(?s).", "(?i)a"])
def test_what_is_not_known_is_refused(pattern: str) -> None:
    with pytest.raises(stela.StelaError, match="JavaScript"):
        script_pattern(pattern)
