"""Watermark: a loaded profile, ready to mark text and to find the mark."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from stela_core.composition import Composition, compose, resolve_scheme
from stela_core.detection.detector import Detector
from stela_core.detection.result import Detection
from stela_core.detection.scan import with_passage
from stela_core.detection.texts import checked_texts
from stela_core.errors import StelaError
from stela_core.interfaces import Hasher, HasherParameters, Tagger
from stela_core.models.logits import ModelLogits, model_needed
from stela_core.parameters import parse_parameters
from stela_core.profile.archive import Archive, read_archive
from stela_core.profile.device import require_reproducible
from stela_core.profile.key import Key, resolve_key
from stela_core.profile.own import is_own
from stela_core.profile.requires import require_plugins
from stela_core.profile.schema import HasherPart, Profile
from stela_core.profile.standing import OWN, Standing, require_strict, standing_of
from stela_core.profile.tagger import tagger_of
from stela_core.registry.components import Registry, default_registry
from stela_core.tables.file import parse_any_table
from stela_core.text.pos_contexts import CausalContexts
from stela_core.text.token_bytes import TokenBytes
from stela_core.text.tokenizer import backend_of, check_same_vocabulary, parse_tokenizer
from stela_core.text.tokenizer_form import SPARE_IDS

if TYPE_CHECKING:
    from tokenizers import Tokenizer
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

    from stela_core.insertion.transformers_config import ProfileWatermarkingConfig
    from stela_core.insertion.transformers_processor import WatermarkLogitsProcessor

    ModelAndTokenizer = tuple[PreTrainedModel, PreTrainedTokenizerBase]


def load(
    path: str | Path,
    key: Key | None = None,
    registry: Registry | None = None,
    tagger: str | Tagger | None = None,
    allow_lenient: bool = False,
) -> Watermark:
    """Load a profile.

    Args:
        path: a ``.stela`` file.
        key: the key of a secret-key profile: 16 hex digits, an integer, or the ``Path`` of a key file,
            which may hold a passphrase; by default the environment variable ``STELA_KEY``.
        registry: the plugins to use; by default the installed ones.
        tagger: the profile's tagger where its model is a folder of yours, as ``NAME:FOLDER``, or a tagger
            that is loaded already. A profile by itself loads only models whose names are known.
        allow_lenient: take somebody else's profile with alpha above 0.05 or min_tokens below 8.

    Raises:
        StelaError: the profile is corrupt, a plugin is missing, or the tokenizer, table, tagger or
            key is not the profile's; or its verdicts would say next to nothing (``allow_lenient``).
    """
    archive = read_archive(path)
    registry = registry or default_registry()
    if not (allow_lenient or is_own(archive.profile)):
        require_strict(archive.profile, f'profile "{path}"')
    return Watermark(archive, key, registry, tagger=tagger, standing=standing_of(archive.profile, registry))


class Watermark:
    """One watermark: :meth:`logits_processor` inserts it, :meth:`detect` finds it.

    Args:
        archive: the profile and what lies beside it.
        key: see :func:`load`.
        registry: the plugins.
        contexts: those of another watermark of the same tagger, k, window and tokenizer, to share: a
            tagger takes seconds to load.
        tagger: see :func:`load`.
        standing: what verdicts say of whoever made the profile, where that was not the user.
    """

    def __init__(
        self,
        archive: Archive,
        key: Key | None,
        registry: Registry,
        contexts: CausalContexts | None = None,
        tagger: str | Tagger | None = None,
        standing: Standing = OWN,
    ) -> None:
        profile = self.profile = archive.profile
        self.standing = standing
        require_plugins(profile, registry)
        parts = resolve_scheme(registry, profile.scheme.name)
        table = None if archive.table is None else parse_any_table(archive.table, "the profile's table")
        hasher_class = registry.get(Hasher, profile.hasher.name)
        parameters = _hasher_parameters(profile.hasher, hasher_class)
        self._tokenizer = parse_tokenizer(archive.tokenizer, "the profile")
        self._tokens = TokenBytes.of(self._tokenizer)
        for size in (profile.vocab_size, getattr(parameters, "vocab_size", 0)):
            _check_size(size, len(self._tokens))
        hasher = hasher_class(parameters, resolve_key(profile.hasher, key))
        self._parts = compose(parts, profile.scheme.parameters, hasher, table, profile.calibration)
        self._contexts = _contexts(profile, registry, self._tokens, contexts, tagger)
        self._detector = Detector(
            self._parts,
            self._tokenizer,
            self._tokens,
            self._contexts,
            profile.min_tokens,
            profile.alpha,
            standing,
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
        from stela_core.insertion.step import Insertion
        from stela_core.models.load import require_generation

        require_generation()
        from stela_core.insertion.transformers_processor import WatermarkLogitsProcessor

        if tokenizer is not None:
            check_same_vocabulary(self._tokenizer, backend_of(tokenizer))
        insertion = Insertion(self._parts, self._tokens, self._contexts)
        return WatermarkLogitsProcessor(insertion, self._parts.hasher, self.profile.vocab_size, record=record)

    def watermarking_config(
        self, tokenizer: PreTrainedTokenizerBase | Tokenizer | None = None
    ) -> ProfileWatermarkingConfig:
        """For ``model.generate(..., watermarking_config=...)``, or a ``GenerationConfig`` that is kept.

        transformers adds the bias after temperature, top-k and top-p, and that of :meth:`logits_processor`
        before them: at temperature T that bias is delta / T, this one delta. At temperature 1 without
        top-k and top-p, and in greedy decoding, the texts of one seed are equal.

        Args:
            tokenizer: the model's, checked against the profile's.

        Raises:
            StelaError: the tokenizer is another one, torch or transformers is missing, or the scheme's
                strength reads the model's logits, which temperature and top-k have changed by then.
        """
        from stela_core.models.load import require_generation

        require_generation()
        from stela_core.insertion.transformers_config import ProfileWatermarkingConfig

        if "logits" in self._parts.strength.needs:
            raise StelaError(
                f'scheme "{self.profile.scheme.name}" reads the model\'s logits, and transformers hands a '
                "watermarking_config those that temperature and top-k have changed.",
                "give model.generate logits_processor=[wm.logits_processor(tokenizer)]",
            )
        if tokenizer is not None:
            check_same_vocabulary(self._tokenizer, backend_of(tokenizer))
        return ProfileWatermarkingConfig(self.profile, self.logits_processor)

    @property
    def needs_model_to_detect(self) -> bool:
        """Whether detection weighs tokens by the model's own distributions, and so has to run it."""
        return self._parts.needs_model_to_detect

    def detect(
        self, text: str, model: ModelAndTokenizer | None = None, prompt: str | None = None
    ) -> Detection:
        """Test one text; ``model`` and ``prompt`` are for schemes that need a model to detect.

        An empty text, as any that is too short, is "insufficient text".

        Raises:
            StelaError: the text is no str or not well-formed unicode, or the model that the scheme
                needs was not given or has another tokenizer.
        """
        return self.detect_many([text], model, None if prompt is None else [prompt])[0]

    def detect_many(
        self,
        texts: Iterable[str],
        model: ModelAndTokenizer | None = None,
        prompts: Iterable[str] | None = None,
    ) -> list[Detection]:
        """Test many texts: faster than one by one, with the same results.

        Args:
            texts: to test, any iterable of str but a str itself.
            model: the model and its tokenizer, where :attr:`needs_model_to_detect`; else not used.
            prompts: what each text was generated after: the model reads it first, as it did then.

        Raises:
            StelaError: as for :meth:`detect`, naming the text by its number; or there is not one prompt
                for each text.
        """
        texts = checked_texts(texts)
        prompts = None if prompts is None else checked_texts(prompts, "prompt")
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


