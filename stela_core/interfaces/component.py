"""What every registered class has: a name, parameters, and a word on whether it can run here."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import ClassVar, NamedTuple, get_args

from stela_core.parameters import Parameters


class Status(NamedTuple):
    """Whether a component can be constructed here: ``ok``, and if not, what to do about it."""

    ok: bool = True
    hint: str = ""


class Component:
    """Base of taggers, hashers, weightings, scorers, schemes and models."""

    kind: ClassVar[str]
    """What users and messages call a class of this interface: ``tagger``. The interface says it."""

    hook: ClassVar[str]
    """The hook that registers classes of this interface. The interface says it."""

    name: ClassVar[str]
    """The name users type: the entry point's name ``X``, or ``X-something``."""

    Parameters: ClassVar[type[Parameters]] = Parameters
    """The typed parameters; an empty model where there are none.

    ``class Sweet(Weighting[SweetParameters])`` sets it, and tells type checkers what ``self.parameters`` is;
    ``Parameters = SweetParameters`` in the class does only the first.
    """

    implied: ClassVar[Mapping[str, str]] = {}
    """Optional methods of an interface, each with the attribute that says that a class overrides it.
    Overriding the method sets the attribute, so that nobody forgets it; a class may say otherwise."""

    def __init_subclass__(cls, **kwargs: object) -> None:
        super().__init_subclass__(**kwargs)
        named = [part for base in vars(cls).get("__orig_bases__", ()) for part in get_args(base)]
        for part in named:
            if isinstance(part, type) and issubclass(part, Parameters) and "Parameters" not in vars(cls):
                cls.Parameters = part
        for method, attribute in cls.implied.items():
            says = next(base for base in cls.__mro__ if {method, attribute} & vars(base).keys())
            if attribute not in vars(says):
                setattr(cls, attribute, True)

    @classmethod
    def status(cls) -> Status:
        """Look, without importing anything heavy, whether the class can be constructed here."""
        return Status()

    @classmethod
    def shipped_tables(cls) -> Sequence[Path]:
        """Files of all tables that come along with it, plain or ``.xz``.

        A table in a profile is known here if it is one of these, byte for byte: ``stela profile show``
        and ``stela detect`` then name the distribution that ships it.
        """
        return ()


def has_own(kind: type, method: str, rests_on: Collection[str]) -> bool:
    """Whether the class that last overrides any of these methods overrides ``method``, too.

    A subclass that changes what a short cut rests on does not inherit it.

    Args:
        kind: the class.
        method: the short cut.
        rests_on: methods whose results it knows without calling them.
    """
    says = next((base for base in kind.__mro__ if {method, *rests_on} & vars(base).keys()), object)
    return method in vars(says)
