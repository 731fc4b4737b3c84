"""Watermark: a loaded profile, ready to mark text and to find the mark."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from stela_core.composition import Composition, compose, resolve_scheme
from stela_core.detection.detector import Detector
from stela_core.detection.model_logits import ModelLogits, model_needed
from stela_core.detection.result import Detection
from stela_core.detection.scan import with_passage
from stela_core.errors import StelaError
from stela_core.interfaces import Hasher, HasherParameters, Tagger
from stela_core.numeric.keys import key_id, parse_key
from stela_core.parameters import parse_parameters
from stela_core.profile.archive import Archive, read_archive
from stela_core.profile.device import require_reproducible
from stela_core.profile.schema import HasherPart, Profile
from stela_core.registry import Registry, default_registry
from stela_core.tables.file import parse_any_table
from stela_core.tables.tagger_spec import make_tagger
from stela_core.text.contexts import CausalContexts
from stela_core.text.token_bytes import TokenBytes
from stela_core.text.tokenizer import backend_of, check_same_vocabulary, parse_tokenizer

if TYPE_CHECKING:
    from tokenizers import Tokenizer
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

    from stela_core.generation.processor import WatermarkLogitsProcessor

    ModelAndTokenizer = tuple[PreTrainedModel, PreTrainedTokenizerBase]

KEY_VARIABLE = "STELA_KEY"


def load(path: str | Path, key: int | str | None = None, registry: Registry | None = None) -> Watermark:
    """Load a profile.

    Args:
        path: a ``.stela`` file.
        key: the key of a secret-key profile (16 hex digits, or an integer); by default the
            environment variable ``STELA_KEY``.
        registry: the plugins to use; by default the installed ones.

    Raises:
        StelaError: the profile is corrupt, a plugin is missing, or the tokenizer, table, tagger or
            key is not the profile's.
    """
    return Watermark(read_archive(path), key, registry or default_registry())


class Watermark:
    """One watermark: :meth:`logits_processor` inserts it, :meth:`detect` finds it.

    Args:
        archive: the profile and what lies beside it.
        key: see :func:`load`.
        registry: the plugins.
        contexts: those of another watermark of the same tagger, k, window and tokenizer, to share: a
            tagger takes seconds to load.
    """

    def __init__(
        self,
        archive: Archive,
        key: int | str | None,
        registry: Registry,
        contexts: CausalContexts | None = None,
    ) -> None:
        profile = self.profile = archive.profile
        parts = resolve_scheme(registry, profile.scheme.name)
        table = None if archive.table is None else parse_any_table(archive.table, "the profile's table")
        hasher_class = registry.get(Hasher, profile.hasher.name)
        parameters = _hasher_parameters(profile.hasher, hasher_class)
        hasher = hasher_class(parameters, resolve_key(profile.hasher, key))
        self._parts = compose(parts, profile.scheme.parameters, hasher, table, profile.calibration)
        self._tokenizer = parse_tokenizer(archive.tokenizer, "the profile")
        self._tokens = TokenBytes.of(self._tokenizer)
        self._contexts = _contexts(profile, registry, self._tokens, contexts)
        self._detector = Detector(
            self._parts, self._tokenizer, self._tokens, self._contexts, profile.min_tokens, profile.alpha
        )

    @property
    def parts(self) -> Composition:
        """Hasher, weightings and scorer."""
        return self._parts

    @property
    def tokens(self) -> TokenBytes:
        """Bytes of each token id."""
        return self._tokens

    @property
    def contexts(self) -> CausalContexts | None:
        """The causal POS contexts, where the scheme uses them."""
        return self._contexts

    def logits_processor(
        self, tokenizer: PreTrainedTokenizerBase | Tokenizer | None = None, record: bool = False
    ) -> WatermarkLogitsProcessor:
        """A processor for one call of ``model.generate`` after the other.

        Args:
            tokenizer: the model's, checked against the profile's.
            record: keep the weights applied (``.weights``).

        Raises:
            StelaError: the tokenizer is another one, or torch or transformers is missing.
        """
        from stela_core.generation.insertion import Insertion
        from stela_core.generation.load import require_generation

        require_generation()
        from stela_core.generation.processor import WatermarkLogitsProcessor

        if tokenizer is not None:
            check_same_vocabulary(self._tokenizer, backend_of(tokenizer))
        insertion = Insertion(self._parts, self._tokens, self._contexts)
        return WatermarkLogitsProcessor(insertion, self._parts.hasher, self.profile.vocab_size, record=record)

    @property
    def needs_model_to_detect(self) -> bool:
        """Whether detection weighs tokens by the model's own distributions, and so has to run it."""
        return self._parts.needs_model_to_detect

    def detect(
        self, text: str, model: ModelAndTokenizer | None = None, prompt: str | None = None
    ) -> Detection:
        """Test one text; ``model`` and ``prompt`` are for schemes that need a model to detect.

        Raises:
            StelaError: the text is empty or not well-formed unicode, or the model that the scheme
                needs was not given or has another tokenizer.
        """
        return self.detect_many([text], model, None if prompt is None else [prompt])[0]

    def detect_many(
        self,
        texts: Sequence[str],
        model: ModelAndTokenizer | None = None,
        prompts: Sequence[str] | None = None,
    ) -> list[Detection]:
        """Test many texts: faster than one by one, with the same results.

        Args:
            texts: to test.
            model: the model and its tokenizer, where :attr:`needs_model_to_detect`; else not used.
            prompts: what each text was generated after: the model reads it first, as it did then.

        Raises:
            StelaError: as for :meth:`detect`; or there is not one prompt for each text.
        """
        return self._detector.detect_many(texts, self._logits(model, prompts, len(texts)), prompts)

    def detect_ids(
        self,
        texts: Sequence[Sequence[int]],
        model: ModelAndTokenizer | None = None,
        prompts: Sequence[str] | None = None,
    ) -> list[Detection]:
        """Test texts given as token ids of the profile's tokenizer, prompt left out."""
        return self._detector.detect_ids(texts, self._logits(model, prompts, len(texts)), prompts)

    def with_passage(self, detection: Detection) -> Detection:
        """The detection with the window that looks marked most (``.window``), and its verdict."""
        return with_passage(detection, self._parts.scorer, self._parts.hasher.gamma)

    @property
    def detector(self) -> Detector:
        """The detector, for its evidence."""
        return self._detector

    def _logits(
        self, model: ModelAndTokenizer | None, prompts: Sequence[str] | None, count: int
    ) -> ModelLogits | None:
        if not self.needs_model_to_detect:
            return None
        if model is None:
            raise model_needed(self.profile.scheme.name)
        if prompts is not None and len(prompts) != count:
            raise StelaError(
                f"{len(prompts)} prompts for {count} texts.",
                "give one prompt for each text, in the same order",
            )
        check_same_vocabulary(self._tokenizer, backend_of(model[1]))
        return ModelLogits(*model)


