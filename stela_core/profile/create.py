"""Make a profile: from names and files to an archive whose parts fit together."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError
from tokenizers import Tokenizer

from stela_core.composition import SchemeParts, compose, hasher_names, resolve_scheme
from stela_core.errors import StelaError
from stela_core.files.fingerprint import sha256
from stela_core.interfaces import Calibration, ContextParameters, Law, Mark, Tagger
from stela_core.parameters import describe, parse_parameters
from stela_core.profile.archive import Archive
from stela_core.profile.device import require_reproducible
from stela_core.profile.key import key_fields
from stela_core.profile.opened import Opened
from stela_core.profile.requires import distributions_of
from stela_core.profile.schema import HasherPart, Profile, SchemePart, TaggerPart
from stela_core.profile.standing import FEWEST_TOKENS, require_strict
from stela_core.profile.table_check import check_table, check_values
from stela_core.registry.components import Registry
from stela_core.registry.manager import core_version
from stela_core.tables.file import parse_any_table
from stela_core.tables.values import ValueTable
from stela_core.text.own_tokenizer import OwnTokenizer

if TYPE_CHECKING:
    from stela_core.tables.table import IndeterminacyTable

    AnyTable = IndeterminacyTable | ValueTable


@dataclass(frozen=True)
class Settings:
    """What a user chooses; ``None`` leaves the choice to scheme and tagger."""

    scheme: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    """Of the scheme's parts; those that its hasher alone has may stand here, too."""
    gamma: float | None = None
    context_width: int | None = None
    k: int | None = None
    window: int | None = None
    calibration: Calibration = "tokens"
    language: str | None = None
    min_tokens: int | None = None
    alpha: float | None = None
    hasher: str | None = None
    """Another hasher than the scheme's."""
    hasher_parameters: Mapping[str, Any] = field(default_factory=dict)
    """Those beside gamma and context_width."""
    device: str | None = None
    """Device of the hasher's generator, where it has one."""
    allow_lenient: bool = False
    """Take alpha above 0.05, and min_tokens below 8."""

    def with_delta(self, delta: float | None) -> Settings:
        """The same, with ``delta`` among the parameters where it is given."""
        return self if delta is None else replace(self, parameters={**self.parameters, "delta": delta})


@dataclass(frozen=True)
class Created:
    """A new archive, with remarks for whoever made it."""

    archive: Archive
    remarks: list[str]
    opened: Opened
    """The archive's parts, as they were composed to check them."""


