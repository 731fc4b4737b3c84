"""What evidence that is weighed by a language model gets: the model's logits at the tokens of texts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from stela_core.errors import StelaError

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

Ids = npt.NDArray[np.int64]


class LanguageModel(NamedTuple):
    """A causal language model and its tokenizer, padding on the left."""

    model: PreTrainedModel
    tokenizer: PreTrainedTokenizerBase


class Surrogate(NamedTuple):
    """A language model that stands in for the one that writes, and its own tokenizer."""

    model: PreTrainedModel
    tokenizer: PreTrainedTokenizerBase


@dataclass(frozen=True, slots=True)
class Chunk:
    """Logits before some scored tokens of one text."""

    text: int
    start: int
    stop: int
    """They are the scored tokens ``start:stop`` of text number ``text``."""
    logits: Any
    """(stop - start, vocabulary), a torch tensor."""

    def with_tokens(self, ids: Ids) -> tuple[Any, Ids]:
        """The logits, and the column that each of the tokens with these ids has in them, (stop - start,)."""
        # Ids the model does not know it reads as id 0.
        return self.logits, np.where((ids >= 0) & (ids < self.logits.shape[-1]), ids, 0)


class TextLogits(Protocol):
    """Runs a model over texts, each once."""

    def prefixes(self, prompts: Sequence[str] | None, count: int, bos: bool = True) -> list[Ids]:
        """Token ids before each of ``count`` texts; without prompts, none or the beginning of a text."""

    def chunks(
        self, texts: Sequence[Ids], positions: Sequence[npt.NDArray[np.intp]], prefixes: Sequence[Ids]
    ) -> Iterator[Chunk]:
        """Logits before each scored token, in no fixed order; those of one text follow each other in its.

        Args:
            texts: token ids of each text.
            positions: of its scored tokens, ascending; none is 0 where the text's prefix is empty.
            prefixes: token ids before it.
        """


def model_needed(what: str, name: str) -> StelaError:
    """What is raised where detection has to run a model and none was given.

    Args:
        what: asks for it: ``scheme`` or ``weighting``.
        name: of that.
    """
    return StelaError(
        f'{what} "{name}" weighs each token by a model\'s distribution, so detection has to run that model.',
        "add --model NAME, the one that writes such texts, or --surrogate NAME, a smaller one in its place, "
        "and --prompts F.jsonl where the prompts are known (in Python, model=(model, tokenizer) or "
        "model=stela.Surrogate(model, tokenizer), and prompts=[...])",
    )
