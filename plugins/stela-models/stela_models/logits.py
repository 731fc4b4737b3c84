"""The model's distributions at the tokens of texts: for evidence that is weighed by them.

torch is imported where a model is run, not before: most schemes detect without one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from inspect import signature
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from stela_core import StelaError
from stela_core.api import Chunk
from stela_models.prompts import complete

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

BATCH = 16
"""Texts run at once."""

CELLS = 1 << 26
"""Logits held at once (positions times vocabulary): 256 MiB in float32."""

Ids = npt.NDArray[np.int64]


class ModelLogits:
    """Run a causal model over texts, each once, in batches padded on the right.

    A text stands after its prompt, tokenised as ``stela generate`` does it; without a prompt, after the
    beginning-of-text token where tokenizer or model names one, and else after nothing.

    Args:
        model: the language model.
        tokenizer: its tokenizer; ids must mean what they mean in the texts.
        batch: texts run at once.
        cells: logits held at once. Long texts over large vocabularies are run in pieces, with the
            model's cache, so that no more are.
    """

    def __init__(
        self,
        model: PreTrainedModel,
        tokenizer: PreTrainedTokenizerBase,
        batch: int = BATCH,
        cells: int = CELLS,
    ) -> None:
        self._model: Any = model
        self._tokenizer: Any = tokenizer
        self._batch = batch
        self._cells = cells
        config = self._model.config.get_text_config()
        self._vocabulary: int = config.vocab_size
        takes = signature(self._model.forward).parameters
        self._keeps = "logits_to_keep" in takes
        self._cache_name = "cache" if "cache" in takes else "past_key_values"  # before transformers 5.24
        first = self._tokenizer.bos_token_id
        self._first = config.bos_token_id if first is None else first

    def prefixes(self, prompts: Sequence[str] | None, count: int, bos: bool = True) -> list[Ids]:
        """Token ids before each of ``count`` texts; without prompts, none or the beginning of a text."""
        if prompts is None:
            first = [] if self._first is None or not bos else [self._first]
            return [np.array(first, dtype=np.int64)] * count
        return [self._ids_of(prompt) for prompt in prompts]

    def _ids_of(self, prompt: str) -> Ids:
        special = not complete(self._tokenizer, prompt)
        return np.array(self._tokenizer(prompt, add_special_tokens=special)["input_ids"], dtype=np.int64)

    def chunks(
        self, texts: Sequence[Ids], positions: Sequence[npt.NDArray[np.intp]], prefixes: Sequence[Ids]
    ) -> Iterator[Chunk]:
        """Logits in chunks, as :meth:`.TextLogits.chunks` gives them; texts of like length run together."""
        # What stands before the last scored token is all that the model has to read.
        rows = {
            n: np.concatenate([prefix, ids[: at[-1]]])
            for n, (ids, at, prefix) in enumerate(zip(texts, positions, prefixes, strict=True))
            if len(at)
        }
        order = sorted(rows, key=lambda n: len(rows[n]))
        for start in range(0, len(order), self._batch):
            numbers = order[start : start + self._batch]
            ends = {n: len(prefixes[n]) + positions[n] - 1 for n in numbers}
            yield from self._run(numbers, [rows[n] for n in numbers], ends)

    def _run(
        self, numbers: list[int], rows: list[Ids], places: dict[int, npt.NDArray[np.intp]]
    ) -> Iterator[Chunk]:
        """One batch; ``places`` are indices of the logits that are wanted, by number of the text."""
        import torch

        device = self._model.device
        length = max(map(len, rows))
        ids = np.zeros((len(rows), length), dtype=np.int64)
        mask = np.zeros((len(rows), length), dtype=np.int64)
        for row, content in enumerate(rows):
            # Ids the model does not know, which only ids given as such can have, are read as id 0.
            ids[row, : len(content)] = np.where(content < self._vocabulary, content, 0)
            mask[row, : len(content)] = 1
        width = max(1, self._cells // (len(rows) * self._vocabulary))
        all_ids, all_mask = torch.from_numpy(ids).to(device), torch.from_numpy(mask).to(device)
        cache: dict[str, Any] = {"use_cache": length > width}
        for begin in range(0, length, width):
            end = min(begin + width, length)
            asked = [int(one) for number in numbers for one in places[number] if begin <= one < end]
            # Those of prompts are not asked for: the last layer is the larger part of a small model's work.
            first = min(asked, default=end - 1) - begin
            if self._keeps:
                cache["logits_to_keep"] = torch.arange(first, end - begin, device=device)
            with torch.no_grad():
                out = self._model(all_ids[:, begin:end], attention_mask=all_mask[:, :end], **cache)
            if end < length:
                cache[self._cache_name] = self._cache_of(out)
            for row, number in enumerate(numbers):
                start, stop = np.searchsorted(places[number], (begin, end)).tolist()
                if stop > start:
                    skipped = begin + (first if self._keeps else 0)
                    wanted = torch.from_numpy(places[number][start:stop] - skipped).to(device)
                    yield Chunk(number, start, stop, out.logits[row, wanted])

    def _cache_of(self, out: Any) -> Any:
        """What the model needs in order to read on."""
        cache = getattr(out, self._cache_name, None)
        if cache is None:
            raise StelaError(
                f"{type(self._model).__name__} keeps no cache of what it has read, so a text of this length "
                f"cannot be read in pieces of {self._cells:,} logits.",
                "test a shorter text",
            )
        return cache
