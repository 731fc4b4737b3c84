"""Steps made while the model runs: tokens in, and its pass goes on; biases are there when its logits are.

    ahead = StepsAhead(wm.requests())
    ahead.launch(names, tokens)  # what was drawn; then launch the model's next pass
    logits = ahead.finish(logits)  # those that the pass gave

The step after a token depends on the tokens up to it, and never on the pass: what is made ahead is what
:class:`.Requests` makes in between, bit for bit. What shows is what it lasts longer than the pass. A strength
that reads the step's logits cannot be made ahead.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, TypeVar

from stela_core import Requests, StelaError
from stela_core.api import Step

if TYPE_CHECKING:
    import numpy.typing as npt
    import torch

Logits = TypeVar("Logits", "torch.Tensor", "npt.NDArray[Any]")
Tokens = Sequence[int | None]


class StepsAhead:
    """One thread that makes the next step of requests.

    Between :meth:`launch` and :meth:`finish` the requests are that thread's: none comes or goes.

    Args:
        requests: of a watermark; those that run are added to it.
    """

    def __init__(self, requests: Requests) -> None:
        self._requests = requests
        self._thread = ThreadPoolExecutor(1, "stela-ahead")
        self._launched: tuple[Sequence[Hashable], Future[Step]] | None = None

    def launch(self, rows: Sequence[Hashable], tokens: Tokens | Callable[[], Tokens]) -> None:
        """Begin the next step, and return at once.

        Args:
            rows: the requests of the step, in the order of its rows.
            tokens: the last token of each, ``None`` of one that has none yet (or has it already); or what
                waits for them, as :func:`ids_from_device` gives it.

        Raises:
            StelaError: the last step was not finished.
        """
        if self._launched is not None:
            raise StelaError("the last step is not finished.", "finish() each step that is launched")
        rows = list(rows)
        self._launched = rows, self._thread.submit(self._make, rows, tokens)

    def finish(self, logits: Logits) -> Logits:
        """The marked logits of the step that was launched, once both are there.

        Args:
            logits: (rows, width), as for :class:`.Requests`.

        Raises:
            StelaError: nothing was launched, or as for :meth:`.Requests.step` without logits.
        """
        if self._launched is None:
            raise StelaError("no step was launched.", "launch() it with the tokens before it")
        rows, step = self._launched
        self._launched = None
        return self._requests.finish(rows, step.result(), logits)

    def close(self) -> None:
        """End the thread; a step that was launched is thrown away."""
        self._thread.shutdown(cancel_futures=True)
        self._launched = None

    def _make(self, rows: Sequence[Hashable], tokens: Tokens | Callable[[], Tokens]) -> Step:
        drawn = tokens() if callable(tokens) else tokens
        for row, token in zip(rows, drawn, strict=True):
            if token is not None:
                self._requests.append(row, token)
        return self._requests.step(rows)


def ids_from_device(tokens: torch.Tensor) -> Callable[[], list[int]]:
    """Token ids (rows,) on their way to the host, by a stream of their own; on a CPU they are there.

    Returns:
        what waits for them alone, not for what was launched after them.
    """
    import torch

    if tokens.device.type != "cuda":
        return tokens.tolist
    cuda: Any = torch.cuda
    stream = cuda.Stream(tokens.device)
    stream.wait_stream(cuda.current_stream(tokens.device))
    there = cuda.Event()
    with cuda.stream(stream):
        host = torch.empty(tokens.shape, dtype=tokens.dtype, pin_memory=True)
        host.copy_(tokens, non_blocking=True)
        tokens.record_stream(stream)
        there.record(stream)

    def wait() -> list[int]:
        there.synchronize()
        ids: list[int] = host.tolist()
        return ids

    return wait
