"""The marks of a server: running requests under their profiles, and a step's logits marked in place."""

from __future__ import annotations

import logging
from collections.abc import Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from stela_kernels.arrays import to_device

from stela_core import Watermark
from stela_serving.choosing import Drawing, choose, tokens_left
from stela_serving.record import ServerRecord
from stela_serving.requests import Requests

if TYPE_CHECKING:
    import torch

log = logging.getLogger("stela_serving")


class MarkWish(NamedTuple):
    """What a request's text is marked with."""

    profile: str
    sampling: Drawing
    message: int | None = None
    """That the mark carries, where the profile has bits for one."""


class _Running(NamedTuple):
    wish: MarkWish
    ids: Sequence[int]
    """The engine's list, or our own."""


class ServerMarks:
    """Requests of all profiles. For one thread at a time, as an engine's sampler is.

    Args:
        watermarks: by the names of their profiles.
        tokenizer: the model's, checked against each profile.
        record: keeps the weights of texts that leave.

    Raises:
        StelaError: the tokenizer is not a profile's.
    """

    def __init__(
        self, watermarks: Mapping[str, Watermark], tokenizer: Any = None, record: ServerRecord | None = None
    ) -> None:
        self._requests = {
            name: watermark.requests(tokenizer, record=record is not None)
            for name, watermark in watermarks.items()
        }
        self._record = record
        self._running: dict[Hashable, _Running] = {}
        self._warned = False

    def __contains__(self, request: Hashable) -> bool:
        return request in self._running

    def follow(self, request: Hashable, wish: MarkWish, ids: Sequence[int]) -> None:
        """A request begins or comes back, whose tokens the engine puts into ``ids``."""
        self._requests[wish.profile].follow(request, ids, message=wish.message)
        self._running[request] = _Running(wish, ids)

    def add(self, request: Hashable, wish: MarkWish, ids: Sequence[int]) -> None:
        """A request begins or comes back, whose tokens are handed over by :meth:`append`."""
        self._requests[wish.profile].add(request, ids, message=wish.message)
        self._running[request] = _Running(wish, list(ids))

    def append(self, request: Hashable, token: int) -> None:
        """The next token of a request that was added."""
        running = self._running[request]
        self._requests[running.wish.profile].append(request, token)
        if isinstance(running.ids, list):
            running.ids.append(token)

    def draft(self, request: Hashable, other: Hashable, token: int) -> None:
        """Another that goes on from a request with a token, for the rows of one step."""
        running = self._running[request]
        self._requests[running.wish.profile].copy(request, other)
        self._running[other] = running._replace(ids=list(running.ids) if self._record else [])
        self.append(other, token)

    def remove(self, request: Hashable, is_draft: bool = False) -> None:
        """A request ended, or leaves for a while."""
        running = self._running.pop(request)
        requests = self._requests[running.wish.profile]
        if self._record is not None and not is_draft:
            weights = requests.weights(request)
            self._record.add(running.wish.profile, running.ids[: len(weights)], weights)
        requests.remove(request)

    def mark(self, rows: Mapping[int, Hashable], logits: torch.Tensor) -> None:
        """Mark a step's logits where they lie; arguments as for :meth:`marked`."""
        marked = self.marked(rows, logits)
        if marked is not logits:
            logits.copy_(marked)

    def marked(self, rows: Mapping[int, Hashable], logits: torch.Tensor) -> torch.Tensor:
        """A step's logits, marked: new ones where all rows are of one profile, else these, where they lie.

        The row of a request whose last token is not known yet stays as it is.

        Args:
            rows: the request of each row to mark; each has one row.
            logits: (rows, width), before temperature, top-k and top-p.
        """
        by_profile: dict[str, list[int]] = {}
        for row, request in rows.items():
            profile = self._running[request].wish.profile
            if self._requests[profile].waits(request):
                self._warn(request)
            else:
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
