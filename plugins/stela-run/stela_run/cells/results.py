"""What is found of shards and cells, as files hold it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any, ClassVar, NamedTuple, Self, TypedDict

from stela_models.generation.generate import Generated

from stela_run.cells.environment import UNKNOWN, MadeWith
from stela_run.cells.outcome import Outcome, Token
from stela_run.plan.texts import Pair

EXPECTED_Z = "expected-z"
"""Value of an experiment whose estimate is expected."""

KINDS = ("marked", "model", "human")
"""Kinds of texts that are tested."""


@dataclass(frozen=True, slots=True)
class KeyedText(Generated):
    """A generated text, and the key of its prompt in 16 hex digits."""

    key: str | None = None


class Shown(TypedDict):
    """An unmarked text next to the example, and its test under the mark's key."""

    text: str
    z: float | None
    p_value: float | None


class Beside(TypedDict):
    """What the report shows next to the example: its prompt, and how model and person went on unmarked."""

    prompt: str
    model: Shown | None
    human: Shown | None


class Measured(NamedTuple):
    """A value of a metric, the ends of its interval and the number of texts."""

    value: float | None
    low: float | None
    high: float | None
    n: int | None


class Timing(TypedDict, total=False):
    """How long something took."""

    seconds: float
    seconds_per_token: float
    tokens: int
    lengths: dict[int, dict[str, Measured]]
    """What metrics that are times measured at each length."""


@dataclass(frozen=True, kw_only=True)
class Result:
    """What became of a piece of work."""

    made_with: MadeWith = field(default_factory=lambda: UNKNOWN)
    readers: ClassVar[Mapping[str, Callable[[Any], Any]]] = {}
    """Make fields of what a file holds, where that is not what they are."""

    @classmethod
    def of(cls, content: Mapping[str, Any]) -> Self:
        """The result that a file holds; what this version does not know is left out."""
        held = known(cls, content)
        return cls(**held | {name: read(held[name]) for name, read in cls.readers.items()})


@dataclass(frozen=True, kw_only=True)
class Failure(Result):
    """The result of work that failed."""

    error: str


@dataclass(frozen=True, kw_only=True)
class Strength(Result):
    """What a pilot found."""

    value: float
    """Value of the scheme's :class:`.Knob`, mostly delta."""

    @classmethod
    def of(cls, content: Mapping[str, Any]) -> Self:
        """What a file holds; files of before call it delta, whatever the parameter."""
        return super().of({"value": content.get("delta"), **content})


def keyed_texts(content: list[dict[str, Any]]) -> list[KeyedText]:
    """Generated texts from what a file holds."""
    return [KeyedText(**text) for text in content]


@dataclass(frozen=True, kw_only=True)
class GeneratedShard(Result):
    """The texts of a shard."""

    delta: float | None
    texts: list[KeyedText]
    readers: ClassVar = {"texts": keyed_texts}


@dataclass(frozen=True, kw_only=True)
class HumanShard(Result):
    """Human texts that go with a shard."""

    texts: list[Pair]
    readers: ClassVar = {"texts": lambda pairs: [Pair(*pair) for pair in pairs]}


class ExpectedText(NamedTuple):
    """What is expected of a mark along a text, over keys (:mod:`stela_run.cells.expecting`)."""

    text: str
    """Digest of the prompt."""
    z: float
    bias: float
    """Mean over the text's tokens of the bias on green logits, in nats."""
    surprisal: float
    """Rise of -log p, nats a token."""
    green: float
    """Share of the scored tokens that is green."""
    scored_tokens: int
    unique_pairs: int
    error: float = 0.0
    """Standard error of z over the keys that were drawn; 0 where none had to be."""

    def columns(self) -> list[Any]:
        """The values of :data:`.COLUMNS` that there are."""
        numbers = self.scored_tokens, self.unique_pairs, self.green
        return [self.text, self.z, None, None, *numbers, None]


