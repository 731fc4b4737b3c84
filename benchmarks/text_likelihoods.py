"""``python -m benchmarks.text_likelihoods fit|show``: what ``learned-likelihood`` adds (docs/weights.md).

    python -m benchmarks.likelihoods write --scheme gumbel --model M --data DIR --tokens 200 -o texts.jsonl
    python -m benchmarks.text_likelihoods fit texts.jsonl --model M
    python -m benchmarks.text_likelihoods show texts.jsonl --model M [--language zh] [--deleted 0.1]

``fit`` prints the coefficients of ``stela_learned/likelihood.py`` that suit the signals of Gumbel texts.
``show`` prints -log10 p by uniform weights, ``learned-text`` and ``learned-likelihood``, and the paired
differences from uniform weights, prompts drawn anew; ``--deleted`` is the share of words that texts lose.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize
from stela_edits.delete import Delete
from stela_edits.each import ShareParameters
from stela_learned import likelihood
from stela_paper.results.intervals import Paired, estimate

import stela_core as stela
from benchmarks.texts import registry
from stela_core.hashing.keys import parse_key
from stela_core.watermark import Watermark

Floats = npt.NDArray[np.float64]

RIDGE = 1e-4
"""Weight of the squared coefficients next to the mean log-likelihood of a token."""

WEIGHTINGS = ("uniform", "learned-text", "learned-likelihood")


def mark_of(scheme: str, weighting: str, args: argparse.Namespace) -> Watermark:
    """A watermark of the model that wrote; its key is of no use here."""
    name = scheme if weighting == "uniform" else f"{scheme}+{weighting}"
    return stela.create(name, model=args.model, key="public", language=args.language, registry=registry())


def rows_of(args: argparse.Namespace) -> list[dict[str, Any]]:
    """The texts, of all files."""
    return [json.loads(line) for path in args.texts for line in path.read_text("utf-8").splitlines()]


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


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.text_likelihoods",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("command", choices=("fit", "show"))
    parser.add_argument("texts", type=Path, nargs="+")
    parser.add_argument("--model", required=True, help="alias or folder of the model that wrote")
    parser.add_argument("--language", choices=("en", "zh", "ko"), default="en")
    parser.add_argument("--deleted", type=float, default=0.0, help="share of words that are deleted")
    args = parser.parse_args()
    (fit if args.command == "fit" else show)(args)


if __name__ == "__main__":
    main()
