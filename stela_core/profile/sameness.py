"""Which profiles give a text the same evidence up to its colours, and which are one mark twice."""

from __future__ import annotations

import json

from stela_core.files.fingerprint import sha256
from stela_core.profile.schema import Profile

_EVIDENCE = (
    "scheme",
    "tagger",
    "k",
    "window",
    "calibration",
    "tokenizer_sha256",
    "table_sha256",
    "vocab_size",
)
_KEY = ("key_id", "key", "salt", "earlier_keys", "since", "until", "published")


def evidence_signature(profile: Profile) -> str:
    """Equal for profiles that differ in key, thresholds or papers alone: scored tokens and weights are equal.

    Only colours (signals) and groups of a text's evidence depend on the key.
    """
    return _digest(profile, drop=())


def mark_signature(profile: Profile, key: int) -> str:
    """Equal for profiles whose tests of any text are one and the same test, whatever the files are called.

    The strength ``delta`` says how a mark is made, not how it is found.

    Args:
        profile: of the mark.
        key: its key, that stands in no result.
    """
    return sha256(f"{key:x}/{_digest(profile, drop=('delta',))}".encode())


def _digest(profile: Profile, drop: tuple[str, ...]) -> str:
    content = profile.model_dump(mode="json")
    kept = {name: content.get(name) for name in _EVIDENCE}
    kept["hasher"] = {name: value for name, value in content["hasher"].items() if name not in _KEY}
    parameters = content["scheme"]["parameters"]
    kept["scheme"] = {
        "name": content["scheme"]["name"],
        "parameters": {name: value for name, value in parameters.items() if name not in drop},
    }
    return sha256(json.dumps(kept, sort_keys=True).encode())
