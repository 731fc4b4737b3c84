"""An invented language whose endings tell the parts of speech, as CoNLL-U and as human text would be."""

from __future__ import annotations

import json
import random
from pathlib import Path

STEMS = ("lun", "mar", "sol", "vent", "arb", "dom", "kant", "flor", "mont", "river", "nokt", "stel")
ORDERS = (
    ("DET", "NOUN", "VERB", "ADV"),
    ("DET", "ADJ", "NOUN", "VERB", "ADP", "NOUN"),
    ("NOUN", "VERB", "DET", "ADJ", "NOUN"),
    ("ADV", "VERB", "NOUN", "CCONJ", "NOUN"),
)
ENDINGS = {"NOUN": "o", "ADJ": "a", "ADV": "e", "VERB": "as"}
CLOSED = {"DET": "la", "ADP": "sur", "CCONJ": "kaj"}

Words = list[tuple[str, str]]


def sentence(chance: random.Random) -> Words:
    """Words and their tags, with a full stop."""
    order = chance.choice(ORDERS)
    return [(CLOSED.get(tag) or chance.choice(STEMS) + ENDINGS[tag], tag) for tag in order] + [(".", "PUNCT")]


def written(words: Words) -> str:
    """The sentence as it is written."""
    return " ".join(word for word, _ in words[:-1]) + "."


def conllu(sentences: list[Words]) -> str:
    """The sentences as a treebank; before the full stop stands no space."""
    blocks = []
    for words in sentences:
        rows = [
            f"{n}\t{word}\t_\t{tag}\t_\t_\t_\t_\t_\t{'SpaceAfter=No' if n == len(words) - 1 else '_'}"
            for n, (word, tag) in enumerate(words, start=1)
        ]
        blocks.append("\n".join(rows) + "\n")
    return "\n".join(blocks)


def write_data(folder: Path, sentences: int = 300) -> tuple[Path, Path]:
    """A treebank and a corpus of other sentences."""
    chance = random.Random(1)
    treebank, corpus = folder / "xx_invented.conllu", folder / "xx.jsonl"
    treebank.write_text(conllu([sentence(chance) for _ in range(sentences)]), encoding="utf-8")
    documents = (" ".join(written(sentence(chance)) for _ in range(20)) for _ in range(20))
    corpus.write_text("".join(json.dumps({"text": text}) + "\n" for text in documents), encoding="utf-8")
    return treebank, corpus
