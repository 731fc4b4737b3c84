"""The side of a watermark that marks: markers, processors, requests."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

from stela_core.catalogue import lent
from stela_core.composition import Composition
from stela_core.insertion.copies import Immutable
from stela_core.insertion.marker import Marker, RoundTrip
from stela_core.insertion.row_marks import Marks, row_marks
from stela_core.interfaces import Hasher
from stela_core.interfaces.encoder import Messages
from stela_core.libraries import require_generation
from stela_core.profile.key_set import KeySet, marking_number
from stela_core.profile.schema import Profile
from stela_core.text.pos_contexts import CausalContexts
from stela_core.text.token_bytes import TokenBytes
from stela_core.text.tokenizer import AnyTokenizer, backend_of, check_same_vocabulary, whole_of

if TYPE_CHECKING:
    from tokenizers import Tokenizer
    from torch import Tensor
    from transformers import LogitsProcessor, PreTrainedTokenizerBase, WatermarkingConfig

    class WatermarkLogitsProcessor(LogitsProcessor):
        """The logits processor of stela-transformers, as callers see it."""

        early_ids: Any
        gave_way: int
        reset: Callable[[], None]
        weights: list[list[float | None]]
        weights_of: Callable[..., list[float | None]]

        def __call__(self, input_ids: Tensor, scores: Tensor) -> Tensor:
            """New scores (rows, width) from ids so far (rows, length)."""


IN_TRANSFORMERS = "marking in transformers"


class Marking(Immutable):
    """What :class:`.Watermark` has for whoever generates text."""

    profile: Profile
    keys: KeySet
    parts: Composition
    """Mark, weightings and scorer."""
    tokens: TokenBytes
    """Bytes of each token id."""
    contexts: CausalContexts | None
    """The causal POS contexts, where the scheme uses them."""
    _tokenizer: AnyTokenizer
    _last: tuple[Tokenizer, int] | None = None
    """The last tokenizer that was found to go with the profile's, and its size."""

    @property
    def tokenizer(self) -> Tokenizer:
        """The profile's, as a whole: a large one may be read only now."""
        return whole_of(self._tokenizer)

    def check_tokenizer(self, tokenizer: PreTrainedTokenizerBase | Tokenizer) -> None:
        """Refuse a model's tokenizer whose ids mean something else than the profile's.

        Comparing takes a second or two, so the last one is remembered; one that has grown is compared again.

        Raises:
            StelaError: as for :func:`stela_core.text.tokenizer.check_same_vocabulary`, or it has no backend.
        """
        backend = backend_of(tokenizer)
        size = backend.get_vocab_size(with_added_tokens=True)
        if self._last is None or self._last[0] is not backend or self._last[1] != size:
            check_same_vocabulary(self.tokenizer, backend)
            self._last = backend, size

    def parts_now(self) -> Composition:
        """The same under the key that marks today; errors as for :func:`.marking_number`."""
        key, parts = marking_number(self.profile.hasher, self.keys), self.parts
        return parts if key == parts.hasher.key else parts.under(key)

    def marker(
        self,
        tokenizer: PreTrainedTokenizerBase | Tokenizer | None = None,
        round_trip: bool = False,
        keys: Sequence[int] | None = None,
        message: Messages | None = None,
    ) -> Marker:
        """A step of insertion for any engine: generated ids and logits in, marked logits out.

        It keeps no state, so one may serve all texts and threads; making it costs next to nothing.

        Args:
            tokenizer: the model's, checked against the profile's (once).
            round_trip: let only those ids come next that the text, tokenised again, holds, too: none is lost
                at detection. The first such marker of a watermark takes seconds for a large vocabulary.
            keys: 64-bit keys, one for each row of the batch, in place of the profile's. The marker then is
                for batches of these rows in this order.
            message: that the mark carries, where the profile has bits for it: a number or its hex digits, or
                one for each row.

        Raises:
            StelaError: the tokenizer is another one, stela-transformers is missing, or the message is missing
                or none of the profile's.
        """
        if tokenizer is not None:
            self.check_tokenizer(tokenizer)
        parts = self.parts_now() if keys is None else self.parts
        marks = row_marks(parts, keys, message)
        if isinstance(marks, Hasher):
            return self._marker_of(replace(parts, hasher=marks), round_trip)
        return self._marker_of(parts, round_trip, marks)

    def requests(
        self,
        tokenizer: PreTrainedTokenizerBase | Tokenizer | None = None,
        round_trip: bool = False,
        record: bool = False,
    ) -> Any:
        """Insertion for an engine whose requests come, leave and change places: as :meth:`marker`, with a
        state for each request, so that a step's cost does not grow with the texts (``Requests`` of
        stela-serving). The key is that of the day on which a request begins.

        Args:
            tokenizer: the model's, checked against the profile's (once).
            round_trip: as for :meth:`marker`.
            record: keep the weights applied (``.weights``).

        Raises:
            StelaError: the tokenizer is another one, or stela-serving or stela-transformers is missing.
        """
        if tokenizer is not None:
            self.check_tokenizer(tokenizer)
        hasher = self.profile.hasher
        key_now = partial(marking_number, hasher, self.keys) if hasher.has_epochs else None
        make: Callable[..., Any] = lent("Requests", "marking an engine's requests")
        return make(self._marker_of(self.parts_now(), round_trip), record, key_now)

    def _marker_of(self, parts: Composition, round_trip: bool, marks: Marks | None = None) -> Marker:
        returning = self._round_trip if round_trip else None
        return Marker(parts, self.tokens, self.contexts, self.profile.vocab_size, returning, marks)

    @cached_property
    def _round_trip(self) -> RoundTrip:
        make: Callable[..., RoundTrip] = lent("RoundTrip", "forbidding tokens that do not come back")
        return make(self.tokenizer, self.tokens)

    def logits_processor(
        self,
        tokenizer: PreTrainedTokenizerBase | Tokenizer | None = None,
        record: bool = False,
        round_trip: bool = False,
        keys: Sequence[int] | None = None,
        message: Messages | None = None,
    ) -> WatermarkLogitsProcessor:
        """A processor for ``model.generate(..., logits_processor=[...])``; making it costs next to nothing.

        Args:
            tokenizer: the model's, checked against the profile's (once).
            record: keep the weights applied (``.weights``).
            round_trip: as for :meth:`marker`.
            keys: as for :meth:`marker`.
            message: as for :meth:`marker`.

        Raises:
            StelaError: as for :meth:`marker`; or torch or transformers is missing.
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
        """A config for ``model.generate(..., watermarking_config=...)``, or for a ``GenerationConfig``.

        transformers adds the bias after temperature, top-k and top-p, and that of :meth:`logits_processor`
        before them: at temperature T that bias is delta / T, this one delta. At temperature 1 without
        top-k and top-p, and in greedy decoding, the texts of one seed are equal.

        Args:
            tokenizer: the model's, checked against the profile's.
            round_trip: as for :meth:`marker`.
            message: as for :meth:`marker`.

        Raises:
            StelaError: as for :meth:`logits_processor`; or the scheme's
                strength reads the model's logits, which temperature and top-k have changed by then.
        """
        require_generation()
        make: Callable[..., WatermarkingConfig] = lent("config_of", IN_TRANSFORMERS)
        return make(self.profile, self.marker(tokenizer, round_trip, None, message))
