"""A profile's parts, made once from what its archive holds: composition, tokenizer, keys and tagger."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from stela_core.catalogue import lent
from stela_core.composition import Composition, SchemeParts, compose, resolve_scheme
from stela_core.errors import StelaError, did_you_mean
from stela_core.hashing.key_file import Key
from stela_core.interfaces import Encoder, Hasher, Table, Tagger, Weighting
from stela_core.logs import timed
from stela_core.parameters import parse_parameters
from stela_core.profile.archive import Archive
from stela_core.profile.epochs import Dated, Written
from stela_core.profile.key import KeyRing
from stela_core.profile.key_set import KeySet, OwnKey, key_set
from stela_core.profile.requires import require_plugins
from stela_core.profile.schema import MessagePart, Profile, TaggerPart
from stela_core.registry.components import Registry
from stela_core.registry.tagger_spec import choose_tagger, split_spec
from stela_core.text.own_tokenizer import open_tokenizer
from stela_core.text.pos_contexts import CausalContexts
from stela_core.text.token_bytes import TokenBytes
from stela_core.text.tokenizer import AnyTokenizer
from stela_core.text.tokenizer_form import SPARE_IDS

log = logging.getLogger(__name__)


class ProfileParts(NamedTuple):
    """A profile that was read or made, with all that a watermark of it runs on but the tagger."""

    archive: Archive
    composition: Composition
    """Mark with its key, weightings and scorer."""
    tokenizer: AnyTokenizer
    tokens: TokenBytes
    """Bytes of the tokenizer's ids."""
    keys: KeySet | None = None
    """The current key and earlier ones, of a profile that was read."""
    remarks: Sequence[str] = ()
    """Remarks for whoever made the profile: what fits it badly, a line each."""


@dataclass(frozen=True, slots=True)
class ParsedFiles:
    """What was parsed of other archives, by its SHA-256: each tokenizer takes seconds where it is large."""

    tokenizers: dict[str, tuple[AnyTokenizer, TokenBytes]] = field(default_factory=dict)
    tables: dict[tuple[str, type[Weighting]], Table] = field(default_factory=dict)
    """Tables by their SHA-256 and the weighting that read them."""


@dataclass(frozen=True, slots=True)
class LoadOptions:
    """How profiles are opened: what :func:`stela_core.load` explains."""

    registry: Registry
    key: Key | Sequence[Key] | KeyRing | None = field(default=None, repr=False)
    tagger: str | Tagger | None = None
    allow_lenient: bool = False
    scoring: Mapping[str, Any] | None = None
    written: Written | None = None
    candidates: Sequence[Dated] | None = field(default=None, repr=False)
    name: str | None = None
    """Name of the profile's file, without its ending: a key of this name in a ring is tried first."""


def open_archive(archive: Archive, options: LoadOptions, parsed: ParsedFiles | None = None) -> ProfileParts:
    """Parse and compose what an archive holds.

    Args:
        archive: the profile and what lies with it.
        options: the plugins, the key and so on.
        parsed: other archives' tokenizers and tables, taken where they are the same; this one's are added.

    Raises:
        StelaError: a plugin is missing, a part is wrong, or the key is not the profile's.
    """
    profile, registry = archive.profile, options.registry
    require_plugins(profile, registry)
    parts = resolve_scheme(registry, profile.scheme.name)
    parsed = parsed or ParsedFiles()
    table = _table_of(archive, parts.table_reader, parsed)
    hasher_class = registry.get(Hasher, profile.hasher.name)
    parameters = profile.hasher.parameters_of(hasher_class)
    tokenizer, tokens = _tokenizer_of(archive, parsed)
    size = max(profile.vocab_size, getattr(parameters, "vocab_size", 0))
    if size > 2 * len(tokens) + SPARE_IDS:  # models pad their vocabularies, by no more than these ids again
        raise StelaError(
            f"the profile has vocab_size {size}, its tokenizer {len(tokens)} ids.",
            "get the file again, or make the profile again",
        )
    words = hasher_class.key_words(parameters)
    if options.candidates is None:
        keys = key_set(profile.hasher, options.key, words, options.written, options.name)
    else:
        candidate_set = lent("candidate_set", "testing for candidate keys")
        tested = candidate_set(options.candidates, words, options.written)
        keys = KeySet(tuple(OwnKey(*each) for each in tested), (), named=True, candidates=True)
    hasher = hasher_class(parameters, keys.known[0].number)
    hasher.bind(tokens)
    # A profile that is older than a parameter stands for what was then.
    read_values = {**parts.parameters.of_before(), **profile.scheme.parameters}
    parse_parameters(parts.parameters, read_values, f'scheme "{parts.scheme.name}"', read=True)
    values = with_scoring(parts, read_values, options.scoring or {})
    composition = compose(parts, values, hasher, table, profile.calibration)
    if profile.message is not None:
        part = profile.message
        encoder = registry.get(Encoder, part.code).of_profile(part.bits, part.parameters, hasher)
        composition = replace(composition, encoder=encoder)
    return ProfileParts(archive, composition, tokenizer, tokens, keys)


