"""Let the reference model continue beginnings of human documents: text like that which is tested.

    python scripts/own_text.py --corpora DIR/zh --model tiny --language zh --texts 4000 --out own-zh.jsonl

The texts are marked with uniform strength, each batch under another key, none of them a key of a profile.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
from collections.abc import Iterator
from pathlib import Path

import stela_core as stela
from stela_core.experiment.marks import Marks, key_of
from stela_core.experiment.schema import SchemeEntry, TagSet
from stela_core.generation.generate import Sampling, generate
from stela_core.generation.load import load_model

BEGINNING = {"en": 150, "zh": 50, "ko": 70}
"""Characters of a document that the model reads."""

BATCH, LENGTH, TEMPERATURE, DELTA, SEED = 100, 200, 0.7, 1.25, 20_260


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--corpora", type=Path, required=True, help="folder of NAME.jsonl.gz")
    parser.add_argument("--model", default="tiny")
    parser.add_argument("--language", choices=BEGINNING, required=True)
    parser.add_argument("--texts", type=int, default=4000)
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    prompts = beginnings(args.corpora, BEGINNING[args.language], args.texts)
    registry = stela.create_registry()
    model, marks = load_model(registry, args.model, "cpu"), Marks(registry, None)
    entry = SchemeEntry(name="kgw", delta=DELTA)
    with args.out.open("w", encoding="utf-8") as file:
        for number, start in enumerate(range(0, len(prompts), BATCH)):
            key = key_of(SEED + number)
            mark = marks.watermark(args.model, entry, TagSet(tagger="none"), None, key, args.language)
            sampling = Sampling(LENGTH, LENGTH, TEMPERATURE, SEED + number)
            for batch in generate(mark, model, prompts[start : start + BATCH], sampling, BATCH):
                for text in batch:
                    file.write(json.dumps({"text": text.prompt + text.text}, ensure_ascii=False) + "\n")
            file.flush()
            print(f"{start + BATCH} of {len(prompts)}", flush=True)


def beginnings(folder: Path, size: int, count: int) -> list[str]:
    """The first characters of ``count`` paragraphs, at most one of a document as long as that will do."""
    rng = random.Random(SEED)
    documents = [[p for p in text.split("\n") if len(p) > size] for text in documents_of(folder)]
    documents = [rng.sample(paragraphs, len(paragraphs)) for paragraphs in documents if paragraphs]
    rng.shuffle(documents)
    turns = range(max(map(len, documents)))
    found = [paragraphs[turn][:size] for turn in turns for paragraphs in documents if turn < len(paragraphs)]
    return found[:count]


def documents_of(folder: Path) -> Iterator[str]:
    """The texts of all corpora in a folder."""
    for path in sorted(folder.glob("*.jsonl.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for line in lines:
                yield json.loads(line)["text"]


if __name__ == "__main__":
    main()
