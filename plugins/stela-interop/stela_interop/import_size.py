"""The size that another toolkit took the vocabulary to have, where its configuration does not say."""

from __future__ import annotations

from tokenizers import Tokenizer

import stela_core as stela
from stela_interop.vocabulary import config_vocab_size


def toolkit_size(
    registry: stela.Registry, model: str, tokenizer: Tokenizer, by_tokenizer: bool
) -> tuple[int, list[str]]:
    """The size by the toolkit's own rule, and a remark where its user may have said another.

    The permutation behind a green list is one of all ids: with another size it is another list, and
    detection finds nothing.

    Args:
        registry: knows the aliases.
        model: alias, folder or hub name.
        tokenizer: the model's.
        by_tokenizer: the toolkit takes the tokenizer's length; else the width of the model's logits.

    Raises:
        stela.StelaError: the model's is needed and cannot be had.
    """
    if not by_tokenizer:
        return config_vocab_size(registry, model), []
    size = tokenizer.get_vocab_size()
    try:
        logits = config_vocab_size(registry, model)
    except stela.StelaError as error:
        return size, [
            f"took the tokenizer's {size} tokens for the vocabulary's size; the model's own could not be "
            f"compared: {error.message} If the toolkit was given another, say so with --vocab-size"
        ]
    if logits == size:
        return size, []
    return size, [
        f"the model's vocab_size is {logits}, its tokenizer has {size} tokens: took {size}, the toolkit's "
        f"default. If it was given the model's, no mark is found: then say --vocab-size {logits}"
    ]
