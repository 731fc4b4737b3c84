"""Whence the files of a data folder are, and under which licences: from the tables in its README.md."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

SPDX = {
    "CC BY 4.0": "CC-BY-4.0",
    "CC BY-SA 3.0": "CC-BY-SA-3.0",
    "CC BY-SA 4.0": "CC-BY-SA-4.0",
    "CC0 1.0": "CC0-1.0",
    "PSF licence": "PSF-2.0",
    "BSD-2-Clause": "BSD-2-Clause",
    "MPL-2.0": "MPL-2.0",
    "LGPL-LR": "LGPLLR",
    "public domain": "LicenseRef-public-domain",
}
"""Licences as the tables name them."""
ROW = re.compile(
    r"^\| `(?P<file>[^`]+)` \|.*?\| `(?P<sha256>[0-9a-f]{64})` \| (?P<where>.*?) \| (?P<licence>.*?) \|$"
)


class Source(NamedTuple):
    """What the table says of a file."""

    where: str
    licence: str
    """In words; several are parted by ``;`` or ``,``."""


def read_sources(data: Path) -> dict[str, Source]:
    """Sources by the hash of a file."""
    rows = map(ROW.match, (data / "README.md").read_text(encoding="utf-8").splitlines())
    return {row["sha256"]: Source(row["where"], row["licence"]) for row in rows if row}


def spdx_of(sources: Iterable[Source]) -> list[str]:
    """All licences of some files, each once.

    Raises:
        ValueError: one is none of those known.
    """
    licences = []
    for source in sources:
        for part in re.split(r"[;,] ", source.licence.removeprefix("per document: ")):
            known = [spdx for words, spdx in SPDX.items() if part.startswith(words)]
            if not known:
                raise ValueError(f'no SPDX licence is known for "{source.licence}"')
            licences += known
    return sorted(set(licences))
