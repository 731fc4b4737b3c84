"""Where the prompt ends in what transformers hands a processor: the texts of one call of ``generate``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from weakref import ref

import numpy as np
import numpy.typing as npt
import torch
from transformers import GenerationConfig

from stela_core import StelaError
from stela_core.api import RowStates, TextState, TextStates
from stela_transformers.generate_call import Caller
from stela_transformers.record import WeightRecord

Ids = npt.NDArray[np.int64]
"""(rows, length)."""

Row = tuple[TextState, int]
"""The state of a row, and its node of the record (0 without one)."""

CHECKED = 16
"""Last ids of a row that have to be those known of it, where transformers' own loop says that it goes on."""


READ = CHECKED + 1
"""Last ids of a row that a step of that loop reads."""


class BatchTexts:
    """The texts that one thread generates together, from their prompts on, each with its state.

    Within a call of ``generate``, whatever begins with one of the prompts is a step of these texts: beams
    change places, assisted decoding steps back. In a loop of one's own each row has to go on from a row of
    the last step, for there a step back and another prompt may be the same ids.

    A step of sampling or of greedy search looks at the last ids of each row, and costs the same whatever the
    length. In all else rows are known by all of their ids: they are compared with those of the last step.

    Args:
        prompts: token ids (rows, length).
        caller: who called the processor.
        states: of the mark.
        record: keep the weights.
    """

    def __init__(self, prompts: torch.Tensor, caller: Caller, states: TextStates, record: bool) -> None:
        self._prompts: Ids = prompts.cpu().numpy().copy()
        call = caller.call
        self._call: Callable[[], GenerationConfig | None] | None = None if call is None else ref(call)
        self._states = states
        rows = self._prompts.tolist()
        self._known = {tuple(prompt) for prompt in rows}
        self.record = WeightRecord(rows, states.size) if record else None
        self._rows: list[Row] = [(states.begin(), self._root(prompt)) for prompt in rows]
        self._ends = [prompt[-CHECKED:] for prompt in rows]
        """The last ids of each row of the last step, those of the prompt among them."""
        self._length = self._prompts.shape[1]
        self.marked_once = False
        """Whether the processors of their call were looked at (``one_mark.py``)."""
        self._last: _Last | None = None if caller.in_turn else _Last(self._prompts)
        """All ids of the last step; ``None`` after one of transformers' own loop."""

    @property
    def call(self) -> GenerationConfig | None:
        """Their call of ``generate``; ``None`` in a loop of one's own."""
        return None if self._call is None else self._call()

    @property
    def running(self) -> bool:
        """Whether their call of ``generate`` still runs."""
        return self.call is not None

    def belong_to(self, call: GenerationConfig | None) -> bool:
        """Whether they are those of this call; in a loop of one's own there are no others."""
        return self._call is None if call is None else self._call is not None and self._call() is call

    def follow(
        self, input_ids: torch.Tensor, in_turn: bool, ends: list[list[int]] | None = None
    ) -> RowStates:
        """The states of the rows of a step, brought up to its ids.

        Args:
            input_ids: prompts and what was generated so far, (rows, length).
            in_turn: the rows are known to be those of the last step, each with a token more.
            ends: the last ids of each row, :data:`READ` of them, where they were read before.

        Raises:
            StelaError: they are other texts, or cannot be told from them.
        """
        if not (in_turn and self._go_on(input_ids, ends)):
            self._look_up(input_ids.cpu().numpy())
        return RowStates(self._states, [state for state, _ in self._rows])

    def keep(self, weights: Sequence[float | None]) -> None:
        """Put the weights of the step into the record, where there is one."""
        if self.record is not None:
            self.record.add([node for _, node in self._rows], weights)

    def _go_on(self, input_ids: torch.Tensor, ends: list[list[int]] | None) -> bool:
        """Take the new token of each row; ``False`` where these are no rows of the last step after all."""
        rows, length = input_ids.shape
        if rows != len(self._rows) or not 0 <= length - self._length <= 1:
            return False
        if ends is None:
            ends = input_ids[:, -READ:].tolist()
        if length == self._length:
            return [row[-CHECKED:] for row in ends] == self._ends
        if [row[:-1] for row in ends] != self._ends:
            return False
        self._rows = [self._next(row, end[-1]) for row, end in zip(self._rows, ends, strict=True)]
        self._ends = [end[-CHECKED:] for end in ends]
        self._length, self._last = length, None
        return True

    def _look_up(self, ids: Ids) -> None:
        """Find each row's state by all of its ids, or begin it anew."""
        within = self._call is not None
        if within:
            self._require_prompts(ids)
        last = self._last
        if last is not None and last.takes(ids):  # mostly: each row goes on from its own
            tokens = ids[:, -1].tolist()
            self._rows = [self._next(row, token) for row, token in zip(self._rows, tokens, strict=True)]
        elif last is None or ids.shape != last.ids.shape or not np.array_equal(ids, last.ids):
            came_from = [None] * len(ids) if last is None else last.rows_of(ids[:, :-1])
            if not within and None in came_from:
                raise _not_the_next()
            uses = Counter(before for before in came_from if before is not None)
            tokens = ids[:, -1].tolist() if ids.shape[1] else []
            rows = []
            for number, before in enumerate(came_from):
                if before is None:
                    rows.append(self._anew(ids[number].tolist()))
                    continue
                state, node = self._rows[before]
                uses[before] -= 1
                # The last row that goes on from a state has it; others, as beams that branch, have copies.
                state = self._states.copy(state) if uses[before] else state
                rows.append(self._next((state, node), tokens[number]))
            self._rows = rows
            self._last = _Last(ids) if last is None else last.followed_by(ids, came_from)
        self._length = ids.shape[1]
        self._ends = ids[:, -CHECKED:].tolist()

    def _next(self, row: Row, token: int) -> Row:
        state, node = row
        self._states.append(state, token)
        return state, node if self.record is None else self.record.child(node, token)

    def _anew(self, ids: list[int]) -> Row:
        prompt, generated = ids[: self._prompts.shape[1]], ids[self._prompts.shape[1] :]
        node = self._root(prompt)
        if self.record is not None:
            for token in generated:
                node = self.record.child(node, token)
        return self._states.begin(generated), node

    def _root(self, prompt: Sequence[int]) -> int:
        return 0 if self.record is None else self.record.root(prompt)

    def _require_prompts(self, ids: Ids) -> None:
        """Rows may have changed places or ended; within a call of ``generate`` no other prompts come in."""
        prompts = ids[:, : self._prompts.shape[1]]
        if np.array_equal(prompts, self._prompts) or set(map(tuple, prompts.tolist())) <= self._known:
            return
        raise StelaError(
            "the watermark was handed other prompts within one call of generate (an assistant with a "
            "another tokenizer, or a model that generates in parts).",
            "generate without it, or make a loop with wm.requests()",
        )


