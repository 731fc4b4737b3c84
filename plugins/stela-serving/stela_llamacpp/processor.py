"""One text of llama.cpp: a callable as llama-cpp-python's ``LogitsProcessor``."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from stela_serving.one_text import OneText

import stela_core as stela
from stela_llamacpp.vocabulary import require_same_vocabulary


class Processor:
    """Marks one text: all ids so far and the next token's scores in, marked scores out.

    The ids of the first call are the prompt, which is not part of the text; every call brings one more. Other
    ids are refused until :meth:`reset`, for nothing tells a step back from another prompt.

    llama-cpp-python calls its processors before temperature, top-k and the like. A mark that chooses tokens
    has to see the final scores, so it wants ``final=True``, which promises ``temperature=1, top_k=0, top_p=1,
    min_p=0`` and no penalties for the call.

    Args:
        watermark: of a profile made for this model.
        llama: a ``llama_cpp.Llama``, whose vocabulary is compared; ``None`` leaves that out.
        record: keep the weights applied, for :attr:`weights`.
        final: nothing changes the scores after this processor.
        message: that the mark carries, a number or hex digits, where the profile has bits for one.

    Raises:
        stela.StelaError: the vocabulary is another one, the mark chooses tokens without ``final``, or the
            message is missing or none of the profile's.
    """

    def __init__(
        self,
        watermark: stela.Watermark,
        llama: Any = None,
        record: bool = False,
        final: bool = False,
        message: int | str | None = None,
    ) -> None:
        self._text = OneText(watermark.requests(record=record), message)
        if self._text.samples and not final:
            raise stela.StelaError(
                "this mark chooses tokens from the final scores, and llama.cpp changes them afterwards.",
                "say final=True, and call with temperature=1, top_k=0, top_p=1, min_p=0",
            )
        if llama is not None:
            if getattr(llama, "draft_model", None) is not None:
                raise stela.StelaError(
                    "llama.cpp shows a processor no drafted tokens one by one.", "load it without draft_model"
                )
            require_same_vocabulary(watermark, llama)
        self._refused: stela.StelaError | None = None

    def __call__(
        self, input_ids: npt.NDArray[np.intc], scores: npt.NDArray[np.single]
    ) -> npt.NDArray[np.single]:
        """New scores (width,) of the token after ``input_ids`` (n,), prompt and text; ``scores`` is kept.

        Raises:
            stela.StelaError: the ids do not go on from those of the last call by one, or another processor
                has marked the scores.
        """
        try:
            scores = np.ascontiguousarray(scores, dtype=np.single)  # llama.cpp's lie between other fields
            marked: npt.NDArray[np.single] = self._text(input_ids, scores[None])[0]
        except stela.StelaError as error:
            self._refused = self._refused or error
            raise
        return marked

    def require_marked(self) -> None:
        """Say again what a call refused first: llama-cpp-python prints it, and goes on without a mark.

        Raises:
            stela.StelaError: a call of this text was refused.
        """
        if self._refused is not None:
            raise self._refused

    def reset(self) -> None:
        """Forget the text: the next call brings another prompt."""
        self._text.reset()
        self._refused = None

    @property
    def weights(self) -> list[float | None]:
        """Weights applied to each token of the text so far; ``None`` where there is no mark.

        Raises:
            RuntimeError: it was made without ``record=True``.
            stela.StelaError: there is no text yet.
        """
        return self._text.weights
