"""How ``stela detect`` tests texts: in parts, for one mark or for several, in this process or in workers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from stela_cli.detect_inputs import model_of
from stela_cli.documents.reader import Text
from stela_cli.jobs.executor import Job
from stela_cli.jobs.workers import PluginFile, registry_of_worker
from stela_cli.problems import Problems
from stela_core import Attribution, Detection, StelaError, Watermark, Watermarks, load, load_all
from stela_core.api import Key

if TYPE_CHECKING:
    from stela_detection.search.candidates import Candidate

    from stela_core import Surrogate
    from stela_core.api import LanguageModel

BATCH = 256
"""Texts handed to the detector at once: enough for a fast batch, few enough to show progress."""

TESTS = 2_048
"""Texts of a batch times marks, about: each batch shows progress."""

FEWEST = 8
"""Texts of a batch, however many marks there are: a tagger is called once a batch."""

CHARACTERS = 1_000_000
"""Characters of a batch, however few texts they are: what is held at once."""

SHARED = 128
"""Texts of a part of the last batch but one, where several workers share them."""

AT_THE_END = 64, 32
"""The same in the two halves of the last batch: one worker may still be at this many texts when others are
done. A large part is cheaper: windows that texts share are tagged once."""

Result = TypeVar("Result", bound=Detection | Attribution)


class TextGroup(NamedTuple):
    """Texts that are tested at once."""

    sources: list[str]
    """Name of the place that each text is from."""
    texts: list[str]
    prompts: list[str] | None


class Examined(NamedTuple, Generic[Result]):
    """What was found of them."""

    sources: list[str]
    results: list[Result]


def batches_of(items: Iterable[Text | StelaError], problems: Problems) -> Iterator[list[Text]]:
    """Batches of at most ``BATCH`` texts and ``CHARACTERS`` characters, or one text; errors are reported."""
    batch: list[Text] = []
    size = 0
    for item in items:
        if isinstance(item, StelaError):
            problems.report(item)
            continue
        if batch and (len(batch) == BATCH or size + len(item.text) > CHARACTERS):
            yield batch
            batch, size = [], 0
        batch.append(item)
        size += len(item.text)
    if batch:
        yield batch


def texts_at_once(marks: int) -> int:
    """Texts of a part that is tested for ``marks`` marks."""
    return BATCH if marks == 1 else max(FEWEST, min(BATCH, TESTS // marks))


def parts_of(
    batches: Iterable[list[Text]], prompts: list[str] | None, most: int, shared: bool
) -> Iterator[TextGroup]:
    """Batches as parts of at most ``most`` texts, each text with its prompt where there are such.

    Where workers share them, parts are smaller towards the end.
    """
    done = 0
    for batch, later in _with_later(batches, 2 if shared else 0):
        start = 0
        while start < len(batch):
            part = batch[start : start + min(most, _size(start, len(batch), later) if shared else most)]
            before = None if prompts is None else prompts[done : done + len(part)]
            yield TextGroup([text.source for text in part], [text.text for text in part], before)
            done += len(part)
            start += len(part)


def _size(start: int, length: int, later: int) -> int:
    """Texts of a part that begins there in a batch, which ``later`` others follow (2 for more)."""
    if later:
        return BATCH if later > 1 else SHARED
    return AT_THE_END[2 * start >= length]


def _with_later(batches: Iterable[list[Text]], most: int) -> Iterator[tuple[list[Text], int]]:
    """Each batch with the number of those that follow, ``most`` for more."""
    waiting: deque[list[Text]] = deque()
    for batch in batches:
        waiting.append(batch)
        if len(waiting) > most:
            yield waiting.popleft(), most
    while waiting:
        yield waiting.popleft(), len(waiting)


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
    """Local plugins, as files."""
    written: tuple[str, str] | None = None
    """Days between which the texts were written."""
    tokens: bool = False
    """Whether each token is shown; the worker keeps the evidence otherwise."""
    surrogate: str | None = None
    """A model that stands in for the one that writes."""
    messages: tuple[int, ...] | None = None
    """Messages that were issued; ``None`` where all are possible."""
    candidates: tuple[Candidate, ...] | None = field(default=None, repr=False)
    """Keys in place of the profile's own."""
    key_sets: Mapping[str, tuple[Candidate, ...]] | None = field(default=None, repr=False)
    """The same for several profiles, by their names."""


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
    """Test texts for the mark of one profile, by its thresholds."""

    profile: str
    keys: Key | list[Key] | None
    tagger: str | None
    options: ExamineOptions
    watermark: Watermark | None = field(default=None, repr=False)
    """Watermark of the process that made the job; other processes load their own."""
    model: LanguageModel | Surrogate | None = field(default=None, repr=False)
    away: bool = field(default=False, repr=False)
    """Whether results travel."""

    def __reduce__(self) -> tuple[Any, ...]:
        return ExamineForOne, (self.profile, self.keys, self.tagger, self.options)

    def start(self) -> None:
        """Load the profile, and the model where its evidence needs one."""
        if self.watermark is None:
            self.away = True
            registry = registry_of_worker(self.options.files)
            self.watermark = load(
                self.profile,
                self.keys,
                registry,
                self.tagger,
                self.options.allow_lenient,
                self.options.scoring,
                self.options.written,
                self.options.candidates,
            )
            if self.options.messages is not None:
                self.watermark = self.watermark.among(self.options.messages)
            if self.watermark.needs_model_to_detect:
                options = self.options
                self.model = model_of(registry, options.model, options.surrogate, options.device)

    def examine(self, part: TextGroup) -> list[Detection]:
        """The detection of each text."""
        assert self.watermark is not None
        detections = self.watermark.detect_many(part.texts, self.model, part.prompts, self.options.as_it_is)
        if self.options.windows:
            detections = [self.watermark.with_passage(detection) for detection in detections]
        if self.away and not self.options.tokens:
            return [detection.without_evidence() for detection in detections]
        return list(detections)


@dataclass
class ExamineForSeveral(Examine[Attribution]):
    """Test texts for the marks of all profiles of a folder."""

    folder: str
    key_files: Sequence[str]
    options: ExamineOptions
    watermarks: Watermarks | None = field(default=None, repr=False)
    """Watermarks of the process that made the job; other processes load their own."""

    def __reduce__(self) -> tuple[Any, ...]:
        return ExamineForSeveral, (self.folder, self.key_files, self.options)

    def start(self) -> None:
        """Load the profiles, and the model where one is named."""
        if self.watermarks is None:
            registry = registry_of_worker(self.options.files)
            self.watermarks = load_all(
                self.folder,
                self.key_files,
                registry,
                model_of(registry, self.options.model, self.options.surrogate, self.options.device),
                self.options.allow_lenient,
                self.options.scoring,
                _heard_already,
                self.options.written,
                self.options.key_sets,
            )

    def examine(self, part: TextGroup) -> list[Attribution]:
        """The attribution of each text."""
        assert self.watermarks is not None
        options = self.options
        return list(self.watermarks.detect_many(part.texts, part.prompts, options.as_it_is, options.windows))


def _heard_already(note: str) -> None:
    """The process that waits for the worker has told it."""
