"""What happens where a watermark, or what it marks with, is copied or pickled."""

from __future__ import annotations

from typing import Any, NoReturn, Self

from stela_core.errors import StelaError


class NotPickled:
    """Base of what holds a key, a tagger or the states of running texts: pickle is refused in one line.

    The key would lie in the pickle, readable, and whoever unpickles runs what the file says. A class that
    can be copied has a ``__deepcopy__``; of others a copy is refused, too.
    """

    def __reduce_ex__(self, protocol: Any) -> NoReturn:
        """Refuse.

        Raises:
            StelaError: always.
        """
        raise StelaError(
            f"a {type(self).__name__} is not pickled or copied: it holds the key and its own states.",
            "make another from the profile where it is needed: "
            "stela.load(PROFILE, key=...).logits_processor(tokenizer)",
        )


class Immutable(NotPickled):
    """Base of those whose state no call changes: a deep copy is the object itself, for taggers and tables are
    large. A shallow copy is another object with the same parts.
    """

    def __copy__(self) -> Self:
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        return other

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self
