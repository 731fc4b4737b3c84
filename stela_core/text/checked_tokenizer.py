"""A model's tokenizer compared with the profile's once, however many processors are made for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokenizers import Tokenizer

from stela_core.text.tokenizer import backend_of, check_same_vocabulary

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase


class CheckedTokenizer:
    """Remember the last tokenizer that was found to go with one: comparing takes a second or two.

    One that has grown since is compared again.

    Args:
        own: the profile's.
    """

    def __init__(self, own: Tokenizer) -> None:
        self._own = own
        self._last: tuple[Tokenizer, int] | None = None
        """With its size; held, since not every version of tokenizers takes weak references."""

    def check(self, tokenizer: PreTrainedTokenizerBase | Tokenizer) -> None:
        """Refuse a tokenizer that is another one.

        Raises:
            StelaError: as for :func:`stela_core.text.tokenizer.check_same_vocabulary`, or it has no backend.
        """
        backend = backend_of(tokenizer)
        size = backend.get_vocab_size(with_added_tokens=True)
        last = self._last
        if last is None or last[0] is not backend or last[1] != size:
            check_same_vocabulary(self._own, backend)
            self._last = (backend, size)
