"""``profile.json``: validated and versioned. Its JSON schema is docs/profile.schema.json."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self

from pydantic import (
    BeforeValidator,
    Field,
    PrivateAttr,
    SerializerFunctionWrapHandler,
    ValidationError,
    model_serializer,
    model_validator,
)

from stela_core.catalogue import NAME
from stela_core.errors import StelaError
from stela_core.files.bounded import parse_json
from stela_core.files.fingerprint import sha256
from stela_core.files.json_shape import Limits
from stela_core.parameters import describe, parse_parameters
from stela_core.profile.epochs import (
    MAY_LACK,
    AnyKeyPart,
    Day,
    KeyPart,
    ProfilePart,
    require_order,
    require_published_key,
)

if TYPE_CHECKING:
    from stela_core.interfaces import ContextParameters, Hasher

FORMAT: Literal["stela-profile/1"] = "stela-profile/1"

Sha256 = Field(pattern=r"^[0-9a-f]{64}$")


MOST_EXACT = (1 << 53) - 1
"""Whole numbers above it are no longer exact where JSON has only floats, as in a browser (RFC 8259, 6)."""


def _whole(value: Any) -> Any:
    """``8.0`` is ``8``: a reader in a browser cannot tell them apart."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


Whole = Annotated[int, Field(le=MOST_EXACT), BeforeValidator(_whole)]
"""A whole number that every reader of JSON reads alike."""


class SchemePart(ProfilePart):
    """The scheme and its parameters (``delta`` and those of its weightings and its scorer)."""

    name: str
    parameters: dict[str, Any] = Field(default={})


MOST_KEYS = 16


