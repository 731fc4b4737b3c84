"""``stela.create``: a new profile in one call, as a Watermark."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial, wraps
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from stela_core.catalogue import lent
from stela_core.composition import recommended_scheme, resolve_scheme, with_recommended_evidence
from stela_core.errors import StelaError, contained, did_you_mean
from stela_core.files.bounded import read_bounded
from stela_core.files.fingerprint import sha256
from stela_core.files.write import require_free
from stela_core.hashing.key_file import Key, write_key_file
from stela_core.hashing.keys import format_key, new_key
from stela_core.interfaces import Calibration, Scheme, Tagger
from stela_core.profile.archive import LIMITS, TABLE
from stela_core.profile.create import Settings
from stela_core.profile.known_tokenizers import remember_tokenizer
from stela_core.profile.parts import ProfileParts
from stela_core.profile.provenance import trusted
from stela_core.profile.schema import HasherPart, NullCheck
from stela_core.registry.components import Registry, default_registry
from stela_core.registry.tagger_spec import default_tagger, make_tagger
from stela_core.text.own_tokenizer import OwnTokenizer
from stela_core.text.tokenizer import backend_of
from stela_core.watermark import Watermark

if TYPE_CHECKING:
    from tokenizers import Tokenizer
    from transformers import PreTrainedTokenizerBase

P = ParamSpec("P")
T = TypeVar("T")

PUBLIC = "public"

KeyCheck = Callable[[int, Callable[[], int] | None], tuple[int, Sequence[NullCheck | Mapping[str, Any]]]]


class NewWatermark(Watermark):
    """What :func:`create` returns: a watermark whose profile is not in a file yet.

    Args:
        created: the profile and its parts.
        key: the key, 64 bits a word.
        drawn: the key is secret and nobody else has it.
        registry: the plugins.
        tagger: of a profile that uses one.
    """

    def __init__(
        self, created: ProfileParts, key: int, drawn: bool, registry: Registry, tagger: Tagger | None
    ) -> None:
        used = None if created.archive.profile.tagger is None else tagger
        super().__init__(created.archive, key, registry, tagger=used, parts=created)
        self._created = created
        self._key = key
        hasher = created.composition.hasher
        self._words = hasher.key_words(hasher.parameters)
        self._drawn = drawn
        self.remarks = created.remarks
        """Remarks for whoever made it: what fits it badly, a line each."""

    @property
    def key(self) -> str:
        """The key as 16 hex digits (for each of its words): keep it, if it is secret."""
        return format_key(self._key, self._words)

    def save(self, path: str | Path, *, key_file: str | Path | None = None, force: bool = False) -> None:
        """Write the profile, for ``stela.load`` and every command.

        Args:
            path: of the new ``.stela`` file.
            key_file: write a secret key there, readable only by its owner; for a secret key that was
                drawn there has to be one, or the key would be lost with this object.
            force: replace a profile of this name; a key file is never replaced.

        Raises:
            StelaError: a file is there already or cannot be written, or ``key_file`` is missing, or
                was given for a key that is public.
        """
        if self._drawn and key_file is None:
            raise StelaError(
                "the key is secret and nobody else has it: without it this profile is of no use.",
                'save("p.stela", key_file="key.txt"), or create(..., key="public")',
            )
        if key_file is not None and self.profile.hasher.key is not None:
            raise StelaError("the key is public: it is in the profile.", "leave key_file out")
        require_free(Path(path), force)
        if key_file is not None:
            write_key_file(key_file, self._key, self._words)
        self._created.archive.write(path, replace=force)
        trusted.add(self.profile)
        self._drawn = False

    def with_checked_key(self, check: KeyCheck) -> NewWatermark:
        """The same under a key that passed tests on human text, which its profile tells.

        Args:
            check: is given the key, and where that is public what draws another; returns the one that passed,
                and its tests, at least one.
        """
        part = self.profile.hasher
        key, checks = check(self._key, None if part.key is None else partial(new_key, self._words))
        if part.key is not None:
            part = part.model_copy(update=part.fields_of(key, True, words=self._words))
        profile = self.profile.model_copy(update={"hasher": part}).with_null_checks(checks)
        archive = replace(self._created.archive, profile=profile)
        created = self._created._replace(archive=archive, composition=self.parts.under(key))
        tagger = None if self.contexts is None else self.contexts.tagger
        return NewWatermark(created, key, self._drawn, self._registry, tagger)


def _of_model(registry: Registry, name: str) -> OwnTokenizer:
    source = Path(name) / "tokenizer.json"
    if lent("find_tokenizer") is not None or not source.is_file():
        source = lent("find_tokenizer", f'the tokenizer of "{name}"')(registry, name)
    tokenizer = OwnTokenizer.of_file(source) if isinstance(source, Path) else OwnTokenizer.of(source)
    remember_tokenizer(tokenizer.data, sha256(tokenizer.data))
    return tokenizer


def _suggesting(make: Callable[P, T]) -> Callable[P, T]:
    """Have the error for a name that is not a parameter name the closest parameter."""
    accepted = signature(make)

    @wraps(make)
    def call(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            accepted.bind(*args, **kwargs)
        except TypeError as error:
            known = accepted.parameters
            hint = next((f"; {did_you_mean(one, known)}" for one in kwargs if one not in known), "")
            raise TypeError(f"{make.__name__}(): {error}{hint}") from None
        return make(*args, **kwargs)

    return call


@_suggesting
@contained
def create(
    scheme: str | None = None,
    model: str | None = None,
    tokenizer: PreTrainedTokenizerBase | Tokenizer | None = None,
    tagger: str | Tagger | None = None,
    key: Key | None = None,
    *,
    gamma: float | None = None,
    delta: float | None = None,
    context_width: int | None = None,
    parameters: Mapping[str, Any] | None = None,
    bits: int | None = None,
    k: int | None = None,
    window: int | None = None,
    calibration: Calibration = "tokens",
    language: str | None = None,
    min_tokens: int | None = None,
    alpha: float | None = None,
    allow_lenient: bool = False,
    table: str | Path | None = None,
    registry: Registry | None = None,
) -> NewWatermark:
    """Make a profile, as ``stela profile new`` does; ``.save("p.stela")`` writes it.

    ``None`` leaves a choice to the scheme and the tagger.

    Args:
        scheme: Scheme, or a weighting that is used for marking and detecting. [the recommended one]
        model: Alias, folder or Hugging Face name; gives the tokenizer.
        tokenizer: The tokenizer itself, in place of the model.
        tagger: Tagger, for schemes that use POS contexts. [the language's]
        key: A secret key: an integer of 64 bits, 16 hex digits, or the ``Path`` of a key file. ``"public"``
            draws one and writes it into the profile; ``None`` draws a secret one, which ``.save`` writes into
            a separate file.
        gamma: Share of green tokens, between 0 and 1. [the scheme's]
        delta: Mean bias on the logits of green tokens, in nats. [2.0]
        context_width: Number of preceding tokens that give the seed. [the scheme's]
        parameters: Parameters of the scheme or of its hasher, by name.
        bits: Bits of a message that marks carry, 0 to 16, or 24, 32, .. 64. [no message]
        k: n-gram length of part-of-speech contexts. [the tagger's]
        window: Number of words (Chinese: characters) before a token that are tagged. [the tagger's]
        calibration: Which mean delta is divided by: over the tokens of text, or over context types.
        language: Language of the texts, as an ISO 639-1 code. [the tagger's]
        min_tokens: Smallest number of distinct pairs; fewer are "insufficient text". [8]
        alpha: Largest p-value that is called watermarked. [0.001]
        allow_lenient: Allow alpha above 0.05 and min-tokens below 8.
        table: Indeterminacy table. [the tagger's own]
        registry: The plugins. [those installed]

    Raises:
        StelaError: a part is missing or does not fit the others, or not one of ``model`` and
            ``tokenizer`` was given.
    """
    source = tokenizer if model is None else model
    if source is None or (model is not None and tokenizer is not None):
        raise StelaError(
            "give either model=NAME or tokenizer=TOKENIZER.",
            "one of the two: an alias, folder or Hugging Face name, or the tokenizer itself",
        )
    if not isinstance(parameters or {}, Mapping):
        raise StelaError(f"parameters is a {type(parameters).__name__}.", 'give a dict: {"name": value}')
    registry = registry or default_registry()
    settings = Settings(
        scheme or with_recommended_evidence(registry, recommended_scheme(registry), language),
        parameters or {},
        gamma=gamma,
        delta=delta,
        context_width=context_width,
        bits=bits,
        k=k,
        window=window,
        calibration=calibration,
        language=language,
        min_tokens=min_tokens,
        alpha=alpha,
        allow_lenient=allow_lenient,
    )
    hasher, hasher_parameters = settings.hasher_of(registry)
    words, public = hasher.key_words(hasher_parameters), key == PUBLIC
    number, salt = HasherPart.number_and_salt(None if public else key, public, words)
    own = _of_model(registry, source) if isinstance(source, str) else backend_of(source)
    remarks = []
    if not scheme:
        reason, others = recommended_scheme(registry).recommended, len(registry.names(Scheme)) - 1
        others_are = f'Others: --scheme NAME ("stela plugins" lists {others})'
        remarks.append(f'scheme "{settings.scheme}": it {reason}. {others_are}')
    if tagger is None and language and resolve_scheme(registry, settings.scheme).needs_contexts:
        tagger = default_tagger(registry, language)
        remarks.append(f'tagger "{tagger}": the default for language "{language}"')
    loaded = make_tagger(registry, tagger) if isinstance(tagger, str) else tagger
    data = None
    if table is not None:
        data = read_bounded(table, LIMITS[TABLE], f'table "{table}"', "build one with stela lambda build")
    created = settings.create(registry, own, number, public, loaded, data, salt)
    created = created._replace(remarks=[*remarks, *created.remarks])
    return NewWatermark(created, number, key is None, registry, loaded)
