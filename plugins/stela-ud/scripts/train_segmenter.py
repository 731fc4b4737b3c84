r"""Train the Chinese word segmenter that stela-ud ships: labels of characters, joint with UPOS.

    python scripts/train_segmenter.py --train TRAIN.conllu.xz --test TEST.conllu.xz --out FOLDER \
        --record stela_ud/training/zh_segmenter.json

A label is where in its word a character stands (begin, middle, end, single) and the word's UPOS, which
makes better boundaries than only the place.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import spacy
from loop import Gold, Pace, fit
from recipes import RECIPES
from record import write_record
from stela_corpora.treebank import Piece, Sentence, pieces_to_train_on, read_documents
from stela_ud.segmenter import PLACES, Segmenter, character_ids, network
from thinc.api import fix_random_seed, require_cpu

Documents = list[list[Sentence]]
SEED = 20
CUT_SHARE = 0.1
PACE = Pace(epochs=15, batch=8, drop=0.2)
SETTINGS = {"width": 32, "rows": [3000, 7000, 7000, 200]}


def spaced(piece: Piece) -> Piece:
    """The piece with the space between two words of Latin letters or digits that the training part lost."""
    spaces = [
        space or (a[-1:].isascii() and a[-1:].isalnum() and b[:1].isascii() and b[:1].isalnum())
        for a, b, space in zip(piece.words, [*piece.words[1:], ""], piece.spaces, strict=True)
    ]
    return Piece(piece.words, piece.tags, spaces)


def labelled(piece: Piece, labels: dict[str, int]) -> tuple[Any, Gold]:
    """Features of the characters of the raw text, and the label of each; none for a space."""
    gold: list[int] = []
    for word, tag, space in zip(piece.words, piece.tags, piece.spaces, strict=True):
        places = "S" if len(word) == 1 else "B" + "M" * (len(word) - 2) + "E"
        gold += [labels.get(f"{place}-{tag}", -1) for place in places]
        gold += [-1] * space
    return character_ids(piece.text), np.array(gold).reshape(-1, 1)


def spans(words: list[str], text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for word in words:
        start = text.index(word, start)
        yield start, start + len(word)
        start += len(word)


def f_score(segmenter: Segmenter, documents: Documents) -> float:
    """F1 of words, by their spans in the raw text, sentence by sentence."""
    predicted = gold = both = 0
    for document in documents:
        for sentence in document:
            piece = spaced(sentence)
            text = piece.text.rstrip(" ")
            expected = set(spans(piece.words, text))
            doc = segmenter(text)
            words = {(t.idx, t.idx + len(t)) for t in doc if not t.is_space}
            predicted, gold, both = predicted + len(words), gold + len(expected), both + len(words & expected)
    return 2 * both / (predicted + gold)


def train(documents: Documents, shown: dict[str, Documents]) -> Segmenter:
    fix_random_seed(SEED)
    tags = sorted({tag for d in documents for s in d for tag in s.tags})
    # All labels of a place stand together.
    names = [f"{place}-{tag}" for place in PLACES for tag in tags]
    labels = {name: number for number, name in enumerate(names)}
    settings: dict[str, Any] = {**SETTINGS, "labels": len(names)}
    model = network(**settings)

    def examples(chance: random.Random) -> list[tuple[Any, Gold]]:
        return [labelled(spaced(piece), labels) for piece in pieces_to_train_on(documents, chance, CUT_SHARE)]

    def finished() -> Segmenter:
        segmenter = Segmenter(spacy.blank("zh").vocab)
        segmenter.set_model(model.copy(), settings)
        return segmenter

    def report() -> str:
        now = finished()
        return ", ".join(f"{name} {f_score(now, held_out):.4f}" for name, held_out in shown.items())

    averages = fit(model, examples, [len(names)], PACE, SEED, report)
    with model.use_params(averages):
        return finished()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--train", type=Path, nargs="+", required=True, help="CoNLL-U files")
    parser.add_argument("--test", type=Path, nargs="+", required=True, help="files shown after each epoch")
    parser.add_argument("--out", type=Path, help="folder of the segmenter")
    parser.add_argument("--record", type=Path, help="file of data, settings and figures")
    arguments = parser.parse_args()
    require_cpu()
    documents = [document for file in arguments.train for document in read_documents(file, "upos")]
    shown = {file.name.split(".")[0]: read_documents(file, "upos") for file in arguments.test}
    segmenter = train(documents, shown)
    if arguments.out:
        arguments.out.mkdir(parents=True, exist_ok=True)
        segmenter.to_disk(arguments.out)
    figures = {name: round(f_score(segmenter, held_out), 4) for name, held_out in shown.items()}
    if arguments.record:
        write_record(
            arguments.record, RECIPES["zh"].data, documents, PACE, SEED, {"segmentation_f1": figures}
        )
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
