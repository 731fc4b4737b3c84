"""Which spaCy models are known by name, and where a model's files are; nothing is imported for it."""

from __future__ import annotations

import re
from difflib import get_close_matches
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import stela_core as stela

LANGUAGES = tuple("ca da de el en es fi fr hr it ja ko lt mk nb nl pl pt ro ru sl sv uk xx zh".split())  # noqa: SIM905
OFFICIAL = re.compile(
    rf"(?:{'|'.join(LANGUAGES)})_(?:core_(?:web|news)_(?:sm|md|lg|trf)|dep_news_trf|ent_wiki_sm|sent_ud_sm)"
)
"""Names of the pipelines that spaCy publishes, such as ``en_core_web_sm``."""

NO_MODEL = "name an installed spaCy model such as en_core_web_sm, or a folder that spaCy wrote"


def is_official(model: str) -> bool:
    """Whether spaCy publishes pipelines under such a name."""
    return OFFICIAL.fullmatch(model) is not None


class Found(NamedTuple):
    """Folder of a model's files."""

    folder: Path
    """Folder that holds the ``config.cfg``."""
    in_package: bool
    """Whether it came with an installed package; else it is a folder that the user named."""


def find_model(model: str) -> Found:
    """An installed package's pipeline, or a folder.

    A name that spaCy publishes is a package's, never that of a folder: write ``./en_core_web_sm`` for one.

    Raises:
        StelaError: there is neither.
    """
    folder = _package_folder(model)
    if folder is not None:
        return Found(folder, in_package=True)
    if is_official(model):
        raise stela.StelaError(
            f'spaCy model "{model}" is not installed.', f"python -m spacy download {model}"
        )
    if Path(model).is_dir():
        return Found(Path(model), in_package=False)
    sizes = [f"{code}_core_{kind}_sm" for code in LANGUAGES for kind in ("web", "news")]
    close = get_close_matches(model, sizes, n=1)
    raise stela.StelaError(
        f'there is no spaCy model "{model}".', f'did you mean "{close[0]}"?' if close else NO_MODEL
    )


def _package_folder(name: str) -> Path | None:
    """Folder of an installed package's pipeline; ``None`` where it holds none, or several."""
    if not (name.isascii() and name.isidentifier()):
        return None
    try:
        metadata.distribution(name)
    except metadata.PackageNotFoundError:
        return None
    spec = find_spec(name)  # of a name without dots this imports nothing
    if spec is None or spec.origin is None:
        return None
    configs = list(Path(spec.origin).parent.glob("*-*/config.cfg"))
    return configs[0].parent if len(configs) == 1 else None
