"""Names on the Hugging Face Hub, with the revision that may be pinned: ``NAME@REVISION``.

No code that comes with a model is run, and no pickle of one is read: ``trust_remote_code`` is always said
to be false (where it is left open, transformers asks on standard input, which may hold someone else's text),
and weights are safetensors, or read with ``weights_only``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from textwrap import shorten
from typing import Any, NamedTuple

from stela_core import Registry, StelaError
from stela_core.api import published
from stela_models.model_source import ModelSource

ON_THE_HUB = re.compile(r"[A-Za-z0-9][\w.-]*(/[A-Za-z0-9][\w.-]*)?", re.ASCII)
REVISION = re.compile(r"[0-9a-f]{40}|[A-Za-z0-9][\w.-]{0,99}", re.ASCII)
"""A commit, or a tag."""


class Location(NamedTuple):
    """What ``from_pretrained`` gets for a name."""

    name: str
    """A folder, or a name on the Hub."""
    revision: str | None
    """Commit or tag on the Hub; ``None`` for the newest."""

    @property
    def options(self) -> dict[str, Any]:
        """Arguments for ``from_pretrained`` of a configuration, a tokenizer or a model."""
        pinned = {} if self.revision is None else {"revision": self.revision}
        return {"trust_remote_code": False, **pinned}


def locate_model(name: str, registry: Registry | None = None) -> Location:
    """Location of ``--model NAME``, or of an experiment's model: an alias's folder, a folder, a hub name.

    Args:
        name: alias, folder or hub name, this last with ``@REVISION`` or without.
        registry: knows the aliases; ``None`` where no alias can stand.

    Raises:
        StelaError: the revision is not a commit and no tag, or an alias has one; or it is an alias of this
            project's whose plugin is not installed: nobody means another's model of that name on the hub.
    """
    ours = published().distribution_of("model", name) is not None and not _exists(name)
    if registry is not None and (ours or registry.has(ModelSource, name)):
        return Location(registry.get(ModelSource, name).location(), None)
    source, at, revision = name.rpartition("@")
    if not at or _exists(name) or not ON_THE_HUB.fullmatch(source):
        return Location(name, None)
    if registry is not None and registry.has(ModelSource, source):
        raise StelaError(f'"{source}" is an alias: it has no revisions.', f'write "{source}"')
    return Location(source, checked_revision(revision))


def checked_revision(revision: str) -> str:
    """The revision, if it is a commit or a tag.

    Raises:
        StelaError: it is neither.
    """
    if not REVISION.fullmatch(revision):
        raise StelaError(
            f'"{revision}" is not a revision of a model.',
            "give a commit of 40 hex digits, or a tag: NAME@REVISION",
        )
    return revision


def revision_of(name: str) -> str | None:
    """The revision that a model's name pins; ``None`` where it pins none, or none that there can be."""
    try:
        return locate_model(name).revision
    except StelaError:
        return None


def short_reason(error: Exception) -> str:
    """What an error of a library says, on one line; what is left out of a long one shows as an ellipsis."""
    return shorten(str(error), 300, placeholder=" …") or type(error).__name__


def require_plain_config(location: Location) -> None:
    """Check that a model's configuration names no kernel of the Hub, which would be code.

    Raises:
        StelaError: it does.
        OSError: there is no configuration, as ``from_pretrained`` raises it.
    """
    from transformers import PretrainedConfig

    content, _ = PretrainedConfig.get_config_dict(location.name, **location.options)
    for value in _attention(content):
        if isinstance(value, str) and "/" in value:
            raise StelaError(
                f'model "{location.name}" asks for attention by "{value}", which is code of the Hub.',
                "take attn_implementation out of its config.json",
            )


def _attention(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        for key, inner in value.items():
            if "attn_implementation" in str(key):
                yield from inner.values() if isinstance(inner, dict) else [inner]
            else:
                yield from _attention(inner)


def _exists(name: str) -> bool:
    try:
        return Path(name).exists()
    except (OSError, ValueError):  # too long, a NUL
        return False
