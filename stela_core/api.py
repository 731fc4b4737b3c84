"""All that a plugin may import besides ``stela_core`` (the interfaces).

    from stela_core.api import short_hash, write_atomically

The names and their modules stand in ``api.pyi``, which type checkers read, too. A name's module is imported
when the name is asked for: importing this one imports nothing else of the core.
"""

from __future__ import annotations

import lazy_loader

_of_the_stub, __dir__, __all__ = lazy_loader.attach_stub("stela_core", __file__)


def __getattr__(name: str) -> object:
    """What the stub names, or where what left the core is by now."""
    if name in __all__:
        return _of_the_stub(name)
    from stela_core.catalogue import moved

    raise moved(name) or AttributeError(f"module {__name__!r} has no attribute {name!r}")
