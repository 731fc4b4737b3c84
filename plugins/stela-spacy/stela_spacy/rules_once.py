"""Load a folder's pipeline; spaCy's own tokenizer makes its special cases once, which spaCy does three times.

It makes those of the language, then those of the folder, and all again when an expression is exchanged:
1,347 of English, in a tenth of a second each time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stela_spacy.end_search import EndSearch

if TYPE_CHECKING:
    from spacy.language import Language

SPACYS = "spacy.Tokenizer.v1"
EMPTY = "stela_spacy.empty_tokenizer.v1"
RULES = "exceptions"
"""The special cases in the file of a tokenizer."""
NO_LOOKUPS = (b"", b"\x80")
"""A file without any table."""


def load_folder(folder: Path, exclude: Sequence[str], config: Mapping[str, Any]) -> Language:
    """The pipeline that ``spacy.load`` gives, with a tokenizer that looks for suffixes where they can be.

    Args:
        folder: of the pipeline.
        exclude: names of components that are not loaded.
        config: of the folder.

    Raises:
        OSError, ImportError, KeyError, ValueError: as spaCy does.
    """
    import spacy
    from spacy.util import registry

    named = config["nlp"].get("tokenizer", {}).get("@tokenizers")
    file = folder / "tokenizer"
    if named != SPACYS or not file.is_file():
        nlp = spacy.load(folder, exclude=exclude)
        if type(nlp.tokenizer).__module__ == "spacy.tokenizer":
            search_ends(nlp.tokenizer)
        return nlp
    changes: dict[str, Any] = {}
    if _has_no_norms(folder):
        registry.tokenizers(EMPTY, func=_empty)
        changes = {"nlp": {"tokenizer": {"@tokenizers": EMPTY}}}
    nlp = spacy.load(folder, exclude=[*exclude, "tokenizer"], config=changes)
    nlp.config["nlp"]["tokenizer"]["@tokenizers"] = SPACYS
    _read(nlp.tokenizer, file.read_bytes())
    return nlp


def search_ends(tokenizer: Any) -> None:
    """Let spaCy's own tokenizer look for suffixes where they can be."""
    quick = EndSearch.of(tokenizer.suffix_search)
    if quick is not tokenizer.suffix_search:
        tokenizer.suffix_search = quick


def _has_no_norms(folder: Path) -> bool:
    """Whether the words of the language's special cases have the same norms before and after it is read."""
    lookups = folder / "vocab" / "lookups.bin"
    return not lookups.exists() or (lookups.stat().st_size <= 1 and lookups.read_bytes() in NO_LOOKUPS)


def _empty() -> Any:
    tokenizer: Any = import_module("spacy.tokenizer")  # compiled, without types
    return lambda nlp: tokenizer.Tokenizer(nlp.vocab)


def _read(tokenizer: Any, data: bytes) -> None:
    """``tokenizer.from_bytes``, its special cases last of all."""
    srsly: Any = import_module("srsly")
    content = srsly.msgpack_loads(data)
    rules = content.pop(RULES, None) if isinstance(content, dict) else None
    if not isinstance(rules, dict):
        tokenizer.from_bytes(data, exclude=["vocab"])
        search_ends(tokenizer)
        return
    tokenizer.from_bytes(srsly.msgpack_dumps(content), exclude=["vocab"])
    search_ends(tokenizer)
    tokenizer.rules = rules
