"""Find, download and read WordNet."""

from __future__ import annotations

import warnings
import zipfile
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import stela_core as stela
from stela_core.api import require

if TYPE_CHECKING:
    from nltk.corpus.reader.wordnet import WordNetCorpusReader

INDEX = "index.noun"
"""A file that every WordNet has: where it lies, the others lie."""


def open_wordnet(path: str | None) -> WordNetCorpusReader:
    """WordNet at a path, or where NLTK has it, or downloaded by NLTK; read once for each path.

    Args:
        path: a folder or zip that holds WordNet's files (``index.noun``, ``data.noun``, ...), directly or
            in ``wordnet`` or ``corpora/wordnet``; ``None`` for NLTK's own search path.

    Raises:
        StelaError: there is none, or it cannot be read.
    """
    require("nltk", 'attack "wordnet"', '"stela-attacks[wordnet]"')
    folder = _installed() if path is None else _given(path)
    return _read(str(folder), folder.stat().st_mtime_ns)


def _given(path: str) -> Path:
    given = Path(path).expanduser()
    if not given.exists():
        raise stela.StelaError(
            f'there is no WordNet at "{path}".', "give a WordNet folder or zip, such as NLTK's wordnet.zip"
        )
    return given.absolute()


def _installed() -> Path:
    """Folder or zip of NLTK's WordNet; fetched first where it has none."""
    import nltk

    for attempt in range(2):
        for place in ("corpora/wordnet.zip", "corpora/wordnet"):
            try:
                pointer: Any = nltk.data.find(place)
            except LookupError:
                continue
            return Path(str(getattr(pointer, "path", pointer)).rstrip("/"))
        if not attempt:
            try:
                if not nltk.download("wordnet", quiet=True, raise_on_error=False):
                    break
            except Exception:  # a folder that cannot be written, an answer that is not an index
                break
    raise stela.StelaError(
        'attack "wordnet" needs WordNet, which is not installed and could not be downloaded.',
        "when online: python -m nltk.downloader wordnet; else give path = a WordNet folder or zip",
    )


@lru_cache(maxsize=2)
def _read(path: str, changed: int) -> WordNetCorpusReader:
    from nltk.corpus.reader.wordnet import WordNetCorpusReader

    class EnglishReader(WordNetCorpusReader):  # type: ignore[misc]
        def map_wn(self, version: str = "wordnet") -> None:
            """No map to the WordNets of other languages: it would need NLTK's own WordNet as well."""

    _allow(path)
    root = _root(Path(path))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that other languages are missing
        try:
            return EnglishReader(root, None)
        except Exception as error:
            raise stela.StelaError(
                f'WordNet at "{path}" cannot be read: {error}', "give WordNet 3.0 or 3.1 in NLTK's layout"
            ) from None


def _allow(path: str) -> None:
    """Put the user's WordNet, and nothing else, on NLTK's search path: it opens no other files."""
    import nltk

    if path not in nltk.data.path:
        nltk.data.path.append(path)


def _root(path: Path) -> Any:
    """What NLTK's reader takes: a pointer to the folder that holds the index."""
    from nltk.data import FileSystemPathPointer, ZipFilePathPointer

    if path.is_dir():
        for folder in (path, path / "wordnet", path / "corpora" / "wordnet"):
            if (folder / INDEX).is_file():
                return FileSystemPathPointer(str(folder))
    else:
        try:
            with zipfile.ZipFile(path) as archive:
                names = archive.namelist()
        except (OSError, zipfile.BadZipFile):
            names = []
        inside = sorted((name for name in names if name.split("/")[-1] == INDEX), key=len)
        if inside:
            return ZipFilePathPointer(str(path), inside[0].removesuffix(INDEX))
    raise stela.StelaError(
        f'"{path}" holds no WordNet: no {INDEX} in it.', "give the folder or zip that holds index.noun"
    )
