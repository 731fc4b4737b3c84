"""``stela.create``: a new profile in one call, as a Watermark."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from functools import wraps
from inspect import signature
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, ParamSpec

from stela_core.catalogue import lent
from stela_core.composition import resolve_scheme
from stela_core.errors import StelaError, contained, did_you_mean
from stela_core.files.bounded import read_bounded
from stela_core.files.fingerprint import sha256
from stela_core.files.write import require_free
from stela_core.hashing.key_file import write_key_file
from stela_core.hashing.keys import format_key, new_key
from stela_core.hashing.slow_keys import new_salt
from stela_core.interfaces import Scheme, Tagger
from stela_core.libraries import lent_entry
from stela_core.profile.archive import LIMITS, TABLE, write_archive
from stela_core.profile.create import Created, create_profile
from stela_core.profile.key import Key, number_of
from stela_core.profile.known_tokenizers import remember_tokenizer
from stela_core.profile.provenance import remember
from stela_core.profile.schema import NullCheck
from stela_core.profile.settings import Choices, Settings, about, abouts
from stela_core.registry.components import Registry, default_registry
from stela_core.registry.tagger_spec import default_tagger, make_tagger
from stela_core.text.own_tokenizer import OwnTokenizer
from stela_core.text.pos_contexts import CausalContexts
from stela_core.text.tokenizer import backend_of
from stela_core.watermark import Watermark

if TYPE_CHECKING:
    from tokenizers import Tokenizer
    from transformers import PreTrainedTokenizerBase

PUBLIC = "public"


class NewWatermark(Watermark):
    """What :func:`create` returns: a watermark whose profile is not in a file yet.

    Args:
        created: the profile, its tokenizer and table, and its parts.
        key: the key, 64 bits.
        drawn: the key is secret and nobody else has it.
        registry: the plugins.
        contexts: those of the tagger that is loaded already.
    """

    def __init__(
        self, created: Created, key: int, drawn: bool, registry: Registry, contexts: CausalContexts | None
    ) -> None:
        super().__init__(created.archive, key, registry, contexts, parts=created.parts)
        self._archive = created.archive
        self._key = key
        hasher = created.parts.composition.hasher
        self._words = hasher.key_words(hasher.parameters)
        self._drawn = drawn
        self.remarks = created.remarks
        """For whoever made it: what fits only so so, a line each."""

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
        write_archive(path, self._archive, replace=force)
        remember(self._archive.profile)
        self._drawn = False


@dataclass(frozen=True)
class Assembly:
    """All that a new watermark is made of, but its key."""

    registry: Registry
    settings: Settings
    tokenizer: Tokenizer | OwnTokenizer
    public: bool
    """Whether the key is to stand in the profile."""
    tagger: Tagger | None = None
    table: bytes | None = None
    salt: str | None = None
    """Of a secret key."""
    remarks: Sequence[str] = ()
    """For whoever makes it."""

    def draw(self) -> int:
        """A new key."""
        return new_key(self.settings.key_words(self.registry))

    def under(self, key: int, checks: Sequence[NullCheck] = (), drawn: bool = False) -> NewWatermark:
        """The watermark of a key; the tagger is not loaded twice.

        Args:
            key: 64 bits a word.
            checks: tests of the key on human text, which the profile is to tell.
            drawn: nobody else has the key.

        Raises:
            StelaError: as for :func:`create_profile`.
        """
        created = create_profile(
            self.registry, self.settings, self.tokenizer, key, self.public, self.tagger, self.table, self.salt
        )
        if checks:
            profile = created.archive.profile.with_null_checks(checks)
            created = replace(created, archive=replace(created.archive, profile=profile))
        created = replace(created, remarks=[*self.remarks, *created.remarks])
        profile, contexts = created.archive.profile, None
        if self.tagger is not None and profile.tagger is not None and profile.k and profile.window:
            contexts = CausalContexts(self.tagger, profile.k, profile.window, created.parts.tokens)
        return NewWatermark(created, key, drawn, self.registry, contexts)


@dataclass(frozen=True)
class NewProfile(Choices):
    """What :func:`create` takes."""

    model: str | None = field(
        default=None, metadata=about("Alias, folder or Hugging Face name; gives the tokenizer.")
    )
    tokenizer: PreTrainedTokenizerBase | Tokenizer | None = field(
        default=None, metadata=about("The tokenizer itself, in place of the model.")
    )
    tagger: str | Tagger | None = field(
        default=None,
        metadata=about(
            "Tagger, for schemes that use POS contexts.", "the language's", metavar="NAME[:MODEL]"
        ),
    )
    key: Key | None = field(
        default=None,
        metadata=about(
            "A secret key: an integer of 64 bits, 16 hex digits, or the ``Path`` of a key file. "
            '``"public"`` draws one and writes it into the profile; ``None`` draws a secret one, which '
            "``.save`` writes into a separate file."
        ),
    )
    _: KW_ONLY
    table: str | Path | None = field(
        default=None,
        metadata=about("Indeterminacy table.", "the tagger's own", option="--lambda", metavar="TABLE"),
    )
    registry: Registry | None = field(default=None, metadata=about("The plugins.", "those installed"))

    def assembly(self) -> tuple[Assembly, int]:
        """The parts and the key.

        Raises:
            StelaError: one is missing, or not one of ``model`` and ``tokenizer`` was given.
        """
        source = self.tokenizer if self.model is None else self.model
        if source is None or (self.model is not None and self.tokenizer is not None):
            raise StelaError(
                "give either model=NAME or tokenizer=TOKENIZER.",
                "one of the two: an alias, folder or Hugging Face name, or the tokenizer itself",
            )
        registry = self.registry or default_registry()
        settings = Settings.of(self, registry)
        words, public = settings.key_words(registry), self.key == PUBLIC
        salt = None if public else new_salt()
        key = new_key(words) if public or self.key is None else number_of(self.key, salt, words)
        tokenizer = _of_model(registry, source) if isinstance(source, str) else backend_of(source)
        remarks = [] if self.scheme else [why(registry, settings.scheme)]
        tagger = self.tagger
        if tagger is None and self.language and resolve_scheme(registry, settings.scheme).needs_contexts:
            tagger = default_tagger(registry, self.language)
            remarks.append(f'tagger "{tagger}": the default for language "{self.language}"')
        tagger = make_tagger(registry, tagger) if isinstance(tagger, str) else tagger
        table = None
        if self.table is not None:
            hint = "build one with stela lambda build"
            table = read_bounded(self.table, LIMITS[TABLE], f'table "{self.table}"', hint)
        return Assembly(registry, settings, tokenizer, public, tagger, table, salt, remarks), key


def _of_model(registry: Registry, name: str) -> OwnTokenizer:
    source = Path(name) / "tokenizer.json"
    if lent_entry("find_tokenizer") is not None or not source.is_file():
        source = lent("find_tokenizer", f'the tokenizer of "{name}"')(registry, name)
    tokenizer = OwnTokenizer.of_file(source) if isinstance(source, Path) else OwnTokenizer.of(source)
    remember_tokenizer(tokenizer.data, sha256(tokenizer.data))
    return tokenizer


def why(registry: Registry, scheme: str) -> str:
    """What is said of the scheme that nobody named."""
    reason = registry.get(Scheme, scheme).recommended
    others = len(registry.names(Scheme)) - 1
    return f'scheme "{scheme}": it {reason}. Others: --scheme NAME ("stela plugins" lists {others})'


P = ParamSpec("P")

EACH = "        new: each field."
"""Where help() has the parameters."""


def _taking(
    given: Callable[P, NewProfile],
) -> Callable[[Callable[[NewProfile], NewWatermark]], Callable[P, NewWatermark]]:
    """Give a function the fields of what it takes for parameters: for callers, type checkers and help()."""

    def decorate(make: Callable[[NewProfile], NewWatermark]) -> Callable[P, NewWatermark]:
        accepted = signature(given)
        known = accepted.parameters

        @wraps(make, updated=())
        def call(*args: P.args, **kwargs: P.kwargs) -> NewWatermark:
            try:
                accepted.bind(*args, **kwargs)
            except TypeError as error:
                hint = next((did_you_mean(one, known) for one in kwargs if one not in known), None)
                raise TypeError(f"{make.__name__}(): {error}{f'; {hint}' if hint else ''}") from None
            return make(given(*args, **kwargs))

        rows: list[str] = []
        for name in known:
            line, unset, *_ = abouts(NewProfile)[name]
            line = f"{name}: {line}{f' [{unset}]' if unset else ''}"
            rows += wrap(line, 110, initial_indent=" " * 8, subsequent_indent=" " * 12)
        call.__doc__ = str(make.__doc__).replace(EACH, "\n".join(rows))
        vars(call)["__signature__"] = accepted.replace(return_annotation="NewWatermark")
        return call

    return decorate


@_taking(NewProfile)
@contained
def create(new: NewProfile) -> NewWatermark:
    """Make a profile, as ``stela profile new`` does; ``.save("p.stela")`` writes it.

    ``None`` leaves a choice to the scheme and the tagger.

    Args:
        new: each field.

    Raises:
        StelaError: a part is missing or does not fit the others, or not one of ``model`` and
            ``tokenizer`` was given.
    """
    assembly, key = new.assembly()
    return assembly.under(key, drawn=new.key is None)
