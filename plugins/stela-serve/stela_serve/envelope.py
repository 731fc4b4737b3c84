"""Signed bytes: DSSE (Dead Simple Signing Envelope, secure-systems-lab, 1.0) with Ed25519 (RFC 8032).

What is signed is the payload as it stands in the envelope, byte for byte: nothing is written anew to check.
"""

from __future__ import annotations

import base64
import binascii
from typing import Any

from stela_core import StelaError
from stela_serve.signer import Signer, holds

TYPE = "application/vnd.stela.verdict+json"
HINT = "give one of the objects that the service answered under signed"


def pre_authentication(kind: str, payload: bytes) -> bytes:
    """PAE of the specification: what is signed."""
    name = kind.encode()
    return b"DSSEv1 %d %s %d %s" % (len(name), name, len(payload), payload)


def sealed(payload: bytes, signer: Signer) -> dict[str, Any]:
    """An envelope of a payload."""
    signature = signer.sign(pre_authentication(TYPE, payload))
    return {
        "payload": base64.b64encode(payload).decode(),
        "payloadType": TYPE,
        "signatures": [{"keyid": signer.key_id, "sig": base64.b64encode(signature).decode()}],
    }


def opened(envelope: Any, public_key: bytes) -> bytes | None:
    """The payload of an envelope; ``None`` where no signature in it is this key's.

    Args:
        envelope: of a stranger.
        public_key: 32 bytes.

    Raises:
        StelaError: it is no envelope of a verdict.
    """
    try:
        payload = base64.b64decode(envelope["payload"], validate=True)
        kind, signatures = envelope["payloadType"], envelope["signatures"]
        claimed = [base64.b64decode(one["sig"], validate=True) for one in signatures[:16]]
    except (TypeError, KeyError, ValueError, binascii.Error):
        raise StelaError("this is no signed verdict.", HINT) from None
    if kind != TYPE:
        raise StelaError("what is signed here is no verdict.", HINT)
    signed = pre_authentication(TYPE, payload)
    return payload if any(holds(public_key, signature, signed) for signature in claimed) else None
