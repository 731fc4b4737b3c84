"""A profile's keys: a detector for each, and texts under all of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

from stela_core.detection.detector import Detector
from stela_core.detection.readings import AS_IT_IS, Reading
from stela_core.detection.result import Detection
from stela_core.detection.scan import with_passage
from stela_core.detection.several import detections_under, most_marked
from stela_core.interfaces import Scorer
from stela_core.interfaces.logits import TextLogits
from stela_core.profile.key_set import KeySet, OwnKey
from stela_core.profile.rotation import note_of


class KeyedDetectors:
    """Detectors that differ in their key alone.

    Args:
        detector: of the current key.
        keys: those that are at hand; the detector is that of the first.
    """

    def __init__(self, detector: Detector, keys: KeySet) -> None:
        self._detector = detector
        self.keys = keys

    def __len__(self) -> int:
        """How many keys texts are tested for."""
        return len(self.keys.known)

    @property
    def named(self) -> bool:
        """Whether a detection has to say which of the keys it is about."""
        return self.keys.several or self.keys.known[0].published is not None

    @cached_property
    def each(self) -> list[tuple[OwnKey, Detector]]:
        """The youngest key's first."""
        detector, parts = self._detector, self._detector.composition
        made = []
        for number, key in enumerate(self.keys.known):
            note = None if key.published is None else note_of(key.key_id, key.published)
            own = parts if number == 0 else replace(parts, hasher=parts.hasher.under(key.number))
            made.append((key, detector.with_composition(own, note) if number or note else detector))
        return made

    def detect(
        self,
        texts: Sequence[Sequence[Reading]],
        logits: TextLogits | None,
        prompts: Sequence[str] | None,
    ) -> list[Detection]:
        """Each text under the key whose mark it looks to bear most; p-values are times their number."""
        keys, detectors = zip(*self.each, strict=True)
        by_key: list[list[Detection]] = [[] for _ in texts]
        for n, m, detection in detections_under(detectors, texts, len(keys), logits, prompts):
            by_key[m].append(replace(detection, key_id=keys[n].key_id))
        return [most_marked(detections) for detections in by_key]

    def detect_ids(
        self,
        texts: Sequence[Sequence[int]],
        logits: TextLogits | None,
        prompts: Sequence[str] | None,
    ) -> list[Detection]:
        """The same for token ids."""
        return self.detect([[Reading(AS_IT_IS, "", "", ids=ids)] for ids in texts], logits, prompts)


def with_passages(detection: Detection, scorer: Scorer) -> Detection:
    """The detection, under each of its keys, with the passages that look marked: :func:`.with_passage`."""
    if detection.by_key:
        return most_marked([with_passage(one, scorer) for one in detection.by_key])
    return with_passage(detection, scorer)
