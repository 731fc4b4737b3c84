"""The service's answers as signed verdicts (docs/signing.md)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from stela_sign.verdict import Tested, sign_verdict

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey


def signed(
    texts: Sequence[str],
    results: Sequence[Mapping[str, Any]],
    profiles: Sequence[Mapping[str, Any]],
    asked: Mapping[str, bool],
    key: Ed25519PrivateKey,
) -> list[dict[str, Any]]:
    """A signed verdict for each text.

    Args:
        texts: as they were given.
        results: of each.
        profiles: name, key_id and fingerprint of each that was tested for.
        asked: how, such as ``windows``.
        key: of the service.
    """
    tested = [Tested(one["name"], one["key_id"], one["fingerprint"]) for one in profiles]
    pairs = zip(texts, results, strict=True)
    return [json.loads(sign_verdict(result, text, tested, key, asked)) for text, result in pairs]
