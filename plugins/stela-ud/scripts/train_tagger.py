r"""Train a word-level UPOS tagger that stela-ud ships, as a spaCy pipeline.

    python scripts/train_tagger.py --language en --train TRAIN.conllu.xz --test TEST.conllu.xz \
        --out stela_ud/models/en --record stela_ud/training/en.json

The output layer also learns the language's own tags (XPOS), which makes a better embedding; the rows of
the UPOS are kept. English and Korean text keeps the treebank's spacing and is cut into words by spaCy, as
it will be later (a word that it cuts differently has no gold tag); Chinese comes in the treebank's words.
"""

from __future__ import annotations

import argparse
import json
import random
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import spacy
import stela_ud.features
import stela_ud.segmenter  # noqa: F401
from loop import Gold, fit
from recipes import RECIPES, Recipe
from record import write_record
from spacy.language import Language
from spacy.ml.models import MaxoutWindowEncoder, MultiHashEmbed, build_Tok2Vec_model
from spacy.tokens import Doc
from stela_corpora.treebank import Piece, Sentence, join, pieces_to_train_on, read_documents
from thinc.api import Linear, Model, chain, fix_random_seed, require_cpu, with_array

Documents = list[list[Sentence]]
SEED = 20
CUT_SHARE = 0.2
RARE = 5
"""XPOS seen less often are not learnt."""


def upos_of(tag: str) -> str:
    return tag.split(" ")[0]


def words_of(nlp: Language, piece: Piece) -> Doc:
    """The treebank's words."""
    return Doc(nlp.vocab, words=piece.words, spaces=piece.spaces)


def accuracy(nlp: Language, documents: Documents) -> float:
    """Share of the treebank's words, given as they are, with the treebank's UPOS."""
    right = total = 0
    for document in documents:
        piece = join(document)
        doc = words_of(nlp, piece)
        nlp.get_pipe("morphologizer")(doc)
        gold = [(token, upos_of(tag)) for token, tag in zip(doc, piece.tags, strict=True) if tag]
        right += sum(token.pos_ == tag for token, tag in gold)
        total += len(gold)
    return right / total


def labelled(nlp: Language, piece: Piece, tasks: list[dict[str, int]], raw: bool) -> tuple[Doc, Gold]:
    """A piece as the tagger will meet it, with the gold labels of the tokens that are gold words."""
    doc = nlp.make_doc(piece.text) if raw else words_of(nlp, piece)
    tags: dict[tuple[int, int], str] = {}
    start = 0
    for word, tag, space in zip(piece.words, piece.tags, piece.spaces, strict=True):
        tags[start, start + len(word)] = tag
        start += len(word) + space
    gold = np.full((len(doc), len(tasks)), -1)
    for token in doc:
        tag = tags.get((token.idx, token.idx + len(token)), "")
        for number, (labels, name) in enumerate(zip(tasks, tag.split(" "), strict=False)):
            gold[token.i, number] = labels.get(name, -1)
    return doc, gold


def layers(recipe: Recipe, outputs: int) -> tuple[Model[Any, Any], Model[Any, Any], Model[Any, Any]]:
    """The whole model, its tok2vec, its output layer."""
    embed = MultiHashEmbed(
        width=recipe.width, attrs=recipe.attrs, rows=recipe.rows, include_static_vectors=False
    )
    encode = MaxoutWindowEncoder(width=recipe.width, window_size=1, maxout_pieces=3, depth=2)
    tok2vec = build_Tok2Vec_model(embed, encode)
    output = Linear(outputs, recipe.width)
    return chain(tok2vec, with_array(output)), tok2vec, output


def pipeline(recipe: Recipe, labels: list[str], tok2vec: bytes, output: Model[Any, Any]) -> Language:
    """A fresh pipeline: the words of the treebank would triple the size of the trained one."""
    nlp = spacy.blank(recipe.language, config={"nlp": recipe.nlp})
    tagger: Any = nlp.add_pipe("morphologizer", config=recipe.component())
    for label in labels:
        tagger.add_label(f"POS={label}")
    nlp.initialize()
    tagger.model.get_ref("tok2vec").from_bytes(tok2vec)
    softmax = tagger.model.layers[-1].layers[0]
    for name in ("W", "b"):
        softmax.set_param(name, output.get_param(name)[: len(labels)])
    nlp.meta["name"], nlp.meta["version"] = f"stela_ud_{recipe.language}", "0.1.0"
    nlp.meta["license"] = "CC BY-SA 4.0"
    nlp.meta["description"] = "Universal parts of speech"
    return nlp


def train(recipe: Recipe, documents: Documents, shown: dict[str, Documents]) -> Language:
    fix_random_seed(SEED)
    nlp = spacy.blank(recipe.language, config={"nlp": recipe.nlp})
    tags = Counter(tag for document in documents for sentence in document for tag in sentence.tags)
    upos = sorted({upos_of(tag) for tag in tags} - {"_"})
    seen: Counter[str] = Counter()
    for tag, count in tags.items():
        seen[tag.split(" ")[1]] += count
    xpos = sorted(tag for tag, count in seen.items() if count >= RARE)
    tasks = [{label: i for i, label in enumerate(labels)} for labels in (upos, xpos)]
    model, tok2vec, output = layers(recipe, len(upos) + len(xpos))
    first = [labelled(nlp, join(document[:2]), tasks, recipe.raw) for document in documents[:10]]
    scores = [np.zeros((len(gold), len(upos) + len(xpos)), dtype=np.float32) for _, gold in first]
    model.initialize(X=[doc for doc, _ in first], Y=scores)

    def examples(chance: random.Random) -> list[tuple[Doc, Gold]]:
        return [
            labelled(nlp, piece, tasks, recipe.raw)
            for piece in pieces_to_train_on(documents, chance, CUT_SHARE)
        ]

    def finished() -> Language:
        return pipeline(recipe, upos, tok2vec.to_bytes(), output)

    def report() -> str:
        now = finished()
        return ", ".join(f"{name} {accuracy(now, held_out):.4f}" for name, held_out in shown.items())

    averages = fit(model, examples, [len(upos), len(xpos)], recipe.pace, SEED, report)
    with model.use_params(averages):
        return finished()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--language", required=True, choices=sorted(RECIPES))
    parser.add_argument("--train", type=Path, nargs="+", required=True, help="CoNLL-U files")
    parser.add_argument("--test", type=Path, nargs="+", required=True, help="files shown after each epoch")
    parser.add_argument("--out", type=Path, help="folder of the pipeline")
    parser.add_argument("--record", type=Path, help="file of data, settings and figures")
    parser.add_argument("--segmenter", type=Path, help="folder of the Chinese segmenter")
    arguments = parser.parse_args()
    require_cpu()
    recipe = RECIPES[arguments.language]
    documents = [document for file in arguments.train for document in read_documents(file, "both")]
    shown = {file.name.split(".")[0]: read_documents(file, "both") for file in arguments.test}
    nlp = train(recipe, documents, shown)
    if arguments.segmenter:
        tokenizer: Any = nlp.tokenizer
        tokenizer.from_disk(arguments.segmenter)
    if arguments.out:
        nlp.to_disk(arguments.out)
    figures = {name: round(accuracy(nlp, held_out), 4) for name, held_out in shown.items()}
    if arguments.record:
        named = {"upos_accuracy_gold_words": figures}
        write_record(arguments.record, recipe.data, documents, recipe.pace, SEED, named)
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
