"""STELA: strength and weight from linguistic indeterminacy (Park et al., ACL 2026)."""

from collections.abc import Callable

from stela_tables.weightings import CountWeighting

import stela_core as stela
from stela_core.api import Calibration, Context


class Indeterminacy(CountWeighting):
    """lambda of the POS context: how freely grammar lets the next tag be chosen, in [0, 1]."""

    name = "stela"

    @property
    def look_up(self) -> Callable[[Context], float]:
        """``lambda(c_t)``."""
        return self.table.lookup

    def mean(self, calibration: Calibration) -> float:
        """Mean of lambda over the tokens or over the context types of the table's corpora."""
        return self.table.mean(calibration)


class Stela(stela.Scheme):
    """Green logits get ``delta * lambda(c_t)``; detection weighs token t by ``lambda(c_t)``."""

    name = "stela"
    paper = "Park et al., ACL 2026"
    strength = "stela"
    evidence = "stela"
    encoder = "payload"


@stela.hookimpl
def stela_register_weightings() -> type[stela.Weighting]:
    """Register the weighting."""
    return Indeterminacy


@stela.hookimpl
def stela_register_schemes() -> type[stela.Scheme]:
    """Register the scheme."""
    return Stela
