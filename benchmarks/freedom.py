"""``python -m benchmarks.freedom write|show``: expected power beside what is found, and what it rests on.

    python -m benchmarks.freedom write --model tiny --language en --data DIR -o FOLDER
    python -m benchmarks.freedom show FOLDER/*.jsonl

``write`` lets a model write marked texts, a key each, by some schemes and strengths. ``show`` prints for each
the freedom that these texts show (docs/detecting.md), its spread over texts, and expected power beside the
share found at 30 and 80 scored tokens. Of marks that choose tokens
(``--schemes gumbel,synthid --deltas 0``) it prints what signals show: the first three of
``SamplingHasher.gains``.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from stela_detection.power.expected import bias_at_insertion, expected_gains, gains_if_free
from stela_models.generation.generate import Sampling, generate
from stela_models.load import load_model
from stela_run.statistics.shares import clopper_pearson

import stela_core as stela
from benchmarks.commands import write_and_show
from benchmarks.prompts import prompts_of
from benchmarks.texts import TAGGERS, needs_contexts, registry
from stela_core.detection.detector import Detector
from stela_core.detection.evidence import Evidence
from stela_core.hashing.keys import format_key, parse_key
from stela_core.watermark import Watermark

SCHEMES = ("kgw", "stela", "learned-text")
DELTAS = (1.25, 2.0)
LENGTHS = (30, 80)
SEED = 2026
BATCH = 30


def mark_of(model: str, scheme: str, delta: float, language: str) -> Watermark:
    """A watermark of a model; its key is of no use here. A mark that chooses tokens has a delta of 0."""
    tagger = TAGGERS[language] if needs_contexts(scheme) else None
    made = {"key": "public", "language": language, "registry": registry()}
    if delta:
        made["delta"] = delta
    return stela.create(scheme, model=model, tagger=tagger, **made)  # type: ignore[arg-type]


def write(args: argparse.Namespace) -> None:
    """A file for each scheme and strength."""
    args.output.mkdir(parents=True, exist_ok=True)
    model = load_model(registry(), args.model)
    sampling = Sampling(args.tokens, args.tokens, args.temperature, SEED)
    for scheme in args.schemes.split(","):
        for delta in map(float, args.deltas.split(",")):
            mark = mark_of(args.model, scheme, delta, args.language)
            prompts = prompts_of(args.language, args.count, args.data)
            drawn = np.random.default_rng(SEED).integers(0, 2**64, args.count, dtype=np.uint64)
            keys = [int(key) for key in drawn]
            about = {"model": args.model, "scheme": scheme, "delta": delta, "language": args.language}
            name = f"{Path(args.model).name}-{args.language}-{scheme}-{delta:g}.jsonl"
            with (args.output / name).open("w", encoding="utf-8") as file:
                texts = (
                    text for batch in generate(mark, model, prompts, sampling, BATCH, keys) for text in batch
                )
                for key, text in zip(keys, texts, strict=True):
                    file.write(json.dumps({**about, "key": format_key(key), "ids": text.token_ids}) + "\n")


def show(args: argparse.Namespace) -> None:
    """Print a line for each file."""
    print("file: freedom, its spread; the same were weights not asked; by length expected power / found")
    for path in args.texts:
        with path.open(encoding="utf-8") as file:
            rows = [json.loads(line) for line in file]
        first = rows[0]
        scheme = first["scheme"] if args.evidence is None else f"{first['scheme']}+{args.evidence}"
        mark = known(first["model"], scheme, first["delta"], first["language"])
        texts = [evidence_of(mark, row, LENGTHS[-1]) for row in rows]
        if mark.parts.hasher.samples:
            cells = ["mean {:.3f}, sd {:.3f}, spread {:.3f}".format(*gains_of(texts))]
        else:
            ways = (freedom_of(texts, mark, by) for by in (True, False))
            cells = [f"{mean:.2f}, {spread:.2f}" for mean, spread in ways]
        for length in LENGTHS:
            said, seen = compared(mark, rows, length)
            low, high = clopper_pearson(sum(seen), len(seen))
            cells.append(f"{length}: {np.mean(said):.2f} / {np.mean(seen):.2f} [{low:.2f}, {high:.2f}]")
        print(f"{path.stem}: " + "; ".join(cells), flush=True)


def gains_of(texts: Sequence[Evidence]) -> tuple[float, float, float]:
    """Mean and sd of signals, a coin each, and sd of texts' means without chance, in sds of unmarked ones."""
    means, variances, sizes = [], [], []
    for evidence in texts:
        first = np.unique(evidence.groups, return_index=True)[1]
        signal = (evidence.signal[first] - evidence.law.mean) / np.sqrt(evidence.law.variance)
        means.append(float(signal.mean()))
        variances.append(float(signal.var(ddof=1)))
        sizes.append(len(signal))
    between = float(np.var(means, ddof=1) - np.mean(np.array(variances) / sizes))
    within = float(np.average(variances, weights=sizes))
    return float(np.average(means, weights=sizes)), within**0.5, max(0.0, between) ** 0.5


