"""What tells profiles apart: a short line for a reader; signatures of the same evidence, or the same mark."""

from __future__ import annotations

import json
from collections.abc import Iterator

from stela_core.files.fingerprint import sha256
from stela_core.printable import one_line
from stela_core.profile.schema import Profile


def summary(profile: Profile) -> str:
    """Scheme, language, name of the key (never the key), and what a token's colour and weight rest on."""
    return one_line(", ".join(_words_of(profile)))  # its words may be a stranger's


def _words_of(profile: Profile) -> Iterator[str]:
    hasher, tagger = profile.hasher, profile.tagger
    yield profile.scheme.name
    yield f"language {profile.language}" if profile.language else "any language"
    kind = "secret" if hasher.key is None else "published" if hasher.published else "public"
    name = f"key {hasher.key_id}" if hasher.key_id else "key without id"
    earlier = f" and {len(hasher.earlier_keys)} earlier" if hasher.earlier_keys else ""
    yield f"{name} ({kind}){earlier}"
    if hasher.gamma is not None:
        yield f"gamma {hasher.gamma:g}"
    delta = profile.scheme.parameters.get("delta")
    if isinstance(delta, int | float):
        yield f"delta {delta:g}"
    yield f"context width {hasher.context_width}"
    if profile.k is not None:
        yield f"k {profile.k}"
    if tagger is not None:
        yield f"tagger {tagger.name}"
    yield f"{profile.vocab_size} ids"


_EVIDENCE = (
    "scheme",
    "tagger",
    "k",
    "window",
    "calibration",
    "tokenizer_sha256",
    "table_sha256",
    "vocab_size",
    "message",
)
_KEY = ("key_id", "key", "salt", "earlier_keys", "since", "until", "published")


def evidence_signature(profile: Profile) -> str:
    """Equal for profiles that differ only in key, thresholds or papers: scored tokens and weights are equal.

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
    fields = {name: content.get(name) for name in _EVIDENCE}
    fields["hasher"] = {name: value for name, value in content["hasher"].items() if name not in _KEY}
    parameters = content["scheme"]["parameters"]
    fields["scheme"] = {
        "name": content["scheme"]["name"],
        "parameters": {name: value for name, value in parameters.items() if name not in drop},
    }
    return sha256(json.dumps(fields, sort_keys=True).encode())
