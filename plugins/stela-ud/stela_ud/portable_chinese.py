"""The Chinese tagger as one file for readers in other languages: it cuts words by a separate network."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from stela_spacy.pieces import LONGEST_SEGMENT
from stela_spacy.portable import characters, file_of, flat, network_of, words_of

from stela_ud.kinds import kind_of

if TYPE_CHECKING:
    from spacy.language import Language


def portable_chinese(identity: Mapping[str, str], nlp: Language, tails: Any) -> bytes:
    """The file of the Chinese tagger; ``segmenter`` in it stands for the rules of other languages.

    Args:
        identity: as :func:`stela_spacy.portable.portable_tagger` takes it.
        nlp: the pipeline.
        tails: its fast path, :class:`stela_ud.chinese_tails.ChineseTails`.
    """
    seen, numbers = words_of(nlp, tails.tails)
    tables, mixed, encoder, output = tails.segmenter.model.layers
    labels = [str(number) for number in range(output.layers[0].get_dim("nO"))]
    network, of_characters = network_of(tables.layers[0], mixed.layers[0], encoder, output.layers[0], labels)
    content = {
        **seen,
        "segmenter": {"network": network, "longest": LONGEST_SEGMENT},
        "characters": {**characters(), "signs": flat(lambda character: kind_of(character) == "p")},
    }
    return file_of(identity, content, [numbers, of_characters])
