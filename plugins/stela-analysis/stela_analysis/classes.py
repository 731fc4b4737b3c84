"""The metric ``analysis-classes``: which words carry the evidence."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import sqrt

import numpy as np
import numpy.typing as npt
import stela_run
from stela_run.intervals import mean_value
from stela_run.statistics.bootstrap import Floats

import stela_core as stela
from stela_analysis.resampling import ratio
from stela_analysis.token_classes import classes_at, token_starts
from stela_analysis.word_classes import CLASSES, classes_of
from stela_core.api import Evidence, make_tagger

TOLERANCE = 1e-6


class ClassesParameters(stela.Parameters):
    """Which tagger says what a word is."""

    tagger: str | dict[str, str] | None = None
    """``NAME`` or ``NAME:MODEL``, or one for each language; by default the watermark's own."""


class Classes(stela_run.Metric[ClassesParameters]):
    """Decompose z of marked text by content, function and other words.

    Over the texts, for each class: ``share`` of the scored tokens, ``green`` share and mean ``weight`` of
    its tokens, and z three times: ``z`` of a detector that looks only at this class, and ``part`` and
    ``part-plain``, what it adds to the whole grouped and plain z (they sum to ``classes-z`` and
    ``classes-z-plain``). The class of a token is that of the word it belongs to in the finished text.
    """

    name = "analysis-classes"

    def check(self, preflight: stela_run.Preflight) -> None:
        """Make the taggers that are named."""
        named = self.parameters.tagger
        for spec in named.values() if isinstance(named, dict) else [named]:
            if spec is not None:
                preflight.tagger(spec)

    def measure(self, sample: stela_run.Sample) -> Sequence[stela_run.Value]:
        """Values with bootstrap intervals over texts; green share, weight and z of a class that has no
        token are left out.

        Raises:
            StelaError: there is no marked text, no tagger, the tagger's tags belong to no known tag set, or
                the scheme's statistic is not a weighted sum over tokens.
        """
        if not sample.marked:
            raise stela.StelaError("there is no marked text.", "generate more texts, or measure shorter ones")
        tagger = self._tagger(sample)
        classes = classes_of(tagger.tagset)
        gamma = sample.watermark.parts.hasher.law.share_above
        evidences = [marked.detection.evidence for marked in sample.marked]
        texts = [token_starts(evidence.ids, evidence.token_bytes) for evidence in evidences]
        rows = []
        for marked, (_, starts), tags in zip(
            sample.marked, texts, tagger.tag([text for text, _ in texts]), strict=True
        ):
            evidence: Evidence = marked.detection.evidence
            at = classes_at([starts[t] for t in evidence.positions.tolist()], tags, classes)
            row = decompose(evidence, np.array(at, dtype=object), gamma, sample.watermark.parts.scorer)
            whole = [row[:, PART].sum(), row[:, PART_PLAIN].sum()]
            if not np.allclose(whole, [marked.detection.z, marked.detection.z_plain], atol=TOLERANCE):
                raise stela.StelaError(
                    f'z of scorer "{sample.watermark.parts.scorer.name}" is not a weighted sum over tokens.',
                    "leave analysis-classes out for this scheme",
                )
            rows.append(row)
        return _values(np.stack(rows), sample.seed)

    def _tagger(self, sample: stela_run.Sample) -> stela.Tagger:
        spec = self.parameters.tagger
        if isinstance(spec, dict):
            spec = spec.get(sample.language)
        if spec is not None:
            return _made(sample.models.registry, spec)
        if sample.watermark.contexts is None:
            raise stela.StelaError(
                f'scheme "{sample.watermark.profile.scheme.name}" has no tagger to classify words by.',
                'name one: { name = "analysis-classes", tagger = "penn" }',
            )
        return sample.watermark.contexts.tagger


@lru_cache(maxsize=3)
def _made(registry: stela.Registry, spec: str) -> stela.Tagger:
    """A tagger takes seconds to load, and is asked for at each cell and length."""
    return make_tagger(registry, spec)


