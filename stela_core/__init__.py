"""STELA: watermark the text of language models, and find the mark without any language model.

``create`` a profile or ``load`` one, give ``Watermark.logits_processor`` to ``model.generate``, test texts
with ``Watermark.detect``. Plugins subclass the interfaces and register them with ``hookimpl``.

The names and their modules stand in ``__init__.pyi``. A name's module is imported when the name is asked for.
"""

import logging

import lazy_loader

_of_the_stub, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

# The user's own logging decides what is shown; without it nothing is.
logging.getLogger(__name__).addHandler(logging.NullHandler())


def __getattr__(name: str) -> object:
    """What the stub names, or where what left the core is by now."""
    if name in __all__:
        value: object = _of_the_stub(name)
        globals()[name] = value  # asked once
        return value
    from stela_core.catalogue import moved

    raise moved(name) or AttributeError(f"module {__name__!r} has no attribute {name!r}")
