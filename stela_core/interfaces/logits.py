"""What evidence that is weighed by a language model gets: the model's logits at the tokens of texts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from stela_core.errors import StelaError

if TYPE_CHECKING:
    import torch
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


class OwnToken(NamedTuple):
    """What of one row of a distribution is the text's own token, where the model has other tokens."""

    columns: npt.NDArray[np.int64]
    """Entries that are it, (m,)."""
    begun: int | None = None
    """An entry that is its beginning alone."""
    rest: float = 0.0
    """Log-probability of its other bytes after that."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """Logits before some scored tokens of one text."""

    text: int
    start: int
    stop: int
    """They are the scored tokens ``start:stop`` of text number ``text``."""
    logits: Any
    """(stop - start, vocabulary), a torch tensor."""
    own: Sequence[OwnToken] = ()
    """What of each row is the text's own token there, where that is not the column of its id."""


class TextLogits(Protocol):
    """Runs a model over texts, each once."""

    def prefixes(self, prompts: Sequence[str] | None, count: int, bos: bool = True) -> list[Ids]:
        """Token ids before each of ``count`` texts; without prompts, none or the beginning of a text."""
        ...

    def chunks(
        self, texts: Sequence[Ids], positions: Sequence[npt.NDArray[np.intp]], prefixes: Sequence[Ids]
    ) -> Iterator[Chunk]:
        """Logits before each scored token, in no fixed order; those of one text follow each other in its.

        Args:
            texts: token ids of each text.
            positions: of its scored tokens, ascending; none is 0 where the text's prefix is empty.
            prefixes: token ids before it.
        """
        ...


HINTS = {
    "detection": "add --model NAME, the one that writes such texts, or --surrogate NAME, a smaller one in "
    "its place, and --prompts F.jsonl where the prompts are known (in Python, model=(model, tokenizer) or "
    "model=stela.Surrogate(model, tokenizer), and prompts=[...])",
    "learning": "add --model NAME (in Python, model=(model, tokenizer))",
}


def model_needed(what: str, name: str, work: Literal["detection", "learning"] = "detection") -> StelaError:
    """What is raised where a model has to be run and none was given.

    Args:
        what: asks for it: ``scheme``, ``weighting`` or ``quantity``.
        name: of that.
        work: has to run the model.
    """
    return StelaError(
        f'{what} "{name}" weighs each token by a model\'s distribution, so {work} has to run that model.',
        HINTS[work],
    )


def with_own_column(
    logits: torch.Tensor, own: Sequence[OwnToken]
) -> tuple[torch.Tensor, npt.NDArray[np.int64]]:
    """Log-probabilities (n, width) with each row's own token in a column of its own, (n, width + 1).

    What it takes, other columns lose: a row's probabilities have the sum that they had.

    Returns:
        the logits, and the number of that column, the last, (n,).
    """
    import torch

    n, width = logits.shape
    wide = torch.cat([logits, logits.new_full((n, 1), -torch.inf)], dim=-1)
    for row, token in zip(wide, own, strict=True):
        columns = torch.from_numpy(token.columns).to(row.device)
        taken = row[columns].logsumexp(dim=-1)
        row[columns] = -torch.inf
        if token.begun is not None:
            rest = row.new_tensor(min(token.rest, -1e-6))
            taken = torch.logaddexp(taken, row[token.begun] + rest)
            row[token.begun] += torch.log1p(-rest.exp())
        row[width] = taken
    return wide, np.full(n, width, dtype=np.int64)
