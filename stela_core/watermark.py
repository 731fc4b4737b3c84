"""Watermark: a loaded profile, ready to mark text and to find the mark."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from copy import copy
from dataclasses import replace
from datetime import date
from functools import cached_property
from typing import TYPE_CHECKING

from stela_core.catalogue import lent
from stela_core.composition import Composition
from stela_core.detection import many_keys
from stela_core.detection.batch import Batch
from stela_core.detection.detector import Detector
from stela_core.detection.readings import Reader, reader_of
from stela_core.detection.readings import as_it_is as one_reading
from stela_core.detection.result import Detection
from stela_core.errors import contained
from stela_core.hashing.key_file import Key
from stela_core.interfaces import Encoder, Tagger
from stela_core.interfaces.logits import Surrogate, TextLogits, model_needed
from stela_core.logs import timed
from stela_core.marking import Marking
from stela_core.profile.archive import Archive
from stela_core.profile.epochs import Written
from stela_core.profile.identity import summary
from stela_core.profile.key_set import KeySet, OwnKey
from stela_core.profile.parts import LoadOptions, ProfileParts, contexts_of, open_archive
from stela_core.profile.provenance import OWN, Provenance
from stela_core.registry.components import Registry
from stela_core.text.pos_contexts import CausalContexts

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

    ModelAndTokenizer = tuple[PreTrainedModel, PreTrainedTokenizerBase] | Surrogate


log = logging.getLogger(__name__)

SHOWN = 16
"""Candidate keys whose detections are kept."""


class Watermark(Marking):
    """One watermark: :meth:`logits_processor` inserts it, :meth:`detect` finds it.

    Args:
        archive: the profile with its tokenizer and table.
        key: see :func:`stela_core.load`.
        registry: the plugins.
        contexts: of another watermark of the same tagger, k, window and tokenizer: a tagger loads slowly.
        tagger: see :func:`stela_core.load`.
        provenance: what verdicts say of whoever made the profile, where that was not the user.
        parts: of the profile, where they are parsed and composed already, under this key.
    """

    def __init__(
        self,
        archive: Archive,
        key: Key | Sequence[Key] | None,
        registry: Registry,
        contexts: CausalContexts | None = None,
        tagger: str | Tagger | None = None,
        provenance: Provenance = OWN,
        parts: ProfileParts | None = None,
    ) -> None:
        profile = self.profile = archive.profile
        self._registry = registry
        self.provenance = provenance
        parts = parts or open_archive(archive, LoadOptions(registry, key))
        composed = parts.composition, parts.tokenizer, parts.tokens
        self.parts, self._tokenizer, self.tokens = composed
        self.contexts = contexts_of(profile, registry, parts.tokens, contexts, tagger)
        limits = profile.min_tokens, profile.alpha
        made_for = profile.tokenizer_sha256, profile.language
        self.detector = Detector(*composed, self.contexts, *limits, provenance, made_for)
        """Detector that gathers a text's evidence."""
        self.keys = parts.keys or KeySet((OwnKey(profile.hasher, parts.composition.hasher.key),), ())
        """Keys that texts are tested for, the current key first."""

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {summary(self.profile)}>"

    def among(self, messages: Sequence[int | str]) -> Watermark:
        """The same for whoever knows which messages were issued: detection names one of them, or none.

        p-values are times the number of messages, in place of 2 to the number of bits. Of one message, fixed
        before a text was looked at, it is that message's own p-value.

        Raises:
            StelaError: marks carry no message, there is none here, or one has another number of bits.
        """
        parts = self.parts
        if parts.encoder is None:
            raise Encoder.missing()
        return self._with(replace(parts, encoder=parts.encoder.among(messages)), self.keys)

    def only(
        self, key_id: str | None = None, written: tuple[str | date, str | date] | None = None
    ) -> Watermark:
        """The same for the keys of an id, or of the days on which a text was written.

        p-values are times their number. Say it before you see a p-value.

        Args:
            key_id: of a key.
            written: see :func:`stela_core.load`.

        Raises:
            StelaError: no key at hand is, or the days are not days.
        """
        keys = self.keys.only(key_id, None if written is None else Written.between(*written))
        return self._with(self.parts.under(keys.known[0].number), keys)

    def _with(self, parts: Composition, keys: KeySet) -> Watermark:
        other = copy(self)
        other.__dict__.pop("detectors", None)
        other.keys, other.parts = keys, parts
        other.detector = self.detector.with_composition(parts)
        return other

    @property
    def needs_model_to_detect(self) -> bool:
        """Whether detection weighs tokens by the model's own distributions, and so has to run it."""
        return self.parts.needs_model_to_detect

    def detect(
        self,
        text: str,
        model: ModelAndTokenizer | None = None,
        prompt: str | None = None,
        as_it_is: bool = False,
    ) -> Detection:
        """Test one text; ``model`` and ``prompt`` are for schemes that need a model to detect.

        An empty text, as any that is too short, is "insufficient text".

        Raises:
            StelaError: the text is not a str or not well-formed unicode, or the model that the scheme
                needs was not given or has another tokenizer.
        """
        return self.detect_many([text], model, None if prompt is None else [prompt], as_it_is)[0]

    @contained
    def detect_many(
        self,
        texts: Iterable[str],
        model: ModelAndTokenizer | None = None,
        prompts: Iterable[str] | None = None,
        as_it_is: bool = False,
    ) -> list[Detection]:
        """Test many texts: faster than one by one, with the same results.

        A text is tested in all readings that plugins give, such as its canonical form (stela-detection).

        Args:
            texts: to test, any iterable of str but a str itself.
            model: the model and its tokenizer, where :attr:`needs_model_to_detect`; else not used. A
                :class:`stela_core.Surrogate` stands in for it, with its own tokenizer.
            prompts: what each text was generated after: the model reads it first, as it did then.
            as_it_is: leave other readings out.

        Raises:
            StelaError: as for :meth:`detect`, naming the text by its number; or prompts are not one a text.
        """
        reader = one_reading if as_it_is else self.reader
        return self.detect_batch(Batch.of_texts(texts, prompts, self.logits_of(model), reader))

    @contained
    def detect_ids(
        self,
        texts: Sequence[Sequence[int]],
        model: ModelAndTokenizer | None = None,
        prompts: Sequence[str] | None = None,
    ) -> list[Detection]:
        """Test texts given as token ids of the profile's tokenizer, prompt left out."""
        return self.detect_batch(Batch.of_ids(texts, prompts, self.logits_of(model)))

    @contained
    def with_passage(self, detection: Detection) -> Detection:
        """The detection with the passages that look marked, the window that does most, and its verdict."""
        if detection.by_key:
            return many_keys.most_marked([self.with_passage(each) for each in detection.by_key])
        earlier = (key.number for key in self.keys.known[1:] if key.key_id == detection.key_id)
        number, parts = next(earlier, None), self.parts
        return many_keys.with_passage(detection, parts if number is None else parts.under(number))

    @cached_property
    def detectors(self) -> list[tuple[OwnKey, Detector]]:
        """A detector for each of the keys, in their order; nothing but the key differs."""
        made = [(self.keys.known[0], self.detector)]
        made += [
            (key, self.detector.with_composition(self.parts.under(key.number))) for key in self.keys.known[1:]
        ]
        return [(key, each if key.note is None else each.noting(key.note)) for key, each in made]

    def detect_batch(self, batch: Batch, others: int = 0) -> list[Detection]:
        """Test each text under the likeliest of the keys; p-values are times their number.

        Args:
            batch: the texts.
            others: number of other marks that the texts are tested for, where keys are candidates.
        """
        with timed(log, "texts tested: %d", len(batch.readings), level=logging.DEBUG):
            if self.keys.named:
                return self._by_key(batch, len(self.keys.known) + others)
            return self.detector.detect_batch(batch)

    def _by_key(self, batch: Batch, tests: int) -> list[Detection]:
        known, first = self.keys.known, self.detector
        if self.keys.candidates and not first.composition.hasher.drops_dependent:
            under_candidates = lent("under_candidates", "testing for candidate keys")
            tested = under_candidates(first, [key.number for key in known], batch, tests)
        else:
            tested = many_keys.detections_under([detector for _, detector in self.detectors], batch, tests)
        by_key: list[list[Detection]] = [[] for _ in batch.readings]
        for n, m, detection in tested:
            by_key[m].append(replace(detection, key_id=known[n].key_id))
            if self.keys.candidates:  # they may be very many, and evidence takes memory
                by_key[m] = sorted(by_key[m], key=many_keys.order_of)[:SHOWN]
        return [many_keys.most_marked(detections) for detections in by_key]

    @cached_property
    def reader(self) -> Reader:
        """The function from a text to the readings in which it is tested: those of all plugins."""
        return reader_of(self._registry)

    def logits_of(self, model: ModelAndTokenizer | None) -> TextLogits | None:
        """The model's distributions, where they are needed.

        Raises:
            StelaError: it needs them and there is no model, or it has another tokenizer.
        """
        if not self.parts.needs_model_to_detect:
            return None
        if model is None:
            raise model_needed("scheme", self.profile.scheme.name)
        distributions = lent("distributions", "weighing tokens by a model")
        logits: TextLogits = distributions(model, self.parts.evidence, self.tokens, self.check_tokenizer)
        return logits
