"""What an experiment file may say."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BeforeValidator,
    ConfigDict,
    Field,
    SerializerFunctionWrapHandler,
    field_validator,
    model_serializer,
    model_validator,
)

from stela_core import Parameters
from stela_core.api import Calibration
from stela_run.plan.estimate import EXPECTED, Estimate, wrong_draws
from stela_run.plan.model_name import model_name

KeyPer = Literal["text", "seed"]
"""Whether each text has a separate key, or all texts of a seed share one."""


class Part(Parameters):
    """A component by name, with its parameters: ``{name = "wordnet", share = 0.3}``."""

    model_config = ConfigDict(extra="allow")

    name: str = Field(min_length=1)

    @model_validator(mode="before")
    @classmethod
    def _of_a_name(cls, value: Any) -> Any:
        return {"name": value} if isinstance(value, str) else value

    @property
    def parameters(self) -> dict[str, Any]:
        """Parameters of the component."""
        return dict(self.model_extra or {})

    @property
    def label(self) -> str:
        """Name and parameters, as in ``wordnet(share=0.3)``."""
        inside = ", ".join(f"{name}={value}" for name, value in self.parameters.items())
        return f"{self.name}({inside})" if inside else self.name


class TagSet(Parameters):
    """A tagger and the tables that go with it."""

    tagger: str = Field(min_length=1)
    """``NAME`` or ``NAME:MODEL``."""

    k: int | None = Field(default=None, ge=1, le=8)
    """Length of the n-grams; by default the tagger's."""

    table: str | None = None
    """Table file; by default the one that the plugin ships for k."""


class Language(TagSet):
    """One language: its tagger, its prompts, its human text."""

    prompts: str | None = None
    """JSON lines with a ``prompt`` and a human ``continuation``, or the name of a text source; by default
    ``prompts/LANGUAGE.jsonl.gz`` in the data folder, else the installed one that stands in."""

    human: str | None = None
    """JSON lines with a ``continuation`` or ``text``; by default the continuations of the prompts."""

    tagsets: dict[str, TagSet] = Field(default_factory=dict)
    """Other taggers, for schemes that name them with ``tagset``."""


COSTS = ("divergence", "surprisal", "divergence_per_key")
"""What a mark costs at a position (:meth:`stela_run.cost.value.Cost.of`)."""

AIMS = ("mean_bias", *COSTS, "tpr")
"""What a pilot may set the strength by."""

LATER = frozenset({*COSTS, "tpr", "tpr_at", "bits", "surrogate"})
"""What an entry could not say at first."""


