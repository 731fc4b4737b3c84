"""Metric: one cell of an experiment to numbers with confidence intervals."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Generic, NamedTuple

from stela_core import Component, StelaError
from stela_core.api import P_co
from stela_run.preflight import Preflight

if TYPE_CHECKING:
    from stela_models.generation.generate import Generated
    from stela_models.loaded import Models

    from stela_core import Detection, Watermark


class Value(NamedTuple):
    """One measured number."""

    name: str
    """Short, in kebab case, such as ``tpr@0.01``."""
    value: float
    low: float | None = None
    """Lower end of the 95 % confidence interval; ``None`` where there is none."""
    high: float | None = None
    n: int | None = None
    """Number of texts behind it."""
    each: tuple[float, ...] | None = None
    """The values of single texts, where their distribution is of interest; kept in the cell's file."""


@dataclass(frozen=True, slots=True, eq=False)
class Marked:
    """A marked text: as generated, and as detected after the cut to a length and the attack."""

    generated: Generated
    """Prompt, whole text, its ids, strength weights and mean bias."""
    text: str
    """What was tested."""
    detection: Detection
    key: int | None = None
    """64-bit key it was marked and tested under, where it is told."""


@dataclass(frozen=True, slots=True, eq=False)
class Unmarked:
    """A text without a mark, cut to the same length: a human continuation, or the model's own."""

    prompt: str
    text: str
    detections: Sequence[Detection]
    """One for each of the text's keys; the first is the one that a marked text after its prompt has."""
    keys: Sequence[int] = ()
    """These 64-bit keys, where they are told."""


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """What a metric sees of a cell at one length.

    Lists are in the order of the prompts; texts that came out too short for the length are left out
    of each list on its own, so match them by ``prompt``.
    """

    language: str
    length: int
    """Tokens each text was cut to (before the attack)."""
    seed: int
    """Seed of keys, of sampling, and of resampling in metrics."""
    marked: Sequence[Marked]
    model_text: Sequence[Unmarked]
    """The same model's text without a mark, for the same prompts."""
    human: Sequence[Unmarked]
    """The human continuations of the prompts, or other human text."""
    watermark: Watermark
    """Watermark of the cell. Its key is not a text's where each text has another key (:attr:`Marked.key`)."""
    model: str
    """Name of the model that wrote the texts; ``models.load(model)`` gives it."""
    models: Models
    seconds_per_token: float = float("nan")
    """Seconds a token of generation with the mark."""
    plain_seconds_per_token: float = float("nan")
    """Seconds a token of generation without a mark."""
    temperature: float = 0.7
    """Temperature at which texts were drawn."""


class Metric(Component, Generic[P_co]):
    """Measure something of a cell.

    Copy me (``metrics = ["vowels"]`` in an experiment file then uses it)::

    import stela_core as stela
    import stela_run

    class Vowels(stela_run.Metric):
        name = "vowels"

        def measure(self, sample):
            texts = [marked.text for marked in sample.marked]
            share = [sum(c in "aeiou" for c in text) / len(text) for text in texts]
            return [stela_run.Value("vowels", sum(share) / len(share), n=len(share))]

    @stela.hookimpl
    def stela_register_metrics():
        return Vowels
    """

    kind = "metric"
    hook = "stela_register_metrics"

    timed: ClassVar[bool] = False
    """Whether its values are times: they go to the file of timings, as no run repeats them exactly."""

    attacked: ClassVar[bool] = True
    """Whether an attack changes it; if not, it is measured on texts that were not attacked."""

    all_tokens: ClassVar[bool] = False
    """Whether it needs texts drawn from all tokens: it is refused where the experiment has a ``top_p``."""

    by_default: ClassVar[bool] = False
    """Whether experiments that name no metrics measure it: it runs with its default parameters, and asks for
    no model, file or network."""

    def __init__(self, parameters: P_co) -> None:
        self.parameters = parameters

    def check(self, preflight: Preflight) -> None:
        """Look for all data, models and endpoints that it needs: it is called before a run begins.

        Raises:
            StelaError: something it needs is missing here.
        """

    @classmethod
    def require_draws(cls, top_p: float | None) -> None:
        """Find out whether it can be measured on texts drawn so.

        Raises:
            StelaError: it needs :attr:`all_tokens`.
        """
        if cls.all_tokens and top_p is not None:
            raise StelaError(
                f'metric "{cls.name}" needs texts drawn from all tokens, and top_p cuts some off.',
                "take one of them out",
            )

    @abstractmethod
    def measure(self, sample: Sample) -> Sequence[Value]:
        """The numbers, the same for the same sample: draw from a generator seeded with ``sample.seed``.

        Raises:
            StelaError: the sample is too small for it, or something it needs is missing here.
        """
