"""An early look at many keys: which of them the least p-value can be of.

A law says which weighted sum of a text's draws orders the p-values of all keys: a key whose sum is smaller
than another's has no smaller p (:meth:`.Law.ordering_weights`). The sums of all keys are cheap. Exact tails
are worked out from the largest sum downwards, until a key's p is above the least so far: no later key has the
least one. So nothing is left out that counts, and the p-value is corrected for all keys, those left out, too.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

import numpy as np
import numpy.typing as npt

from stela_core import Detection, Scorer
from stela_core.api import Batch, Detector, Evidence

FEW = 32
"""So few keys are all tested."""

SHOWN = 16
"""Keys that are tested in any case: those of the largest sums."""

_SLACK = 1e-6
"""Relative difference from which on sums order p-values, whatever was rounded on the way."""


def under_candidates(
    first: Detector, keys: Sequence[int], batch: Batch, tests: int
) -> Iterator[tuple[int, int, Detection]]:
    """Each text under those of very many keys that may have the least p-value: number of the key, number of
    the text, detection.

    Args:
        first: of the first key; where its hasher leaves tokens out, each key has separate evidence, and
            this is not for them.
        keys: all of them.
        batch: the texts.
        tests: how many marks are tested in all: p-values are times their number.
    """
    for m, readings in enumerate(first.readings_evidence(batch)):
        numbers = promising(first, readings, keys, tests)
        for n in range(len(keys)) if numbers is None else numbers:
            detector = first.with_composition(first.composition.under(keys[n]))
            coloured = [detector.recoloured(evidence) for evidence in readings]
            yield n, m, detector.judge_readings(coloured, tests)


def promising(
    detector: Detector, readings: Sequence[Evidence], keys: Sequence[int], tests: float
) -> list[int] | None:
    """Numbers, ascending, of the keys that may have the least p-value of a text, and the likeliest ones.

    Args:
        detector: of the first key.
        readings: the text's evidence under it.
        keys: all of them.
        tests: what p-values are multiplied by.

    Returns:
        ``None`` where all keys have to be tested: they are few, the mark or the scorer knows no sum, or
        something besides one p-value takes part in the decision.
    """
    if len(keys) <= FEW or not _rests_on_one_sum(detector, readings):
        return None
    parts = detector.composition
    chosen = {0}  # the first of equal ones, where none says anything
    for evidence in readings:
        if not len(evidence.positions):
            continue
        ordering = parts.scorer.ordering(evidence.signals)
        if ordering is None:
            return None
        if tests / evidence.share * parts.scorer.least_p_of(evidence.signals) >= 1:
            continue  # no colours of so short a text say anything
        contexts, tokens = evidence.hashed(parts.hasher, ordering.at)
        sums = parts.hasher.sums_under(keys, contexts, tokens, ordering.weights)
        order = np.argsort(-sums, kind="stable")
        chosen.update(order[:SHOWN].tolist())
        chosen.update(_least(sums, order, _p_under(detector, evidence, keys)))
    return sorted(chosen)


def _rests_on_one_sum(detector: Detector, readings: Sequence[Evidence]) -> bool:
    """Whether, under any key, only a weighted sum of each reading's draws decides on a text."""
    parts = detector.composition
    if parts.encoder is not None or parts.scorer.reads_ids:
        return False
    if parts.hasher.drops_dependent or not parts.hasher.sums_quickly:
        return False
    if detector.provenance.foreign_table and parts.evidence.uses_table:
        return False
    return len({evidence.pairs < detector.min_tokens for evidence in readings}) == 1


def _least(
    sums: npt.NDArray[np.float64], order: npt.NDArray[np.intp], p_of: Callable[[int], float]
) -> list[int]:
    """The keys, by number, whose p is the least, or so near to it that rounding may decide."""
    surely = sums[order[0]] - _SLACK * max(1.0, abs(float(sums[order[0]])))
    looked: dict[int, float] = {}
    least = math.inf
    for number in order.tolist():
        if sums[number] < surely and least >= 1:
            break
        p = looked[number] = p_of(number)
        if sums[number] < surely and p > least:
            break
        least = min(least, p)
    return [number for number, p in looked.items() if p <= least * (1 + _SLACK)]


def _p_under(detector: Detector, evidence: Evidence, keys: Sequence[int]) -> Callable[[int], float]:
    parts = detector.composition
    scorer: Scorer = parts.scorer

    def p_of(number: int) -> float:
        under = detector.with_composition(parts.under(keys[number]))
        return scorer.score_signals(under.recoloured(evidence).signals).p_value

    return p_of
