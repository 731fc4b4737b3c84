r"""Train the tokenizer and the tagger that stela-ctb ships.

    python scripts/train.py --treebank TRAIN.conllu.xz --dev DEV.conllu.xz --test TEST.conllu.xz \
        --raw WIKIPEDIA.jsonl.gz --raw ... --out stela_ctb/model

The treebanks are parts of UD Chinese GSD in simplified characters; ``--raw`` are documents as JSON lines
with ``text``, which no person tagged. ``--causal --out stela_ctb/causal`` trains the causal pair.
Writes ``tok`` and ``pos`` below ``--out`` as HanLP saves components, or ``model`` as stela-causal reads it,
and ``training.json`` next to it: data, settings, figures, versions. One thread and one seed: the same
machine makes the same model again.
"""

from __future__ import annotations

import argparse
import json
import platform
import sys
import time
from importlib.metadata import version
from pathlib import Path
from typing import Any

import torch
from stela_ctb.characters import alphabet_of

sys.path.insert(0, str(Path(__file__).parent))
from both_sides import CharacterNetwork
from causal_learning import cutting_loss, tagging_by_word_loss
from ctb_treebank import Sentence, read_sentences
from learning import Loss, segmentation_loss, start_from, tagging_loss, train
from looking_left import CausalNetwork
from measures import accuracy, joint_f1, segmentation_f1
from parts import CausalPart, Part, save_causal
from raw_text import SPECIAL, SPECIAL_PAIRS, Start, describe, read_texts
from samples import with_blanks

SEED = 20
MIN_CHAR = 4
DATA = {
    "words and tags": "UD Chinese GSD, train part of April 2016 in simplified characters, tags mapped to "
    "CTB; CC BY-SA 4.0",
    "chosen and measured on": "UD Chinese GSDSimp, dev and test; CC BY-SA 4.0",
    "raw text, for the embeddings' start": "Chinese Wikipedia (CC BY-SA 3.0/4.0), cmrc2019 stories "
    "(CC BY-SA 4.0), documentation of pingcap, react, vue, trpl-zh-cn, opensource.guide and HowToCook "
    "(CC BY-SA 3.0, CC BY 4.0, MIT, Unlicense)",
}
SHAPES: dict[str, dict[str, Any]] = {
    "tok": {
        "min_pair": 20,
        "char_width": 64,
        "pair_width": 24,
        "width": 96,
        "dilations": [1, 2],
        "dropout": 0.25,
        "epochs": 16,
    },
    "pos": {
        "min_pair": 15,
        "char_width": 64,
        "pair_width": 24,
        "width": 128,
        "dilations": [1, 2, 3],
        "dropout": 0.25,
        "epochs": 16,
    },
}


CAUSAL_SHAPES: dict[str, dict[str, Any]] = {
    "tok": {
        "min_pair": 20,
        "char_width": 64,
        "pair_width": 24,
        "width": 96,
        "dilations": [1, 1, 1, 2],
        "dropout": 0.25,
        "epochs": 16,
    },
    "pos": {
        "min_pair": 15,
        "char_width": 64,
        "pair_width": 24,
        "width": 160,
        "dilations": [1, 1, 2],
        "dropout": 0.3,
        "epochs": 16,
    },
}
"""Options of ``--causal``; the first of the dilations is that of the first layer."""


