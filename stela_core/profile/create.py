"""Make a profile: from names and files to an archive whose parts fit together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from tokenizers import Tokenizer

from stela_core.composition import SchemeParts, compose, resolve_scheme
from stela_core.errors import StelaError
from stela_core.files.fingerprint import sha256
from stela_core.interfaces import Law, Tagger
from stela_core.libraries import core_version
from stela_core.parameters import describe, parse_parameters
from stela_core.profile.archive import Archive
from stela_core.profile.key import key_fields
from stela_core.profile.messages import chosen_encoder
from stela_core.profile.parts import ProfileParts, require_reproducible
from stela_core.profile.provenance import FEWEST_TOKENS, require_strict
from stela_core.profile.requires import distributions_of
from stela_core.profile.schema import HasherPart, Profile, SchemePart, TaggerPart
from stela_core.profile.settings import Settings
from stela_core.registry.components import Registry
from stela_core.tables.counts import TREEBANK, UNIVERSAL_TAGSET
from stela_core.tables.file import parse_any_table, read_table
from stela_core.tables.table import IndeterminacyTable
from stela_core.tables.values import ValueTable
from stela_core.text.own_tokenizer import OwnTokenizer

AnyTable = IndeterminacyTable | ValueTable


@dataclass(frozen=True)
class Created:
    """A new archive, with remarks for whoever made it."""

    archive: Archive
    remarks: list[str]
    parts: ProfileParts
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
    settings = settings.divided(registry)
    remarks: list[str] = []
    k = settings.k
    hasher_class, parameters = settings.hasher_of(registry)
    if parts.needs_contexts and tagger is None:
        raise StelaError(
            f'scheme "{settings.scheme}" needs a tagger.',
            "add --language CODE or --tagger NAME; "
            f"installed are: {', '.join(registry.names(Tagger)) or 'none'}",
        )
    language = settings.language or (tagger.language if tagger is not None else None)
    if not parts.uses_table:
        table = None
    elif table is None:
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
    # What is refused when the profile is read is refused here.
    if isinstance(tokenizer, Tokenizer):
        tokenizer = OwnTokenizer.of(tokenizer)
    hasher = hasher_class(parameters, key)
    hasher.bind(tokenizer.tokens)
    composed = compose(parts, settings.parameters, hasher, content, settings.calibration)
    message, encoder = chosen_encoder(registry, parts, settings.bits, hasher)
    composed = replace(composed, encoder=encoder)
    optional: dict[str, Any] = {"alpha": settings.alpha}
    used = tagger if parts.needs_contexts else None
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
                **key_fields(key, public, salt, named, hasher_class.key_words(parameters)),
                parameters=parameters.model_dump(exclude={"gamma", "context_width"}),
                device=settings.device,
            ),
            tagger=None
            if used is None
            else TaggerPart(
                name=used.name, model=used.model, version=used.version, fingerprint=used.fingerprint
            ),
            k=None if used is None else k or used.k,
            window=None if used is None else settings.window or used.window,
            calibration=settings.calibration,
            tokenizer_sha256=sha256(tokenizer.data),
            table_sha256=None if table is None else sha256(table),
            vocab_size=len(tokenizer.tokens),
            requires=distributions_of(
                registry,
                parts,
                hasher_class.name,
                None if used is None else used.name,
                None if message is None else message.code,
            ),
            message=message,
            min_tokens=FEWEST_TOKENS if settings.min_tokens is None else settings.min_tokens,
            **{name: value for name, value in optional.items() if value is not None},
        )
    except ValidationError as error:
        raise StelaError(f"profile: {describe(error)}.", "see stela profile new --help") from None
    if not settings.allow_lenient:
        require_strict(profile, "the profile")
    archive = Archive(profile, tokenizer.data, table)
    return Created(archive, remarks, ProfileParts(composed, tokenizer.tokenizer, tokenizer.tokens))


def _own_table(
    parts: SchemeParts, law: Law, language: str | None, tagger: Tagger | None, k: int | None
) -> bytes | None:
    """The table that a weighting brings, or else the tagger's plugin."""
    for weighting in (parts.strength, parts.evidence):
        if weighting.uses_table:
            brought = weighting.own_table_for(law, language, tagger, k)
            if brought is not None:
                return brought
    return None if tagger is None else _shipped_table(tagger, k or tagger.k)


def _shipped_table(tagger: Tagger, k: int) -> bytes:
    shipped = tagger.tables()
    if k not in shipped:
        raise StelaError(
            f'tagger "{tagger.name}" ships no table for k = {k}.',
            f"give one with --lambda; build it with stela lambda build --tagger {tagger.name} --k {k}",
        )
    return shipped[k].read_bytes()