def _hasher_parameters(part: HasherPart, hasher_class: type[Hasher]) -> HasherParameters:
    require_reproducible(part.device)
    values = {**part.parameters, "gamma": part.gamma, "context_width": part.context_width}
    return parse_parameters(hasher_class.Parameters, values, f'hasher "{part.name}"')


def _check_size(size: int, ids: int) -> None:
    """Models pad their vocabularies, by no more than the tokenizer's ids again."""
    if size > 2 * ids + SPARE_IDS:
        raise StelaError(
            f"the profile has vocab_size {size}, its tokenizer {ids} ids.",
            "get the file again, or make the profile anew",
        )


def _contexts(
    profile: Profile,
    registry: Registry,
    tokens: TokenBytes,
    shared: CausalContexts | None,
    given: str | Tagger | None,
) -> CausalContexts | None:
    part = profile.tagger
    if part is None or profile.k is None or profile.window is None:
        if given is not None:
            raise StelaError("the profile uses no tagger.", "leave --tagger out, or tagger= of stela.load")
        return None
    tagger = tagger_of(part, registry, given if shared is None else shared.tagger)
    if shared is not None and (shared.k, shared.window) == (profile.k, profile.window):
        return shared
    return CausalContexts(tagger, profile.k, profile.window, tokens)
