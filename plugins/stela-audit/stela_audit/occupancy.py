"""Fixed sampling: one prompt's answers repeat too often."""

from __future__ import annotations

import numpy as np

from stela_audit.finding import Ask, Finding
from stela_core import StelaError

CELLS = 1_000_000
"""A plain model gives no answer of 40 tokens a probability above 1 / CELLS."""

SHORTEST = 40
"""Characters; shorter answers are left out, because a plain model may repeat them."""

MOST = 100_000
"""Answers, at most: the time grows with their number times that of the repeats."""

MEANING = "answers to one prompt repeat: tokens are chosen by a key"


def fixed_sampling(ask: Ask, prompt: str, queries: int, cells: int = CELLS) -> Finding:
    """Whether answers to one prompt are distinct less often than draws from a plain model.

    After Gloaguen et al., "Black-Box Detection of Language Model Watermarks" (ICLR 2025), section 3. Theirs
    compares the curve of distinct answers with that of no repeats. Here the law of their number is exact.

    Assumption: answers are independent draws, and none of at least 40 characters has a probability above
    ``1 / cells``. Greedy decoding and stored answers break it: ask at a temperature, for long answers.

    Args:
        ask: the deployment; it should answer in 40 tokens or more.
        prompt: an open one, with many likely answers.
        queries: answers to ask for, at least 2.
        cells: one over the largest probability of an answer, at least 2.

    Raises:
        StelaError: fewer than 2 queries or cells, or fewer than 2 answers of 40 characters.
    """
    if not 2 <= queries <= MOST:
        raise StelaError(f"{queries} queries cannot be compared.", f"ask for 2 to {MOST:,}")
    answers = [answer for answer in ask(prompt, queries) if len(answer) >= SHORTEST]
    if len(answers) < 2:
        raise StelaError(
            f"{len(answers)} of {queries} answers have {SHORTEST} characters.", "ask for longer answers"
        )
    p_value = few_distinct(len(answers), len(set(answers)), cells)
    return Finding("fixed-sampling", p_value, queries, len(answers), MEANING)


def few_distinct(draws: int, distinct: int, cells: int) -> float:
    """P(at most ``distinct`` values in ``draws``), for uniform draws from ``cells`` values.

    No law whose probabilities are all at most ``1 / cells`` gives more: the number of distinct values falls,
    stochastically, as a law grows in the order of majorization, and the uniform one is the largest of them
    (Marshall, Olkin and Arnold, "Inequalities", 2nd ed., 2011, section 12.A).

    Args:
        draws: at least 1.
        distinct: 1 to ``draws``.
        cells: at least 2.

    Returns:
        float in (0, 1].

    Raises:
        StelaError: a number is out of its range.
    """
    if cells < 2:
        raise StelaError(f"{cells} cells are too few to choose from.", "give 2 or more")
    if not 1 <= distinct <= draws:
        raise StelaError(f"{draws} draws have no {distinct} distinct values.", "give 1 to that many")
    # chances[d] of d distinct values so far; those above ``distinct`` never come back, and are dropped.
    chances = np.zeros(distinct + 1)
    chances[0] = 1.0
    old = np.minimum(np.arange(distinct + 1) / cells, 1.0)
    for _ in range(draws):
        moved = chances * (1 - old)
        chances = chances * old
        chances[1:] += moved[:-1]
    return float(np.clip(chances.sum(), np.finfo(float).tiny, 1.0))
