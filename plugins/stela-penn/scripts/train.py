"""Train the English tagger that stela-penn ships, on UD English EWT (8 epochs, two minutes).

    python scripts/train.py --treebank EN_EWT_FOLDER --out stela_penn/model

The folder holds ``en_ewt-ud-{train,dev,test}.conllu.xz``. The text keeps the treebank's spacing and is
cut into words by spaCy, as it will be later; a word that spaCy cuts differently has no gold tag.
Writes the model, and next to it ``training.json``: data, settings, accuracy, versions.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

import spacy
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example
from spacy.util import minibatch
from stela_corpora.treebank import Piece, Sentence, join, pieces_to_train_on, read_documents
from thinc.api import Adam, fix_random_seed, require_cpu, warmup_linear

SEED = 20
EPOCHS = 8
BATCH = 16
LEARN_RATE = 0.002
CUT_SHARE = 0.2

TAGGER: dict[str, Any] = {
    "model": {
        "@architectures": "spacy.Tagger.v2",
        "nO": None,
        "normalize": False,
        "tok2vec": {
            "@architectures": "spacy.Tok2Vec.v2",
            "embed": {
                "@architectures": "spacy.MultiHashEmbed.v2",
                "width": 64,
                "attrs": ["NORM", "PREFIX", "SUFFIX", "SHAPE"],
                "rows": [2000, 500, 1500, 1000],
                "include_static_vectors": False,
            },
            "encode": {
                "@architectures": "spacy.MaxoutWindowEncoder.v2",
                "width": 64,
                "window_size": 1,
                "maxout_pieces": 3,
                "depth": 2,
            },
        },
    }
}


def to_example(nlp: Language, piece: Piece) -> Example:
    """What spaCy makes of the raw text, next to the treebank's words and tags."""
    reference = Doc(nlp.vocab, words=piece.words, spaces=piece.spaces, tags=piece.tags)
    return Example(nlp.make_doc(piece.text), reference)


def accuracy(nlp: Language, documents: list[list[Sentence]]) -> float:
    """Share of the treebank's words, given as they are, with the treebank's tag."""
    right = total = 0
    for document in documents:
        piece = join(document)
        doc = nlp(Doc(nlp.vocab, words=piece.words, spaces=piece.spaces))
        gold = [(token, tag) for token, tag in zip(doc, piece.tags, strict=True) if tag]
        right += sum(token.tag_ == tag for token, tag in gold)
        total += len(gold)
    return right / total


def train(documents: list[list[Sentence]], report: Any) -> Language:
    """The trained pipeline, with all the strings it met in its vocabulary."""
    fix_random_seed(SEED)
    chance = random.Random(SEED)
    nlp = spacy.blank("en")
    nlp.add_pipe("tagger", config=TAGGER)
    first = [to_example(nlp, join(document)) for document in documents]
    nlp.initialize(lambda: first)
    steps = EPOCHS * sum(1 for _ in pieces_to_train_on(documents, random.Random(SEED), CUT_SHARE)) // BATCH
    schedule = warmup_linear(LEARN_RATE, 50, steps + 50)
    # thinc takes any iterator for a schedule, and its types name generators alone.
    optimizer = Adam(schedule, L2=0.01, L2_is_weight_decay=True, grad_clip=1.0)  # type: ignore[arg-type]
    for epoch in range(EPOCHS):
        losses: dict[str, float] = {}
        examples = [to_example(nlp, piece) for piece in pieces_to_train_on(documents, chance, CUT_SHARE)]
        chance.shuffle(examples)
        for batch in minibatch(examples, size=BATCH):  # type: ignore[no-untyped-call]
            nlp.update(batch, sgd=optimizer, drop=0.1, losses=losses)
            optimizer.step_schedules()
        report(epoch, losses["tagger"], nlp)
    return nlp


def without_training_words(nlp: Language) -> Language:
    """The same pipeline in a fresh vocabulary: the words of the treebank would triple its size."""
    small = spacy.blank("en")
    tagger: Any = small.add_pipe("tagger", config=TAGGER)
    trained: Any = nlp.get_pipe("tagger")
    labels = trained.labels
    for label in labels:
        small.vocab.strings.add(label)
    nothing = Example.from_dict(small.make_doc("a"), {"tags": [labels[0]]})
    tagger.initialize(lambda: [nothing], labels=labels)
    tagger.model.from_bytes(trained.model.to_bytes())
    small.meta["name"], small.meta["version"] = "stela_penn", "0.1.0"
    small.meta["license"] = "CC BY-SA 4.0"
    small.meta["description"] = "Penn Treebank tags, trained on UD English EWT"
    return small


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--treebank", type=Path, required=True, help="folder of the en_ewt files")
    parser.add_argument("--out", type=Path, required=True, help="folder of the model")
    arguments = parser.parse_args()
    require_cpu()
    parts = {
        part: read_documents(arguments.treebank / f"en_ewt-ud-{part}.conllu.xz", "xpos")
        for part in ("train", "dev", "test")
    }

    def report(epoch: int, loss: float, nlp: Language) -> None:
        print(f"epoch {epoch + 1}: loss {loss:.0f}, dev {accuracy(nlp, parts['dev']):.4f}", file=sys.stderr)

    nlp = without_training_words(train(parts["train"], report))
    nlp.to_disk(arguments.out)
    sizes = {part: sum(map(len, documents)) for part, documents in parts.items()}
    record = {
        "data": "UD English EWT, CC BY-SA 4.0; training sentences that also stand in dev or test left out",
        "sentences": sizes,
        "epochs": EPOCHS,
        "batch": BATCH,
        "learn_rate": LEARN_RATE,
        "seed": SEED,
        "xpos_accuracy_gold_words": {part: round(accuracy(nlp, parts[part]), 4) for part in ("dev", "test")},
        "versions": {name: version(name) for name in ("spacy", "thinc")},
    }
    (arguments.out.parent / "training.json").write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")
    print(json.dumps(record["xpos_accuracy_gold_words"]))


if __name__ == "__main__":
    main()