def create_profile(
    registry: Registry,
    settings: Settings,
    tokenizer: Tokenizer | OwnTokenizer,
    key: int,
    public: bool,
    tagger: Tagger | None = None,
    table: bytes | None = None,
    salt: str | None = None,
    named: bool = True,
    read_table: Callable[[bytes, str], AnyTable] = parse_any_table,
) -> Created:
    """An archive for a scheme, with every part checked by composing it once.

    Args:
        registry: where the scheme and the hasher are looked up.
        settings: the user's choices.
        tokenizer: the model's, or the copy of it that other profiles have.
        key: of as many 64-bit words as the hasher's keys have, one by default.
        public: write the key into the profile.
        tagger: for schemes that use POS contexts.
        table: bytes of a table file; by default the one that the tagger's plugin ships for k.
        salt: of a secret key, where it was made from a passphrase; by default it is drawn.
        named: give a secret key an id (see :func:`stela_core.profile.key.key_fields`).
        read_table: parses the table's bytes; for whoever makes many profiles of one table.

    Raises:
        StelaError: a part is missing, or does not fit the others.
    """
    parts = resolve_scheme(registry, settings.scheme)
    settings = divided(registry, settings)
    remarks: list[str] = []
    k = settings.k
    if parts.needs_contexts and tagger is None:
        raise StelaError(
            f'scheme "{settings.scheme}" needs a tagger.',
            f"add --tagger NAME; installed are: {', '.join(registry.names(Tagger)) or 'none'}",
        )
    language = settings.language or (tagger.language if tagger is not None else None)
    if not parts.uses_table:
        table = None
    elif table is None:
        hasher_class, parameters = hasher_of(registry, settings)
        table = _own_table(parts, hasher_class(parameters, key).law, language, tagger, k)
    content: AnyTable | None = None
    if table is not None:
        content = read_table(table, "the table")
        if isinstance(content, ValueTable):
            remarks += check_values(content, tagger, language)
        elif tagger is not None:
            remarks += check_table(content, tagger)
        if k is not None and content.k not in (None, k):
            raise StelaError(
                f"wrong table: it has k = {content.k}, not {k}.", "leave --k out, or build another table"
            )
        k = content.k or k
    require_reproducible(settings.device)
    hasher_class, parameters = hasher_of(registry, settings)
    words = hasher_class.key_words(parameters)
    # What is refused when the profile is read is refused here.
    own = tokenizer if isinstance(tokenizer, OwnTokenizer) else OwnTokenizer.of(tokenizer)
    hasher = hasher_class(parameters, key)
    hasher.bind(own.tokens)
    composed = compose(parts, settings.parameters, hasher, content, settings.calibration)
    optional: dict[str, Any] = {"alpha": settings.alpha}
    uses_tagger = parts.needs_contexts and tagger is not None
    try:
        profile = Profile(
            created_with=f"stela-core {core_version()}",
            language=language,
            scheme=SchemePart(
                name=settings.scheme,
                parameters=parse_parameters(
                    parts.parameters, settings.parameters, f'scheme "{settings.scheme}"'
                ).model_dump(),
            ),
            hasher=HasherPart(
                name=hasher_class.name,
                gamma=getattr(parameters, "gamma", None),
                context_width=hasher.context_width,
                **key_fields(key, public, salt, named, words),
                parameters=parameters.model_dump(exclude={"gamma", "context_width"}),
                device=settings.device,
            ),
            tagger=TaggerPart(
                name=tagger.name,
                model=tagger.model,
                version=tagger.version,
                fingerprint=tagger.fingerprint,
            )
            if uses_tagger and tagger is not None
            else None,
            k=(k or tagger.k) if uses_tagger and tagger is not None else None,
            window=(settings.window or tagger.window) if uses_tagger and tagger is not None else None,
            calibration=settings.calibration,
            tokenizer_sha256=sha256(own.data),
            table_sha256=None if table is None else sha256(table),
            vocab_size=len(own.tokens),
            requires=distributions_of(
                registry,
                parts,
                hasher_class.name,
                tagger.name if uses_tagger and tagger is not None else None,
            ),
            min_tokens=FEWEST_TOKENS if settings.min_tokens is None else settings.min_tokens,
            **{name: value for name, value in optional.items() if value is not None},
        )
    except ValidationError as error:
        raise StelaError(f"profile: {describe(error)}.", "see stela profile new --help") from None
    if not settings.allow_lenient:
        require_strict(profile, "the profile")
    return Created(Archive(profile, own.data, table), remarks, Opened(composed, own.tokenizer, own.tokens))


def divided(registry: Registry, settings: Settings) -> Settings:
    """The same settings, with those of the ``parameters`` that the hasher alone has among the hasher's."""
    names = hasher_names(registry, resolve_scheme(registry, settings.scheme), settings.hasher)
    own = {name: value for name, value in settings.parameters.items() if name in names}
    others = {name: value for name, value in settings.parameters.items() if name not in names}
    return replace(settings, parameters=others, hasher_parameters={**settings.hasher_parameters, **own})


def hasher_of(registry: Registry, settings: Settings) -> tuple[type[Mark[Any]], ContextParameters]:
    """The hasher that a user chose, or else the scheme's, with its parameters.

    Raises:
        StelaError: there is none of this name, or a parameter is wrong.
    """
    scheme = resolve_scheme(registry, settings.scheme).scheme
    hasher_class = registry.get(Mark, settings.hasher or scheme.hasher)
    chosen = {
        **divided(registry, settings).hasher_parameters,
        "gamma": settings.gamma,
        "context_width": settings.context_width,
    }
    owner = f'hasher "{hasher_class.name}"'
    values = {n: v for n, v in chosen.items() if v is not None}
    return hasher_class, parse_parameters(hasher_class.Parameters, values, owner)


def key_words_of(registry: Registry, settings: Settings) -> int:
    """64-bit words of a key of the hasher that a user chose; errors as for :func:`hasher_of`."""
    hasher_class, parameters = hasher_of(registry, settings)
    return hasher_class.key_words(parameters)


def _own_table(
    parts: SchemeParts, law: Law, language: str | None, tagger: Tagger | None, k: int | None
) -> bytes | None:
    """The table that a weighting brings, or else the tagger's plugin."""
    for weighting in (parts.strength, parts.evidence):
        if weighting.uses_table:
            own = weighting.own_table_for(law, language, tagger, k)
            if own is not None:
                return own
    return None if tagger is None else _shipped_table(tagger, k or tagger.k)


def _shipped_table(tagger: Tagger, k: int) -> bytes:
    shipped = tagger.tables()
    if k not in shipped:
        raise StelaError(
            f'tagger "{tagger.name}" ships no table for k = {k}.',
            f"give one with --lambda; build it with stela lambda build --tagger {tagger.name} --k {k}",
        )
    return shipped[k].read_bytes()
