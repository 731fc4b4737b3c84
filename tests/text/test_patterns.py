"""Regular expressions of tokenizers: those of models in use pass, those that may run away do not."""

from __future__ import annotations

import pytest
from tokenizers import Regex, pre_tokenizers

from stela_core.text.patterns import UnsafeError, check_pattern

SPACES = r"\s*[\r\n]+|\s+(?!\S)|\s+"
ENDINGS = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)"
UPPER, LOWER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
BEFORE = r"[^\r\n\p{L}\p{N}]?"

IN_USE = {
    "GPT-2": r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
    "Llama 3": ENDINGS + r"|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|" + SPACES,
    "Qwen": ENDINGS + r"|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|" + SPACES,
    "cl100k": r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]++[\r\n]*"
    r"|\s*[\r\n]|\s+(?!\S)|\s+",
    "o200k": f"{BEFORE}{UPPER}*{LOWER}+{ENDINGS}?|{BEFORE}{UPPER}+{LOWER}*{ENDINGS}?"
    r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|" + SPACES,
    "Tekken": f"{BEFORE}{UPPER}*{LOWER}+|{BEFORE}{UPPER}+{LOWER}*"
    r"|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|" + SPACES,
    "DeepSeek V3": r"[!\"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+"
    r"| ?[\p{P}\p{S}]+[\r\n]*|" + SPACES,
    "DeepSeek's Chinese": "[一-龥぀-ゟ゠-ヿ]+",
    "DeepSeek's spaces": r"\s+$",
    "BLOOM": r" ?[^(\s|[.,!?…。，、।۔،])]+",
    "Falcon": "[0-9][0-9][0-9]",
    "T5's spaces": " {2,}",
}
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


@pytest.mark.parametrize("name", IN_USE)
def test_patterns_in_use_pass(name: str) -> None:
    check_pattern(IN_USE[name])
    # The library takes them, too: they are no mere look-alikes.
    split = pre_tokenizers.Split(Regex(IN_USE[name]), "isolated")
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
    with pytest.raises(UnsafeError, match="matches where nothing is"):
        check_pattern(pattern, takes_something=True)
