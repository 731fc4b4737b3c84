"""The distributions that a profile needs: written down by its maker, and what to install by its user."""

from __future__ import annotations

import re

from stela_core.catalogue import NAME, published
from stela_core.composition import SchemeParts
from stela_core.errors import StelaError
from stela_core.interfaces import Component, Encoder, Hasher, Scheme, Scorer, Tagger, Weighting
from stela_core.printable import printable
from stela_core.profile.schema import Profile
from stela_core.registry.components import Registry

SHOWN = 60
"""Characters of a name in a profile that an error repeats."""


def distributions_of(
    registry: Registry, parts: SchemeParts, hasher: str, tagger: str | None, encoder: str | None = None
) -> tuple[str, ...]:
    """Distributions of a composition's parts, other than the core and local plugin files; sorted."""
    names: list[tuple[type[Component], str]] = [
        *((Scheme, name) for name in parts.scheme.name.split("+")),
        (Weighting, parts.strength.name),
        (Weighting, parts.evidence.name),
        (Scorer, parts.scorer.name),
        (Hasher, hasher),
    ]
    if tagger is not None:
        names.append((Tagger, tagger))
    if encoder is not None:
        names.append((Encoder, encoder))
    distributions = {registry.distribution(interface, name) for interface, name in names}
    named = (name for name in distributions if name is not None and re.fullmatch(NAME, name))
    return tuple(sorted(name for name in named if name != "stela-core"))


def require_plugins(profile: Profile, registry: Registry) -> None:
    """Refuse a profile whose scheme, hasher or tagger is not installed, and say what to install.

    The hint installs distributions of this project only: a profile comes from strangers.

    Raises:
        StelaError: a part is missing.
    """
    missing = [
        (interface.kind, name)
        for interface, name in _parts(profile, registry)
        if not registry.has(interface, name) and not registry.is_broken(name)
    ]
    if not missing:
        return
    here, ours = registry.distributions(), published()
    needed = [known for kind, name in missing if (known := ours.distribution_of(kind, name)) is not None]
    absent = [name for name in profile.requires if name not in here]
    needed += [known for name in absent if (known := ours.name_of(name)) is not None and known not in here]
    others = [name for name in absent if ours.name_of(name) is None]
    hints = [" ".join(["pip install", *dict.fromkeys(needed)])] if needed else []
    if others:
        hints.append(
            f"the profile names {', '.join(others)}, which is not known here: find out whose it is before "
            "you install it"
        )
    if not hints:
        hints.append("ask whoever made the profile for the plugin, and name its file with --plugin FILE")
    names = " and ".join(f'{kind} "{printable(name[:SHOWN])}"' for kind, name in missing)
    raise StelaError(f"the profile needs {names}, not installed here.", "; ".join(hints))


def _parts(profile: Profile, registry: Registry) -> list[tuple[type[Component], str]]:
    parts: list[tuple[type[Component], str]] = []
    for name in profile.scheme.name.split("+"):
        weighting = not registry.has(Scheme, name) and registry.has(Weighting, name)
        parts.append((Weighting if weighting else Scheme, name))
    parts.append((Hasher, profile.hasher.name))
    if profile.tagger is not None:
        parts.append((Tagger, profile.tagger.name))
    if profile.message is not None:
        parts.append((Encoder, profile.message.code))
    return parts