def chosen_encoder(
    registry: Registry, parts: SchemeParts, bits: int | None, mark: Hasher[Any]
) -> tuple[MessagePart | None, Encoder | None]:
    """What a new profile says of messages, and their encoder; nothing where no bits are asked for.

    Raises:
        StelaError: the scheme carries none, or as for :meth:`.Encoder.of_profile`.
    """
    if bits is None:
        return None, None
    code = parts.scheme.encoder
    if not code:
        raise StelaError(
            f'scheme "{parts.scheme.name}" carries no message.', "leave --bits out, or take gumbel or kgw"
        )
    encoder = registry.get(Encoder, code).of_profile(bits, None, mark)
    parameters = encoder.parameters.model_dump(exclude={"bits"})
    return MessagePart(code=code, bits=bits, parameters=parameters), encoder


def _tokenizer_of(archive: Archive, parsed: ParsedFiles) -> tuple[AnyTokenizer, TokenBytes]:
    digest = archive.profile.tokenizer_sha256
    if digest in parsed.tokenizers:
        log.info("tokenizer %.8s is loaded already", digest)
    else:
        with timed(log, "tokenizer %.8s of %d bytes loaded", digest, len(archive.tokenizer)):
            parsed.tokenizers[digest] = open_tokenizer(archive.tokenizer, digest, "the profile")
    return parsed.tokenizers[digest]


def _table_of(archive: Archive, reader: type[Weighting] | None, parsed: ParsedFiles) -> Table | None:
    digest = archive.profile.table_sha256
    if reader is None or archive.table is None or digest is None:
        return None
    if (digest, reader) in parsed.tables:
        log.info("table %.8s is loaded already", digest)
    else:
        with timed(log, "table %.8s of %d bytes loaded", digest, len(archive.table)):
            parsed.tables[digest, reader] = reader.read_table(archive.table, "the profile's table")
    return parsed.tables[digest, reader]


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
        StelaError: as for :func:`tagger_of`, or a tagger was given for nothing.
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


def tagger_of(part: TaggerPart, registry: Registry, given: str | Tagger | None = None) -> Tagger:
    """The tagger with the fingerprint that the profile names.

    A profile may be another's file, so a model that it names is loaded only where the tagger knows its name
    (:meth:`Tagger.accepts_from_profile`): never a folder. The bytes of a model are compared with the
    profile's fingerprint before anything in it is loaded (:meth:`Tagger.fingerprint_of`).

    Args:
        part: what the profile says.
        registry: where the tagger is looked up.
        given: the user's own choice, ``NAME`` or ``NAME:MODEL``, or a tagger that is loaded already.

    Raises:
        StelaError: it is another tagger, or missing, or the user has to name its model.
    """
    if isinstance(given, Tagger):
        _compare(part, given.fingerprint, given.version)
        return given
    if given is None:
        if not registry.get(Tagger, part.name).accepts_from_profile(part.model):
            name = registry.get(Tagger, part.name).name
            raise StelaError(
                f'the profile\'s tagger "{part.name}" has a model "{part.model}", which is not one that a '
                "profile may load.",
                f"name the model yourself: --tagger {name}:FOLDER, or tagger= of stela.load",
            )
        chosen = choose_tagger(registry, part.name, part.model)
    else:
        chosen = choose_tagger(registry, *split_spec(given))
    fingerprint = chosen.tagger.fingerprint_of(chosen.parameters)
    if fingerprint is not None:
        _compare(part, fingerprint, f'"{given}"' if given else "another version or other files")
    tagger = chosen.construct()
    _compare(part, tagger.fingerprint, tagger.version)
    return tagger


def _compare(part: TaggerPart, fingerprint: str, version: str) -> None:
    if fingerprint != part.fingerprint:
        raise StelaError(
            f'wrong tagger: the profile names "{part.name}" {part.version}, here is {version} '
            f"(fingerprint {fingerprint}, not {part.fingerprint}).",
            "install the version the profile names, or name its model with --tagger",
        )