class _Last:
    """All ids of the rows of a step, (rows, length), with room for more: a step puts one column behind."""

    def __init__(self, ids: Ids) -> None:
        self._room = np.empty((len(ids), 2 * ids.shape[1] + 64), dtype=np.int64)
        self._room[:, : ids.shape[1]] = ids
        self.ids: Ids = self._room[:, : ids.shape[1]]

    def takes(self, ids: Ids) -> bool:
        """Whether each row goes on with a token more, which is then put behind it."""
        length = self.ids.shape[1]
        if ids.shape != (len(self.ids), length + 1) or length == self._room.shape[1]:
            return False
        if ids[:, :length].tobytes() != self.ids.tobytes():
            return False
        self._room[:, length] = ids[:, length]
        self.ids = self._room[:, : length + 1]
        return True

    def rows_of(self, before: Ids) -> list[int | None]:
        """Which row of this step each of the rows was; ``None`` where it was none. O(rows x length)."""
        if before.shape[1] != self.ids.shape[1]:
            return [None] * len(before)
        if before.shape == self.ids.shape and np.array_equal(before, self.ids):
            return list(range(len(before)))
        number_of = {row.tobytes(): number for number, row in enumerate(self.ids)}
        return [number_of.get(row.tobytes()) for row in before]

    def followed_by(self, ids: Ids, came_from: Sequence[int | None]) -> _Last:
        """The ids of the next step."""
        length = ids.shape[1]
        if list(came_from) != list(range(len(self.ids))) or length > self._room.shape[1]:
            return _Last(ids)
        self._room[:, length - 1] = ids[:, -1]
        self.ids = self._room[:, :length]
        return self


def _not_the_next() -> StelaError:
    return StelaError(
        "the watermark was handed ids that do not go on from those of the last step: another prompt, or "
        "a step back.",
        "make a processor for each text (wm.logits_processor() is cheap), call its reset(), or use "
        "wm.requests(), where rows come and go, or wm.marker(), which takes only the generated ids",
    )
