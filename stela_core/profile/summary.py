"""A profile in one short line, for whoever looks at a watermark in Python."""

from __future__ import annotations

from collections.abc import Iterator

from stela_core.printable import one_line
from stela_core.profile.schema import Profile


def summary(profile: Profile) -> str:
    """Scheme, language, name of the key (never the key), and what a token's colour and weight rest on."""
    return one_line(", ".join(_parts(profile)))  # its words may be a stranger's


def _parts(profile: Profile) -> Iterator[str]:
    hasher, tagger = profile.hasher, profile.tagger
    yield profile.scheme.name
    yield f"language {profile.language}" if profile.language else "any language"
    standing = "secret" if hasher.key is None else "published" if hasher.published else "public"
    name = f"key {hasher.key_id}" if hasher.key_id else "key without id"
    earlier = f" and {len(hasher.earlier_keys)} earlier" if hasher.earlier_keys else ""
    yield f"{name} ({standing}){earlier}"
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
