"""Find marked passages inside a longer text: windows whose corrected p-value is small, under each message."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import exp, isinf, log
from typing import NamedTuple

from stela_core import Detection, Scorer
from stela_core.api import Composition, Evidence, Passage
from stela_detection.search.messages import MOST_TRIED, Carried
from stela_detection.search.passages import Spans, best_apart
from stela_detection.search.window_scan import Extent, Scan
from stela_detection.search.windows import Candidate

MOST_CHOICES = exp(600.0)
"""The largest number of choices that is finite: a detection has an infinite one where there are more."""

ROUNDS = 8
"""How often passages are chosen anew after exact p-values. Each round works out those that were not chosen
before: at most ``8 n / 32`` in a text of n tokens."""


class _Promising(NamedTuple):
    """A window, and under which of the text's scans it looks marked."""

    scan: int
    window: Candidate


def with_passage(detection: Detection, scorer: Scorer, parts: Composition | None = None) -> Detection:
    """The detection with its passages, and the verdict that rests on the best one's corrected p-value.

    The whole text is one of the windows tried, so this one p-value covers it too.

    Args:
        detection: of one text under one key.
        scorer: gives p-values.
        parts: with that key: where marks carry messages, each passage then has its own.
    """
    readings: list[Evidence] = [detection.evidence, *detection.others]
    looks, alpha = detection.tests * min(detection.choices, MOST_CHOICES), detection.threshold
    each = [
        scans_of(each if detection.p_unweighted is None else each.unweighted(), scorer, looks, alpha, parts)
        for each in readings
        if len(each.positions)
    ]
    if not each:
        return detection
    # Where a text has several readings, passages are named in the one that looks marked most.
    bests = [min((scan.best() for scan in scans), key=lambda one: one.p_value) for scans in each]
    best, scans = min(zip(bests, each, strict=True), key=lambda scanned: scanned[0].p_value)
    verdict = detection.verdict
    passages: tuple[Passage, ...] = ()
    if verdict != "insufficient text":
        verdict = "watermarked" if best.p_value <= alpha else "no watermark found"
        passages = passages_of(scans, alpha)
        if verdict != "watermarked" and all(scan.best_of_all() > alpha for scan, *_ in each):
            verdict = "insufficient text"
    if verdict != "watermarked":
        best = replace(best, message=None)
    # Where passages name others, none is the whole text's.
    named = {passage.message.value for passage in passages if passage.message and passage.message.is_sure}
    message = detection.message
    if message is not None and named - {message.value}:
        message = message.withheld()
    if best.message is not None and named and best.message.value not in named:
        best = replace(best, message=best.message.withheld())
    if isinf(detection.choices):  # nothing can be found: the verdict says so already
        best = replace(best, p_value=1.0)
    if best.reading != detection.reading:
        spans = Spans(detection.evidence)
        best, *rest = (spans.relabelled(passage) for passage in (best, *passages))
        passages = tuple(rest)
    return replace(detection, verdict=verdict, window=best, passages=passages, message=message)


def find_passage(evidence: Evidence, scorer: Scorer) -> Passage | None:
    """The window with the smallest corrected p-value; ``None`` where no token is scored."""
    return Scan(evidence, scorer).best() if len(evidence.positions) else None


def find_passages(evidence: Evidence, scorer: Scorer, alpha: float) -> tuple[Passage, ...]:
    """All passages that look marked (:func:`passages_of`)."""
    return passages_of([Scan(evidence, scorer)], alpha) if len(evidence.positions) else ()


def scans_of(
    evidence: Evidence, scorer: Scorer, looks: float, alpha: float, parts: Composition | None
) -> list[Scan]:
    """The scan of a text, or one under each message that the text may hold; that of the whole comes first."""
    if parts is None or parts.encoder is None:
        return [Scan(evidence, scorer, looks)]
    carried = Carried(evidence, parts)
    messages = carried.likely()
    scans = [Scan(carried.under(message), scorer, looks, carried) for message in messages]
    # Passages begin and end where no part did: more is read of a whole one.
    windows = sorted({part.best for _, part in extents_of(scans, alpha)})[:MOST_TRIED]
    more = {carried.best(window.start, window.end) for window in windows} - {*messages}
    return scans + [Scan(carried.under(message), scorer, looks, carried) for message in sorted(more)]


def passages_of(scans: Sequence[Scan], alpha: float) -> tuple[Passage, ...]:
    """Passages whose windows have corrected p-values of at most alpha, in order; they do not overlap.

    For unmarked text the probability that there is any is at most alpha. What is named of a window
    is where its evidence lies, its densest part; the p-value is the window's.

    Args:
        scans: of one text; under one message each, where it may hold several.
        alpha: largest corrected p-value.
    """
    return tuple(scans[number].passage(part) for number, part in extents_of(scans, alpha))


def extents_of(scans: Sequence[Scan], alpha: float) -> list[tuple[int, Extent]]:
    """Number of the scan and extent of each of :func:`passages_of`."""
    own = [scan.promising(alpha) for scan in scans]
    chosen = _apart(scans, own, alpha)
    made: list[tuple[int, Extent]] = []
    last = 0
    for place, (number, core) in enumerate(chosen):
        scan = scans[number]
        stop = chosen[place + 1].window.start if place + 1 < len(chosen) else scan.tokens
        part = scan.painted(core, own[number], last, stop, alpha)
        last = part.window_end
        if made and made[-1][0] == number and scan.goes_on(made[-1][1], part):
            part = scan.joined(made.pop()[1], part)
        made.append((number, part))
    return made


def _apart(scans: Sequence[Scan], own: Sequence[Sequence[Candidate]], alpha: float) -> list[_Promising]:
    """Windows that do not overlap, each with an exact corrected p-value of at most alpha."""
    promising = [_Promising(number, window) for number, each in enumerate(own) for window in each]
    promising.sort(key=lambda one: one.window.start)
    bounds = [(window.start, window.end) for _, window in promising]
    gains = [log(alpha) - window.log_p for _, window in promising]
    exact: set[int] = set()
    chosen: list[int] = []
    for _ in range(ROUNDS):
        chosen = best_apart(bounds, gains)
        unknown = [n for n in chosen if n not in exact]
        if not unknown:
            break
        for n in unknown:
            number, window = promising[n]
            if scans[number].corrected(window) > alpha:
                gains[n] = 0.0
        exact.update(unknown)
    return [promising[n] for n in chosen if gains[n] > 0 and n in exact]