def make(
    part: str,
    shape: dict[str, Any],
    start: Start,
    tags: list[str],
    sentences: list[Sentence],
    log: Any,
    causal: bool = False,
) -> Part:
    """A trained tokenizer or tagger: ``tok`` or ``pos``."""
    is_tokenizer = part == "tok"
    places = ["goes on", "begins"] if causal else list("BMES")
    labels = places if is_tokenizer else tags
    sizes = {
        "chars": len(start.chars),
        "pairs": len(start.pairs),
        "boundaries": 0 if causal or is_tokenizer else 5,
        "labels": len(labels) * (2 if causal and not is_tokenizer else 1),
        "side_labels": 4 * len(tags) if is_tokenizer else 0,
    }
    torch.manual_seed(SEED)
    network = (CausalNetwork if causal else CharacterNetwork)(
        sizes, shape["char_width"], shape["pair_width"], shape["width"], shape["dilations"], shape["dropout"]
    )
    start_from(network, start)
    tag_ids = {tag: number for number, tag in enumerate(tags)}
    loss: Loss = segmentation_loss if is_tokenizer else tagging_loss
    if causal:
        loss = cutting_loss if is_tokenizer else tagging_by_word_loss

    def made() -> Part:
        return (CausalPart if causal else Part)(start, labels, shape, network.state_dict())

    def report(epoch: int, value: float) -> None:
        due = (epoch + 1) % max(3, shape["epochs"] // 4) == 0
        log(part, epoch, value, made() if due else None)

    characters = alphabet_of(start.chars[len(SPECIAL) :], start.pairs[len(SPECIAL_PAIRS) :])
    train(network, sentences, characters, tag_ids, loss, shape["epochs"], SEED, report)
    return made()


def main(words: list[str] | None = None) -> None:
    """Train as the command line says, or as ``words`` do."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    for part in ("treebank", "dev", "test"):
        parser.add_argument(f"--{part}", type=Path, required=True, help=".conllu or .conllu.xz")
    parser.add_argument("--raw", type=Path, action="append", required=True, help=".jsonl.gz")
    parser.add_argument("--out", type=Path, required=True, help="folder of the models")
    parser.add_argument("--causal", action="store_true", help="networks that look left only")
    parser.add_argument("--only", choices=["tok", "pos"], help="train one of the two, and write no record")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="change a setting")
    arguments = parser.parse_args(words)
    torch.set_num_threads(1)
    torch.set_flush_denormal(True)
    began = time.time()
    sentences = [with_blanks(s) for s in read_sentences(arguments.treebank)]
    dev, test = read_sentences(arguments.dev), read_sentences(arguments.test)
    tags = sorted({tag for sentence in sentences for tag in sentence.tags})
    text = read_texts(arguments.raw) + "\n\n" + "\n".join(s.text for s in sentences)

    def log(part: str, epoch: int, loss: float, made: Any) -> None:
        score = None if made is None else (segmentation_f1 if part == "tok" else accuracy)(made, dev)
        print(
            f"{time.time() - began:5.0f} s {part} {epoch + 1}: loss {loss:.4f}, dev {score}", file=sys.stderr
        )

    shapes = CAUSAL_SHAPES if arguments.causal else SHAPES
    made: dict[str, Any] = {}
    for part in [arguments.only] if arguments.only else ["tok", "pos"]:
        shape = {
            **shapes[part],
            **{k: json.loads(v) for k, _, v in (s.partition("=") for s in arguments.set)},
        }
        start = describe(text, MIN_CHAR, shape["min_pair"], shape["char_width"], shape["pair_width"])
        made[part] = make(part, shape, start, tags, sentences, log, arguments.causal)
        if not arguments.causal:
            made[part].save(arguments.out / part, part)
    if arguments.causal and not arguments.only:
        save_causal(arguments.out / "model", made["tok"], made["pos"])
    figures = {}
    for name, part_sentences in (("dev", dev), ("test", test)):
        if "tok" in made:
            figures[f"segmentation_f1_{name}"] = segmentation_f1(made["tok"], part_sentences)
        if "pos" in made:
            figures[f"accuracy_gold_words_{name}"] = accuracy(made["pos"], part_sentences)
        if len(made) == 2:
            figures[f"joint_f1_{name}"] = joint_f1(made["tok"], made["pos"], part_sentences)
    figures = {name: round(value, 4) for name, value in figures.items()}
    print(json.dumps(figures, indent=2))
    if arguments.only:
        return
    record = {
        "data": DATA,
        "sentences": {"train": len(sentences), "dev": len(dev), "test": len(test)},
        "words": {"train": sum(len(s.words) for s in sentences)},
        "raw_characters": len(text),
        "settings": {**shapes, "min_char": MIN_CHAR, "seed": SEED},
        "figures": figures,
        "seconds": round(time.time() - began),
        "versions": {
            "python": platform.python_version(),
            **{library: version(library) for library in ("hanlp", "torch", "numpy", "scipy")},
        },
    }
    file = arguments.out.parent / ("training-causal.json" if arguments.causal else "training.json")
    file.write_text(json.dumps(record, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