@dataclass(frozen=True)
class LengthResult:
    """The tests of a shard at one length."""

    scores: dict[str, list[Outcome]]
    """Outcomes by kind of text; those of unmarked texts are one for each text and key."""
    attacked: list[str] | None
    """The marked texts after the attack; ``None`` where there was none."""
    example: list[Token] | None
    """Tokens of the first marked text."""
    expected: list[ExpectedText] | None = None
    """What is expected of each text; ``None`` where texts are marked."""

    @classmethod
    def of(cls, content: Mapping[str, Any]) -> Self:
        """The tests that a file holds."""
        scores = {kind: [Outcome.of_row(row) for row in rows] for kind, rows in content["scores"].items()}
        rows = content.get("expected")
        expected = None if rows is None else [ExpectedText(*row) for row in rows]
        return cls(scores, content["attacked"], _tokens(content["example"]), expected)


@dataclass(frozen=True, kw_only=True)
class ShardResult(Result):
    """The tests of a shard by length."""

    inputs: dict[str, str] = field(default_factory=dict)
    """Digests of the texts by the id of the cell that generated them."""
    lengths: dict[int, LengthResult]
    readers: ClassVar = {"lengths": lambda held: {int(n): LengthResult.of(at) for n, at in held.items()}}


@dataclass(frozen=True, kw_only=True)
class CellResult(Result):
    """A whole generate cell, and what a measured one has of that; what a shard found is in the shard's file.

    Version 0.2 kept a cell of up to 1,000 texts without shards: its texts are under ``texts``, the tests
    under ``scores`` of each length (:meth:`stela_run.cells.store.Store.texts`, ``tests``).
    """

    also_made_with: list[MadeWith] = field(default_factory=list)
    """What shards were made with that were made with something else."""
    delta: float | None
    parts: dict[str, str | None] = field(default_factory=dict)
    """Names of the shards, each with a digest of its texts if it generated some."""

    @property
    def environments(self) -> list[MadeWith]:
        """What cell and shards were made with, each once."""
        return [self.made_with, *self.also_made_with]


@dataclass(frozen=True)
class MeasuredLength:
    """What metrics found at one length."""

    values: dict[str, Measured] = field(default_factory=dict)
    each: dict[str, list[float | None]] = field(default_factory=dict)
    """Values of single texts."""
    errors: dict[str, str] = field(default_factory=dict)
    """Errors of metrics that failed, by metric."""
    test: list[Any] | None = None
    """Test of the first marked text, by :data:`stela_run.cells.outcome.COLUMNS`."""
    example: list[Token] | None = None
    beside: Beside | None = None

    @classmethod
    def of(cls, content: Mapping[str, Any]) -> Self:
        """What a file holds; version 0.2 kept all tests here, and the example's was the first."""
        held = known(cls, content)
        held["values"] = {name: Measured(*row) for name, row in held.get("values", {}).items()}
        held["example"] = _tokens(held.get("example"))
        if held["example"] and "test" not in held:
            held["test"] = content["scores"]["marked"][0]
        return cls(**held)


def measured_lengths(content: Mapping[str, Any]) -> dict[int, MeasuredLength]:
    """What metrics found at each length, from what a file holds."""
    return {int(length): MeasuredLength.of(at) for length, at in content.items()}


@dataclass(frozen=True, kw_only=True)
class MeasuredCell(CellResult):
    """An evaluate cell."""

    inputs: dict[str, str] = field(default_factory=dict)
    profile_sha256: str | None
    key_id: str | None
    knob: str | None = None
    """The parameter that a pilot set, where it is not delta."""
    samples: bool = False
    """Whether the mark chooses tokens in place of changing logits."""
    lengths: dict[int, MeasuredLength]
    readers: ClassVar = {"lengths": measured_lengths}


def known(kind: type[Any], content: Mapping[str, Any]) -> dict[str, Any]:
    """What an object says of the fields of a dataclass."""
    return {each.name: content[each.name] for each in fields(kind) if each.name in content}


def plain(value: Any) -> Any:
    """A value as JSON takes it: an outcome as its row, another dataclass as an object of its fields."""
    if isinstance(value, Outcome):
        return value.row()
    if not is_dataclass(value):
        raise TypeError(f"{type(value).__name__} is not part of a result")
    return {each.name: getattr(value, each.name) for each in fields(value)}


def _tokens(rows: Sequence[Sequence[Any]] | None) -> list[Token] | None:
    return None if rows is None else [Token(*row) for row in rows]
