"""``python -m benchmarks.likelihoods write|show``: what weights that see the token add (docs/weights.md).

    python -m benchmarks.likelihoods write --scheme kgw --model tiny --data DIR -o texts.jsonl
    python -m benchmarks.likelihoods show texts.jsonl --model tiny [--surrogate M] [--blind]

``write`` lets a model write marked texts, a key each. ``show`` weighs them by what the model, or a surrogate
in its place, says of each token, with the prompt or (``--blind``, and a surrogate) without, and prints z,
-log10 p and the paired differences from uniform weights and from the expected gain, prompts drawn anew.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from stela_models.generation.generate import Sampling, generate
from stela_models.load import load_model
from stela_models.logits import ModelLogits
from stela_models.surrogate import SurrogateLogits
from stela_paper.results.intervals import Paired, estimate

import stela_core as stela
from benchmarks.commands import write_and_show
from benchmarks.prompts import prompts_of
from benchmarks.texts import registry
from stela_core.composition import checked_over_text
from stela_core.detection.evidence import collect_evidence
from stela_core.detection.preceding import RawWeights
from stela_core.hashing.keys import format_key, parse_key
from stela_core.interfaces import Weighting
from stela_core.interfaces.logits import Surrogate
from stela_core.watermark import Watermark

SEED = 2026
BATCH = 30

OF: Mapping[str, tuple[str, ...]] = {
    "kgw": ("ewd", "ewd-gain", "ewd-likelihood"),
    "gumbel": ("ewd-gumbel-gain", "ewd-gumbel-likelihood"),
    "synthid": ("ewd-synthid-gain", "ewd-synthid-likelihood"),
}
"""Weightings by the model, by scheme; the last but one is the expected gain."""


def write(args: argparse.Namespace) -> None:
    """Marked texts, one object a line."""
    prompts = prompts_of(args.language, args.count, args.data)
    keys = [int(k) for k in np.random.default_rng(SEED).integers(0, 2**64, args.count, dtype=np.uint64)]
    mark, model = mark_of(args.scheme, args), load_model(registry(), args.model)
    sampling = Sampling(args.tokens, args.tokens, args.temperature, SEED)
    with args.output.open("w", encoding="utf-8") as file:
        batches = generate(mark, model, prompts, sampling, BATCH, keys)
        for number, text in enumerate(text for batch in batches for text in batch):
            row = {"prompt": text.prompt, "ids": text.token_ids, "key": format_key(keys[number])}
            row |= {"scheme": args.scheme, "delta": args.delta, "temperature": args.temperature}
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
            file.flush()


def mark_of(scheme: str, args: argparse.Namespace) -> Watermark:
    """A watermark of the model that writes; its key is of no use here."""
    parameters = {"delta": args.delta} if scheme.startswith("kgw") else {}
    return stela.create(scheme, model=args.model, key="public", registry=registry(), **parameters)


def show(args: argparse.Namespace) -> None:
    """Print a line for each weighting."""
    with args.texts.open(encoding="utf-8") as file:
        rows = [json.loads(line) for line in file][: args.limit]
    first = rows[0]
    args.delta = first["delta"]
    names = OF[first["scheme"]]
    mark = mark_of(f"{first['scheme']}+{names[-1]}", args)
    weightings = {name: weighting_of(name, first) for name in names}
    prompts = None if args.blind or args.surrogate else [row["prompt"] for row in rows]
    weights = weighed(rows, logits_of(mark, args), prompts, mark, weightings)
    lines = {
        name: [scored(row, one, mark, weighting) for row, one in zip(rows, weights[name], strict=True)]
        for name, weighting in weightings.items()
    }
    alike = [(positions, np.ones(len(values))) for positions, values in weights[names[-1]]]
    lines["uniform"] = [scored(row, one, mark, None) for row, one in zip(rows, alike, strict=True)]
    values = {name: np.array(of) for name, of in lines.items()}
    whose = [row["prompt"] for row in rows]
    print(f"{len(rows)} texts: z, -log10 p; each over uniform; over {names[-2]}; found at p <= 1e-3")
    for name in ("uniform", *names):
        cells = []
        for kind in (0, 1):
            own = values[name][:, kind]
            cells.append(f"{own.mean():6.2f}")
            for floor in ("uniform", names[-2]):
                pair = Paired(whose, np.stack([own, values[floor][:, kind]]))
                one = estimate(pair, lambda means: means[0] - means[1]) if name != floor else None
                cells.append("" if one is None else f"{one.value:+.3f} [{one.low:+.3f}, {one.high:+.3f}]")
        cells.append(f"{(values[name][:, 1] >= 3).mean():.2f}")
        print(f"{name:24}" + " | ".join(f"{cell:>24}" for cell in cells), flush=True)


def weighting_of(name: str, row: Mapping[str, Any]) -> Weighting:
    """A weighting with what it asks for of how the texts were made."""
    kind: type[Weighting] = registry().get(Weighting, name)
    asked = kind.Parameters.model_fields
    return kind(kind.Parameters(**{key: row[key] for key in ("delta", "temperature") if key in asked}))


def logits_of(mark: Watermark, args: argparse.Namespace) -> ModelLogits:
    """The model that reads the texts."""
    if args.surrogate:
        return SurrogateLogits(Surrogate(*load_model(registry(), args.surrogate)), mark.tokens, own=True)
    return ModelLogits(*load_model(registry(), args.model))


def weighed(
    rows: list[dict[str, Any]],
    logits: ModelLogits,
    prompts: list[str] | None,
    mark: Watermark,
    weightings: Mapping[str, Weighting],
) -> dict[str, list[RawWeights]]:
    """Raw weights of all texts by all weightings."""
    ids = [np.array(row["ids"], dtype=np.int64) for row in rows]
    return mark.detector.raw_weights(ids, logits, prompts, weightings)


def scored(
    row: Mapping[str, Any], raw: RawWeights, mark: Watermark, weighting: Weighting | None
) -> tuple[float, float]:
    """Z and -log10 p of a text under its key."""
    parts = mark.parts.under(parse_key(row["key"]))
    positions, weights = raw
    if weighting is not None:
        weights = checked_over_text(weighting, weights)
    ids = np.array(row["ids"], dtype=np.int64)
    evidence = collect_evidence(ids, positions, (), weights, parts, mark.tokens)
    score = parts.scorer.score_signals(evidence.signals)
    return score.z, float(-np.log10(max(score.p_value, 1e-300)))


def main() -> None:
    """The command."""
    parser, writing, showing = write_and_show("likelihoods", __doc__, count=120, tokens=80)
    showing.add_argument("--model", required=True, help="alias or folder of the model that writes")
    writing.add_argument("--scheme", choices=tuple(OF), default="kgw")
    writing.add_argument("--delta", type=float, default=2.0)
    showing.add_argument("texts", type=Path)
    showing.add_argument("--limit", type=int, help="texts")
    showing.add_argument("--surrogate", help="a model that reads them instead, without the prompt")
    showing.add_argument("--blind", action="store_true", help="the writer reads without the prompt, too")
    args = parser.parse_args()
    (write if args.command == "write" else show)(args)


if __name__ == "__main__":
    main()
