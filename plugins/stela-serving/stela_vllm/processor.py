"""The class that vLLM is given, for both of its interfaces. The one module that imports vLLM."""

from __future__ import annotations

import logging
from functools import cache
from typing import TYPE_CHECKING, Any

from stela_serving.asked import message_for, profile_for
from stela_serving.marks import MarkWish, ServerMarks
from stela_serving.profiles import samples_by_name
from stela_serving.settings import ServerSettings
from vllm.v1.sample.logits_processor import LogitsProcessor as RowProcessor

import stela_core as stela
from stela_vllm.persistent_batch import PersistentBatch
from stela_vllm.sampling import Sampling, require_drawn, require_no_beams
from stela_vllm.slots import Slots
from stela_vllm.starting import require_right_start, tokenizer_of

if TYPE_CHECKING:
    import torch

log = logging.getLogger("stela_vllm")

INTERFACES: tuple[type, ...] = (RowProcessor,)
"""What vLLM asks the class to descend from: its model runners look at one each."""

try:
    from vllm.v1.worker.gpu.sample.logits_processor import LogitsProcessor as SlotProcessor
except ImportError:  # a vLLM that has one runner
    pass
else:
    INTERFACES = (RowProcessor, SlotProcessor)


@cache
def settings() -> ServerSettings:
    """The server's, read once a process."""
    return ServerSettings.read()


class Processor(*INTERFACES):  # type: ignore[misc]
    """Marks the texts of a server; see :mod:`stela_vllm` and docs/serving.md.

    Args:
        vllm_config: vLLM's whole configuration.
        where: the device (first runner), or the states of requests (second).
        is_pin_memory: of the first runner; ``None`` says that the second is running.

    Raises:
        stela.StelaError: the environment or a profile is wrong, the tokenizer is another one, or vLLM is
            set to decode in a way that would leave no mark.
    """

    def __init__(self, vllm_config: Any, where: Any, is_pin_memory: bool | None = None) -> None:
        has_slots = is_pin_memory is None
        drafts = require_right_start(vllm_config, has_slots)
        own = settings()
        marks = ServerMarks.of(own, tokenizer_of(vllm_config))
        self._rows: PersistentBatch | None = None
        self._slots: Slots | None = None
        if has_slots:
            self._slots = Slots(marks, self._wish_of, where, drafts)
        else:
            self._rows = PersistentBatch(marks, self._wish_of)
        log.info("texts are marked (%s): %s", own.policy, ", ".join(own.profiles))

    @classmethod
    def validate_params(cls, sampling_params: Any) -> None:
        """Refuse a request with one line, which a client gets with HTTP 400.

        Raises:
            ValueError: it asks for what there is not, or for what would leave no mark.
        """
        try:
            profile = profile_for(sampling_params.extra_args, settings())
            message_for(sampling_params.extra_args, profile, settings())
            require_no_beams(sampling_params)
            if profile is not None and samples_by_name(settings())[profile]:
                require_drawn(sampling_params)
        except stela.StelaError as error:
            raise ValueError(str(error)) from None

    def is_argmax_invariant(self) -> bool:
        """No: the likeliest token may be another one."""
        return False

    def update_state(self, batch_update: Any) -> None:
        """Requests join, leave and change rows (first runner)."""
        assert self._rows is not None
        self._rows.update(batch_update)

    def add_request(self, req_idx: int, sampling_params: Any) -> bool:
        """A request takes a slot (second runner)."""
        assert self._slots is not None
        return self._slots.add_request(req_idx, sampling_params)

    def apply_staged_writes(self) -> None:
        """A pass of the model comes next (second runner)."""
        assert self._slots is not None
        self._slots.before_pass()

    def apply(self, logits: torch.Tensor, ctx: Any = None) -> torch.Tensor:
        """The logits of a step, (rows, width), marked: where they lie, or new ones (first runner)."""
        if self._slots is not None:
            self._slots.apply(logits, ctx)
            return logits
        assert self._rows is not None
        return self._rows.apply(logits)

    @staticmethod
    def _wish_of(params: Any) -> MarkWish | None:
        """Requests that vLLM makes itself, to warm up, ask for nothing: they are not worth an error here."""
        try:
            profile = profile_for(params.extra_args, settings())
            message = message_for(params.extra_args, profile, settings())
        except stela.StelaError as error:
            log.warning("a text is not marked: %s", error)
            return None
        return None if profile is None else MarkWish(profile, Sampling.of(params), message)
