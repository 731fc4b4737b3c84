r"""Train the causal English tagger that stela-penn ships, ``penn:causal``.

The shipped model was trained in three steps, of ten minutes at most on one core:

    A="--treebank EN_EWT_FOLDER --work WORK"
    python scripts/train_causal.py $A/1 --out WORK/1/model
    python scripts/train_causal.py $A/2 --out WORK/2/model --second WORK/1/model --bits 15 --width 64 \
        --epochs 6 --silver-words 500000 --silver WIKIPEDIA.jsonl.gz OPENSTAX.jsonl.gz
    python scripts/train_causal.py $A/3 --out WORK/3/model --start WORK/2/model --bits 15 --width 64 \
        --epochs 8 --learn-rate 2e-3

The folder holds ``en_ewt-ud-{train,dev,test}.conllu.xz``. With ``--silver`` the model also learns from texts
that the tagger ``penn`` tagged, from the words to which the causal model in ``--second`` gives the same tag.
A stopped training goes on from its last epoch, which is kept in ``--work``. The script writes the model,
and next to its folder ``training.json``: data, settings, accuracy, versions.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import torch
from causal_lesson import gold, silver
from stela_causal.word_files import Description, read_model, write_model
from stela_causal.words import CausalWords
from stela_language.learning import LEARN_RATE, train
from stela_language.lesson import characters_of, known_characters
from stela_language.measuring import measure
from stela_language.treebank import Sentence, labels_of

import stela_core as stela
from stela_core.api import make_tagger, short_hash

SHAPE = {"lengths": [2, 3, 4, 6, 12], "dilations": [1, 2, 4, 6], "delay": 3}


def described(lesson: Sequence[Sentence], sizes: dict[str, int]) -> Description:
    """The network's shape, with the characters and tags of what it learns from."""
    known, stands = known_characters(lesson)
    return Description.model_validate(
        {"characters": known, "folded": stands, "labels": labels_of(lesson, 1), **SHAPE, **sizes}
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--treebank", type=Path, required=True, help="folder of the en_ewt files")
    parser.add_argument("--silver", type=Path, nargs="*", default=[], help="documents to tag, .jsonl.gz")
    parser.add_argument("--second", type=Path, help="causal model that has to agree")
    parser.add_argument("--silver-words", type=int, default=600_000)
    parser.add_argument("--work", type=Path, required=True, help="folder for checkpoints")
    parser.add_argument("--out", type=Path, required=True, help="folder of the model")
    parser.add_argument("--start", type=Path, help="folder of a model to go on from")
    parser.add_argument("--learn-rate", type=float, default=LEARN_RATE)
    parser.add_argument("--epochs", type=int, default=12)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--bits", type=int, default=14)
    parser.add_argument("--char-width", type=int, default=32)
    parser.add_argument("--ending-width", type=int, default=16)
    parser.add_argument("--width", type=int, default=128)
    parser.add_argument("--threads", type=int, default=1)
    given = parser.parse_args()
    torch.set_num_threads(given.threads)
    given.work.mkdir(parents=True, exist_ok=True)
    parts = {part: gold(given.treebank / f"en_ewt-ud-{part}.conllu.xz") for part in ("train", "dev", "test")}
    held_out = {one.text for part in ("dev", "test") for one in parts[part]}
    own = [one for one in parts["train"] if one.text not in held_out]
    others: list[Sentence] = []
    if given.silver:
        second = CausalWords(read_model(given.second))
        others = silver(
            given.silver, make_tagger(stela.create_registry(), "penn"), second, given.silver_words
        )
    lesson = [*own, *others]
    sizes = {name: getattr(given, name) for name in ("bits", "char_width", "ending_width", "width")}
    shape, start = described(lesson, sizes), None
    if given.start:
        content = (given.start / "model.json").read_bytes()
        shape, start = Description.model_validate_json(content), read_model(given.start).arrays
    numbers = {label: number for number, label in enumerate(shape.labels)}
    lines = "\n".join(f"{one.text}\t{one.words}\t{one.spaced}" for one in lesson)
    digest = hashlib.sha256(lines.encode()).hexdigest()
    settings = f"{given.epochs} {given.seed} {given.learn_rate} {given.start}"
    key = short_hash(shape.model_dump_json(), digest, settings)
    words = {"train": own, "silver": others, "dev": parts["dev"], "test": parts["test"]}
    counts = {part: sum(len(one.words) for one in sentences) for part, sentences in words.items()}
    print(f"words {counts}, parameters {sum(map(_size, shape.shapes().values())):,}", flush=True)
    arrays = train(
        [characters_of(one, numbers) for one in lesson],
        shape,
        given.epochs,
        given.seed,
        given.work,
        key,
        lambda line: print(line, file=sys.stderr, flush=True),
        start=start,
        learn_rate=given.learn_rate,
    )
    write_model(given.out, shape, arrays)
    tagger: Any = CausalWords(read_model(given.out))
    figures = {part: measure(tagger, parts[part])._asdict() for part in ("dev", "test")}
    record = {
        "data": "UD English EWT, CC BY-SA 4.0; training sentences that also stand in dev or test left out",
        "silver": [file.name for file in given.silver],
        "words": counts,
        "epochs": given.epochs,
        "learn_rate": given.learn_rate,
        "seed": given.seed,
        "sizes": sizes,
        "figures": {
            part: {name: round(each[name], 4) for name in ("boundaries", "tags", "both")}
            for part, each in figures.items()
        },
        "versions": {name: version(name) for name in ("torch", "numpy")},
    }
    if given.start:
        before = given.start.parent / "training.json"
        record["goes_on_from"] = json.loads(before.read_text(encoding="utf-8"))
    file = given.out.parent / "training.json"
    file.write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")
    print(json.dumps(record["figures"]))


def _size(shape: tuple[int, ...]) -> int:
    size = 1
    for side in shape:
        size *= side
    return size


if __name__ == "__main__":
    main()
