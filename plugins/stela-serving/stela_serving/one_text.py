"""One text of an engine that hands a callable all of its ids each step, the prompt included."""

from __future__ import annotations

from threading import local
from typing import TYPE_CHECKING, Any, TypeVar
from weakref import ref

import numpy as np
import numpy.typing as npt

from stela_core import StelaError
from stela_serving.requests import Requests

if TYPE_CHECKING:
    import torch

Logits = TypeVar("Logits", "torch.Tensor", "npt.NDArray[Any]")

_TEXT = "text"

_LAST = local()
"""``step``: the last one of a thread, as (its ``OneText``, ids, logits, marked logits)."""


class OneText:
    """Marks one text after the other: the ids of its first step are the prompt, each step brings one more.

    Other ids are refused until :meth:`reset`, for nothing tells a step back from another prompt.

    Args:
        requests: of the watermark, for this text only.
        message: that each text's mark carries, where the profile has bits for one.

    Raises:
        StelaError: the message is missing or none of the profile's.
    """

    def __init__(self, requests: Requests, message: int | str | None = None) -> None:
        requests.add(_TEXT, message=message)  # what is wrong with it is said at once
        requests.remove(_TEXT)
        self._requests = requests
        self._message = message
        self._ids: npt.NDArray[np.int64] | None = None
        """All ids of the last step."""

    @property
    def samples(self) -> bool:
        """Whether the mark is a choice of tokens: logits then are the final ones, temperature and all."""
        return self._requests.samples

    def __call__(self, ids: npt.ArrayLike, logits: Logits) -> Logits:
        """The marked logits (1, width) of the token after all ids so far, (n,).

        Raises:
            StelaError: the ids do not go on from those of the last step by one, or the logits are what
                another processor of the call has just marked.
        """
        ids = np.array(ids, dtype=np.int64)
        self._require_unmarked(ids, logits)
        before = self._ids
        if before is None:
            self._requests.add(_TEXT, message=self._message)
        elif len(ids) == len(before) + 1 and np.array_equal(ids[:-1], before):
            self._requests.append(_TEXT, int(ids[-1]))
        else:
            raise StelaError(
                f"{len(ids)} ids do not continue the last step's {len(before)} by one.",
                "reset() between two texts, one object for each of several at once, and no drafting model",
            )
        self._ids = ids
        marked = self._requests([_TEXT], logits)
        _LAST.step = ref(self), ids, logits, marked
        return marked

    def _require_unmarked(self, ids: npt.NDArray[np.int64], logits: Logits) -> None:
        """An engine calls its processors one after the other, each with what the one before it gives."""
        step = getattr(_LAST, "step", None)
        if step is None:
            return
        by, known, before, marked = step
        if by() in (None, self) or not np.array_equal(ids, known):
            return
        if _equal(logits, marked) and not _equal(before, marked):
            raise StelaError(
                "this text is marked twice: another processor of the call has marked its logits.",
                "give the call one processor; a text carries one mark",
            )

    def reset(self) -> None:
        """Forget the text: the next step brings another prompt."""
        if self._ids is not None:
            self._requests.remove(_TEXT)
        self._ids = None

    @property
    def weights(self) -> list[float | None]:
        """Weights applied to each token of the text so far; ``None`` where there is no mark.

        Raises:
            RuntimeError: the requests were made without ``record=True``.
            StelaError: there is no text yet.
        """
        return self._requests.weights(_TEXT)


def _equal(one: Logits, other: Logits) -> bool:
    return one.shape == other.shape and bool((one == other).all())
