"""All tests that need no key, on one deployment."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from stela_audit.cache import cache
from stela_audit.finding import Ask, Finding
from stela_audit.occupancy import fixed_sampling
from stela_audit.red_green import YEAR, red_green

PROMPT = f"She was born in {YEAR[:3]}"
"""Prompt whose answers begin with a digit and one of few words, and are open from there on."""

LONG, SHORT = 40, 2
"""Tokens of an answer; for the red-green test they come after the digits."""

MOST_LONG = 300
"""Long answers that are asked for, at most: a keyed choice repeats far sooner."""


def presence(of_length: Callable[[int], Ask], queries: int, seed: int = 0) -> Iterator[Finding]:
    """The findings of all tests, one after the other.

    Args:
        of_length: gives the deployment for answers of a number of tokens.
        queries: answers that each test asks for; the fixed-sampling test asks for 300 at most.
        seed: of the tables drawn.

    Raises:
        StelaError: too few queries, or answers that a test cannot read.
    """
    for digits in (1, 4):
        yield red_green(of_length(digits + SHORT), queries, digits, seed=seed)
    yield fixed_sampling(of_length(LONG), PROMPT, min(queries, MOST_LONG))
    yield cache(of_length(1 + SHORT), PROMPT, queries)
