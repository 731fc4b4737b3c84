"""Which call of transformers' ``generate`` is running: ids by themselves cannot tell one from the next.

A prompt that goes on from the last text, a step back of assisted decoding, and another step of the same text
may hold the same ids, and transformers hands a processor nothing else: no call, no row of a batch or beam. A
``watermarking_config`` is asked for a processor at each call; one that a user gives to ``generate`` is not.
So the callers are looked at, by ``inspect.currentframe`` and the code of public methods.
"""

from __future__ import annotations

from inspect import currentframe, unwrap
from types import FrameType
from typing import Any, NamedTuple

from transformers import GenerationConfig, GenerationMixin, LogitsProcessorList
from transformers.generation.candidate_generator import PromptLookupCandidateGenerator
from transformers.generation.configuration_utils import GenerationMode

from stela_core import StelaError

_GENERATE = unwrap(GenerationMixin.generate).__code__
_LIST = unwrap(LogitsProcessorList.__call__).__code__
_LOOK_UP = unwrap(PromptLookupCandidateGenerator.get_candidates).__code__
_IN_TURN = (GenerationMode.SAMPLE, GenerationMode.GREEDY_SEARCH)
"""Ways to generate that put a token behind each row, and do nothing else to rows."""

_BATCHING = "transformers.generation.continuous_batching"


class Caller(NamedTuple):
    """Who called a processor."""

    call: GenerationConfig | None
    """The configuration of this thread's outermost running call of ``generate``; ``None`` without one."""
    hands_rows: bool = False
    """Whether it is the loop of that call which hands its rows over, and no model that drafts for it."""
    assistant: Any = None
    """The model that drafts for the call."""
    processors: list[Any] | None = None
    """All processors of the step, in order; ``None`` where they are not known, or those of a model that
    drafts, which rightly has those of the call and its configuration's."""
    knows_loop: bool = True
    """Whether the loop of the call is one of transformers' own, which never asks twice for a token that it
    wants to be another one."""
    asks_what_is_forbidden: bool = False
    """Whether it is prompt lookup, which hands over made-up logits to find out what may not be drafted."""

    @property
    def in_turn(self) -> bool:
        """Whether rows of the call are those of the step before with a token more, in the same order: no
        beams, and no model that drafts.
        """
        if self.call is None or not self.hands_rows:
            return False
        return self.call.get_generation_mode(self.assistant) in _IN_TURN


def caller_of(frame: FrameType | None) -> Caller:
    """The call that the processor was called in.

    ``generate`` copies its configuration first of all, so every call has a separate one, which lives as long
    as the call. A model that drafts in assisted decoding runs inside the call that it drafts for.

    Args:
        frame: the one that called the processor.
    """
    outermost, calls, looks_up = None, 0, False
    walked: FrameType | None = frame
    while walked is not None:
        looks_up |= walked.f_code is _LOOK_UP
        if walked.f_code is _GENERATE:
            outermost = walked
            calls += 1
        walked = walked.f_back
    hands_rows = frame is not None and frame.f_code is _LIST and calls < 2
    processors = frame.f_locals.get("self") if frame is not None and hands_rows else None
    given = {} if outermost is None else outermost.f_locals
    config = given.get("generation_config")
    if not isinstance(config, GenerationConfig):
        return Caller(None, processors=processors)
    known_loop = given.get("custom_generate") is None
    assistant = given.get("assistant_model")
    return Caller(config, hands_rows and known_loop, assistant, processors, known_loop, looks_up)


def require_known_rows() -> None:
    """Refuse to mark for transformers' continuous batching, where it is what calls.

    Raises:
        StelaError: it is: its processors are not told which text a row is of.
    """
    if _in_continuous_batching():
        raise StelaError(
            "transformers' continuous batching does not tell a processor which text a row belongs to.",
            "use model.generate, or serve with vLLM (docs/serving.md)",
        )


def _in_continuous_batching() -> bool:
    walked = currentframe().f_back  # type: ignore[union-attr]
    while walked is not None:
        if str(walked.f_globals.get("__name__")).startswith(_BATCHING):
            return True
        walked = walked.f_back
    return False