TOKENS, GREEN, WEIGHT, Z, PART, PART_PLAIN = range(6)
"""Columns of :func:`decompose`."""


def decompose(
    evidence: Evidence,
    classes: np.ndarray[tuple[int], np.dtype[np.object_]],
    gamma: float,
    scorer: stela.Scorer,
) -> Floats:
    """What each class has of one text.

    z is ``sum w (I - gamma) / sqrt(gamma (1 - gamma) sum W^2)``, with w and W the weights of the scored
    tokens (plain); or w what the scorer shares out to the tokens of a repeated pair, and W their sums by
    group. Each class's share of the numerator, over the whole denominator, is what it adds.

    Args:
        evidence: of n scored tokens.
        classes: of these tokens, (n,).
        gamma: share of green tokens.
        scorer: says what the tokens of a repeated pair count.

    Returns:
        (classes, 6): tokens, green tokens, sum of weights, z of the class by itself, and its parts of the
        grouped and the plain z. A class without weight has z ``nan``.
    """
    green, groups = evidence.green, evidence.groups
    # In units of the largest weight nothing under- or overflows when squared.
    unit = float(evidence.weights.max(initial=0.0)) or 1.0
    weights = evidence.weights / unit
    shared = _shared(weights, groups, scorer)
    _, sums = _pairs(green, shared, groups)
    grouped, plain = (sqrt(gamma * (1 - gamma) * float(w @ w)) or 1.0 for w in (sums, weights))
    table = np.zeros((len(CLASSES), 6))
    for row, name in zip(table, CLASSES, strict=True):
        mine = classes == name
        over = green[mine] - gamma
        alone = _pairs(green[mine], _shared(weights[mine], groups[mine], scorer), groups[mine])
        z = stela.Bernoulli(gamma).z(*alone) if weights[mine].any() else float("nan")
        row[:] = (
            mine.sum(),
            green[mine].sum(),
            unit * weights[mine].sum(),
            z,
            float(shared[mine] @ over) / grouped,
            float(weights[mine] @ over) / plain,
        )
    return table


def _pairs(
    green: npt.NDArray[np.bool_], shared: Floats, groups: npt.NDArray[np.int64]
) -> tuple[Floats, Floats]:
    """Colour, 1 or 0, and weight of each pair."""
    numbers = np.unique(groups, return_inverse=True)[1].reshape(-1)
    return (np.bincount(numbers, green) > 0).astype(np.float64), np.bincount(numbers, shared).astype(
        np.float64
    )


def _shared(weights: Floats, groups: npt.NDArray[np.int64], scorer: stela.Scorer) -> Floats:
    """What each token adds to the weight of its pair."""
    numbers, counts = np.unique(groups, return_inverse=True, return_counts=True)[1:]
    return weights * scorer.shares(counts)[numbers.reshape(-1)]


def _values(rows: Floats, seed: int) -> list[stela_run.Value]:
    """Values of the classes, from an array (texts, classes, 6)."""
    values = [
        mean_value("classes-z", rows[:, :, PART].sum(axis=1).tolist(), seed),
        mean_value("classes-z-plain", rows[:, :, PART_PLAIN].sum(axis=1).tolist(), seed),
    ]
    scored = rows[:, :, TOKENS].sum(axis=1)
    if not scored.any():
        return values
    for name, mine in zip(CLASSES, np.moveaxis(rows, 1, 0), strict=True):
        tokens, alone = mine[:, TOKENS], mine[:, Z]
        values.append(ratio(f"classes-{name}-share", tokens, scored, seed))
        values.append(mean_value(f"classes-{name}-part", mine[:, PART].tolist(), seed))
        values.append(mean_value(f"classes-{name}-part-plain", mine[:, PART_PLAIN].tolist(), seed))
        if tokens.any():
            values.append(ratio(f"classes-{name}-green", mine[:, GREEN], tokens, seed))
            values.append(ratio(f"classes-{name}-weight", mine[:, WEIGHT], tokens, seed))
        if not np.isnan(alone).all():
            values.append(mean_value(f"classes-{name}-z", alone[~np.isnan(alone)].tolist(), seed))
    return values
