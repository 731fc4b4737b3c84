"""Models' tokenizers compared with the profile's, each of them once."""

from __future__ import annotations

from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from tokenizers import Tokenizer

from stela_core.text.tokenizer import backend_of, check_same_vocabulary

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase


class CheckedTokenizers:
    """Remember, weakly, which tokenizers were found to go with one: comparing takes a second or two.

    One that has grown since is compared again.

    Args:
        own: the profile's.
    """

    def __init__(self, own: Tokenizer) -> None:
        self._own = own
        self._known: WeakKeyDictionary[Tokenizer, int] = WeakKeyDictionary()

    def check(self, tokenizer: PreTrainedTokenizerBase | Tokenizer) -> None:
        """Refuse a tokenizer that is another one.

        Raises:
            StelaError: as for :func:`stela_core.text.tokenizer.check_same_vocabulary`, or it has no backend.
        """
        backend = backend_of(tokenizer)
        size = backend.get_vocab_size(with_added_tokens=True)
        try:
            if self._known.get(backend) == size:
                return
        except TypeError:  # versions of tokenizers that take no weak reference: compared every time
            check_same_vocabulary(self._own, backend)
            return
        check_same_vocabulary(self._own, backend)
        self._known[backend] = size
