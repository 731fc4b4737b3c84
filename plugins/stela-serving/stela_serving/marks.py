"""The marks of a server: running requests under their profiles, and a step's logits marked in place."""

from __future__ import annotations

import logging
from collections.abc import Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from stela_kernels.arrays import to_device

from stela_core import Watermark
from stela_serving.answers import AnswerIds, Delimiters
from stela_serving.audit import NO_ANSWER, NOT_ASKED, TOO_SHORT, AuditLog
from stela_serving.choosing import Drawing, choose, tokens_left
from stela_serving.record import ServerRecord
from stela_serving.requests import Requests
from stela_serving.settings import ALL, ANSWER, ServerSettings

if TYPE_CHECKING:
    import torch

log = logging.getLogger("stela_serving")


class MarkWish(NamedTuple):
    """What a request's text is marked with."""

    profile: str
    sampling: Drawing
    message: int | None = None
    """Message that the mark carries, where the profile has bits for one."""


class _Running(NamedTuple):
    wish: MarkWish
    ids: Sequence[int]
    """The engine's list, or our own."""
    answer: AnswerIds | None = None
    """The ids of its answer, where only that is marked."""

    @property
    def text(self) -> Sequence[int]:
        """The ids that are marked."""
        return self.ids if self.answer is None else self.answer


