"""What testing a text takes, told from the text before a worker has it.

A text costs by what it is: for a tagger a run of brackets takes ten times what words of its length do. So a
worker times samples of both kinds under each profile, in CPU seconds, when it starts.
"""

from __future__ import annotations

import random
import re
import string
import time
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

SIZE = 400
"""Characters of a sample."""
RUN = re.compile(r"\S{33,}")
"""No word, but signs without white space between them, or a script that has none."""
ALL = ""
"""Name for all profiles together: marks that differ only in their keys are weighed once."""
LETTERS = "eeetaoinshrdlu"
SIGNS = string.punctuation + "()[]" + "0a的가🙂"


class Cost(NamedTuple):
    """CPU seconds a character."""

    words: float
    """CPU seconds a character of texts with white space."""
    runs: float
    """CPU seconds a character of runs without white space."""

    def of(self, texts: Sequence[str]) -> float:
        """CPU seconds of texts, about."""
        inside = sum(end - start for text in texts for start, end in (m.span() for m in RUN.finditer(text)))
        return inside * self.runs + (sum(map(len, texts)) - inside) * self.words


def timed(test: Callable[[str], object]) -> Cost:
    """The cost of a test, from texts that it has not seen."""
    rng = random.Random(0)
    rates = []
    for alphabet in (LETTERS + "    ", SIGNS):
        for _ in range(2):  # the first may compile and load
            text = "".join(rng.choices(alphabet, k=SIZE))
            start = time.process_time()
            test(text)
            spent = time.process_time() - start
        rates.append(spent / SIZE)
    return Cost(*rates)


class Costs:
    """The costs of profiles by name.

    Args:
        told: of each profile, what :func:`timed` gave, by its name; and of all together.
    """

    def __init__(self, told: Mapping[str, Sequence[float]]) -> None:
        self._each = {name: Cost(*rates) for name, rates in told.items()}

    def of(self, texts: Sequence[str], profile: str | None) -> float:
        """CPU seconds of a request for a profile, or for all."""
        return self._each[ALL if profile is None else profile].of(texts)
