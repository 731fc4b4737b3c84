"""The red-green test: after which number an answer stands changes it, equally in all sentences."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from stela_audit.finding import Ask, Finding
from stela_audit.tilted import tilted_tables
from stela_core import StelaError

STEMS = (
    "The house was built in",
    "She was born in",
    "The war began in",
    "He moved to London in",
    "The school opened in",
    "The book was published in",
    "The company was founded in",
    "They were married in",
    "The law was passed in",
    "The team won the cup in",
)
"""Sentences that go on with a year."""

YEAR = "1990"

TOLERANCE = 0.3
"""Nats; on ``tiny`` a year's last digit moves the answers' log odds by 0.1, a whole year by 0.2."""

TABLES = 4999
"""Tables drawn for a p-value; the smallest is 1 over one more."""

LEAST = 5
"""Answers after a number; rarer ones are left out."""

MEANING = "what follows a number depends on it, equally in all sentences: a green list or a keyed choice"


class Answers(NamedTuple):
    """What was answered after which number in which sentence."""

    strata: npt.NDArray[np.int64]
    """(n,), int64: the sentence."""
    labels: npt.NDArray[np.int64]
    """(n,), int64: the number."""
    hits: npt.NDArray[np.bool_]
    """(n,), bool: whether the most frequent answer follows it."""


def red_green(
    ask: Ask,
    queries: int,
    digits: int = 1,
    tolerance: float = TOLERANCE,
    seed: int = 0,
    stems: Sequence[str] = STEMS,
) -> Finding:
    """Whether digits that the model wrote move what follows them, by more than a plain model's do.

    After Gloaguen et al., "Black-Box Detection of Language Model Watermarks" (ICLR 2025), section 2. They
    change digits in a prompt. A mark may read generated tokens only, so here the model writes the digits.

    Assumption: a plain model moves the log odds of the most frequent answer after each number by a normal
    draw with a standard deviation of at most ``tolerance`` nats. Answers are independent given that.

    Args:
        ask: the deployment; ``digits + 2`` tokens or more an answer.
        queries: answers to ask for, spread over the stems.
        digits: last digits of a year that the model writes, 1 to 4; what a mark reads must fit into them.
        tolerance: at least 0; with 0 it is a permutation test within each sentence.
        seed: of the tables drawn.
        stems: beginnings that go on with a year.

    Raises:
        StelaError: an argument is out of its range, or too few answers are a number and a word.
    """
    if not 1 <= digits <= 4:
        raise StelaError(f"a year has no {digits} last digits.", "give 1 to 4")
    if queries < len(stems):
        raise StelaError(f"{queries} queries are too few for {len(stems)} sentences.", "ask for more")
    each = [queries // len(stems) + (n < queries % len(stems)) for n in range(len(stems))]
    begun = YEAR[: 4 - digits]
    answers = read([ask(f"{stem} {begun}", many) for stem, many in zip(stems, each, strict=True)], digits)
    p_value = moved(answers, tolerance, np.random.default_rng(seed))
    return Finding(f"red-green, digits {digits}", p_value, queries, len(answers.hits), MEANING)


def read(texts: Sequence[Sequence[str]], digits: int) -> Answers:
    """The numbers and answers in texts, a sequence for each sentence.

    Raises:
        StelaError: fewer than two numbers have five answers.
    """
    pattern = re.compile(rf"\s*(\d{{{digits}}})(?!\d)\s*(\w+|[^\w\s])", re.ASCII)
    rows = [
        (stratum, match[1], match[2])
        for stratum, some in enumerate(texts)
        for match in map(pattern.match, some)
        if match
    ]
    often = Counter(number for _, number, _ in rows)
    rows = [row for row in rows if often[row[1]] >= LEAST]
    names = sorted({number for _, number, _ in rows})
    if len(names) < 2:
        raise StelaError(
            f"{len(names)} numbers have {LEAST} answers of the {sum(map(len, texts))} texts.",
            "ask for more, or take a model that writes years",
        )
    counts = Counter(answer for _, _, answer in rows)
    most = min(counts, key=lambda answer: (-counts[answer], answer))
    return Answers(
        np.array([stratum for stratum, _, _ in rows], dtype=np.int64),
        np.array([names.index(number) for _, number, _ in rows], dtype=np.int64),
        np.array([answer == most for _, _, answer in rows], dtype=np.bool_),
    )


def moved(answers: Answers, tolerance: float, draws: np.random.Generator, tables: int = TABLES) -> float:
    """Monte Carlo p-value, given how often each number and each answer occur in each sentence.

    The statistic is the sum over numbers of the squared excess of hits over its variance, both summed over
    sentences first (Cochran-Mantel-Haenszel, without covariances). Given the margins, nothing is estimated.

    Args:
        answers: what was read.
        tolerance: standard deviation of a plain model's log odds, in nats.
        draws: of the tables.
        tables: how many are drawn.

    Returns:
        float in [1 / (tables + 1), 1].

    Raises:
        StelaError: the tolerance is negative.
    """
    if not tolerance >= 0:
        raise StelaError(f"a tolerance of {tolerance} nats is below 0.", "give 0 or more")
    size = int(answers.labels.max()) + 1
    tilts = draws.normal(0.0, tolerance, (tables, size))
    excess, variance = np.zeros(size), np.zeros(size)
    drawn = np.zeros((tables, size))
    for stratum in np.unique(answers.strata):
        here = answers.strata == stratum
        counts = np.bincount(answers.labels[here], minlength=size)
        hits = np.bincount(answers.labels[here], weights=answers.hits[here], minlength=size)
        total, all_hits = int(counts.sum()), int(hits.sum())
        if total < 2:
            continue
        expected = counts * (all_hits / total)
        excess += hits - expected
        variance += expected * (1 - all_hits / total) * (total - counts) / (total - 1)
        drawn += tilted_tables(counts, all_hits, tilts, draws) - expected
    weight = np.divide(1.0, variance, out=np.zeros(size), where=variance > 0)
    least = (excess**2 * weight).sum() * (1 - 1e-12)  # equal tables may differ in the last bit
    return float((1 + np.count_nonzero((drawn**2 * weight).sum(axis=1) >= least)) / (tables + 1))
