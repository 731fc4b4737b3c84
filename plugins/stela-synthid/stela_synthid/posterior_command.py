"""``stela posterior``: transformers' Bayesian detector on texts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click
import numpy as np
from stela_cli.common import allow_lenient_option, key_from, registry_of
from stela_cli.documents.read import texts_of
from stela_cli.documents.sources import Readers, sources_of
from stela_cli.printing import say
from stela_cli.problems import Problems

import stela_core as stela
from stela_synthid.bayesian import BayesianDetector, read_detector
from stela_synthid.hasher import SynthIdHasher


@click.command(
    "posterior",
    epilog="\b\nExample:\n  stela posterior --profile p.stela --detector FOLDER texts.jsonl",
)
@click.argument("files", nargs=-1, required=True, metavar="FILE ... | -")
@click.option("--profile", required=True, metavar="P.stela", help="Profile of a SynthID mark.")
@click.option(
    "--detector", required=True, metavar="FOLDER", help="Folder of a BayesianDetectorModel of transformers."
)
@click.option("--key-file", metavar="FILE", help="Key file of a secret-key profile.  [variable: STELA_KEY]")
@click.option(
    "--column", default="text", show_default=True, help="Field of JSON or column of CSV that holds the text."
)
@allow_lenient_option
@click.pass_context
def posterior(
    context: click.Context,
    files: tuple[str, ...],
    profile: str,
    detector: str,
    key_file: str | None,
    column: str,
    allow_lenient: bool,
) -> int:
    """Print the posterior of a Bayesian SynthID detector for each text, as JSON lines.

    A posterior is not a p-value. It holds under the detector's prior, for texts like those of its training:
    nothing bounds its rate of false alarms. stela detect bounds it.
    """
    problems = Problems()
    registry = registry_of(context)
    watermark = stela.load(profile, key_from(key_file), registry, allow_lenient=allow_lenient)
    readers = Readers(registry)
    learned = read_detector(Path(detector))
    hasher = hasher_for(watermark, learned)
    for item in texts_of(sources_of(files, None, problems.note, readers), column, problems.note, readers):
        if isinstance(item, stela.StelaError):
            problems.report(item)
            continue
        outcome = posterior_of(item.text, watermark, hasher, learned)
        say(json.dumps({"source": item.source, **outcome}, ensure_ascii=False))
    return problems.end()


def hasher_for(watermark: stela.Watermark, learned: BayesianDetector) -> SynthIdHasher:
    """The profile's hasher, if the detector can be one of its marks.

    Raises:
        stela.StelaError: it is not SynthID, has another depth, or is distorted (the model has two leaves).
    """
    hasher = watermark.parts.hasher
    if not isinstance(hasher, SynthIdHasher):
        raise stela.StelaError(
            f"the profile's hasher is \"{hasher.name}\", not SynthID's.", "name a profile of scheme synthid"
        )
    depth, leaves = hasher.settings.depth, hasher.settings.leaves
    if depth != learned.depth:
        raise stela.StelaError(
            f"the detector is for {learned.depth} layers, the profile has {depth}.",
            "name the detector that was trained on this mark",
        )
    if leaves != 2:
        raise stela.StelaError(
            f"the Bayesian detector is for 2 leaves, the profile has {leaves}.", "use stela detect"
        )
    return hasher


def posterior_of(
    text: str, watermark: stela.Watermark, hasher: SynthIdHasher, learned: BayesianDetector
) -> dict[str, Any]:
    """Posterior, log odds and number of counted tokens of one text."""
    [ids] = watermark.detector.ids_of([text])
    bits, mask = hasher.detector_input(np.array(ids, dtype=np.int64))
    return {
        "posterior": learned.posterior(bits, mask),
        "log_odds": learned.log_odds(bits, mask),
        "prior": learned.prior,
        "tokens": int(mask.sum()),
    }