class HasherPart(AnyKeyPart):
    """What is drawn for a token: the split of the vocabulary into green and red, or another mark's signal."""

    name: str
    gamma: float | None = Field(default=None, gt=0, lt=1)
    """Share of green tokens; left out where the mark is not a green list."""
    context_width: Whole = Field(ge=0)
    """Preceding token ids that seed the split; 0 where it is one split for all contexts."""
    key_id: str | None = Field(pattern=r"^[0-9a-f]{8}$")
    """Name of the key: says whether a key is the right one, not what it is. Null where it is secret and
    easily guessed, as those of other toolkits are: then a wrong key cannot be told."""
    key: str | None = Field(default=None, pattern=r"^(?:[0-9a-f]{16}){1,64}$")
    """The key, 16 hex digits for each of its 64-bit words, or null where it is secret."""
    parameters: dict[str, Any] = Field(default={})
    """Parameters of this hasher other than gamma and context_width."""
    device: str | None = None
    """Device of the generator that draws the green lists; null where they are the same on all."""
    salt: str | None = Field(default=None, pattern=r"^[0-9a-f]{32}$")
    """Salt that makes the name of a secret key, and a key from a passphrase, slow to guess; absent where the
    key is public, and in profiles of before."""
    earlier_keys: tuple[KeyPart, ...] = Field(default=(), max_length=MOST_KEYS - 1)
    """Keys that were changed for another, youngest first: texts are tested for them, too, and p-values are
    times the number of keys tested. Absent where there are none."""
    since: Day | None = None
    """First day (UTC) of the key's epoch, in which it marks; absent where nothing was said."""
    until: Day | None = None
    """First day after it."""
    published: Day | None = None
    """The day on which a secret key was published: since then anyone can write text that carries its mark."""

    @model_serializer(mode="wrap")
    def _as_before(self, write: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Leave out the youngest fields where they say nothing: older versions read the file then."""
        written: dict[str, Any] = write(self)
        unused = [
            name for name in ("gamma", "parameters", "device", "earlier_keys", *MAY_LACK) if not written[name]
        ]
        return {name: value for name, value in written.items() if name not in unused}

    @model_validator(mode="after")
    def _has_epochs_in_order(self) -> Self:
        require_order(self.keys)
        require_published_key(self)
        return self

    @property
    def keys(self) -> tuple[HasherPart | KeyPart, ...]:
        """What is said of each key, the current one first."""
        return self, *self.earlier_keys

    def parameters_of(self, hasher: type[Hasher[Any]]) -> ContextParameters:
        """The hasher's parameters.

        Raises:
            StelaError: one is wrong, or green lists are drawn by a device's own generator.
        """
        if self.device not in (None, "cpu"):
            raise StelaError(
                f'green lists made on "{self.device}" cannot be reproduced: PyTorch draws other numbers '
                "there than on a CPU, by a generator that no other device has.",
                "mark text with the generator on the CPU, or with a profile of stela profile new, whose "
                "green lists are the same everywhere",
            )
        values = {**self.parameters, "context_width": self.context_width}
        if self.gamma is not None:
            values["gamma"] = self.gamma
        return parse_parameters(hasher.Parameters, values, f'hasher "{self.name}"', read=True)

    @property
    def has_epochs(self) -> bool:
        """Whether any of the keys has a bound of its epoch."""
        return any(key.since or key.until for key in self.keys)

    @property
    def is_public(self) -> bool:
        """Whether keys of the profile are public from the beginning."""
        return self.key is not None and self.published is None


class TaggerPart(ProfilePart):
    """The tagger behind the POS contexts."""

    name: str
    model: str
    version: str
    fingerprint: str


class MessagePart(ProfilePart):
    """How messages of the marks are written; the message itself stands in no profile."""

    code: str
    """Name of the encoder."""
    bits: Annotated[int, Field(ge=1, le=64), BeforeValidator(_whole)]
    """Length of a message in bits."""
    parameters: dict[str, Any] = Field(default={})
    """Parameters of the encoder other than the bits."""


class ObservedShare(ProfilePart):
    """Share of human texts with p <= level under the profile's key, with its 95 % interval."""

    level: float = Field(gt=0, lt=1)
    observed: float = Field(ge=0, le=1)
    low: float = Field(ge=0, le=1)
    high: float = Field(ge=0, le=1)


class NullCheck(ProfilePart):
    """How the profile's key did on human text before it was used (``stela profile new --check-null``)."""

    corpus: str
    """File name of the corpus."""
    corpus_sha256: str = Sha256
    documents: Whole = Field(ge=1)
    """Documents that texts were cut from."""
    tests: Whole = Field(ge=1)
    """Texts of 50, 100, 200 and 400 tokens that were tested."""
    keys_drawn: Whole = Field(ge=1)
    """Keys that were tried or chosen from, this one included."""
    mean_z: float
    """Mean and standard deviation of the grouped z under this key; 0 and 1 over random keys."""
    sd_z: float
    shares: list[ObservedShare]


class Profile(ProfilePart):
    """Everything a detector needs besides the tokenizer and the table that lie in the same archive."""

    MOST_KEYS: ClassVar = MOST_KEYS
    """Keys of one profile: p-values are times their number."""

    format: Literal["stela-profile/1"] = FORMAT
    created_with: str
    """Version of stela-core that wrote it."""
    language: str | None = None
    """ISO 639-1 code of the language it is meant for; null for any."""
    scheme: SchemePart
    hasher: HasherPart
    tagger: TaggerPart | None = None
    k: Annotated[int, Field(ge=1, le=8), BeforeValidator(_whole)] | None = None
    """n-gram length of the POS contexts: the k - 1 preceding tags."""
    window: Annotated[int, Field(ge=1, le=128), BeforeValidator(_whole)] | None = None
    """Units (words, or characters) before a token that are tagged."""
    calibration: Literal["tokens", "types"] = "tokens"
    """Which mean of the weights delta is divided by: over text (matched), or over contexts (paper)."""
    tokenizer_sha256: str = Sha256
    table_sha256: str | None = Field(default=None, pattern=r"^[0-9a-f]{64}$")
    vocab_size: Whole = Field(ge=2)
    """Ids the tokenizer knows; logits beyond it are padding and are never marked."""
    min_tokens: Whole = Field(default=16, ge=1)
    """Fewer distinct (context, token) pairs than this are "insufficient text", whatever they show; so is any
    text that could not reach alpha. New profiles say 8; where a file says nothing, it is 16 as ever."""
    alpha: float = Field(default=1e-3, gt=0, lt=1)
    """Largest p-value that is called watermarked: the rate of false alarms."""
    null_check: NullCheck | None = None
    """The test of the key on human text, where there was one; on the first corpus of several."""
    further_null_checks: tuple[NullCheck, ...] = ()
    """The tests on the other corpora; left out where there are none."""
    message: MessagePart | None = None
    """How marks carry a message; left out where they carry none."""
    requires: tuple[Annotated[str, Field(pattern=NAME)], ...] = Field(default=(), max_length=32)
    """Distributions of the plugins it needs besides stela-core; left out where there are none."""

    _digest: str | None = PrivateAttr(default=None)
    """Digest of the bytes it was read from, where :meth:`to_json` gives others."""

    def to_json(self) -> bytes:
        """The bytes of ``profile.json``."""
        return (self.model_dump_json(indent=2) + "\n").encode()

    @property
    def digest(self) -> str:
        """SHA-256 of the bytes of ``profile.json``, which name tokenizer and table by theirs.

        This is what is meant wherever the SHA-256 of a profile is spoken of. Of a file it is that of the
        bytes in it: the same JSON written in another way is another file.
        """
        return self._digest or sha256(self.to_json())

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """A copy as pydantic makes it; a changed profile no longer belongs to a file."""
        copy = super().model_copy(update=update, deep=deep)
        if update:
            copy._digest = None
        return copy

    @model_serializer(mode="wrap")
    def _without_empty_check(self, write: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Leave the youngest fields out where they say nothing: older versions read the file then."""
        written: dict[str, Any] = write(self)
        return {n: v for n, v in written.items() if v or n not in _YOUNGEST}

    @property
    def null_checks(self) -> tuple[NullCheck, ...]:
        """The tests of the key on human text, one a corpus."""
        return (*(() if self.null_check is None else (self.null_check,)), *self.further_null_checks)

    def with_null_checks(self, checks: Sequence[NullCheck | Mapping[str, Any]]) -> Profile:
        """The same profile, saying that its key passed these tests (at least one)."""
        first, *others = map(NullCheck.model_validate, checks)
        return self.model_copy(update={"null_check": first, "further_null_checks": tuple(others)})


_YOUNGEST = ("null_check", "further_null_checks", "message", "requires")


def parse_profile(data: bytes, source: str) -> Profile:
    """Validate the bytes of a ``profile.json``; nothing is converted: no text is a number, ``true`` is not 1.

    Raises:
        StelaError: it is not JSON, of another format, or a field is wrong (named).
    """
    again = "get the file again, or make the profile again with stela profile new"
    parse_json(data, source, again, limits=Limits(elements=100_000, depth=16, string=1 << 20))
    try:
        profile = Profile.model_validate_json(data, strict=True)
    except ValidationError as error:
        first = error.errors()[0]
        hint = "make the profile again with stela profile new"
        if first["loc"] == ("format",):
            hint = f"this version reads {FORMAT}; a newer stela-core may read it"
        raise StelaError(f"{source} is not a valid profile: {describe(error)}.", hint) from None
    if profile.to_json() != data:
        profile._digest = sha256(data)
    return profile
