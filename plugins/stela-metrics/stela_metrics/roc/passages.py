"""The metrics ``roc-passages`` and ``roc-passages-seconds``: marked passages in long human documents."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from time import process_time
from typing import Annotated, NamedTuple

import stela_run
from pydantic import Field, model_validator
from stela_run.intervals import mean_value

import stela_core as stela
from stela_core.api import Batch, Evidence
from stela_metrics.roc.hiding import Document, Hiding
from stela_metrics.roc.overlap import Counts, Part, Share, overlap
from stela_metrics.roc.seeker import seek

Level = Annotated[float, Field(gt=0, lt=1)]

Naming = Callable[[stela.Watermark, stela.Detection, float], list[Part]]
"""Function from a detection of a document and a level to the parts that are named."""

TIMED = 8
"""Documents whose time is taken."""


class PassagesParameters(stela.Parameters):
    """Parameters of ``roc-passages`` and ``roc-passages-seconds``."""

    levels: tuple[Level, ...] = Field(default=(1e-6, 0.01), min_length=1)
    """p-values from which on a part is named."""
    shortest: int = Field(default=100, ge=1)
    """Tokens of a passage, at least."""
    longest: int = Field(default=400, ge=1)
    """Tokens of a passage, at most."""
    tokens: int = Field(default=10_000, ge=1, le=1_000_000)
    """Tokens of human text in a document; fewer where there is less human text."""

    @model_validator(mode="after")
    def _in_order(self) -> PassagesParameters:
        if self.shortest > self.longest:
            raise ValueError("shortest is more than longest")
        return self


def by_windows(watermark: stela.Watermark, detection: stela.Detection, level: float) -> list[Part]:
    """What ``stela detect --windows`` names: p-values hold for all windows at once."""
    looked = watermark.with_passage(replace(detection, threshold=level))
    return [(passage.token_start, passage.token_end) for passage in looked.passages]


def by_seeker(watermark: stela.Watermark, detection: stela.Detection, level: float) -> list[Part]:
    """What WaterSeeker names."""
    evidence = detection.evidence
    positions = evidence.positions
    segments = seek(evidence.green, evidence.law.share_above, level)
    return [(int(positions[one.start]), int(positions[one.end - 1]) + 1) for one in segments]


class Passages(stela_run.Metric[PassagesParameters]):
    """Marked passages hidden in human documents, as WaterSeeker's authors measure (Findings of NAACL 2025).

    Each marked text's start, of 100 to 400 tokens, stands at a drawn place in 10,000 tokens of the run's
    human text. It is found where something is named that overlaps it (IoU above 0). As many documents of
    human text are looked at under the same keys. At each level, and by each detector:

    - ``recall@1e-06:windows``: share of passages found; ``false-alarms@...``: of documents without one.
    - ``f1@...``, ``precision@...``: as of equally many documents with and without.
    - ``iou@...``: mean intersection over union in tokens; 0 where nothing is named.

    ``:windows`` is ``stela detect --windows``, ``:seeker`` the authors' search on the colours of a green
    list: it tests what it has picked as if it had not, so its level is not a false alarm rate.
    ``document-tokens`` is the mean length of documents. Shares have Clopper and Pearson's intervals.
    """

    name = "roc-passages"

    def measure(self, sample: stela_run.Sample) -> Sequence[stela_run.Value]:
        """Values as above.

        Raises:
            StelaError: there is no marked or no human text, or a document cannot be looked through.
        """
        looks = list(looks_of(sample, self.parameters, len(sample.marked)))
        if not looks:
            raise stela.StelaError("marked texts are white space.", "use more or longer texts")
        lengths = [len(look.hidden.evidence.ids) for look in looks]
        values = [mean_value("document-tokens", lengths, sample.seed)]
        for level in self.parameters.levels:
            for name, naming in detectors_of(sample.watermark).items():
                values += self._values(sample, looks, f"@{level:g}:{name}", naming, level)
        return values

    def _values(
        self, sample: stela_run.Sample, looks: Sequence[Look], suffix: str, naming: Naming, level: float
    ) -> Iterator[stela_run.Value]:
        fits = [overlap(naming(sample.watermark, one.hidden, level), one.place) for one in looks]
        false = sum(bool(naming(sample.watermark, one.plain, level)) for one in looks)
        counts = Counts(sum(fit > 0 for fit in fits), len(fits), false, len(looks))
        shares: dict[str, Share | None] = {
            "recall": counts.recall(),
            "false-alarms": counts.false_alarms(),
            "precision": counts.precision(),
            "f1": counts.f1(),
        }
        for name, share in shares.items():
            if share is not None:
                yield stela_run.Value(name + suffix, *share, len(fits))
        yield mean_value(f"iou{suffix}", fits, sample.seed)


class PassagesSeconds(stela_run.Metric[PassagesParameters]):
    """How long one document of ``roc-passages`` takes: ``cpu-seconds:windows`` and ``cpu-seconds:seeker``.

    Of this process, from text to passages at the first level, over eight documents at most.
    """

    name = "roc-passages-seconds"
    timed = True
    attacked = False

    def measure(self, sample: stela_run.Sample) -> Sequence[stela_run.Value]:
        """Means over documents, with intervals; errors as for :meth:`Passages.measure`."""
        level = self.parameters.levels[0]
        seconds: dict[str, list[float]] = {name: [] for name in detectors_of(sample.watermark)}
        for look in looks_of(sample, self.parameters, TIMED):
            for name, naming in detectors_of(sample.watermark).items():
                began = process_time()
                naming(sample.watermark, detected(sample.watermark, look.document.text, look.key), level)
                seconds[name].append(process_time() - began)
        return [mean_value(f"cpu-seconds:{name}", each, sample.seed) for name, each in seconds.items()]


class Look(NamedTuple):
    """A marked text in a document, and a document without one, under its key."""

    document: Document
    key: int
    place: Part
    """Tokens of the passage in the document."""
    hidden: stela.Detection
    plain: stela.Detection


def looks_of(sample: stela_run.Sample, parameters: PassagesParameters, most: int) -> Iterator[Look]:
    """Looks at the first ``most`` marked texts; no passage is hidden in white space.

    Raises:
        StelaError: there is no marked or no human text, or a document cannot be looked through.
    """
    if not sample.marked or not sample.human:
        kind = "human" if sample.marked else "marked"
        raise stela.StelaError(
            f"no {kind} text has {sample.length} tokens.", "use more or longer texts, or a smaller length"
        )
    watermark = sample.watermark
    if watermark.needs_model_to_detect or watermark.parts.encoder is not None:
        what = "carries a message" if watermark.parts.encoder else "is weighed by a model"
        raise stela.StelaError(
            f'scheme "{watermark.profile.scheme.name}" {what}: documents cannot be searched for it.',
            "leave roc-passages out for this scheme",
        )
    human = [one.text for one in sample.human]
    hiding = Hiding(watermark, human, parameters.tokens, parameters.shortest, parameters.longest, sample.seed)
    for number, one in enumerate(sample.marked[:most]):
        key = watermark.parts.hasher.key if one.key is None else one.key
        document = hiding.with_passage(one.text, number)
        if document.start == document.end:
            continue  # white space
        hidden = detected(watermark, document.text, key)
        plain = detected(watermark, hiding.without(number).text, key)
        yield Look(document, key, tokens_of(document, hidden.evidence), hidden, plain)


def detectors_of(watermark: stela.Watermark) -> dict[str, Naming]:
    """Detectors by name: WaterSeeker's is for green lists."""
    own: dict[str, Naming] = {"windows": by_windows}
    return own | {"seeker": by_seeker} if isinstance(watermark.parts.hasher, stela.GreenList) else own


def detected(watermark: stela.Watermark, text: str, key: int) -> stela.Detection:
    """The test of a text under a key."""
    detector = watermark.detector.with_composition(watermark.parts.under(key))
    [detection] = detector.detect_batch(Batch.of_ids(detector.ids_of([text])))
    return detection


def tokens_of(document: Document, evidence: Evidence) -> Part:
    """Tokens that hold a character of the passage."""
    _, ends, unseen = evidence.token_spans()
    start, end = document.start + unseen, document.end + unseen
    inside = [n for n in range(len(ends) - 1) if ends[n + 1] > start and ends[n] < end]
    return inside[0], inside[-1] + 1
