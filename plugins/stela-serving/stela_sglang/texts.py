"""The texts that SGLang is writing: its requests, and the rows of a step that are theirs."""

from __future__ import annotations

import logging
import weakref
from collections.abc import Callable, Sequence
from itertools import count
from typing import TYPE_CHECKING, Any

from stela_serving.marks import MarkWish, ServerMarks

import stela_core as stela

if TYPE_CHECKING:
    import torch

log = logging.getLogger("stela_sglang")

_MARK = "stela_mark"
"""What hangs on a request of SGLang's: its name here dies with it."""


class Mark:
    """Mark of one request.

    Args:
        wish: what its text is marked with.
        name: under which its text runs.
    """

    def __init__(self, wish: MarkWish, name: int) -> None:
        self.wish = wish
        self.name = name
        self.length = 0
        """Tokens of its text that are known."""


class Texts:
    """Marks a step's rows.

    SGLang hands over requests, and nothing when they end: a text is dropped when its request is collected. A
    step's token is thrown away where the prompt is not read to its end, and where the request has ended.

    Args:
        marks: of the server.
        refuse: ends a request with a line.
    """

    def __init__(self, marks: ServerMarks, refuse: Callable[[Any, str], None]) -> None:
        self._marks = marks
        self._refuse = refuse
        self._names = count()

    def begin(self, request: Any, wish: MarkWish) -> None:
        """A ``Req`` was made, whose text is to be marked."""
        mark = Mark(wish, next(self._names))
        setattr(request, _MARK, mark)
        weakref.finalize(mark, self._end, mark.name)

    def pass_over(self) -> None:
        """A ``Req`` was made that asked for no mark."""
        self._marks.pass_over()

    def apply(self, logits: torch.Tensor, params: Sequence[Any]) -> torch.Tensor:
        """A step's logits, (rows, width), marked: new ones, or these where they lie.

        Args:
            logits: of the rows.
            params: ``custom_params`` of each; ``__req__`` in them is the row's request.

        Raises:
            stela.StelaError: a row has no request, or one that was never begun: the plugin's hooks were lost.
        """
        rows: dict[int, Any] = {}
        seen: set[int] = set()
        for row, own in enumerate(params):
            request = None if own is None else own.get("__req__")
            mark = None if request is None else getattr(request, _MARK, None)
            if request is None or mark is None:
                raise stela.StelaError(
                    "SGLang asks for a mark of a request that it did not show when it began.",
                    "let it load this plugin: SGLANG_PLUGINS names stela, or is not set",
                )
            if request.finished() or request.is_retracted:
                continue
            problem = "two rows of a step are drafts of one text." if mark.name in seen else _missing(request)
            seen.add(mark.name)
            if problem is None:
                self._catch_up(mark, request)
                rows[row] = mark.name
            elif problem:
                self._refuse(request, f"this text cannot be marked: {problem}")
        return self._marks.marked(rows, logits) if rows else logits

    def _catch_up(self, mark: Mark, request: Any) -> None:
        ids = request.output_ids
        if mark.name in self._marks and len(ids) < mark.length:
            self._marks.remove(mark.name)
        if mark.name not in self._marks:
            self._marks.add(mark.name, mark.wish, [int(token) for token in ids], request.origin_input_ids)
        else:
            for token in ids[mark.length :]:
                self._marks.append(mark.name, int(token))
        mark.length = len(ids)

    def _end(self, name: int) -> None:
        if name in self._marks:
            self._marks.remove(name)


def _missing(request: Any) -> str | None:
    """Why a row cannot be marked, "" where its token is thrown away, ``None`` where it can.

    The model was fed ``kv_committed_len`` tokens, this step's included; of a text that goes on, all of them
    are known. Where steps overlap the last is not; within a prompt fewer were fed.
    """
    fed = request.kv.kv_committed_len
    known = len(request.origin_input_ids) + len(request.output_ids)
    if request.inflight_middle_chunks > 0 and fed < known:
        return ""
    if fed == known:
        return None
    return f"the model was fed {fed} tokens, and {known} are known."
