"""C2PA's soft binding: the message in a text, by which its manifest is looked up (specification, 18.10).

The fields are those of ``soft-binding-map`` (18.10.2). ``value`` is the message in hex digits, ``alg-params``
the id of the key, and the empty ``scope`` says that it is of the whole text. The specification has byte
strings for both, and ``pad``; a definition in JSON has none, and C2PA's library reads texts there.

``alg`` shall be of C2PA's list (9.3.2), and ours is not on it. Its entry would say: type ``watermark``,
decodedMediaTypes ``text``, and as informationalUrl docs/payload.md, which says how a message is read.
"""

from __future__ import annotations

import re
from typing import Any

from stela_core import Message, StelaError

LABEL = "c2pa.soft-binding"
ALGORITHM = "org.stela.payload.1"
NO_ALGORITHM = "none"

_NAME = re.compile(r"[A-Za-z]{2,63}(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?)+")
"""The pattern of the algorithm list's schema, for ``alg``."""

_VALUE = re.compile(r"[0-9a-f]{1,16}")


def algorithm_of(name: str) -> str | None:
    """The algorithm that an option names; ``None`` for ``none``.

    Raises:
        StelaError: it is not a name of an algorithm, or is one of C2PA's.
    """
    if name == NO_ALGORITHM:
        return None
    if not _NAME.fullmatch(name) or name.startswith("c2pa."):
        raise StelaError(
            f'"{name[:80]}" is not a name of an algorithm.',
            "begin it with a domain of yours, as com.example.mark.1",
        )
    return name


def soft_binding_of(message: Message, key_id: str | None, algorithm: str) -> dict[str, Any]:
    """The assertion about a message that is wholly sure."""
    block = {"scope": {}, "value": message.text}
    key = {} if key_id is None else {"alg-params": key_id}
    return {"label": LABEL, "data": {"alg": algorithm, **key, "blocks": [block]}}


def bindings_of(definition: Any, algorithm: str) -> list[tuple[int, str | None]]:
    """Message and key id of each soft binding of this algorithm in someone else's manifest definition.

    Raises:
        ValueError: one of them says something else.
    """
    bindings: list[tuple[int, str | None]] = []
    for data in assertions_of(definition, LABEL):
        if data.get("alg") == algorithm:
            key_id = data.get("alg-params")
            blocks = data.get("blocks")
            if not (isinstance(key_id, str | None) and isinstance(blocks, list) and blocks):
                raise ValueError("its soft binding has no blocks, or a key id that is not valid")
            bindings += [(_value_of(block), key_id) for block in blocks]
    return bindings


def assertions_of(definition: Any, label: str | None = None) -> list[dict[str, Any]]:
    """The data of someone else's assertions, of one label or all; what is not an object is left out."""
    assertions = definition.get("assertions") if isinstance(definition, dict) else None
    return [
        one["data"]
        for one in (assertions if isinstance(assertions, list) else ())
        if isinstance(one, dict) and label in (None, one.get("label")) and isinstance(one.get("data"), dict)
    ]


def _value_of(block: Any) -> int:
    value = block.get("value") if isinstance(block, dict) else None
    if not (isinstance(value, str) and _VALUE.fullmatch(value)):
        raise ValueError("its soft binding has a value that is not a message")
    return int(value, 16)
