"""``python -m benchmarks.text_likelihoods fit|show|messages``: ``learned-likelihood`` (docs/weights.md).

    python -m benchmarks.likelihoods write --scheme gumbel --model M --data DIR --tokens 200 -o texts.jsonl
    python -m benchmarks.text_likelihoods fit texts.jsonl --model M
    python -m benchmarks.text_likelihoods show texts.jsonl --model M [--language zh] [--deleted 0.1]
    python -m benchmarks.text_likelihoods messages texts.jsonl --model M [--bits 32]

``fit`` prints the coefficients of ``stela_learned/likelihood.py`` that suit the signals of Gumbel texts.
``show`` prints -log10 p by uniform weights, ``learned-text`` and ``learned-likelihood``, and the paired
differences from uniform weights, prompts drawn anew; ``--deleted`` is the share of words that texts lose.
``messages`` prints the share of texts whose message would be read and shown. The texts carry none: under
every value of every symbol their signals are noise, and those of one message are replaced by the text's own.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize
from stela_attacks.edits.delete import Delete
from stela_attacks.edits.each import ShareParameters
from stela_learned import likelihood
from stela_paper.results.intervals import Paired, estimate
from stela_payload.choosing import symbols_of_rows
from stela_payload.decoding import WHOLE
from stela_payload.encoder import tail_over
from stela_payload.errors import error_of
from stela_payload.scores import scores_of_values

import stela_core as stela
from benchmarks.texts import registry
from stela_core.hashing.keys import parse_key
from stela_core.watermark import Watermark

Floats = npt.NDArray[np.float64]

SEED = 2026

RIDGE = 1e-4
"""Weight of the squared coefficients next to the mean log-likelihood of a token."""

WEIGHTINGS = ("uniform", "learned-text", "learned-likelihood")


def mark_of(scheme: str, weighting: str, args: argparse.Namespace, bits: int | None = None) -> Watermark:
    """A watermark of the model that wrote; its key is of no use here."""
    name = scheme if weighting == "uniform" else f"{scheme}+{weighting}"
    return stela.create(
        name, model=args.model, key="public", language=args.language, bits=bits, registry=registry()
    )


def rows_of(args: argparse.Namespace) -> list[dict[str, Any]]:
    """The texts, of all files."""
    rows = [json.loads(line) for path in args.texts for line in path.read_text("utf-8").splitlines()]
    return [{**row, "ids": row["ids"][: args.tokens]} for row in rows]


def fit(args: argparse.Namespace) -> None:
    """Print the coefficients."""
    rows = rows_of(args)
    mark = mark_of("gumbel", "learned-likelihood", args)
    table: Any = mark.parts.evidence.table
    inputs, signals = [], []
    for row in rows:
        [evidence] = under(mark, row).evidence([row["ids"]])
        text, ends = mark.tokens.text_and_ends(row["ids"])
        ends = [*ends, len(text)]
        at = evidence.positions
        surprisals = likelihood.token_surprisals(text, ends, table)[at]
        inputs.append(likelihood.features(surprisals, likelihood.repetitions(text, ends)[at]))
        signals.append(evidence.signal)
    x, y = np.concatenate(inputs), np.concatenate(signals)

    def loss(b: Floats) -> tuple[float, Floats]:
        excess = np.exp(np.clip(x @ b, -8, 4))
        mean = 1 + excess
        slope = x.T @ ((1 / mean - y / mean**2) * excess) / len(y) + 2 * RIDGE * b
        return float((np.log(mean) + y / mean).mean() + RIDGE * b @ b), slope

    best = minimize(loss, np.zeros(x.shape[1]), jac=True, method="L-BFGS-B")
    print(f"{len(rows)} texts, {len(y):,} tokens, log-likelihood {-best.fun:.4f}")
    print(", ".join(f"{value:.2f}" for value in best.x))


def under(mark: Watermark, row: Mapping[str, Any]) -> Any:
    """The detector with the key of a text."""
    detector = mark.detector
    return detector.with_composition(detector.composition.under(parse_key(row["key"])))


def show(args: argparse.Namespace) -> None:
    """Print a line for each weighting."""
    rows = rows_of(args)
    scheme = rows[0]["scheme"]
    delete = Delete(ShareParameters(share=args.deleted)) if args.deleted else None
    values, seconds = {}, {}
    for name in WEIGHTINGS:
        mark = mark_of(scheme, name, args)
        scores, begun = [], 0.0
        for number, row in enumerate([rows[0], *rows]):
            ids = row["ids"]
            if delete is not None:
                text = delete.change(mark.tokens.decode(ids), np.random.default_rng(number), None)  # type: ignore[arg-type]
                [ids] = mark.detector.ids_of([text])
            begun = begun or (process_time() if number else 0.0)
            detector = under(mark, row)
            scores.append(detector.judge(detector.evidence([ids])[0]).p_value)
        seconds[name] = (process_time() - begun) / len(rows)
        values[name] = -np.log10(np.maximum(scores[1:], 1e-300))
    print(f"{len(rows)} texts: mean and median -log10 p; over uniform; found at p <= 1e-3; ms a detection")
    for name in WEIGHTINGS:
        own = values[name]
        pair = Paired([row["prompt"] for row in rows], np.stack([own, values["uniform"]]))
        gain = estimate(pair, lambda means: means[0] - means[1])
        print(
            f"{name:16} {own.mean():6.2f} {np.median(own):6.2f}  {gain}  {(own >= 3).mean():.2f}  "
            f"{1000 * seconds[name]:.2f}",
            flush=True,
        )


def messages(args: argparse.Namespace) -> None:
    """Print the share of texts that show their message, by weighting."""
    rows = rows_of(args)
    rng = np.random.default_rng(SEED)
    sent = rng.integers(0, 1 << args.bits, len(rows), dtype=np.uint64).tolist()
    print(f"{len(rows)} texts, {args.bits} bits: share that shows its message")
    for name in WEIGHTINGS:
        mark = mark_of(rows[0]["scheme"], name, args, args.bits)
        right = np.array([shows(mark, row, message) for row, message in zip(rows, sent, strict=True)])
        error = 1.96 * float(right.std()) / len(rows) ** 0.5
        print(f"{name:16} {right.mean():.3f} +- {error:.3f}", flush=True)


def shows(mark: Watermark, row: Mapping[str, Any], message: int) -> bool:
    """Whether this message is the best one, and sure, for these signals; halves are not compared."""
    encoder: Any = mark.parts.encoder
    parts = mark.parts.under(parse_key(row["key"]))
    [evidence] = mark.detector.with_composition(replace(parts, encoder=None)).evidence([row["ids"]])
    contexts, tokens = evidence.hashed(parts.hasher)
    seeds = parts.hasher.seeds(contexts)
    pairs = encoder._pairs(seeds, tokens, evidence.weights)
    scores = scores_of_values(parts.hasher, pairs, encoder._shape)
    symbols = symbols_of_rows(np.array([message], dtype=np.uint64).tobytes(), encoder.code, parts.hasher.key)
    for block, symbol in enumerate(symbols[:, 0].tolist()):
        own = pairs.blocks == block
        scores[block, symbol] = evidence.weights[own] @ evidence.signal[own]
    read: int = encoder._best(scores, parts.hasher.key, WHOLE)
    tail = tail_over(evidence.signals, pairs.blocks, parts.scorer)
    error = error_of(tail, encoder.code, 2.0**encoder.bits - 1)
    return read == message and bool(error <= encoder.parameters.most_error)


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.text_likelihoods",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("command", choices=COMMANDS)
    parser.add_argument("texts", type=Path, nargs="+")
    parser.add_argument("--model", required=True, help="alias or folder of the model that wrote")
    parser.add_argument("--language", choices=("en", "zh", "ko"), default="en")
    parser.add_argument("--tokens", type=int, help="of each text; by default all")
    parser.add_argument("--bits", type=int, default=32, help="of the message")
    parser.add_argument("--deleted", type=float, default=0.0, help="share of words that are deleted")
    args = parser.parse_args()
    COMMANDS[args.command](args)


COMMANDS = {"fit": fit, "show": show, "messages": messages}

if __name__ == "__main__":
    main()