class SchemeEntry(Parameters):
    """One watermark to compare."""

    name: str = Field(min_length=1)
    """A scheme, a weighting, or ``A+B``: inserted as A does, weighed as B does."""

    label: str | None = None
    """Name in tables and figures; by default the scheme's with what sets it apart from the others."""

    delta: float | None = Field(default=None, ge=0)
    """Short for ``parameters.delta``."""

    parameters: dict[str, Any] = Field(default_factory=dict)
    """Parameters of the scheme and its weightings."""

    mean_bias: float | None = Field(default=None, gt=0)
    """Mean bias (nats) on the model's text, in place of delta: delta is chosen so that it is this."""

    divergence: float | None = Field(default=None, gt=0)
    """Divergence (nats) on the model's text, in place of delta: delta is chosen so that it is this."""

    surprisal: float | None = Field(default=None, gt=0)
    """Rise of surprisal (nats a token) on the model's text, in place of delta, likewise."""

    divergence_per_key: float | None = Field(default=None, gt=0)
    """Divergence under one key (nats), in place of delta, likewise."""

    tpr: float | None = Field(default=None, gt=0, lt=1)
    """Share found of the model's texts of the largest length, in place of delta: delta is chosen for it."""

    tpr_at: float | None = Field(default=None, gt=0, lt=1)
    """p-value from which on a text counts as found for ``tpr``; by default that of new profiles, 0.001."""

    gamma: float | None = Field(default=None, gt=0, lt=1)
    context_width: int | None = Field(default=None, ge=0)
    bits: int | None = Field(default=None, ge=1, le=64)
    """Bits of a message that each text carries, drawn for it as its key is; by default there is none."""
    calibration: Calibration | None = None
    """Calibration of the weights; by default the experiment's."""

    surrogate: Annotated[str | None, BeforeValidator(model_name)] = None
    """Model that stands in for the writing one where weights read logits, without the prompt."""

    tagset: str | None = None
    """One of the language's ``tagsets``; by default its own tagger."""

    k: int | None = Field(default=None, ge=1, le=8)
    table: str | dict[str, str] | None = None
    """Table file, or one for each language."""

    languages: list[str] | None = None
    """Languages in which it is compared; by default all."""

    @model_validator(mode="after")
    def _one_strength(self) -> SchemeEntry:
        aims = [name for name in AIMS if getattr(self, name) is not None]
        twice = None not in (self.delta, self.parameters.get("delta"))
        if len(aims) > 1 or twice or (self.tpr is not None and self.given_delta is not None):
            raise ValueError(f"give one of delta, parameters.delta, {', '.join(AIMS[:-1])} and {AIMS[-1]}")
        if self.tpr_at is not None and self.tpr is None:
            raise ValueError("tpr_at goes with tpr")
        return self

    @model_serializer(mode="wrap")
    def _as_before(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Content without what was added later and is not asked for: ids of cells are digests of this."""
        content: dict[str, Any] = handler(self)
        return {name: value for name, value in content.items() if value is not None or name not in LATER}

    @property
    def piloted(self) -> str | None:
        """The quantity that a pilot sets delta by; ``None`` where there is no pilot."""
        return next((name for name in AIMS if getattr(self, name) is not None), None)

    @property
    def given_delta(self) -> Any:
        """The delta that the entry names, in either way."""
        return self.parameters.get("delta") if self.delta is None else self.delta


UNTIL_DECIDED = "until decided"
"""What ``texts`` may be, instead of their number."""
AT_MOST = 400
"""Texts of a language, at most, where ``at_most`` does not say so."""


def _ascending(values: list[int]) -> list[int]:
    if sorted(set(values)) != values:
        raise ValueError("must be distinct and ascending")
    return values


def _cut(top_p: float | None) -> float | None:
    """``None`` for 1, which cuts nothing: such cells are those without it."""
    return None if top_p == 1 else top_p


class ExecutorEntry(Part):
    """Executor that says where cells run."""


class Experiment(Parameters):
    """A whole experiment: the product of models, languages, schemes, seeds, lengths and attacks."""

    title: str = "Experiment"
    about: str = ""
    """What is asked, in a sentence or two; it opens the report."""

    models: list[Annotated[str, BeforeValidator(model_name)]] = Field(min_length=1)
    """Alias, folder or hub name; ``NAME@REVISION``, or ``{name = "NAME", revision = "REVISION"}``, pins a
    commit or a tag of the Hub."""

    languages: dict[str, Language] = Field(min_length=1)
    schemes: list[SchemeEntry] = Field(min_length=1)
    seeds: list[Annotated[int, Field(ge=0)]] = Field([0], min_length=1)
    """Each draws keys and samples its texts anew."""

    lengths: Annotated[list[Annotated[int, Field(ge=1)]], AfterValidator(_ascending)] = Field(
        [200], min_length=1
    )
    """Tokens that texts are cut to before attack and detection."""

    texts: int = Field(100, ge=1)
    """Prompts of each language, after those skipped; fewer where there are fewer. ``"until decided"`` with
    ``at_most = N`` stands for N, and ``until_decided``."""

    until_decided: bool = False
    """Whether texts are made in rounds, and no more of a scheme once its comparisons are decided."""

    estimate: Estimate = "generated"
    """Whether z is that of texts that each mark wrote, or what is expected along texts without a mark."""

    skip: int = Field(0, ge=0)
    """Prompts (and human texts) left out from the first on: those on which something measured was chosen."""

    temperature: float = Field(0.7, ge=0)
    top_p: Annotated[float | None, Field(gt=0, le=1), AfterValidator(_cut)] = None
    """Texts are drawn from the likeliest tokens that have this probability together; by default from all."""

    batch_size: int = Field(32, ge=1)
    device: str | None = None
    dtype: Literal["float32", "bfloat16", "float16"] | None = None
    """Numbers that models compute in; by default float32 on a CPU, and as saved on a GPU."""
    calibration: Calibration = "tokens"
    key_per: KeyPer | None = None
    """Whether each text is marked under a separate key, drawn by seed and prompt, or all of a seed under
    one; by default ``text``, but ``seed`` where an attack learns from several texts."""

    keys: int = Field(1, ge=1)
    """Keys that unmarked texts are tested under, the mark's first: more keys give more negatives."""

    negatives: bool | Literal["human"] = True
    """Whether unmarked texts are tested too, or of them only the human ones: the model then writes none.
    Metrics leave out values that need what is not there."""

    readings: bool = False
    """Whether texts are tested in their canonical form and sentence case, too, as ``stela detect`` does."""

    attacks: list[Part] = Field(default_factory=lambda: [Part(name="none")], min_length=1)
    metrics: list[Part] = Field(default_factory=list)
    """Metrics that are measured; by default those installed that say so
    (:attr:`stela_core.Metric.by_default`)."""

    executor: ExecutorEntry = Field(default_factory=lambda: ExecutorEntry(name="local"))
    data: str | None = None
    """Folder that paths are relative to; by default that of the file."""

    @property
    def expected(self) -> bool:
        """Whether z is an expected one."""
        return self.estimate == EXPECTED

    @property
    def unmarked_texts(self) -> bool:
        """Whether the model writes texts without a mark, too."""
        return self.negatives is True

    @model_validator(mode="before")
    @classmethod
    def _short_forms(cls, value: Any) -> Any:
        if isinstance(value, dict):
            value = dict(value)
            if "model" in value and "models" not in value:
                value["models"] = [value.pop("model")]
            if value.get("texts") == UNTIL_DECIDED:
                value |= {"texts": value.pop("at_most", AT_MOST), "until_decided": True}
        return value

    @field_validator("models", "seeds")
    @classmethod
    def _distinct(cls, values: list[Any]) -> list[Any]:
        if len(set(values)) != len(values):
            raise ValueError("must be distinct")
        return values

    @model_validator(mode="after")
    def _draws(self) -> Experiment:
        wrong = wrong_draws(vars(self), {entry.piloted for entry in self.schemes})
        if wrong:
            raise ValueError(wrong)
        return self

    @model_validator(mode="after")
    def _names_exist(self) -> Experiment:
        for entry in self.schemes:
            for code in [*(entry.languages or []), *(entry.table if isinstance(entry.table, dict) else [])]:
                if code not in self.languages:
                    raise ValueError(f'scheme "{entry.name}" names a language "{code}" that is not there')
            if entry.tagset is not None and not any(
                entry.tagset in language.tagsets for language in self.languages.values()
            ):
                raise ValueError(f'scheme "{entry.name}" names a tagset "{entry.tagset}" of no language')
        return self
