"""What is asked and answered, as types: the service reads by them, and ``/openapi.json`` is made of them."""

from __future__ import annotations

from typing import Annotated, Any, Literal, NotRequired, Self

from pydantic import BaseModel, ConfigDict, Field, NonNegativeInt, PositiveInt, model_validator
from pydantic_core import PydanticCustomError
from typing_extensions import TypedDict  # pydantic asks for it below Python 3.12

Share = Annotated[float, Field(ge=0, le=1)]


class Body(BaseModel):
    """Texts to test, and how."""

    # What a service's limits and profiles say is not part of the type: asking.py looks at it.

    model_config = ConfigDict(
        extra="forbid",
        strict=True,
        json_schema_extra={
            "oneOf": [{"required": ["text"]}, {"required": ["texts"]}],
            "example": {"text": "The history of the city began in the early nineteenth century."},
        },
    )

    text: str = Field(default_factory=str, description="One text.")
    texts: list[str] = Field(default_factory=list, min_length=1)
    profile: str = Field(default_factory=str, description="Leave it out to test for all.")
    tokens: bool = Field(False, description="Each token, with its place.")
    windows: bool = Field(False, description="Passages that look marked.")
    as_it_is: bool = Field(False, description="No canonical forms.")
    sign: bool = Field(False, description="Signed verdicts, too.")

    @model_validator(mode="after")
    def _one_of_both(self) -> Self:
        if len({"text", "texts"} & self.model_fields_set) != 1:
            raise PydanticCustomError("both", 'it has not one of "text" and "texts"')
        return self


Day = Annotated[str, Field(pattern="^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$")]


class Hint(BaseModel):
    """What is known of a text before it is read: nothing else is looked for, and p-values count no more."""

    model_config = ConfigDict(extra="forbid", strict=True)

    profile: str = Field(default_factory=str, description="A name of /v1/profiles.")
    key_id: str = Field(default_factory=str, description="Of a profile's key, or of a candidate.")
    written_between: list[Day] = Field(
        default_factory=list,
        min_length=2,
        max_length=2,
        description="First and last day (UTC) on which the text may have been written, for keys with epochs.",
    )


class ScoreBody(BaseModel):
    """A text to score."""

    model_config = ConfigDict(
        extra="forbid",
        strict=True,
        json_schema_extra={"example": {"text": "The history of the city.", "hint": {"profile": "kgw"}}},
    )

    text: str
    hint: Hint = Field(default_factory=Hint)


class Scored(TypedDict):
    """A score in the words of vLLM's request for comment 53916."""

    score: Annotated[float, Field(description="The standardised statistic z.")]
    p_value: Annotated[Share, Field(description="Times the number of marks tested.")]
    num_scored_tokens: NonNegativeInt
    is_watermarked: bool
    tests: Annotated[PositiveInt, Field(description="Marks the text was tested for, as the hint left them.")]
    profile: Annotated[str, Field(description="What looks marked most.")]
    key_id: str | None
    caveat: NotRequired[Annotated[str, Field(description="Of a profile that somebody else made.")]]


class Token(TypedDict):
    """A token, with its place in the text that was given."""

    text: str
    green: bool | None
    weight: float | None
    context: list[str] | None
    start: NonNegativeInt
    end: NonNegativeInt


class Read(TypedDict):
    """A message that was read in a marked text."""

    hex: Annotated[str, Field(pattern="^[0-9a-f?]{1,16}$", description="? where a digit is not sure.")]
    bits: Annotated[int, Field(ge=1, le=64)]
    sure: bool
    error: Annotated[float, Field(ge=0, le=1, description="Probability of naming another, at most.")]
    entry: NotRequired[Annotated[dict[str, Any], Field(description="What the register says of it.")]]


class Result(TypedDict):
    """What stela detect --json prints of a text: see docs/detecting.md."""

    verdict: Literal["watermarked", "no watermark found", "insufficient text"]
    p_value: Share
    z: float
    z_plain: float
    scored_tokens: NonNegativeInt
    unique_pairs: NonNegativeInt
    green_fraction: Share
    threshold: float
    caveat: str | None
    reading: str
    readings: PositiveInt
    profile: NotRequired[Annotated[str, Field(description="What looks marked most, where all were tested.")]]
    key_id: NotRequired[str | None]
    tests: NotRequired[Annotated[PositiveInt, Field(description="p-values are times their number.")]]
    power: NotRequired[float]
    message: NotRequired[Read]
    beside: NotRequired[dict[str, float]]
    p_alike: NotRequired[float]
    p_chosen: NotRequired[float]
    window: NotRequired[dict[str, Any]]
    passages: NotRequired[list[dict[str, Any]]]
    marks: NotRequired[list[dict[str, Any]]]
    tokens: NotRequired[list[Token]]


class Statement(TypedDict):
    """Ed25519 over canonical JSON; stela verdict verify checks it."""

    format: str
    kind: str
    says: dict[str, Any]
    key: str
    signature: str


class Results(TypedDict):
    """Results of each text."""

    results: Annotated[list[Result], Field(min_length=1)]
    signed: NotRequired[list[Statement]]


class ToldProfile(TypedDict):
    """What anyone may know of a profile."""

    name: str
    scheme: str
    language: str | None
    key_id: str | None
    earlier_key_ids: list[str]
    candidates: Annotated[NonNegativeInt, Field(description="Keys tested in place of its own.")]
    key: Literal["public", "secret"]
    fingerprint: Annotated[str, Field(description="SHA-256 of its profile.json.")]
    alpha: float
    own: Annotated[bool, Field(description="Made or trusted by whoever runs the service.")]
    caveat: Annotated[str | None, Field(description="What verdicts take for granted of another's.")]


class Listed(TypedDict):
    """What is tested for."""

    profiles: list[ToldProfile]
    tests: PositiveInt


class Signed(TypedDict):
    """Who signs verdicts."""

    public_key: Annotated[str, Field(pattern="^ed25519:[A-Za-z0-9_-]{43}$")]


class Health(TypedDict):
    """Whether it works."""

    status: str
    workers: int
    ready: int


class Description(TypedDict):
    """What describes the service."""

    openapi: str
    info: dict[str, Any]
    paths: dict[str, Any]
    components: dict[str, Any]


class Error(TypedDict):
    """Why there is no answer."""

    __pydantic_config__ = ConfigDict(extra="forbid")  # type: ignore[misc]

    error: str
    hint: str