KNOWN = 0.95
"""Least share of a treebank's words (XPOS) whose tag the tagger's own tables hold, too."""


def check_table(table: IndeterminacyTable, tagger: Tagger) -> list[str]:
    """Remarks on a table that fits the tagger.

    A table that a tagger built goes with this tagger. A treebank's UPOS table goes with every tagger of
    universal tags. A treebank's own tags (XPOS) go with a tagger that ships tables in which at least
    ``KNOWN`` of the treebank's words find their tag: names of tag sets do not tell.

    Raises:
        StelaError: it does not fit.
    """
    if table.tagger.name == TREEBANK:
        remarks = (
            _check_universal(table, tagger) if table.tagger.model == "upos" else _check_own(table, tagger)
        )
        languages = {table.tagger.language, tagger.language}
        if len(languages) == 2 and not languages & {"", "mul"}:
            remarks.append(f'the table\'s language is "{table.tagger.language}", not "{tagger.language}"')
        return remarks
    if table.tagger.name != tagger.name:
        raise StelaError(
            f'wrong table: it was built with tagger "{table.tagger.name}", not "{tagger.name}".',
            f"build one with stela lambda build --tagger {tagger.name}",
        )
    if table.tagger.fingerprint != tagger.fingerprint:
        return [
            f"the table was built with {table.tagger.version}, this tagger is {tagger.version}: "
            "the mark is valid, its strength may be slightly off"
        ]
    return []


def check_values(table: ValueTable, tagger: Tagger | None, language: str | None) -> list[str]:
    """Remarks on a value table that fits the tagger, where it is looked up by tags, and the language.

    Raises:
        StelaError: another tagger gave its tags.
    """
    remarks = []
    if table.language and language and table.language != language:
        remarks.append(f'the table\'s language is "{table.language}", not "{language}"')
    if table.tagger is not None and tagger is not None:
        if table.tagger.name != tagger.name:
            raise StelaError(
                f'wrong table: it was learned with tagger "{table.tagger.name}", not "{tagger.name}".',
                f"learn one with stela lambda learn --tagger {tagger.name}",
            )
        if table.tagger.fingerprint != tagger.fingerprint:
            remarks.append(
                f"the table was learned with {table.tagger.version}, this tagger is {tagger.version}: "
                "the mark is valid, its strength may be slightly off"
            )
    return remarks


def _check_universal(table: IndeterminacyTable, tagger: Tagger) -> list[str]:
    if tagger.tagset != UNIVERSAL_TAGSET:
        raise StelaError(
            f'wrong table: it holds universal tags (UPOS), tagger "{tagger.name}" those of {tagger.tagset}.',
            f"take a tagger of universal tags, or build a table with --tagger {tagger.name}",
        )
    return [
        "the table holds a treebank's tags, not this tagger's: the mark is valid, its strength may be off"
    ]


def _check_own(table: IndeterminacyTable, tagger: Tagger) -> list[str]:
    known = {tag for path in tagger.tables().values() for tag in _tags_of(path)}
    if not known:
        raise StelaError(
            f"wrong table: it holds the {table.tagger.tagset}, and tagger "
            f'"{tagger.name}" ships no table to compare its tags with.',
            f"build one with stela lambda build --tagger {tagger.name}",
        )
    counts = _words_of(table)
    strange = sorted((tag for tag in counts if tag not in known), key=lambda tag: (-counts[tag], tag))
    share = 1 - sum(counts[tag] for tag in strange) / counts.total()
    if share < KNOWN:
        raise StelaError(
            f'wrong table: tagger "{tagger.name}" knows the tags of only {share:.0%} of its words '
            f"({table.tagger.tagset}), not {_some(strange)}.",
            f"build one with stela lambda build --tagger {tagger.name}",
        )
    shown = f"all but {_some(strange)}" if strange else "all"
    return [
        f'the table holds the {table.tagger.tagset}; by name tagger "{tagger.name}" has {shown} '
        "of these tags: the mark is valid, its strength may be off"
    ]


def _some(tags: Sequence[str]) -> str:
    more = len(tags) - 5
    return ", ".join(tags[:5]) + (f" and {more} more" if more > 0 else "")


def _words_of(table: IndeterminacyTable) -> Counter[str]:
    """How often each tag ends a k-gram."""
    counts: Counter[str] = Counter()
    for corpus in table.by_name().values():
        for ngram, count in corpus.counts.items():
            counts[ngram[-1]] += count
    return counts


def _tags_of(path: Path) -> tuple[str, ...]:
    return read_table(path).tags
