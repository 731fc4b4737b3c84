"""The rows of a step: by all of their ids, the plain definition, or by the states of their texts."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from stela_core.errors import StelaError
from stela_core.insertion.text_state import TextNeeds, TextState
from stela_core.text.prefix import tail_of

Ids: TypeAlias = "Sequence[Sequence[int]] | npt.NDArray[np.integer[Any]]"
"""Ids of each row: lists of any lengths, or an array (rows, tokens), of which only the ends become lists."""
Last = Sequence[Sequence[int] | None]


class IdRows:
    """Rows by their generated ids, prompt left out.

    Args:
        needs: of the mark.
        ids: of each row.
    """

    def __init__(self, needs: TextNeeds, ids: Ids) -> None:
        self._needs = needs
        self._ids = ids

    def __len__(self) -> int:
        return len(self._ids)

    def next_contexts(self) -> tuple[Last, Last]:
        """The generated ids that the hash context of each row's next token rests on, and the context.

        Both are ``None`` for a row that is not marked: it has too few ids, or its context came before in the
        text and the hasher marks a context once.
        """
        width = self._needs.width
        if self._needs.plain:
            last = self._last(width)
            return last, last
        ends: list[Sequence[int] | None] = []
        contexts: list[Sequence[int] | None] = []
        for row in self._ids:
            ids = np.asarray(row, dtype=np.int64)
            context = self._context_of(ids)
            contexts.append(context)
            ends.append(None if context is None else ids[max(0, len(ids) - width) :].tolist())
        return ends, contexts

    def tails(self, rows: Sequence[int]) -> list[str]:
        """The end of the texts of some rows, as long as the strength needs it."""
        needs, texts = self._needs, (self._ids[row] for row in rows)
        lists = (ids.tolist() if isinstance(ids, np.ndarray) else ids for ids in texts)
        return [tail_of(ids, needs.tokens, needs.characters) for ids in lists]

    def ends(self) -> Ids:
        """The last ids of each text, or all."""
        return self._ids

    def _last(self, width: int) -> Last:
        if isinstance(self._ids, np.ndarray):
            length = self._ids.shape[1]
            if length < width:
                return [None] * len(self._ids)
            ends: Last = self._ids[:, length - width :].tolist()
            return ends
        return [row[len(row) - width :] if len(row) >= width else None for row in self._ids]

    def _context_of(self, ids: npt.NDArray[np.int64]) -> Sequence[int] | None:
        needs = self._needs
        if len(ids) < needs.start:
            return None
        first = needs.start if needs.first_only else len(ids)
        so_far = needs.hasher.contexts(ids, np.arange(first, len(ids) + 1))
        if (so_far[:-1] == so_far[-1]).all(axis=1).any():
            return None
        most = needs.most if needs.first_only else None
        if most is not None and len(so_far) > most and len(np.unique(so_far, axis=0)) > most:
            return None
        context: list[int] = so_far[-1].tolist()
        return context


class StateRows:
    """Rows by the states of their texts: the same, without looking at all ids.

    Args:
        states: of the rows, in their order.
    """

    def __init__(self, states: Sequence[TextState]) -> None:
        self._states = states

    def __len__(self) -> int:
        return len(self._states)

    def next_contexts(self) -> tuple[Last, Last]:
        """The last ids and the hash contexts, as :meth:`IdRows.next_contexts` gives them."""
        both = [state.next_context() for state in self._states]
        return [last for last, _ in both], [context for _, context in both]

    def tails(self, rows: Sequence[int]) -> list[str]:
        """The ends of the texts of some rows, at least as long as those of :class:`IdRows`."""
        tails = [self._states[row].tail for row in rows]
        return ["" if tail is None else tail.text for tail in tails]

    def ends(self) -> Ids:
        """The last ids of each text, as many as are kept."""
        return [state.last_ids() for state in self._states]


def rows_of(needs: TextNeeds, ids: Any) -> IdRows | StateRows:
    """Rows by the states of texts, or by ids: plain integers, or an array where all are equally long; lists
    are taken as they are.

    Raises:
        StelaError: they are not rows of ids.
    """
    if isinstance(ids, IdRows | StateRows):
        return ids
    if isinstance(ids, list) and ids and isinstance(ids[0], TextState):
        return StateRows(ids)
    if hasattr(ids, "cpu"):  # a torch tensor
        ids = ids.cpu().numpy()
    if isinstance(ids, np.ndarray):
        if ids.ndim == 2 and ids.dtype.kind in "iu":
            return IdRows(needs, ids)
        raise _not_rows()
    try:
        lists = [
            row if isinstance(row, list | tuple) else row.tolist() if hasattr(row, "tolist") else list(row)
            for row in ids
        ]
    except TypeError:
        raise _not_rows() from None
    return IdRows(needs, lists)


def check_logits(rows: IdRows | StateRows, logits: Any) -> None:
    """Find out whether logits are those of the rows.

    Raises:
        StelaError: they are not floating-point numbers (rows, width), or of other rows.
    """
    torch = sys.modules.get("torch")  # whoever has a tensor has imported it
    if isinstance(logits, np.ndarray):
        floating = logits.dtype.kind == "f" or logits.dtype.name == "bfloat16"
    elif torch is not None and isinstance(logits, torch.Tensor):
        floating = logits.is_floating_point()
    else:
        raise StelaError(
            f"logits are a torch tensor or a numpy array, not {type(logits).__name__}.",
            "numpy.asarray and torch.from_dlpack make one",
        )
    if not floating or logits.ndim != 2:
        raise StelaError(
            f"logits are floating-point numbers (rows, width), not {logits.dtype} {tuple(logits.shape)}.",
            "give a row for each text: logits[None] for one",
        )
    if len(rows) != logits.shape[0]:  # len(logits) is slow for a tensor
        raise StelaError(
            f"{len(rows)} rows of ids for {logits.shape[0]} rows of logits.", "give both for the same texts"
        )


def _not_rows() -> StelaError:
    return StelaError(
        "the ids are not rows of token ids.", "give a sequence for each row, [[...]] for one row"
    )
