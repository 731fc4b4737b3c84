"""Watermark: a loaded profile, ready to mark text and to find the mark."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

from stela_core.composition import Composition
from stela_core.detection.batch import Batch
from stela_core.detection.detector import Detector
from stela_core.detection.expected_power import freedoms_of
from stela_core.detection.many_keys import KeyedDetectors, with_passages
from stela_core.detection.readings import as_it_is as one_reading
from stela_core.detection.readings import readings_of
from stela_core.detection.result import Detection
from stela_core.insertion.carrying import Messages, with_message
from stela_core.insertion.copies import Unchanging
from stela_core.insertion.marker import Marker, RoundTrip
from stela_core.insertion.requests import Requests
from stela_core.insertion.row_keys import with_row_keys
from stela_core.interfaces import Tagger
from stela_core.interfaces.logits import Surrogate, TextLogits, model_needed
from stela_core.libraries import require_generation
from stela_core.profile.archive import Archive
from stela_core.profile.identity import summary
from stela_core.profile.key import Key
from stela_core.profile.key_set import KeySet, OwnKey, composition_now, key_of_the_day
from stela_core.profile.parts import ProfileParts, contexts_of, open_archive
from stela_core.profile.provenance import OWN, Provenance
from stela_core.registry.components import Registry
from stela_core.registry.published import lent
from stela_core.text.pos_contexts import CausalContexts
from stela_core.text.token_bytes import TokenBytes
from stela_core.text.tokenizer import CheckedTokenizer

if TYPE_CHECKING:
    from tokenizers import Tokenizer
    from transformers import PreTrainedModel, PreTrainedTokenizerBase, WatermarkingConfig

    from stela_core.insertion.in_transformers import WatermarkLogitsProcessor

    ModelAndTokenizer = tuple[PreTrainedModel, PreTrainedTokenizerBase] | Surrogate

IN_TRANSFORMERS = "marking in transformers"


class Watermark(Unchanging):
    """One watermark: :meth:`logits_processor` inserts it, :meth:`detect` finds it.

    Args:
        archive: the profile with its tokenizer and table.
        key: see :func:`stela_core.load`.
        registry: the plugins.
        contexts: of another watermark of the same tagger, k, window and tokenizer: a tagger loads slowly.
        tagger: see :func:`stela_core.load`.
        provenance: what verdicts say of whoever made the profile, where that was not the user.
        parts: of the profile, where they are parsed and composed already, under this key.
        scoring: see :func:`stela_core.load`.
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
        scoring: Mapping[str, Any] | None = None,
    ) -> None:
        profile = self.profile = archive.profile
        self.provenance = provenance
        parts = parts or open_archive(archive, key, registry, scoring)
        composed = parts.composition, parts.tokenizer, parts.tokens
        self._composition, self.tokenizer, self._tokens = composed
        self._checked = CheckedTokenizer(parts.tokenizer)
        self._contexts = contexts_of(profile, registry, parts.tokens, contexts, tagger)
        limits = profile.min_tokens, profile.alpha
        self._detector = Detector(*composed, self._contexts, *limits, provenance, freedoms_of(profile))
        current = OwnKey(profile.hasher.key_id, parts.composition.hasher.key)
        self.keyed = KeyedDetectors(self._detector, parts.keys or KeySet((current,), ()))
        """A detector for each of the profile's keys that is at hand."""

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {summary(self.profile)}>"

    @property
    def parts(self) -> Composition:
        """Mark, weightings and scorer."""
        return self._composition

    def parts_now(self) -> Composition:
        """The same under the key that marks today; errors as for :func:`.marking_number`."""
        return composition_now(self._composition, self.profile.hasher, self.keyed.keys)

    @property
    def tokens(self) -> TokenBytes:
        """Bytes of each token id."""
        return self._tokens

    @property
    def contexts(self) -> CausalContexts | None:
        """The causal POS contexts, where the scheme uses them."""
        return self._contexts

    def marker(
        self,
        tokenizer: PreTrainedTokenizerBase | Tokenizer | None = None,
        round_trip: bool = False,
        keys: Sequence[int] | None = None,
        message: Messages | None = None,
    ) -> Marker:
        """A step of insertion for any engine: generated ids and logits in, marked logits out.

        It keeps no state: one may serve all texts and threads.

        Args:
            tokenizer: the model's, checked against the profile's (once).
            round_trip: let only those ids come next that the text, tokenised again, holds, too. The first
                such marker of a watermark takes seconds for a large vocabulary.
            keys: 64-bit keys in place of the profile's, for batches of these rows in this order.
            message: that the mark carries, or that of each row, where the profile has bits for it.

        Raises:
            StelaError: the tokenizer or the message is not the profile's, or stela-round-trip is missing.
        """
        if tokenizer is not None:
            self._checked.check(tokenizer)
        parts = self.parts_now() if keys is None else with_row_keys(self._composition, keys)
        return self._marker_of(round_trip, with_message(parts, message))

    def requests(
        self,
        tokenizer: PreTrainedTokenizerBase | Tokenizer | None = None,
        round_trip: bool = False,
        record: bool = False,
    ) -> Requests:
        """Insertion for an engine whose requests come and leave: as :meth:`marker`, with a state for each, so
        that steps of long texts cost no more. The key is that of the day on which a request begins.

        Args:
            tokenizer: the model's, checked against the profile's (once).
            round_trip: as for :meth:`marker`.
            record: keep the weights applied (:meth:`.Requests.weights`).

        Raises:
            StelaError: the tokenizer is another one, or stela-round-trip is missing.
        """
        if tokenizer is not None:
            self._checked.check(tokenizer)
        key_now = key_of_the_day(self.profile.hasher, self.keyed.keys)
        return Requests(self.parts_now(), partial(self._marker_of, round_trip), record, key_now)

    def among(self, messages: Sequence[int | str]) -> Watermark:
        """The same where only these messages were issued; errors as for :meth:`.Encoder.among`."""
        other, keyed = object.__new__(type(self)), self.keyed.among(messages)
        parts = {"keyed": keyed, "_detector": keyed.detector, "_composition": keyed.detector.composition}
        other.__dict__.update(self.__dict__, **parts)
        return other

    def _marker_of(self, round_trip: bool, parts: Composition) -> Marker:
        returning = self._round_trip if round_trip else None
        return Marker(parts, self._tokens, self._contexts, self.profile.vocab_size, returning)

    @cached_property
    def _round_trip(self) -> RoundTrip:
        make: Callable[..., RoundTrip] = lent("RoundTrip", "forbidding tokens that do not come back")
        return make(self.tokenizer, self._tokens)

    def logits_processor(
        self,
        tokenizer: PreTrainedTokenizerBase | Tokenizer | None = None,
        record: bool = False,
        round_trip: bool = False,
        keys: Sequence[int] | None = None,
        message: Messages | None = None,
    ) -> WatermarkLogitsProcessor:
        """A processor for ``model.generate(..., logits_processor=[...])``.

        Args:
            tokenizer: the model's, checked against the profile's (once).
            record: keep the weights applied (``.weights``).
            round_trip: as for :meth:`marker`.
            keys: as for :meth:`marker`.
            message: as for :meth:`marker`.

        Raises:
            StelaError: tokenizer or message is not the profile's, or torch or transformers is missing.
        """
        require_generation()
        make: Callable[..., WatermarkLogitsProcessor] = lent("WatermarkLogitsProcessor", IN_TRANSFORMERS)
        return make(self.marker(tokenizer, round_trip, keys, message), record)

    def watermarking_config(
        self,
        tokenizer: PreTrainedTokenizerBase | Tokenizer | None = None,
        round_trip: bool = False,
        message: Messages | None = None,
    ) -> WatermarkingConfig:
        """For ``model.generate(..., watermarking_config=...)``, or a ``GenerationConfig`` that is kept.

        transformers adds this bias after temperature, top-k and top-p, and that of :meth:`logits_processor`
        before them: at temperature T that one is delta / T. Else the texts of one seed are equal.

        Args:
            tokenizer: the model's, checked against the profile's.
            round_trip: as for :meth:`marker`.
            message: as for :meth:`marker`.

        Raises:
            StelaError: the tokenizer is another one, torch or transformers is missing, or the scheme's
                strength reads the model's logits, which temperature and top-k have changed by then.
        """
        require_generation()
        make: Callable[..., WatermarkingConfig] = lent("config_of", IN_TRANSFORMERS)
        if tokenizer is not None:
            self._checked.check(tokenizer)
        parts, marker = with_message(self.parts_now(), message), partial(self._marker_of, round_trip)
        return make(self.profile, parts, marker)

    @property
    def needs_model_to_detect(self) -> bool:
        """Whether detection weighs tokens by the model's distributions, and so has to run it."""
        return self._composition.needs_model_to_detect

    def detect(
        self,
        text: str,
        model: ModelAndTokenizer | None = None,
        prompt: str | None = None,
        as_it_is: bool = False,
    ) -> Detection:
        """Test one text; ``model`` and ``prompt`` are for schemes that need a model to detect.

        Raises:
            StelaError: the text is no str or not well-formed unicode, or the model that the scheme
                needs was not given or has another tokenizer.
        """
        return self.detect_many([text], model, None if prompt is None else [prompt], as_it_is)[0]

    def detect_many(
        self,
        texts: Iterable[str],
        model: ModelAndTokenizer | None = None,
        prompts: Iterable[str] | None = None,
        as_it_is: bool = False,
    ) -> list[Detection]:
        """Test many texts: faster than one by one, with the same results.

        One that differs from its canonical form, or is in capitals, is tested in several readings.

        Args:
            texts: to test, any iterable of str but a str itself.
            model: with its tokenizer, or a :class:`stela_core.Surrogate`; only used where it is needed.
            prompts: what each text was generated after, for the model to read first.
            as_it_is: leave canonical forms out.

        Raises:
            StelaError: as for :meth:`detect`, naming the text by its number; or prompts are not one a text.
        """
        reader = one_reading if as_it_is else readings_of
        return self.keyed.detect_batch(Batch.of_texts(texts, prompts, self.logits_of(model), reader))

    def detect_ids(
        self,
        texts: Sequence[Sequence[int]],
        model: ModelAndTokenizer | None = None,
        prompts: Sequence[str] | None = None,
    ) -> list[Detection]:
        """Test texts given as token ids, prompt left out."""
        return self.keyed.detect_batch(Batch.of_ids(texts, prompts, self.logits_of(model)))

    def with_passage(self, detection: Detection) -> Detection:
        """The detection with the passages that look marked, the window that does most, and its verdict."""
        return with_passages(detection, self._composition.scorer)

    @property
    def detector(self) -> Detector:
        """The detector, for its evidence."""
        return self._detector

    def logits_of(self, model: ModelAndTokenizer | None) -> TextLogits | None:
        """The model's distributions, where they are needed.

        Raises:
            StelaError: it needs them and there is no model, or it has another tokenizer.
        """
        if not self._composition.needs_model_to_detect:
            return None
        if model is None:
            raise model_needed("scheme", self.profile.scheme.name)
        distributions = lent("distributions", "weighing tokens by a model")
        logits: TextLogits = distributions(
            model, self._composition.evidence, self.tokens, self._checked.check
        )
        return logits
