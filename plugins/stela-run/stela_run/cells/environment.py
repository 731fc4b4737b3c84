"""What a cell was made with: versions of plugins and libraries, and the commit of a checkout."""

from __future__ import annotations

import hashlib
import subprocess
from functools import cache
from importlib.metadata import distributions
from pathlib import Path
from typing import TypedDict

from stela_core import Registry

LIBRARIES = frozenset(
    {
        *("numpy", "scipy", "numba", "pyarrow", "torch", "transformers", "tokenizers"),
        *("spacy", "kiwipiepy", "hanlp", "stanza"),
    }
)
"""Libraries that decide results."""


class MadeWith(TypedDict):
    """Versions by distribution or file, and the commit of a checkout."""

    versions: dict[str, str]
    commit: str | None


UNKNOWN: MadeWith = {"versions": {}, "commit": None}

LOCAL = "local"
"""Version of a plugin that is a file; what stands in it tells files apart."""


def made_with(registry: Registry) -> MadeWith:
    """What is here: versions of the core, all plugins and the libraries that decide results; the commit."""
    versions = dict(_installed())
    for origin in registry.plugins.origins.values():
        if origin.version == LOCAL:
            versions[Path(origin.distribution).name] = f"sha256:{_digest(origin.distribution)}"
        else:
            versions[origin.distribution] = origin.version
    return {"versions": dict(sorted(versions.items())), "commit": _commit()}


@cache
def _installed() -> dict[str, str]:
    return {d.name: d.version for d in distributions() if d.name in LIBRARIES or d.name.startswith("stela-")}


@cache
def _digest(file: str) -> str:
    """Digest of a local plugin as it was when it was first asked for, which is when it was loaded."""
    try:
        return hashlib.sha256(Path(file).read_bytes()).hexdigest()[:16]
    except OSError:
        return "unknown"


@cache
def _commit() -> str | None:
    """The commit of the checkout that this runs from, with ``-dirty`` if it was changed; or none."""
    command = ["git", "-C", str(Path(__file__).parent), "describe", "--always", "--abbrev=40"]
    command += ["--dirty", "--exclude=*"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=10, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip() or None
