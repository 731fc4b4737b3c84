"""A tokenizer and a tagger of HanLP's, called in the plain way: one piece of text at a time.

What else is in a batch would change the scores a little, and some components leak padding: by itself, a piece
always gets the same tags. The shipped models leak none, and take any texts together.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from importlib.metadata import version
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from threading import Lock
from typing import Any

from stela_causal.tagger import WithTables

import stela_core as stela
from stela_core.api import folder_hash, short_hash
from stela_ctb.loading import FAST, SHIPPED, find_folders, is_published, load_pair, way_of

NEEDS = ("hanlp", "torch")
PIP = '"hanlp>=2.1.5,<3"'
LONGEST = 128
"""Characters in a piece at most; transformers hold 512."""
_PIECE = re.compile(rf"(?:[^\s。！？!?；;]{{1,{LONGEST - 1}}}[。！？!?；;]?|[。！？!?；;]+?)")


class HanlpTagger(WithTables[Any]):
    """Two models of HanLP's, or the shipped ones, which :class:`stela_ctb.Ctb` asks.

    Raises, when constructed:
        MissingLibraryError: HanLP or torch is not installed.
        StelaError: there is no such model, a file of it is missing, or it cannot be loaded.
    """

    name, language, tagset, unit = "ctb", "zh", "Penn Chinese Treebank", "character"
    folder = Path(__file__).parent

    def __init__(self, parameters: Any) -> None:
        super().__init__(parameters)
        if not self.status().ok:
            missing = next(library for library in NEEDS if find_spec(library) is None)
            raise stela.MissingLibraryError(missing, 'tagger "ctb"', PIP)
        folders = find_folders(self.model)
        self._pair, self._lock = load_pair(folders), Lock()
        self._is_own = way_of(folders) == FAST
        if not self._is_own:
            self._pair[0].config["output_spans"] = True

    @classmethod
    def accepts_from_profile(cls, model: str) -> bool:
        """The shipped models, and names that HanLP publishes."""
        return model == SHIPPED or is_published(model)

    @classmethod
    def fingerprint_of(cls, parameters: Any) -> str:
        """The :attr:`fingerprint`, before anything of the models is loaded."""
        folders = find_folders(parameters.model)
        return short_hash(cls.name, cls.tagset, way_of(folders), *map(folder_hash, folders))

    @classmethod
    def status(cls) -> stela.Status:
        """Whether HanLP and torch are installed."""
        installed = all(find_spec(library) is not None for library in NEEDS)
        return stela.Status() if installed else stela.Status(False, f"pip install {PIP}")

    @property
    def model(self) -> str:
        """The model as the user named it."""
        return str(self.parameters.model)

    @property
    def version(self) -> str:
        """Versions of HanLP and of this package, whose models come along."""
        return f"hanlp {version('hanlp')}, stela-ctb {version('stela-ctb')}"

    @cached_property
    def fingerprint(self) -> str:
        """Hash of the models' files and of what makes tags of them, wherever the folders are."""
        return self.fingerprint_of(self.parameters)

    def tag(self, texts: Sequence[str]) -> list[list[stela.Tag]]:
        """Tags of the words of each text; a word never spans white space, which has no tag."""
        stela.require_well_formed(texts)
        with self._lock, torch_threads(self.parameters.threads):
            if not self._is_own:
                return [self._tag(text) for text in texts]
            from stela_ctb.shipped import tag

            tokenizer, tagger = self._pair
            return tag(tokenizer, tagger, texts)

    def _tag(self, text: str) -> list[stela.Tag]:
        tokenizer, tagger = self._pair
        all_tags: list[stela.Tag] = []
        for offset, piece in pieces(text):
            spans = whole(tokenizer.predict([piece])[0], len(piece))
            [tags] = tagger.predict([[piece[start:end] for start, end in spans]])
            tagged = zip(tags, spans, strict=True)
            all_tags += [stela.Tag(tag, offset + start, offset + end) for tag, (start, end) in tagged]
        return all_tags


def pieces(text: str) -> list[tuple[int, str]]:
    """``text`` less its white space as (offset, piece), cut behind each end of a sentence.

    A piece that would be longer than 128 characters is cut there.
    """
    return [(match.start(), match[0]) for match in _PIECE.finditer(text)]


def whole(words: Sequence[Sequence[Any]], size: int) -> list[tuple[int, int]]:
    """Spans that cover all of a text of ``size`` > 0, from HanLP's ``[word, start, end]``.

    A tokenizer drops characters that it does not know: they go to the word before, the first to the first.
    """
    cuts = sorted({start for _, start, _ in words})[1:]
    return list(pairwise([0, *cuts, size]))


@contextmanager
def torch_threads(number: int | None) -> Iterator[None]:
    """Torch on a number of threads inside the block, and as before behind it."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(number or before)
    try:
        yield
    finally:
        torch.set_num_threads(before)
