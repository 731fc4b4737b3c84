"""Make a profile: from names and files to an archive whose parts fit together."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import Any

from pydantic import ValidationError
from tokenizers import Tokenizer

from stela_core.composition import SchemeParts, compose, resolve_scheme
from stela_core.errors import StelaError
from stela_core.files.fingerprint import sha256
from stela_core.interfaces import Calibration, ContextParameters, Hasher, Law, Table, Tagger, Weighting
from stela_core.libraries import core_version
from stela_core.parameters import describe, parse_parameters
from stela_core.profile.archive import Archive
from stela_core.profile.parts import ProfileParts, chosen_encoder
from stela_core.profile.provenance import FEWEST_TOKENS, require_strict
from stela_core.profile.requires import distributions_of
from stela_core.profile.schema import HasherPart, Profile, SchemePart, TaggerPart
from stela_core.registry.components import Registry
from stela_core.text.own_tokenizer import OwnTokenizer


@dataclass(frozen=True)
class Settings:
    """What a profile is made by: the choices that :func:`stela_core.create` explains, and what goes
    with a mark of another toolkit.
    """

    scheme: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    """Parameters of the scheme's parts, and those that only its hasher has."""
    _: KW_ONLY
    gamma: float | None = None
    delta: float | None = None
    context_width: int | None = None
    bits: int | None = None
    k: int | None = None
    window: int | None = None
    calibration: Calibration = "tokens"
    language: str | None = None
    min_tokens: int | None = None
    alpha: float | None = None
    allow_lenient: bool = False
    hasher: str | None = None
    """Another hasher than the scheme's."""
    hasher_parameters: Mapping[str, Any] = field(default_factory=dict)
    """Parameters of the hasher other than gamma and context_width."""
    device: str | None = None
    """Device of the hasher's generator, where it has one."""

    def divided(self, registry: Registry) -> Settings:
        """The same, each parameter with the part that has it: ``delta`` with the scheme's, and those of the
        ``parameters`` that only the hasher has with the hasher's.
        """
        names = resolve_scheme(registry, self.scheme).hasher_names(registry, self.hasher)
        hashers = {name: value for name, value in self.parameters.items() if name in names}
        others = {name: value for name, value in self.parameters.items() if name not in names}
        if self.delta is not None:
            others["delta"] = self.delta
        return replace(
            self, parameters=others, delta=None, hasher_parameters={**self.hasher_parameters, **hashers}
        )

    def hasher_of(self, registry: Registry) -> tuple[type[Hasher[Any]], ContextParameters]:
        """The hasher that the user chose, or else the scheme's, with its parameters.

        Raises:
            StelaError: there is none of this name, or a parameter is wrong.
        """
        scheme = resolve_scheme(registry, self.scheme).scheme
        hasher_class = registry.get(Hasher, self.hasher or scheme.hasher)
        chosen = {
            **self.divided(registry).hasher_parameters,
            "gamma": self.gamma,
            "context_width": self.context_width,
        }
        values = {name: value for name, value in chosen.items() if value is not None}
        return hasher_class, parse_parameters(
            hasher_class.Parameters, values, f'hasher "{hasher_class.name}"'
        )

    def create(
        self,
        registry: Registry,
        tokenizer: Tokenizer | OwnTokenizer | ProfileParts,
        key: int,
        public: bool,
        tagger: Tagger | None = None,
        table: bytes | None = None,
        salt: str | None = None,
        named: bool = True,
        read_table: Callable[[type[Weighting], bytes], Table] = lambda weighting, data: weighting.read_table(
            data, "the table"
        ),
    ) -> ProfileParts:
        """A profile for a scheme, with every part checked by composing it once.

        Args:
            registry: where the scheme and the hasher are looked up.
            tokenizer: the model's, or a profile that was made for the same one before.
            key: of as many 64-bit words as the hasher's keys have, one by default.
            public: write the key into the profile.
            tagger: for schemes that use POS contexts.
            table: bytes of a table file; by default the one that the tagger's plugin ships for k.
            salt: of a secret key, where it was made from a passphrase; by default it is drawn.
            named: give a secret key an id (see :meth:`.KeyPart.fields_of`).
            read_table: has a weighting read the table's bytes; for whoever makes many profiles of one table.

        Raises:
            StelaError: a part is missing, or does not fit the others.
        """
        parts = resolve_scheme(registry, self.scheme)
        settings = self.divided(registry)
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
        content: Table | None = None
        if table is not None and parts.table_reader is not None:
            content = read_table(parts.table_reader, table)
            remarks += parts.table_reader.remarks_on_table(content, tagger, language)
            if k is not None and content.k not in (None, k):
                raise StelaError(
                    f"wrong table: it has k = {content.k}, not {k}.", "leave --k out, or build another table"
                )
            k = content.k or k
        # What is refused when the profile is read is refused here.
        if isinstance(tokenizer, Tokenizer):
            tokenizer = OwnTokenizer.of(tokenizer)
        elif isinstance(tokenizer, ProfileParts):
            tokenizer = OwnTokenizer(tokenizer.archive.tokenizer, tokenizer.tokenizer, tokenizer.tokens)
        hasher = hasher_class(parameters, key)
        hasher.bind(tokenizer.tokens)
        composed = compose(parts, settings.parameters, hasher, content, settings.calibration)
        message, encoder = chosen_encoder(registry, parts, settings.bits, hasher)
        composed = replace(composed, encoder=encoder)
        alpha: dict[str, Any] = {} if settings.alpha is None else {"alpha": settings.alpha}
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
                    **HasherPart.fields_of(key, public, salt, named, hasher_class.key_words(parameters)),
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
                **alpha,
            )
        except ValidationError as error:
            raise StelaError(f"profile: {describe(error)}.", "see stela profile new --help") from None
        profile.hasher.parameters_of(hasher_class)
        if not settings.allow_lenient:
            require_strict(profile, "the profile")
        archive = Archive(profile, tokenizer.data, table)
        return ProfileParts(archive, composed, tokenizer.tokenizer, tokenizer.tokens, remarks=remarks)


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
            f"build T.json and give --lambda T.json: "
            f"stela lambda build --tagger {tagger.name} --corpus F.jsonl --k {k} -o T.json",
        )
    return shipped[k].read_bytes()
