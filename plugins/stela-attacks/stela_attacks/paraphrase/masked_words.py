"""Words that a masked language model would put in place of others, given what stands around them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from stela_run.words import WORD, Pieces, alone, put_back

import stela_core as stela
from stela_attacks.paraphrase.loading import Loaded

LEAST_CONTEXT = 8
"""Characters on each side of a word that a model must be able to read."""


class Gap(NamedTuple):
    """A word to be replaced."""

    pieces: Pieces
    place: int
    """Number of the word among those of the text."""

    @property
    def word(self) -> str:
        """What stands there."""
        return self.pieces.words[self.place]


def offers(loaded: Loaded, gaps: Sequence[Gap], most: int, context: int, batch_size: int) -> list[list[str]]:
    """Other words that may stand in each gap, the likeliest first; there may be none.

    Args:
        loaded: a masked model, and its tokenizer.
        gaps: words of texts; each is read with all the others in place.
        most: how many of the model's likeliest tokens are looked at.
        context: characters read on each side of a word; fewer where the model takes fewer tokens.
        batch_size: gaps read at once.

    Raises:
        StelaError: the model has no mask token, or is too small to read anything.
    """
    import torch

    model, tokenizer = loaded
    mask = tokenizer.mask_token
    if mask is None:
        raise stela.StelaError("the model's tokenizer has no mask token.", "name a masked language model")
    # Of about equal length together: less padding.
    inputs = [_around(loaded, gap, mask, context) for gap in gaps]
    order = sorted(range(len(gaps)), key=lambda n: len(inputs[n]))
    made: dict[int, list[str]] = {}
    for start in range(0, len(order), batch_size):
        batch = order[start : start + batch_size]
        padded = tokenizer.pad({"input_ids": [inputs[n] for n in batch]}, return_tensors="pt")
        padded = {name: padded[name].to(model.device) for name in ("input_ids", "attention_mask")}
        with torch.inference_mode():
            logits = model(**padded).logits
        rows, columns = (padded["input_ids"] == tokenizer.mask_token_id).nonzero(as_tuple=True)
        best = logits[rows, columns].float().topk(min(most, logits.shape[-1]), dim=-1).indices.tolist()
        for n, ids in zip(batch, best, strict=True):
            words = [tokenizer.decode([one]).strip() for one in ids]
            made[n] = [_as_written(word, gaps[n].word) for word in words if _fits(word, gaps[n].word)]
    return [made[n] for n in range(len(gaps))]


def _around(loaded: Loaded, gap: Gap, mask: str, context: int) -> list[int]:
    """Ids of a text with its word masked, cut to what the model takes."""
    words, gaps = gap.pieces
    before = put_back(words[: gap.place], gaps[: gap.place + 1]).replace(mask, " ")
    after = put_back(["", *words[gap.place + 1 :]], ["", *gaps[gap.place + 1 :]]).replace(mask, " ")
    limit = getattr(loaded.model.config, "max_position_embeddings", None)
    # RoBERTa's positions begin after the padding's.
    limit = None if limit is None else limit - (loaded.tokenizer.pad_token_id or 0) - 1
    while True:
        text = f"{before[-context:]}{mask}{after[:context]}"
        ids: list[int] = loaded.tokenizer(text)["input_ids"]
        if limit is None or len(ids) <= limit:
            return ids
        context //= 2
        if context < LEAST_CONTEXT:
            raise stela.StelaError(f"the model takes only {limit} tokens.", "name a larger masked model")


def _fits(offer: str, word: str) -> bool:
    """Whether it is another word of a script of the same kind."""
    is_word = WORD.fullmatch(offer) is not None and any(letter.isalpha() for letter in offer)
    return is_word and offer.casefold() != word.casefold() and alone(offer) == alone(word)


def _as_written(offer: str, word: str) -> str:
    """The offer with the word's capitals."""
    if len(word) > 1 and word.isupper():
        return offer.upper()
    return offer[0].upper() + offer[1:] if word[0].isupper() else offer
