"""What ``--corpus`` names to a corpus: a file, or a Hugging Face dataset."""

from __future__ import annotations

from pathlib import Path

from stela_core import StelaError
from stela_corpora.corpus import Corpus
from stela_corpora.hf_corpus import HfCorpus
from stela_corpora.hf_name import PREFIX, parse_hf_name
from stela_corpora.sampled import Sampled, TextCorpus


def open_corpus(
    spec: str | Path,
    skip_bad: bool = False,
    documents: int | None = None,
    seed: int = 0,
    column: str = "text",
) -> TextCorpus:
    """The corpus that ``spec`` names.

    Args:
        spec: a file of JSON lines, or ``hf:NAME[:CONFIG][@SPLIT]``.
        skip_bad: leave out bad lines (documents) and count them.
        documents: size of the sample to take, by default all.
        seed: of the sample.
        column: of a dataset, or of the objects in a file, which holds the text.

    Raises:
        StelaError: there is no such file, dataset or column, or it cannot be sampled.
    """
    if str(spec).startswith(PREFIX):
        name = parse_hf_name(str(spec))
        if documents is None or not name.is_local:
            return HfCorpus(name, column, skip_bad, documents, seed)
        return Sampled(HfCorpus(name, column, skip_bad), documents, seed)
    corpus = Corpus(spec, skip_bad, column)
    if documents is None:
        return corpus
    if not corpus.size and not corpus.path.is_file():
        raise StelaError(f'no sample of "{spec}": it is a pipe, and is read twice.', "give a file")
    return Sampled(corpus, documents, seed)
