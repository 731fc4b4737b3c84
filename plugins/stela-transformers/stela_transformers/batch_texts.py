"""Where the prompt ends in what transformers hands a processor: the texts of one call of ``generate``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from weakref import ref

import numpy as np
import numpy.typing as npt
import torch
from stela_kernels.row_seeds import Seeds, row_seeds
from stela_serving.answers import Delimiters
from transformers import GenerationConfig

from stela_core import Marker, StelaError
from stela_transformers.generate_call import Caller
from stela_transformers.record import WeightRecord
from stela_transformers.row_text import RowText

Ids = npt.NDArray[np.int64]
"""(rows, length)."""

Row = tuple[RowText, int]
"""The state of a row, and its node of the record (0 without one)."""

CHECKED = 16
"""Last ids of a row that have to be those known of it, where transformers' own loop says that it goes on."""


READ = CHECKED + 1
"""Last ids of a row that a step of that loop reads."""


class BatchTexts:
    """The texts that one thread generates together, from their prompts on, each with its state.

    Within a call of ``generate``, whatever begins with one of the prompts is a step of these texts: beams
    change places, assisted decoding steps back. In a user's loop each row has to go on from a row of the
    last step, for there a step back and another prompt may be the same ids.

    A step of sampling or of greedy search looks at the last ids of each row, and costs the same whatever the
    length. In all else rows are known by all of their ids: they are compared with those of the last step.

    Args:
        prompts: token ids (rows, length).
        caller: who called the processor.
        marker: what marks a step.
        record: keep the weights.
        delimiters: of what is hidden, where only answers are marked.
    """

    def __init__(
        self,
        prompts: torch.Tensor,
        caller: Caller,
        marker: Marker,
        record: bool,
        delimiters: Delimiters | None = None,
    ) -> None:
        self._prompts: Ids = prompts.cpu().numpy().copy()
        call = caller.call
        self._call: Callable[[], GenerationConfig | None] | None = None if call is None else ref(call)
        self._begin_text = marker.begin
        self._delimiters = delimiters
        rows = self._prompts.tolist()
        self._known = {tuple(prompt) for prompt in rows}
        self.record = WeightRecord(rows, marker.vocabulary) if record else None
        self._rows: list[Row] = [(self._begin(prompt), self._root(prompt)) for prompt in rows]
        self._ends = [prompt[-CHECKED:] for prompt in rows]
        """The last ids of each row of the last step, those of the prompt among them."""
        self._length = self._prompts.shape[1]
        self.marked_once = False
        """Whether the processors of their call were looked at (``one_mark.py``)."""
        self._in_turn = caller.in_turn
        self._nonce: int | None = None
        self._last: Ids | None = None if self._in_turn else self._prompts
        """All ids of the last step; ``None`` after one of transformers' own loop."""

    @property
    def call(self) -> GenerationConfig | None:
        """The call of ``generate`` that the texts belong to; ``None`` in a user's loop."""
        return None if self._call is None else self._call()

    @property
    def running(self) -> bool:
        """Whether their call of ``generate`` still runs."""
        return self.call is not None

    def belong_to(self, call: GenerationConfig | None) -> bool:
        """Whether these are the texts of this call; in a user's loop there are no others."""
        return self._call is None if call is None else self._call is not None and self._call() is call

    def follow(
        self, input_ids: torch.Tensor, hands_rows: bool, ends: list[list[int]] | None = None
    ) -> list[RowText]:
        """The states of the rows of a step, brought up to its ids.

        Args:
            input_ids: prompts and what was generated so far, (rows, length).
            hands_rows: the loop of their call hands the rows over.
            ends: the last ids of each row, :data:`READ` of them, where they were read before.

        Raises:
            StelaError: they are other texts, or cannot be told from them.
        """
        if not (hands_rows and self._in_turn and self._go_on(input_ids, ends)):
            self._look_up(input_ids.cpu().numpy())
        return [state for state, _ in self._rows]

    def seeds(self, rows: Sequence[int], draws_again: bool = False) -> Seeds:
        """Seeds of the draws of the next token of some rows, (rows,).

        They are functions of the row, the length of its text, and a number that torch's generator draws for
        the call: who drafts a token and who checks it draw alike, and texts with drafts are those without.

        Args:
            rows: numbers of the rows in the batch.
            draws_again: whether the loop may throw a token away to get another one: each step then has a
                number drawn for it.
        """
        if self._nonce is None or draws_again:
            self._nonce = int(torch.randint(2**63 - 1, (), device="cpu"))
        return row_seeds(self._nonce, rows, self._length - self._prompts.shape[1])

    def keep(self, weights: Sequence[float | None]) -> None:
        """Put the weights of the step into the record, where there is one."""
        if self.record is not None:
            self.record.add([node for _, node in self._rows], weights)

    def _go_on(self, input_ids: torch.Tensor, ends: list[list[int]] | None) -> bool:
        """Take the new token of each row; ``False`` where these are not rows of the last step after all."""
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
        if last is None or not _equal(ids, last):
            if last is not None and _equal(ids[:, :-1], last):  # mostly: each row goes on from its own
                tokens = ids[:, -1].tolist()
                self._rows = [self._next(row, token) for row, token in zip(self._rows, tokens, strict=True)]
            else:
                self._rows = self._from_rows(ids, _rows_before(ids, last), within)
            self._last = ids.copy()
        self._length = ids.shape[1]
        self._ends = ids[:, -CHECKED:].tolist()

    def _from_rows(self, ids: Ids, came_from: Sequence[int | None], within: bool) -> list[Row]:
        """Rows that each go on from any of the last step, or from none."""
        if not within and None in came_from:
            raise _not_the_next()
        uses = Counter(before for before in came_from if before is not None)
        rows = []
        for number, before in enumerate(came_from):
            if before is None:
                rows.append(self._anew(ids[number].tolist()))
                continue
            state, node = self._rows[before]
            uses[before] -= 1
            # The last row that goes on from a state has it; others, as beams that branch, have copies.
            state = state.copy() if uses[before] else state
            rows.append(self._next((state, node), int(ids[number, -1])))
        return rows

    def _next(self, row: Row, token: int) -> Row:
        state, node = row
        state.append(token)
        return state, node if self.record is None else self.record.child(node, token)

    def _anew(self, ids: list[int]) -> Row:
        prompt, generated = ids[: self._prompts.shape[1]], ids[self._prompts.shape[1] :]
        node = self._root(prompt)
        if self.record is not None:
            for token in generated:
                node = self.record.child(node, token)
        return self._begin(prompt, generated), node

    def _begin(self, prompt: Sequence[int], generated: Sequence[int] = ()) -> RowText:
        return RowText(self._begin_text, prompt, generated, self._delimiters)

    def _root(self, prompt: Sequence[int]) -> int:
        return 0 if self.record is None else self.record.root(prompt)

    def _require_prompts(self, ids: Ids) -> None:
        """Rows may have changed places or ended; within a call of ``generate`` no other prompts come in."""
        prompts = ids[:, : self._prompts.shape[1]]
        if np.array_equal(prompts, self._prompts) or set(map(tuple, prompts.tolist())) <= self._known:
            return
        raise StelaError(
            "the watermark was handed other prompts within one call of generate (an assistant with "
            "another tokenizer, or a model that generates in parts).",
            "generate without it, or make a loop with wm.requests()",
        )


def _rows_before(ids: Ids, last: Ids | None) -> list[int | None]:
    """Which row of the last step each of the rows goes on from, with a token more; ``None``: from none."""
    before = ids[:, :-1]
    if last is None or before.shape[1] != last.shape[1]:
        return [None] * len(ids)
    number_of = {row.tobytes(): number for number, row in enumerate(last)}
    return [number_of.get(row.tobytes()) for row in before]


def _equal(one: Ids, other: Ids) -> bool:
    return one.shape == other.shape and bool((one == other).all())


def _not_the_next() -> StelaError:
    return StelaError(
        "the watermark was handed ids that do not continue those of the last step: another prompt, or "
        "a step back.",
        "make a processor for each text (wm.logits_processor() is cheap), call its reset(), or use "
        "wm.requests(), where rows come and go, or wm.marker(), which takes only the generated ids",
    )
