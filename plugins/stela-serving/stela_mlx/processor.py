"""One text of mlx-lm: a callable as its ``logits_processors`` are. The one module that imports MLX."""

from __future__ import annotations

from typing import Any

import numpy as np
from stela_serving.one_text import OneText

import stela_core as stela


class Processor:
    """Marks one text: all tokens so far and the next one's logits in, marked logits out.

    The tokens of the first call are the prompt, which is not part of the text; every call brings one more.
    Other tokens are refused until :meth:`reset`, those of a drafting model too.

    mlx-lm draws after its processors, with a sampler that knows temperature and the like. A mark that chooses
    tokens has to see the final logits, so it wants ``final=True``, which promises ``make_sampler(temp=1)``.

    Args:
        watermark: of a profile made for this model.
        tokenizer: the model's, as ``mlx_lm.load`` gives it, which is compared; ``None`` leaves that out.
        record: keep the weights applied, for :attr:`weights`.
        final: nothing changes the logits after this processor.
        message: that the mark carries, a number or hex digits, where the profile has bits for one.

    Raises:
        stela.StelaError: the tokenizer is another one, the mark chooses tokens without ``final``, or the
            message is missing or none of the profile's.
    """

    def __init__(
        self,
        watermark: stela.Watermark,
        tokenizer: Any = None,
        record: bool = False,
        final: bool = False,
        message: int | str | None = None,
    ) -> None:
        own = getattr(tokenizer, "_tokenizer", tokenizer)  # what mlx-lm wraps
        self._text = OneText(watermark.requests(own, record=record), message)
        if self._text.samples and not final:
            raise stela.StelaError(
                "this mark chooses tokens from the final logits, and mlx-lm changes them afterwards.",
                "say final=True, and generate with sampler=make_sampler(temp=1)",
            )

    def __call__(self, tokens: Any, logits: Any) -> Any:
        """New logits (1, width), single precision, of the token after ``tokens`` (n,), prompt and text.

        Raises:
            stela.StelaError: the tokens do not go on from those of the last call by one, or another processor
                has marked the logits.
        """
        import mlx.core as mx

        marked = self._text(np.array(tokens), np.array(logits.astype(mx.float32)))
        return mx.array(marked)

    def reset(self) -> None:
        """Forget the text: the next call brings another prompt."""
        self._text.reset()

    @property
    def weights(self) -> list[float | None]:
        """Weights applied to each token of the text so far; ``None`` where there is no mark.

        Raises:
            RuntimeError: it was made without ``record=True``.
            stela.StelaError: there is no text yet.
        """
        return self._text.weights