def resolve_key(part: HasherPart, key: int | str | None) -> int:
    """The key to use, checked against the profile's ``key_id``.

    Raises:
        StelaError: the key is secret and none was given, or it is another one.
    """
    given = key if key is not None else part.key or os.environ.get(KEY_VARIABLE)
    if given is None:
        raise StelaError(
            f"the profile's key (id {part.key_id}) is secret.",
            f"give it with --key-file FILE or in the environment variable {KEY_VARIABLE}",
        )
    number = parse_key(given)
    if key_id(number) != part.key_id:
        raise StelaError(
            f"wrong key: its id is {key_id(number)}, the profile's is {part.key_id}.",
            "give the key the profile was made with",
        )
    return number


def _hasher_parameters(part: HasherPart, hasher_class: type[Hasher]) -> HasherParameters:
    require_reproducible(part.device)
    values = {**part.parameters, "gamma": part.gamma, "context_width": part.context_width}
    return parse_parameters(hasher_class.Parameters, values, f'hasher "{part.name}"')


def _contexts(
    profile: Profile, registry: Registry, tokens: TokenBytes, shared: CausalContexts | None
) -> CausalContexts | None:
    part = profile.tagger
    if part is None or profile.k is None or profile.window is None:
        return None
    tagger: Tagger = make_tagger(registry, f"{part.name}:{part.model}") if shared is None else shared.tagger
    if tagger.fingerprint != part.fingerprint:
        raise StelaError(
            f'wrong tagger: the profile names "{part.name}" {part.version}, here is {tagger.version} '
            f"(fingerprint {tagger.fingerprint}, not {part.fingerprint}).",
            "install the version the profile names",
        )
    if shared is not None and (shared.k, shared.window) == (profile.k, profile.window):
        return shared
    return CausalContexts(tagger, profile.k, profile.window, tokens)
