"""Which distribution brings a component or a command: what a hint may tell a user to install.

This is the one place where the core names plugins (tests/test_names_no_plugin.py).

A profile comes from strangers, so that no name in it reaches a ``pip install``: hints name the
distributions of this list alone, found by the naming rule (distribution ``stela-X`` brings components named
``X`` or ``X-...``).
"""

from __future__ import annotations

import re

PUBLISHED: dict[str, tuple[str, ...]] = {
    "analysis": ("metric",),
    "c2pa": (),
    "ctb": ("tagger",),
    "edits": ("attack",),
    "ewd": ("scheme", "weighting"),
    "exp": ("hasher", "scheme", "scorer"),
    "fidelity": ("metric",),
    "gumbel": ("hasher", "scheme"),
    "interop": ("hasher",),
    "judge": ("metric",),
    "kgw": ("scheme",),
    "learned": ("scheme", "weighting"),
    "lexical": ("scheme", "weighting"),
    "lsh": ("hasher", "scheme"),
    "morphmark": ("scheme", "weighting"),
    "page": (),
    "paraphrase": ("attack",),
    "penn": ("tagger",),
    "quality": ("metric",),
    "ray": ("executor",),
    "roc": ("metric",),
    "sample": ("corpus",),
    "sejong": ("tagger",),
    "serve": (),
    "sign": (),
    "steal": ("attack",),
    "stela": ("scheme", "weighting"),
    "sweet": ("scheme", "weighting"),
    "synthid": ("hasher", "scheme"),
    "tiny": ("model",),
    "ud": ("tagger",),
    "unbiased": ("hasher", "scheme"),
    "unigram": ("hasher", "scheme"),
    "watme": ("hasher", "scheme"),
    "wordnet": ("attack",),
}
"""``X`` of each ``stela-X`` that this project publishes, and the kinds of its components. A weighting's
name works as a scheme's, too."""

COMMANDS = {
    "c2pa": "c2pa",
    "profile import": "interop",
    "page": "page",
    "profile link": "page",
    "posterior": "synthid",
    "lsh": "lsh",
    "watme": "watme",
    "key signing": "sign",
    "profile sign": "sign",
    "profile verify": "sign",
    "serve": "serve",
    "verdict": "sign",
}
"""Commands that plugins add to ``stela``, and ``X`` of the ``stela-X`` that brings each."""

DEMO_MODEL = "tiny"
DEMO_SCHEMES = ("stela", "kgw")
DEMO_TAGGERS = {"en": "penn", "zh": "ctb", "ko": "sejong"}
"""What ``stela demo`` shows where it is installed, and says how to install where it is not: a model's alias,
schemes, and for those that use POS contexts a tagger for each language."""

NAME = r"^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,62}[A-Za-z0-9])?$"
"""A distribution's name as PEP 508 writes it, of at most 64 characters."""


def distribution_of(kind: str, component: str) -> str | None:
    """The distribution that brings a component of this kind and name, if it is one of this project's."""
    for short, kinds in PUBLISHED.items():
        if kind in kinds and (component == short or component.startswith(f"{short}-")):
            return f"stela-{short}"
    return None


def distributions_of_kind(kind: str) -> list[str]:
    """The distributions of this project that bring components of a kind."""
    return [f"stela-{short}" for short, kinds in PUBLISHED.items() if kind in kinds]


def distribution_of_command(command: str) -> str | None:
    """The distribution that brings a command (its words after ``stela``), if it is one of this project's."""
    short = COMMANDS.get(command)
    return None if short is None else f"stela-{short}"


def commands_within(group: str) -> set[str]:
    """Names of the commands that this project's distributions add to a group (its words after ``stela``)."""
    words = [command.split() for command in COMMANDS]
    return {own[-1] for own in words if own[:-1] == group.split()}


def published(distribution: str) -> str | None:
    """The name of a distribution of this project as it is published, or ``None`` for any other."""
    name = re.sub(r"[-_.]+", "-", distribution).lower()
    return name if name.startswith("stela-") and name.removeprefix("stela-") in PUBLISHED else None
