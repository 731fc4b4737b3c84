"""Hasher and SamplingHasher: what plugins of before derive from, in place of GreenList and Choice."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import ClassVar, Generic

import numpy as np
import numpy.typing as npt

from stela_core.interfaces.choice import Choice, S_co
from stela_core.interfaces.component import Status
from stela_core.interfaces.green_list import G_co, GreenList


class _OfBefore:
    """A class that derives from a name of before works, and says in one line what to write."""

    change: ClassVar[str]

    def __init_subclass__(cls, **kwargs: object) -> None:
        super().__init_subclass__(**kwargs)
        # Where the class statement stands: Python shows the line, and shows it once.
        if _OfBefore not in cls.__bases__ and any(_OfBefore in base.__bases__ for base in cls.__bases__):
            warnings.warn(f"{cls.__name__}: {cls.change}", FutureWarning, stacklevel=2)

    @classmethod
    def status(cls) -> Status:
        """It can be made; ``stela plugins`` shows what changed."""
        return Status(True, cls.change)

    def beside(self, ids: npt.NDArray[np.int64], positions: npt.NDArray[np.intp]) -> Mapping[str, float]:
        """What is ``foreign_scores`` now."""
        return {}

    def foreign_scores(
        self, ids: npt.NDArray[np.int64], positions: npt.NDArray[np.intp]
    ) -> Mapping[str, float]:
        """:meth:`beside`."""
        return self.beside(ids, positions)


class Hasher(_OfBefore, GreenList[G_co], Generic[G_co]):
    """:class:`stela_core.GreenList` under its name of before."""

    change = "stela.Hasher is stela.GreenList now, and beside is foreign_scores: derive from that"


class SamplingHasher(_OfBefore, Choice[S_co], Generic[S_co]):
    """:class:`stela_core.Choice` under its name of before."""

    change = "stela.SamplingHasher is stela.Choice now, and beside is foreign_scores: derive from that"

    @property
    def gamma(self) -> float:
        """0.5: what such a class may have taken its law from."""
        return 0.5
