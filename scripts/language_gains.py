"""What STELA's weights add to z in each language, and how rich its words are in forms.

    python -m scripts.language_gains --data DIR --model FOLDER [CODE ...] -o FOLDER [--delta NATS]
    python -m scripts.language_gains --join FOLDER

The first runs a model over human text, two minutes a language on one core; one that is there already is not
run again. The second writes docs/results/languages.csv. DIR holds ``prompts/CODE.jsonl.gz`` and ``ud/``.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import lzma
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import numpy as np
import torch
from scipy.stats import spearmanr
from stela_analysis.expected_z import expected_z
from stela_analysis.resampling import ratio
from stela_run.intervals import mean_value

import stela_core as stela
from stela_core import load_model
from stela_core.api import backend_of

RESULTS = Path(__file__).parents[1] / "docs/results/languages.csv"
TAGGERS = {"en": "penn:causal", "zh": "ctb:causal", "ko": "sejong:causal"}
"""Of languages whose tagger has another name."""
TEXTS, TOKENS = 60, 100
PARALLEL = "pud"
"""The same 1,000 sentences in many languages: what is richer there is the language."""


def measured(code: str, data: Path, model: str, delta: float) -> dict[str, str]:
    """Figures of a language: expected z at one mean bias, in nats, in text by people."""
    with gzip.open(data / "prompts" / f"{code}.jsonl.gz", "rt", encoding="utf-8") as lines:
        pairs = [json.loads(line) for line in islice(lines, TEXTS)]
    language_model = load_model(model)
    mark = stela.create(scheme="stela", model=model, tagger=TAGGERS.get(code, code), key=1)
    backend = backend_of(language_model.tokenizer)
    rows = [backend.encode(pair["continuation"], add_special_tokens=False).ids[:TOKENS] for pair in pairs]
    texts = [backend.decode(row) for row in rows]
    evidences = list(mark.detector.evidence(rows))
    prompts = [pair["prompt"] for pair in pairs]
    z = expected_z(evidences, texts, prompts, language_model, 0.5, delta, 1.0)
    weights = np.concatenate([evidence.weights for evidence in evidences])
    figures = {
        "language": code,
        "tagger": TAGGERS.get(code, code),
        "texts": str(len(texts)),
        "mean lambda": f"{weights.mean():.3f}",
        "spread of lambda": f"{weights.std() / weights.mean():.3f}",
    }
    for name, values in z._asdict().items():
        figures[f"z, {name}"] = f"{mean_value(name, values.tolist(), 1).value:.3f}"
    for name in ("detection", "both"):
        gain = ratio(name, getattr(z, name), z.uniform, 1)
        ends = (("", gain.value), (", low", gain.low), (", high", gain.high))
        figures |= {f"gain, {name}{end}": f"{value - 1:.4f}" for end, value in ends if value is not None}
    return figures


def richness(code: str, data: Path) -> dict[str, str]:
    """Types a word, and features a word that the treebank names, in the parallel sentences."""
    words, features = [], []
    for file in data.glob(f"ud/{code}_{PARALLEL}/*.conllu.xz"):
        for columns in _words(file):
            words.append(columns[1].lower())
            features.append(0 if columns[5] == "_" else columns[5].count("|") + 1)
    if not words:
        return {"types a word": "", "features a word": ""}
    named = f"{np.mean(features):.3f}" if any(features) else ""
    return {"types a word": f"{len(set(words)) / len(words):.3f}", "features a word": named}


def _words(file: Path) -> Iterator[list[str]]:
    with lzma.open(file, "rt", encoding="utf-8") as lines:
        for line in lines:
            columns = line.rstrip("\n").split("\t")
            if columns[0].isdigit() and columns[3] not in ("PUNCT", "SYM", "NUM"):
                yield columns


def join(folder: Path) -> None:
    """Write the table of all languages, and print how gains go with richness."""
    rows = [json.loads(file.read_text(encoding="utf-8")) for file in sorted(folder.glob("*.json"))]
    with RESULTS.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), restval="", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    for x in ("types a word", "features a word", "spread of lambda"):
        for y in ("gain, both", "gain, detection"):
            both = [(float(row[x]), float(row[y])) for row in rows if row[x]]
            rho = spearmanr(*zip(*both, strict=True))
            print(f"{x} / {y}: Spearman {rho.statistic:.2f}, p {rho.pvalue:.2f}, {len(both)} languages")


def main() -> None:
    """Measure languages, or join what was measured."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("codes", nargs="*")
    parser.add_argument("--data", type=Path)
    parser.add_argument("--model")
    parser.add_argument("-o", "--output", type=Path)
    parser.add_argument("--delta", type=float, default=1.0, help="mean bias in nats")
    parser.add_argument("--join", type=Path)
    chosen = parser.parse_args()
    if chosen.join is not None:
        join(chosen.join)
        return
    torch.set_num_threads(1)
    chosen.output.mkdir(parents=True, exist_ok=True)
    for code in chosen.codes:
        file = chosen.output / f"{code}.json"
        if not file.exists():
            figures = measured(code, chosen.data, chosen.model, chosen.delta) | richness(code, chosen.data)
            file.write_text(json.dumps(figures), encoding="utf-8")
            print(json.dumps(figures), flush=True)


if __name__ == "__main__":
    main()
