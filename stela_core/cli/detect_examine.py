"""How ``stela detect`` tests texts: for one mark or for several, in this process or in workers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from stela_core.cli.detection_model import model_of
from stela_core.detection.attribution import Attribution
from stela_core.detection.result import Detection
from stela_core.interfaces import Job
from stela_core.loading import load
from stela_core.loading_all import load_all
from stela_core.profile.key import Key
from stela_core.registry.plugin_files import PluginFile, registry_of_worker
from stela_core.watermark import Watermark
from stela_core.watermarks import Watermarks

if TYPE_CHECKING:
    from stela_core.interfaces.logits import LanguageModel, Surrogate

Result = TypeVar("Result", bound=Detection | Attribution)


class TextGroup(NamedTuple):
    """Texts that are tested at once."""

    sources: list[str]
    """Where each stands."""
    texts: list[str]
    prompts: list[str] | None


class Examined(NamedTuple, Generic[Result]):
    """What was found of them."""

    sources: list[str]
    results: list[Result]


@dataclass(frozen=True)
class ExamineOptions:
    """What the command line asks of every text; it travels to workers."""

    as_it_is: bool
    windows: bool
    allow_lenient: bool
    scoring: Mapping[str, Any]
    model: str | None
    device: str | None
    files: tuple[PluginFile, ...]
    """Of local plugins."""
    written: tuple[str, str] | None = None
    """Days between which the texts were written."""
    tokens: bool = False
    """Whether each token is shown; the evidence stays with the worker otherwise."""
    surrogate: str | None = None
    """A model that stands in for the one that writes."""


class Examine(Job[TextGroup, Examined[Result]], ABC):
    """Test parts; a worker loads what it tests for before its first one."""

    @abstractmethod
    def examine(self, part: TextGroup) -> list[Result]:
        """The result of each text."""

    def run(self, item: TextGroup) -> Examined[Result]:
        """The results, with the sources."""
        return Examined(item.sources, self.examine(item))


@dataclass
class ExamineForOne(Examine[Detection]):
    """For the mark of one profile, by its own thresholds."""

    profile: str
    keys: Key | list[Key] | None
    tagger: str | None
    asked: ExamineOptions
    watermark: Watermark | None = field(default=None, repr=False)
    """Of the process that made the job; others load their own."""
    model: LanguageModel | Surrogate | None = field(default=None, repr=False)
    away: bool = field(default=False, repr=False)
    """Whether results travel."""

    def __reduce__(self) -> tuple[Any, ...]:
        return ExamineForOne, (self.profile, self.keys, self.tagger, self.asked)

    def start(self) -> None:
        """Load the profile, and the model where its evidence needs one."""
        if self.watermark is None:
            self.away = True
            registry = registry_of_worker(self.asked.files)
            self.watermark = load(
                self.profile,
                self.keys,
                registry,
                self.tagger,
                self.asked.allow_lenient,
                self.asked.scoring,
                self.asked.written,
            )
            if self.watermark.needs_model_to_detect:
                asked = self.asked
                self.model = model_of(registry, asked.model, asked.surrogate, asked.device)

    def examine(self, part: TextGroup) -> list[Detection]:
        """The detection of each text."""
        assert self.watermark is not None
        detections = self.watermark.detect_many(part.texts, self.model, part.prompts, self.asked.as_it_is)
        if self.asked.windows:
            detections = [self.watermark.with_passage(detection) for detection in detections]
        if self.away and not self.asked.tokens:
            return [detection.without_evidence() for detection in detections]
        return list(detections)


@dataclass
class ExamineForSeveral(Examine[Attribution]):
    """For the marks of all profiles of a folder."""

    folder: str
    key_files: Sequence[str]
    asked: ExamineOptions
    watermarks: Watermarks | None = field(default=None, repr=False)
    """Of the process that made the job; others load their own."""

    def __reduce__(self) -> tuple[Any, ...]:
        return ExamineForSeveral, (self.folder, self.key_files, self.asked)

    def start(self) -> None:
        """Load the profiles, and the model where one is named."""
        if self.watermarks is None:
            registry = registry_of_worker(self.asked.files)
            self.watermarks = load_all(
                self.folder,
                self.key_files,
                registry,
                model_of(registry, self.asked.model, self.asked.surrogate, self.asked.device),
                self.asked.allow_lenient,
                self.asked.scoring,
                _heard_already,
                self.asked.written,
            )

    def examine(self, part: TextGroup) -> list[Attribution]:
        """The attribution of each text."""
        assert self.watermarks is not None
        asked = self.asked
        return list(self.watermarks.detect_many(part.texts, part.prompts, asked.as_it_is, asked.windows))


def _heard_already(note: str) -> None:
    """The process that waits for the worker has told it."""
