"""A profile's parts, made once from what its archive holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tokenizers import Tokenizer

from stela_core.composition import Composition, SchemeParts, compose, resolve_scheme
from stela_core.errors import StelaError, did_you_mean
from stela_core.interfaces import ContextParameters, Mark, Tagger
from stela_core.interfaces.table import Table
from stela_core.parameters import parse_parameters
from stela_core.profile.archive import Archive
from stela_core.profile.device import require_reproducible
from stela_core.profile.epochs import Written
from stela_core.profile.key import Key
from stela_core.profile.key_set import FindKey, KeySet, key_set
from stela_core.profile.requires import require_plugins
from stela_core.profile.schema import HasherPart, Profile
from stela_core.profile.tagger import tagger_of
from stela_core.registry.components import Registry
from stela_core.tables.file import parse_any_table
from stela_core.text.pos_contexts import CausalContexts
from stela_core.text.token_bytes import TokenBytes
from stela_core.text.tokenizer import parse_tokenizer
from stela_core.text.tokenizer_form import SPARE_IDS


@dataclass(frozen=True, slots=True)
class Opened:
    """What a watermark runs on, beside the tagger."""

    composition: Composition
    """Mark with its key, weightings and scorer."""
    tokenizer: Tokenizer
    tokens: TokenBytes
    """Bytes of the tokenizer's ids."""
    keys: KeySet | None = None
    """Of a profile that was read: the current key and earlier ones."""


@dataclass(frozen=True, slots=True)
class OpenedBefore:
    """What was parsed of other archives, by its SHA-256: each tokenizer takes seconds where it is large."""

    tokenizers: dict[str, tuple[Tokenizer, TokenBytes]] = field(default_factory=dict)
    tables: dict[str, Table] = field(default_factory=dict)


def open_archive(
    archive: Archive,
    key: Key | Sequence[Key] | None,
    registry: Registry,
    scoring: Mapping[str, Any] | None = None,
    before: OpenedBefore | None = None,
    find_key: FindKey | None = None,
    written: Written | None = None,
) -> Opened:
    """Parse and compose what an archive holds.

    Args:
        archive: the profile and what lies beside it.
        key: see :func:`stela_core.load`.
        registry: the plugins.
        scoring: see :func:`stela_core.load`.
        before: other archives' tokenizers and tables, taken where they are the same; this one's are added.
        find_key: finds each key, in place of ``key``.
        written: see :func:`stela_core.load`.

    Raises:
        StelaError: a plugin is missing, a part is wrong, or the key is not the profile's.
    """
    profile = archive.profile
    require_plugins(profile, registry)
    parts = resolve_scheme(registry, profile.scheme.name)
    before = before or OpenedBefore()
    table = _table_of(archive, before)
    hasher_class = registry.get(Mark, profile.hasher.name)
    parameters = _hasher_parameters(profile.hasher, hasher_class)
    tokenizer, tokens = _tokenizer_of(archive, before)
    for size in (profile.vocab_size, getattr(parameters, "vocab_size", 0)):
        _check_size(size, len(tokens))
    words = hasher_class.key_words(parameters)
    keys = key_set(profile.hasher, key, words, find_key, written)
    hasher = hasher_class(parameters, keys.known[0].number)
    hasher.bind(tokens)
    said = full_parameters(parts, profile)
    parse_parameters(parts.parameters, said, f'scheme "{parts.scheme.name}"', read=True)
    values = with_scoring(parts, said, scoring or {})
    composition = compose(parts, values, hasher, table, profile.calibration)
    return Opened(composition, tokenizer, tokens, keys)


def key_words_of_profile(profile: Profile, registry: Registry) -> int:
    """64-bit words of a profile's key.

    Raises:
        StelaError: its hasher is not installed, or its parameters are wrong.
    """
    hasher_class = registry.get(Mark, profile.hasher.name)
    return hasher_class.key_words(_hasher_parameters(profile.hasher, hasher_class))


def _tokenizer_of(archive: Archive, before: OpenedBefore) -> tuple[Tokenizer, TokenBytes]:
    digest = archive.profile.tokenizer_sha256
    if digest not in before.tokenizers:
        tokenizer = parse_tokenizer(archive.tokenizer, "the profile")
        before.tokenizers[digest] = tokenizer, TokenBytes.of(tokenizer)
    return before.tokenizers[digest]


def _table_of(archive: Archive, before: OpenedBefore) -> Table | None:
    digest = archive.profile.table_sha256
    if archive.table is None or digest is None:
        return None
    if digest not in before.tables:
        before.tables[digest] = parse_any_table(archive.table, "the profile's table")
    return before.tables[digest]


def full_parameters(parts: SchemeParts, profile: Profile) -> dict[str, Any]:
    """The scheme's parameters that a profile names, and what it stands for where it is older than one."""
    return {**parts.parameters.of_before(), **profile.scheme.parameters}


def with_scoring(parts: SchemeParts, values: Mapping[str, Any], scoring: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters of a scheme with others for its scorer.

    Raises:
        StelaError: one of them is not the scorer's.
    """
    fields = parts.scorer.Parameters.model_fields
    for name in scoring:
        if name not in fields:
            raise StelaError(
                f'scorer "{parts.scorer.name}" has no parameter "{name}".',
                f"{did_you_mean(name, fields)}; all others are the profile's",
            )
    return {**values, **scoring}


def contexts_of(
    profile: Profile,
    registry: Registry,
    tokens: TokenBytes,
    shared: CausalContexts | None,
    given: str | Tagger | None,
) -> CausalContexts | None:
    """The causal contexts of a profile, or ``None`` where it uses no tagger.

    Args:
        profile: the profile.
        registry: where its tagger is looked up.
        tokens: bytes of its ids.
        shared: those of another watermark, taken where they are the same.
        given: see ``tagger`` of :func:`stela_core.load`.

    Raises:
        StelaError: as for :func:`stela_core.profile.tagger.tagger_of`, or a tagger was given for nothing.
    """
    part = profile.tagger
    if part is None or profile.k is None or profile.window is None:
        if given is not None:
            raise StelaError("the profile uses no tagger.", "leave --tagger out, or tagger= of stela.load")
        return None
    tagger = tagger_of(part, registry, given if shared is None else shared.tagger)
    if shared is not None and (shared.k, shared.window) == (profile.k, profile.window):
        return shared
    return CausalContexts(tagger, profile.k, profile.window, tokens)


def _hasher_parameters(part: HasherPart, hasher_class: type[Mark]) -> ContextParameters:
    require_reproducible(part.device)
    values = {**part.parameters, "context_width": part.context_width}
    if part.gamma is not None:
        values["gamma"] = part.gamma
    return parse_parameters(hasher_class.Parameters, values, f'hasher "{part.name}"', read=True)


def _check_size(size: int, ids: int) -> None:
    """Models pad their vocabularies, by no more than the tokenizer's ids again."""
    if size > 2 * ids + SPARE_IDS:
        raise StelaError(
            f"the profile has vocab_size {size}, its tokenizer {ids} ids.",
            "get the file again, or make the profile anew",
        )
