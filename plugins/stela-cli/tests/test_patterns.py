"""Regular expressions of tokenizers: those of models in use pass, those that may run away do not."""

from __future__ import annotations

import pytest
from stela_cli.patterns import UnsafeError, check_pattern
from tokenizers import Regex, pre_tokenizers

from stela_core.text.known_patterns import KNOWN_PATTERNS

RUN_AWAY = [
    r"(a+)+$",
    r"(a|aa)+$",
    r"(?:a*)*b",
    r"(?:a{1,60}){1,60}b",
    r"(?:a?){60}a{60}",
    "a?" * 30 + "b",
    r"(?:a|ab?){1,60}c",
    r".*.*x",
    r".*x",
    r"[^x]*x",
    r"\s+(?!\S)",
    r"\s*[\r\n]+|\s|\s+",
    r"[\s\S]*[\x00]+|[\s\S]|[\s\S]+[\x00]*",
    r"(?:a|aa)*(?:a|aa)+|(?:a|aa)+(?:a|aa)*",
    r"(?=.*x)a",
    r"(a)\1",
    r"(?<n>a)\k<n>",
    r"(?:(?:a{60}){60}){60}",
    r"a{1,100000}",
    "(" * 200 + "a" + ")" * 200,
    "a" * 5000,
    *("(", ")", "[", "a{", "*", "a**", "\\", r"\p{"),
]


@pytest.mark.parametrize("name", KNOWN_PATTERNS)
def test_patterns_in_use_pass(name: str) -> None:
    check_pattern(KNOWN_PATTERNS[name])
    check_pattern(KNOWN_PATTERNS[name], takes_something=True)
    # The library takes them, too: they are no mere look-alikes.
    split = pre_tokenizers.Split(Regex(KNOWN_PATTERNS[name]), "isolated")
    pieces = split.pre_tokenize_str("It's 1984,\n\n  naïve 한국어 text")
    assert "".join(piece for piece, _ in pieces) == "It's 1984,\n\n  naïve 한국어 text"


@pytest.mark.parametrize("pattern", RUN_AWAY)
def test_patterns_that_may_run_away_are_refused(pattern: str) -> None:
    with pytest.raises(UnsafeError):
        check_pattern(pattern)


@pytest.mark.parametrize("pattern", ["a|", "a*", "(?:a?)", "^", r"\b", "(?=a)", "(a|)", ""])
def test_patterns_that_match_nothing(pattern: str) -> None:
    """To cut a text at them is harmless, to write something in their place is not."""
    check_pattern(pattern)
    with pytest.raises(UnsafeError, match="matches an empty text"):
        check_pattern(pattern, takes_something=True)
