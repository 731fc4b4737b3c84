"""The canonical form of a text, as readings that detection tests: docs/canonical-text.md defines it."""

import stela_core as stela
from stela_detection.canonical.readings import Canonical

__all__ = ["Canonical"]


@stela.hookimpl
def stela_register_readings() -> type[stela.Readings]:
    return Canonical
