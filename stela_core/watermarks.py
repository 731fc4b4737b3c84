"""Watermarks: several marks that a text is tested for at once, whose it is and with what p-value."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING, NamedTuple

from stela_core.detection.attribution import Attribution, Tested
from stela_core.detection.batch import Batch
from stela_core.detection.detector import Detector
from stela_core.detection.many_keys import detections_under, order_of, with_passage
from stela_core.detection.readings import as_it_is as one_reading
from stela_core.detection.result import Detection
from stela_core.errors import StelaError, contained
from stela_core.logs import timed
from stela_core.profile.identity import evidence_signature, mark_signature
from stela_core.watermark import Watermark

if TYPE_CHECKING:
    from stela_core.watermark import ModelAndTokenizer

log = logging.getLogger(__name__)

MOST = 256
"""Marks tested at once."""


class LeftOut(NamedTuple):
    """A profile that is not tested."""

    name: str
    reason: StelaError


class _Mark(NamedTuple):
    """One key of one profile."""

    name: str
    watermark: Watermark
    key_id: str | None
    detector: Detector


class Watermarks:
    """Marks of several profiles.

    A p-value is times the number of marks tested: on unmarked text, the probability that any is found is at
    most alpha, the mean of their alphas where profiles differ. One mark under two names is tested once.

    Args:
        watermarks: by the name that results have.
        model: the language model and its tokenizer, for those that weigh evidence by it.
        left_out: profiles that could not be opened: they are not tested and count in nothing.

    Raises:
        StelaError: there is none, or too many, or one needs a model and none was given.
    """

    def __init__(
        self,
        watermarks: Mapping[str, Watermark],
        model: ModelAndTokenizer | None = None,
        left_out: Iterable[LeftOut] = (),
    ) -> None:
        self.left_out = tuple(left_out)
        """Profiles that could not be opened, with the reason."""
        self.same: dict[str, str] = {}
        """Names of marks that are tested under another name, which it gives."""
        self._model = model
        self._watermarks = dict(watermarks)
        self._marks: list[_Mark] = []
        self._searched = {name: each for name, each in watermarks.items() if each.keys.candidates}
        """Marks whose keys are candidates: they may be very many, and the likeliest of each is told."""
        known: dict[str, str] = {}
        for name, watermark in watermarks.items():
            if name in self._searched:
                continue
            keyed = watermark.detectors
            signatures = [mark_signature(watermark.profile, key.number) for key, _ in keyed]
            fresh = [n for n, signature in enumerate(signatures) if signature not in known]
            self._marks += [_Mark(name, watermark, keyed[n][0].key_id, keyed[n][1]) for n in fresh]
            known.update((signatures[n], name) for n in fresh)
            if not fresh:
                self.same[name] = known[signatures[0]]
        if not len(self) or len(self._marks) > MOST:
            raise StelaError(f"{len(self._marks)} marks to test for.", f"give between 1 and {MOST}")
        groups: dict[str, list[int]] = {}
        for number, mark in enumerate(self._marks):
            groups.setdefault(evidence_signature(mark.watermark.profile), []).append(number)
        self._groups = list(groups.values())
        """Numbers of marks that differ only in their keys: their evidence is weighed once."""

    def __len__(self) -> int:
        """How many marks are tested: of each profile as many as it has keys."""
        return len(self._marks) + sum(len(each.keys.known) for each in self._searched.values())

    @property
    def names(self) -> list[str]:
        """Names of the profiles that are tested."""
        return list(dict.fromkeys((*(mark.name for mark in self._marks), *self._searched)))

    def __getitem__(self, name: str) -> Watermark:
        """A profile's watermark by its name."""
        return self._watermarks[name]

    def among(self, messages: Sequence[int | str]) -> Watermarks:
        """The same where those that carry messages look for issued ones only (:meth:`Watermark.among`)."""
        marks = {
            name: each if each.parts.encoder is None else each.among(messages)
            for name, each in self._watermarks.items()
        }
        return Watermarks(marks, self._model, self.left_out)

    def only(
        self,
        names: Iterable[str] | None = None,
        key_id: str | None = None,
        written: tuple[str | date, str | date] | None = None,
    ) -> Watermarks:
        """The same for some profiles, a key's id or the days on which a text was written: see
        :meth:`Watermark.only`.

        Args:
            names: of profiles.
            key_id: of keys; profiles without one of this id are not tested.
            written: see :func:`stela_core.load`; profiles none of whose keys is of these days are not tested.

        Raises:
            StelaError: nothing is left to test for.
        """
        left: dict[str, Watermark] = {}
        reason = StelaError("no profile is named.", "name one")
        for name in self._watermarks if names is None else names:
            try:
                left[name] = self._watermarks[name].only(key_id, written)
            except StelaError as error:
                reason = error
        if not left:
            raise reason
        return Watermarks(left, self._model, self.left_out)

    def detect(
        self, text: str, prompt: str | None = None, as_it_is: bool = False, windows: bool = False
    ) -> Attribution:
        """Test one text for all marks; see :meth:`detect_many`."""
        return self.detect_many([text], None if prompt is None else [prompt], as_it_is, windows)[0]

    @contained
    def detect_many(
        self,
        texts: Iterable[str],
        prompts: Iterable[str] | None = None,
        as_it_is: bool = False,
        windows: bool = False,
    ) -> list[Attribution]:
        """Test each text for all marks.

        Args:
            texts: to test, any iterable of str but a str itself.
            prompts: what each text was generated after, as for :meth:`Watermark.detect_many`.
            as_it_is: leave other readings out.
            windows: look for passages, too, and let verdicts rest on them (:meth:`Watermark.with_passage`).

        Raises:
            StelaError: as for :meth:`Watermark.detect_many`.
        """
        reader = one_reading if as_it_is else next(iter(self._watermarks.values())).reader
        batch = Batch.of_texts(texts, prompts, reader=reader)
        best = [_Best() for _ in batch.readings]
        for numbers in self._groups:
            marks = [self._marks[number] for number in numbers]
            seen = replace(batch, logits=marks[0].watermark.logits_of(self._model))
            detectors = [mark.detector for mark in marks]
            with timed(log, "texts tested for %d marks: %d", len(marks), len(best), level=logging.DEBUG):
                for n, m, detection in detections_under(detectors, seen, len(self)):
                    mark = marks[n]
                    if windows:
                        detection = with_passage(detection, mark.detector.composition)
                    best[m].add(numbers[n], mark.name, mark.key_id, detection)
        for number, (name, watermark) in enumerate(self._searched.items(), len(self._marks)):
            seen = replace(batch, logits=watermark.logits_of(self._model))
            detections = watermark.detect_batch(seen, len(self) - len(watermark.keys.known))
            for detection, each in zip(detections, best, strict=True):
                scanned = watermark.with_passage(detection) if windows else detection
                each.add(number, name, scanned.key_id, scanned)
        return [each.attribution() for each in best]


class _Best:
    """The tests of one text so far, and the whole of the best: evidence takes memory."""

    def __init__(self) -> None:
        self._tested: list[tuple[tuple[int, float], int, Tested]] = []
        self._best: tuple[tuple[int, float], int, Detection] | None = None

    def add(self, number: int, name: str, key_id: str | None, detection: Detection) -> None:
        order = order_of(detection)
        self._tested.append((order, number, Tested.of(name, key_id, detection)))
        if self._best is None or (order, number) < self._best[:2]:
            self._best = order, number, detection

    def attribution(self) -> Attribution:
        tested = [test for _, _, test in sorted(self._tested, key=lambda entry: entry[:2])]
        assert self._best is not None, "there is at least one mark"
        return Attribution(tested[0].name, tested[0].key_id, self._best[2], tuple(tested))
