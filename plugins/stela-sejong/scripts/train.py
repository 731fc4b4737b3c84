r"""Train the causal model that stela-sejong ships; Kiwi is its teacher.

    python scripts/train.py --raw WIKIPEDIA.jsonl.gz --raw PETITIONS.jsonl.gz --out stela_sejong/causal

``--raw`` are documents as JSON lines with ``text``. Each fiftieth is held out, and settings are chosen by it.
Writes ``model`` into ``--out`` and ``training-causal.json`` next to it: data, settings, figures, versions.
One thread and one seed: the same machine, with the same Kiwi, makes the same model again. ``--kept FILE``
keeps what Kiwi said, which takes as long as the training, for the next time.
"""

from __future__ import annotations

import argparse
import json
import platform
import sys
import time
from collections import Counter
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import torch
from stela_causal.alphabet import Alphabet
from stela_causal.code_points import OUTSIDE
from stela_causal.word_files import Arrays, Description, write_model
from stela_sejong.tagger import Sejong, SejongParameters

sys.path.insert(0, str(Path(__file__).parent))
from morpheme_characters import KINDS, LENGTHS, alphabet_of
from morpheme_learning import accuracy, train
from morpheme_network import CausalNetwork
from silver import NO_LABEL, Label, Silver, keep, kept, read_documents, silver_of

SEED = 1
HELD_OUT = 50
"""Number of documents of which one is held out."""
DATA = {
    "raw text": "Korean Wikipedia (about 2022, CC BY-SA 3.0), petitions to the Blue House "
    "(lovit/petitions_archive, KOGL Type 1)",
    "labels": "what Kiwi says of it",
}
SHAPE: dict[str, Any] = {
    "char_width": 48,
    "pair_width": 24,
    "bits": 14,
    "width": 128,
    "dilations": [1, 1, 2],
    "delay": 3,
    "min_char": 8,
    "min_label": 30,
    "dropout": 0.0,
    "epochs": 2,
    "rows": 8,
    "learn_rate": 0.004,
}
"""The first of the dilations is that of the first layer."""


def known_characters(silver: Silver, fewest: int) -> str:
    """The characters that occur often enough, but white space."""
    counts = np.bincount(silver.points, minlength=OUTSIDE)
    return "".join(char for char in map(chr, np.flatnonzero(counts >= fewest)) if not char.isspace())


def known_labels(silver: Silver, fewest: int) -> list[Label]:
    """The labels that occur often enough, the empty one first."""
    counts = Counter(silver.labels.tolist())
    often = {silver.names[number] for number, n in counts.items() if number != NO_LABEL and n >= fewest}
    return sorted(often, key=lambda label: (label != (), label))


def numbered(silver: Silver, labels: list[Label]) -> Silver:
    """The same with labels numbered as in ``labels``; the others are not known."""
    numbers = [labels.index(name) if name in labels else NO_LABEL for name in silver.names]
    table = np.array([*numbers, NO_LABEL])  # NO_LABEL, -1, is the last one
    return silver._replace(labels=table[silver.labels], end_labels=table[silver.end_labels], names=labels)


def described(characters: Alphabet, labels: list[Label], shape: dict[str, Any]) -> Description:
    """What the library is to know of the network; the empty label is no label there, but the first score."""
    return Description(
        characters=characters.known,
        folded=characters.folded,
        lengths=LENGTHS,
        bits=characters.bits,
        labels=["+".join(label) for label in labels[1:]],
        dilations=shape["dilations"],
        delay=shape["delay"],
        char_width=shape["char_width"],
        ending_width=shape["pair_width"],
        width=shape["width"],
        kinds=KINDS,
        syllables=True,
        grams=True,
        labels_at="first",
    )


def renamed(arrays: Arrays, delay: int) -> Arrays:
    """The network's arrays by the names that the library gives them."""
    names = {"pairs": "endings.0", "triples": "endings.1", "first": "layers.0"}
    parts: dict[str, Any] = {}
    for name, array in arrays.items():
        kind, _, rest = name.partition(".")
        number, _, part = rest.rpartition(".")
        new = (
            f"layers.{int(number) + 1}"
            if kind == "blocks"
            else names.get(kind, f"{kind}.{number}".rstrip("."))
        )
        parts[f"{new}.{part}"] = array
    for part in ("weight", "bias"):
        parts[f"scores.{part}"] = np.concatenate([parts[f"labels.{d}.{part}"] for d in range(delay + 1)])
    return parts


def main(words: list[str] | None = None) -> None:
    """Train as the command line says, or as ``words`` do."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--raw", type=Path, action="append", required=True, help=".jsonl.gz")
    parser.add_argument("--out", type=Path, required=True, help="folder of the model")
    parser.add_argument("--kept", type=Path, help="read and write Kiwi's tags here, .npz")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="change a setting")
    arguments = parser.parse_args(words)
    shape = {**SHAPE, **{k: json.loads(v) for k, _, v in (s.partition("=") for s in arguments.set)}}
    torch.set_num_threads(1)
    torch.set_flush_denormal(True)
    began = time.process_time()
    documents = read_documents(arguments.raw)
    parts = [
        [text for number, text in enumerate(documents) if (number % HELD_OUT > 0) == is_train]
        for is_train in (True, False)
    ]
    if arguments.kept and arguments.kept.is_file():
        learnt, held_out = kept(arguments.kept, parts)
    else:
        kiwi = Sejong(SejongParameters(threads=1))
        learnt, held_out = (silver_of(part, kiwi, SEED) for part in parts)
        if arguments.kept:
            keep(arguments.kept, (learnt, held_out))
    labels = known_labels(learnt, shape["min_label"])
    learnt, held_out = numbered(learnt, labels), numbered(held_out, labels)
    characters = alphabet_of(known_characters(learnt, shape["min_char"]), shape["bits"])
    torch.manual_seed(SEED)
    network = CausalNetwork(characters, len(labels), shape)
    taught = time.process_time()

    def report(done: float, loss: float) -> None:
        dev = accuracy(network, held_out, characters)
        print(
            f"{time.process_time() - taught:4.0f} s, {done:.0%}: loss {loss:.4f}, dev {dev}",
            file=sys.stderr, flush=True,
        )  # fmt: skip

    settings = (shape["epochs"], shape["rows"], shape["learn_rate"])
    train(network, learnt, characters, *settings, SEED, report)
    # As it will be read: 16 bits.
    network.load_state_dict({name: tensor.half().float() for name, tensor in network.state_dict().items()})
    arrays = {name: tensor.numpy() for name, tensor in network.state_dict().items()}
    write_model(
        arguments.out / "model", described(characters, labels, shape), renamed(arrays, shape["delay"])
    )
    ended = time.process_time()
    record = {
        "data": DATA,
        "characters": {"train": len(learnt.points), "dev": len(held_out.points)},
        "ends": {"train": len(learnt.ends), "dev": len(held_out.ends)},
        "labels": len(labels),
        "settings": {**shape, "seed": SEED},
        "labels_like_kiwis_dev_by_delay": accuracy(network, held_out, characters),
        "cpu_seconds": {"Kiwi, or reading it": round(taught - began), "training": round(ended - taught)},
        "versions": {
            "python": platform.python_version(),
            **{library: version(library) for library in ("kiwipiepy", "kiwipiepy_model", "torch", "numpy")},
        },
    }
    print(json.dumps(record["labels_like_kiwis_dev_by_delay"]))
    file = arguments.out.parent / "training-causal.json"
    file.write_text(json.dumps(record, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