known = cache(mark_of)


def detector_of(mark: Watermark, row: dict[str, Any]) -> Detector:
    """The detector under a text's key."""
    parts = mark.parts
    return mark.detector.with_composition(replace(parts, hasher=parts.hasher.under(parse_key(row["key"]))))


def evidence_of(mark: Watermark, row: dict[str, Any], length: int) -> Evidence:
    """Of so many scored tokens; a model that is run reads the text alone."""
    logits = mark.logits_of(load_model(registry(), row["model"])) if mark.needs_model_to_detect else None
    ids = row["ids"][: length + mark.parts.hasher.context_width]
    [evidence] = detector_of(mark, row).evidence([ids], logits)
    return evidence


def compared(mark: Watermark, rows: Sequence[dict[str, Any]], length: int) -> tuple[list[float], list[bool]]:
    """Expected power, and whether each text is found."""
    said, seen = [], []
    for row in rows:
        detection = detector_of(mark, row).judge(evidence_of(mark, row, length))
        assert detection.power is not None
        said.append(detection.power)
        seen.append(detection.watermarked)
    return said, seen


def freedom_of(texts: Sequence[Evidence], mark: Watermark, by_weights: bool) -> tuple[float, float]:
    """Weighted excess of green coins over that of free text: mean over texts, and sd without chance."""
    gamma = mark.parts.hasher.law.share_above
    ratios: list[float] = []
    chance: list[float] = []
    sizes: list[float] = []
    for evidence in texts:
        weights = mark.parts.scorer.coin_weights(evidence.weights, evidence.groups)
        bias = bias_at_insertion(evidence, mark.parts)
        assert weights is not None
        assert bias is not None
        if by_weights:
            gains = coins_of(expected_gains(bias, evidence, mark.parts)[0], evidence)
        else:
            gains = coins_of(gains_if_free(bias, gamma), evidence)
        green = coins_of(evidence.green.astype(np.float64), evidence)
        full = float(weights @ gains)
        ratios.append(float(weights @ (green - gamma)) / full)
        chances = np.clip(gamma + gains, 0, 1)
        chance.append(float(weights**2 @ (chances * (1 - chances))) / full**2)
        sizes.append(full)
    spread = float(np.var(ratios, ddof=1) - np.mean(chance))
    return float(np.average(ratios, weights=sizes)), float(np.sqrt(max(0.0, spread)))


def coins_of(values: npt.NDArray[np.float64], evidence: Evidence) -> npt.NDArray[np.float64]:
    """Means over the tokens of each coin, in the order of the group numbers that there are."""
    coins = np.unique(evidence.groups, return_inverse=True)[1].reshape(-1)
    means: npt.NDArray[np.float64] = np.bincount(coins, values) / np.bincount(coins)
    return means


def main() -> None:
    """The command."""
    parser, writing, showing = write_and_show("freedom", __doc__, count=100, tokens=82)
    writing.add_argument("--schemes", default=",".join(SCHEMES))
    writing.add_argument("--deltas", default=",".join(map(str, DELTAS)))
    showing.add_argument("texts", type=Path, nargs="+")
    showing.add_argument("--evidence", help="weigh by this instead, such as ewd-likelihood")
    args = parser.parse_args()
    (write if args.command == "write" else show)(args)


if __name__ == "__main__":
    main()