class ServerMarks:
    """Requests of all profiles. For one thread at a time, as an engine's sampler is.

    Args:
        watermarks: by the names of their profiles.
        tokenizer: the model's, checked against each profile.
        record: keeps the weights of texts that leave.
        mark: what of an output is marked (:attr:`.ServerSettings.mark`).
        audit: gets a line for each request.

    Raises:
        StelaError: the tokenizer is not a profile's.
    """

    def __init__(
        self,
        watermarks: Mapping[str, Watermark],
        tokenizer: Any = None,
        record: ServerRecord | None = None,
        mark: str = ALL,
        audit: AuditLog | None = None,
    ) -> None:
        keeps = record is not None or audit is not None
        self._requests = {
            name: watermark.requests(tokenizer, record=keeps) for name, watermark in watermarks.items()
        }
        self._key_ids = {name: watermark.profile.hasher.key_id for name, watermark in watermarks.items()}
        if tokenizer is None and watermarks:
            tokenizer = next(iter(watermarks.values())).tokenizer
        after = None if mark == ANSWER else mark
        self._delimiters = None if mark == ALL else Delimiters(tokenizer, after)
        self._record, self._audit = record, audit
        self._running: dict[Hashable, _Running] = {}
        self._warned = False

    @classmethod
    def of(cls, settings: ServerSettings, tokenizer: Any) -> ServerMarks:
        """The marks that a server's environment asks for, for its model's tokenizer.

        Raises:
            StelaError: a profile cannot be loaded, a record cannot be written, or as for the class.
        """
        record = None if settings.record is None else ServerRecord(settings.record)
        audit = None if settings.audit is None else AuditLog(settings.audit, settings.policy)
        return cls(settings.load(), tokenizer, record, settings.mark, audit)

    def __contains__(self, request: Hashable) -> bool:
        return request in self._running

    @property
    def reads_prompts(self) -> bool:
        """Whether the last tokens of prompts are wanted: they may say that thoughts come next."""
        return self._delimiters is not None

    def pass_over(self) -> None:
        """A request begins that asked for no mark."""
        if self._audit is not None:
            self._audit.unmarked(NOT_ASKED)

    def follow(
        self, request: Hashable, wish: MarkWish, ids: Sequence[int], prompt: Sequence[int] | None = ()
    ) -> None:
        """A request begins or comes back, whose tokens the engine puts into ``ids``.

        Args:
            request: what it is called from now on.
            wish: what its text is marked with.
            ids: of its output so far; the list grows, and is not copied.
            prompt: its ids, of which the last may say that thoughts come next.
        """
        answer = None if self._delimiters is None else AnswerIds(self._delimiters, prompt or (), ids)
        self._requests[wish.profile].follow(request, ids if answer is None else answer, message=wish.message)
        self._running[request] = _Running(wish, ids, answer)

    def add(
        self, request: Hashable, wish: MarkWish, ids: Sequence[int], prompt: Sequence[int] | None = ()
    ) -> None:
        """A request begins or comes back, whose tokens are handed over by :meth:`append`.

        Arguments are those of :meth:`follow`.
        """
        requests, answer = self._requests[wish.profile], None
        if self._delimiters is None:
            requests.add(request, ids, message=wish.message)
        else:
            answer = AnswerIds(self._delimiters, prompt or ())
            for token in ids:
                answer.append(token)
            requests.follow(request, answer, message=wish.message)
        self._running[request] = _Running(wish, list(ids), answer)

    def append(self, request: Hashable, token: int) -> None:
        """The next token of a request that was added."""
        running = self._running[request]
        if running.answer is None:
            self._requests[running.wish.profile].append(request, token)
        else:
            running.answer.append(token)
        if isinstance(running.ids, list):
            running.ids.append(token)

    def draft(self, request: Hashable, other: Hashable, token: int) -> None:
        """Another that goes on from a request with a token, for the rows of one step."""
        running = self._running[request]
        requests = self._requests[running.wish.profile]
        requests.copy(request, other)
        answer = None if running.answer is None else running.answer.copy()
        if answer is not None:
            answer.append(token)
        if answer is None or len(answer) > len(running.text):
            requests.append(other, token)
        elif len(answer) < len(running.text):  # the last tokens began a hidden part
            requests.remove(other)
            requests.follow(other, answer, message=running.wish.message)
        self._running[other] = running._replace(ids=(), answer=answer)

    def remove(self, request: Hashable, is_draft: bool = False) -> None:
        """A request ended, or leaves for a while."""
        running = self._running.pop(request)
        wish = running.wish
        requests = self._requests[wish.profile]
        if not is_draft and (self._record is not None or self._audit is not None):
            if running.answer is not None:
                running.answer.read()  # the last token came after the last step
            weights = requests.weights(request)
            if self._record is not None:
                self._record.add(wish.profile, running.text[: len(weights)], weights)
            if self._audit is not None:
                why = TOO_SHORT if running.answer is None or running.answer.is_open else NO_ANSWER
                marked = sum(map(bool, weights))
                self._audit.marked(wish.profile, self._key_ids[wish.profile], len(running.ids), marked, why)
        requests.remove(request)

    def mark(self, rows: Mapping[int, Hashable], logits: torch.Tensor) -> None:
        """Mark a step's logits where they lie; arguments as for :meth:`marked`."""
        marked = self.marked(rows, logits)
        if marked is not logits:
            logits.copy_(marked)

    def marked(self, rows: Mapping[int, Hashable], logits: torch.Tensor) -> torch.Tensor:
        """A step's logits, marked: new ones where all rows are of one profile, else these, where they lie.

        The row of a request whose last token is not known yet is not changed, nor is one within thoughts
        or a call of a tool, where only answers are marked.

        Args:
            rows: the request of each row to mark; each has one row.
            logits: (rows, width), before temperature, top-k and top-p.
        """
        by_profile: dict[str, list[int]] = {}
        for row, request in rows.items():
            profile, answer = self._running[request].wish.profile, self._running[request].answer
            if (answer is not None and not answer.read()) or self._requests[profile].waits(request):
                self._warn(request)
            elif answer is None or answer.is_open:
                by_profile.setdefault(profile, []).append(row)
        for profile, own in by_profile.items():
            requests, names = self._requests[profile], [rows[row] for row in own]
            if own == list(range(len(logits))):
                return self._of_profile(requests, names, logits)
            places = _places(own, logits)
            logits[places] = self._of_profile(requests, names, logits[places])
        return logits

    def _of_profile(
        self, requests: Requests, names: Sequence[Hashable], logits: torch.Tensor
    ) -> torch.Tensor:
        """New logits of rows under one profile; these where none is marked."""
        if requests.samples:
            return self._chosen(requests, names, logits)
        return requests(names, logits, again=True)

    def _chosen(self, requests: Requests, names: Sequence[Hashable], logits: torch.Tensor) -> torch.Tensor:
        """New logits, one token left in each row that is marked; others keep the engine's logits."""
        step = requests.step(names, logits, again=True)
        marked = [place for place, weight in enumerate(step.weights) if weight is not None]
        if not marked:
            return logits
        by_sampling: dict[Drawing, list[int]] = {}
        for place in marked:
            by_sampling.setdefault(self._running[names[place]].wish.sampling.unseeded, []).append(place)
        if len(marked) == len(names) and len(by_sampling) == 1:
            final = next(iter(by_sampling)).final(logits).to(logits.dtype)
        else:
            final = logits.clone()
            for sampling, alike in by_sampling.items():
                places = _places(alike, logits)
                final[places] = sampling.final(logits[places]).to(logits.dtype)
        reshaped = requests.finish(names, step, final)
        left = tokens_left(reshaped)
        for place, weight in enumerate(step.weights):
            if weight is None:
                reshaped[place] = logits[place]
            elif left[place] != 1:  # the mark has not chosen
                seed = self._running[names[place]].wish.sampling.seed
                reshaped[place] = choose(reshaped[place], seed, requests.length(names[place]))
        return reshaped

    def _warn(self, request: Hashable) -> None:
        level = logging.DEBUG if self._warned else logging.WARNING
        log.log(level, "a row of request %s is not marked: its last token is not known yet", request)
        self._warned = True


def _places(rows: Sequence[int], logits: torch.Tensor) -> torch.Tensor:
    """Rows as an index on the device of the logits; a list would be waited for there."""
    return to_device(np.asarray(rows, dtype=np.int64), logits.device)
