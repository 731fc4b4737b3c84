"""vLLM's second model runner: requests have slots, rows change each step, drafts have separate rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from stela_kernels.arrays import to_device
from stela_serving.ahead import ids_from_device
from stela_serving.answers import PROMPT_TOKENS
from stela_serving.marks import MarkWish, ServerMarks

if TYPE_CHECKING:
    import torch


class Slots:
    """What is known of the text in each slot.

    The tokens of a text are on the device (``all_token_ids``, up to the token that the model is fed), those
    of drafts only in the step's ``input_ids``. Without drafts the last tokens are sent for before the
    model's pass is launched, and are here while it runs. With drafts a step brings the rows' numbers and the
    last tokens of their texts over together, in one copy, which waits for the pass. A text that is new to us,
    or comes back, is read as a whole.

    Args:
        marks: of the server.
        wish_of: as for :class:`.PersistentBatch`.
        states: vLLM's ``LogitsProcRequestState``.
        drafts: tokens that speculative decoding may accept in a step.
    """

    def __init__(
        self, marks: ServerMarks, wish_of: Callable[[Any], MarkWish | None], states: Any, drafts: int = 0
    ) -> None:
        self._marks = marks
        self._wish_of = wish_of
        self._states = states
        self._last = drafts + 1
        self._wishes: dict[int, MarkWish] = {}
        self._lengths: dict[int, int] = {}
        """Tokens of a slot's text that its request was told of; of those that have begun."""
        self._coming: tuple[list[int], Callable[[], list[int]]] | None = None
        """Slots, and what waits for the lengths of their sequences and their last tokens."""

    def add_request(self, slot: int, params: Any) -> bool:
        """A request takes a slot, whoever had it before; whether its text is to be marked."""
        self._wishes.pop(slot, None)
        if self._lengths.pop(slot, None) is not None:
            self._marks.remove(slot)
        wish = self._wish_of(params)
        if wish is None:
            self._marks.pass_over()
        else:
            self._wishes[slot] = wish
        return wish is not None

    def before_pass(self) -> None:
        """Send for the last tokens of all texts that are marked; vLLM launches the model's pass next."""
        self._coming = None
        if not self._wishes or self._last > 1:
            return
        import torch

        every = sorted(self._wishes)
        totals = self._states.total_len.gpu
        slots = to_device(np.array(every, dtype=np.int64), totals.device)
        length = totals[slots].long()
        last = self._states.all_token_ids.gpu[slots, (length - 1).clamp(min=0)].long()
        self._coming = every, ids_from_device(torch.cat([length, last]))

    def apply(self, logits: torch.Tensor, context: Any) -> None:
        """Mark a step's logits, (rows, width), where they lie.

        Args:
            logits: of the rows.
            context: vLLM's ``LogitsContext``; rows of one request follow each other.
        """
        if not any(int(slot) in self._wishes for slot in context.idx_mapping_np):
            return
        rows: dict[int, Any] = {}
        drafts: list[tuple[int, int]] = []
        numbers = self._sent_for(logits, context)
        if numbers is None:
            numbers = self._host(context)
        for row, (slot, local, position, token, *last) in enumerate(numbers):
            if slot not in self._wishes or position + 1 < self._states.prefill_len.np[slot]:
                continue  # within the prompt, or a text read again: its token is thrown away
            if local == 0:
                self._catch_up(slot, position + 1, last)
                rows[row] = slot
            elif token >= 0 and row - 1 in rows:  # one that is not a draft will not be accepted
                before, name = rows[row - 1], (slot, local)
                self._marks.draft(before, name, token)
                drafts.append(name)
                rows[row] = name
        if rows:
            self._marks.mark(rows, logits)
        for name in drafts:
            self._marks.remove(name, is_draft=True)

    def _sent_for(self, logits: torch.Tensor, context: Any) -> list[list[int]] | None:
        """Rows as of :meth:`_host`, from what was sent for; ``None`` where that does not fit the step."""
        coming, self._coming = self._coming, None
        slots, ends = context.idx_mapping_np.tolist(), context.seq_lens_upper_bound_np.tolist()
        if coming is None or not len(slots) == len(logits) <= len(ends):
            return None
        every, wait = coming
        came = wait()
        known = dict(zip(every, zip(came[: len(every)], came[len(every) :], strict=True), strict=True))
        rows = []
        for slot, end in zip(slots, ends, strict=False):
            total, last = known.get(slot, (end, 0))
            marked = slot in self._wishes and end >= self._states.prefill_len.np[slot]
            if marked and (slot not in known or total != end):
                return None
            rows.append([slot, 0, end - 1, last, last])
        return rows

    def _host(self, context: Any) -> list[list[int]]:
        """Slot of each row, its place among its request's rows, position, token fed, last tokens."""
        import torch

        slots, local = context.expanded_idx_mapping.long(), context.expanded_local_pos.long()
        first = context.pos.long() - local
        back = torch.arange(1 - self._last, 1, device=slots.device)
        places = (first[:, None] + back).clamp(min=0)
        last = self._states.all_token_ids.gpu[slots[:, None], places]
        numbers = torch.stack([slots, local, context.pos.long(), context.input_ids.long()], dim=1)
        every: list[list[int]] = torch.cat([numbers, last.long()], dim=1).tolist()
        return every

    def _catch_up(self, slot: int, end: int, last: list[int]) -> None:
        """Let a slot's request know its text up to a position of the whole sequence.

        Args:
            slot: of the request.
            end: position after the token that the model is fed.
            last: tokens before that position, as many as a step can bring.
        """
        prompt = int(self._states.prompt_len.np[slot])
        length, known = end - prompt, self._lengths.get(slot)
        if known is None or not known <= length <= known + self._last:
            if known is not None:
                self._marks.remove(slot)
            before = min(prompt, PROMPT_TOKENS) if self._marks.reads_prompts else 0
            first = prompt - before
            ids = self._states.all_token_ids.gpu[slot, first:end].tolist() if end > first else []
            self._marks.add(slot, self._wishes[slot], ids[before:], ids[:before])
        elif length > known:
            for token in last[known - length :]:
                self._marks.append(slot, token)
        self._lengths[slot] = length
