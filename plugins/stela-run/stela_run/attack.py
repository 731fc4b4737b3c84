"""Attack: what may happen to a text between generation and detection."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Generic

from stela_core import Component
from stela_core.api import P_co
from stela_run.preflight import Preflight

if TYPE_CHECKING:
    from stela_models.loaded import Models

    from stela_core.api import Profile


@dataclass(frozen=True, slots=True)
class Circumstances:
    """What an attacker has besides the texts."""

    language: str
    """Code of the texts' language, such as ``en``."""
    seed: int
    """Seed of everything drawn: the same texts and seed give the same result."""
    prompts: Sequence[str]
    """What each text was generated after, one for each text."""
    human: Sequence[str]
    """Human text of the language."""
    models: Models
    """Language models by name, loaded once."""
    folder: Path | None = None
    """Data folder of the experiment, if there is one: relative paths in parameters start there."""
    model: str | None = None
    """Name of the model that wrote the texts, where it is known."""
    profile: Profile | None = None
    """What is public of the mark, where it is known: everything but the key, which is left out here."""

    def path(self, given: str) -> Path:
        """A path of a parameter."""
        return Path(given) if self.folder is None else self.folder / given


class Attack(Component, Generic[P_co]):
    """Change texts.

    Copy me (``attacks = ["shout"]`` in an experiment file then uses it)::

    import stela_core as stela
    import stela_run

    class Shout(stela_run.Attack):
        name = "shout"

        def apply(self, texts, circumstances):
            return [text.upper() for text in texts]

    @stela.hookimpl
    def stela_register_attacks():
        return Shout
    """

    kind = "attack"
    hook = "stela_register_attacks"

    implied: ClassVar[Mapping[str, str]] = {"studied": "learns"}

    learns: ClassVar[bool] = False
    """Whether it may learn from texts. A class that overrides :attr:`studied` says so by that."""

    languages: ClassVar[frozenset[str] | None] = None
    """Codes of the languages it is made for; ``None`` for any. A run leaves the others out."""

    def __init__(self, parameters: P_co) -> None:
        self.parameters = parameters

    @property
    def studied(self) -> int:
        """How many texts, from the first on, it learns from, and leaves as they are; by default none.

        Where an attack says so, all texts of a seed carry one key. A run neither detects nor measures the
        studied ones.
        """
        return 0

    def check(self, preflight: Preflight) -> None:
        """Look for all data, models and endpoints that it needs: it is called before a run begins.

        Raises:
            StelaError: something it needs is missing here.
        """

    @abstractmethod
    def apply(self, texts: Sequence[str], circumstances: Circumstances) -> list[str]:
        """The changed texts, one for each of ``texts[studied:]``; an empty one counts as not detected.

        What happens to one of them depends on those studied, but neither on the others nor on their
        number. There are more texts than are studied.

        Raises:
            StelaError: something it needs is missing here.
        """
