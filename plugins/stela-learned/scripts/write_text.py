"""Let the reference model write on after the beginnings of documents: more text to learn from.

    python scripts/write_text.py --data DATA/corpora --language zh --out FOLDER/zh.jsonl

A model's own text is what its mark will be on, and differs from what people write: a table learned on both
fits it better. Nothing is marked.
"""

from __future__ import annotations

import argparse
import json
import random
from pathlib import Path

from stela_corpora.corpus import Corpus
from stela_models.generation.generate import Sampling, generate

import stela_core as stela

BEGINNING = {"en": 150, "zh": 50, "ko": 70}
"""Characters of a document that the model goes on from."""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--language", choices=sorted(BEGINNING), required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--model", default="tiny")
    parser.add_argument("--texts", type=int, default=1500)
    parser.add_argument("--tokens", type=int, default=200)
    args = parser.parse_args()
    documents: list[str] = []
    for path in sorted((args.data / args.language).glob("*.jsonl.gz")):
        documents += Corpus(path)
    random.Random(11).shuffle(documents)
    prompts = [document[: BEGINNING[args.language]] for document in documents[: args.texts]]
    unmarked = stela.create("kgw", args.model, key="public", delta=0.0)
    sampling = Sampling(args.tokens, args.tokens, 0.7, 99)
    with args.out.open("w", encoding="utf-8") as out:
        for batch in generate(unmarked, stela.load_model(args.model), prompts, sampling, 100):
            for text in batch:
                out.write(json.dumps({"text": text.prompt + text.text}, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
