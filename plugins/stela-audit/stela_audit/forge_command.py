"""``stela audit forge``: how many answers of a detector it takes to forge a text."""

from __future__ import annotations

from statistics import median
from typing import cast, get_args

import click
import numpy as np
from stela_cli.common import key_from, registry_of
from stela_cli.printing import print_json, print_text
from stela_cli.progress import progress

from stela_audit.climb import TARGET, Answers, climb
from stela_audit.options import cost_of, detector_options, record_options
from stela_core import load


@click.command("forge", epilog="\b\nExample:\n  stela audit forge --profile p.stela --answers coarse")
@detector_options
@click.option(
    "--answers",
    type=click.Choice(get_args(Answers)),
    default="full",
    show_default=True,
    help="What the detector tells: the p-value, its power of ten, or the verdict.",
)
@click.option(
    "--words",
    type=click.IntRange(10, 1000),
    default=20,
    show_default=True,
    help="Words of the forged text.",
)
@click.option(
    "--queries",
    type=click.IntRange(1, 1_000_000),
    default=10_000,
    show_default=True,
    help="Queries after which a forger gives up.",
)
@click.option("--runs", type=click.IntRange(1, 1000), default=5, show_default=True, help="Number of forgers.")
@record_options
@click.pass_context
def forge(
    context: click.Context,
    profile: str,
    key_file: str | None,
    answers: str,
    words: int,
    queries: int,
    runs: int,
    seed: int,
    rate: float,
    price: float | None,
    as_json: bool,
) -> None:
    """Count the queries that forge a text by a detector's answers, without the key.

    A forger changes one word of a random text at a time, and keeps what looks no less marked. It ends at
    p-value 0.0001.
    """
    watermark = load(profile, key_from(key_file), registry_of(context), allow_lenient=True)
    kind = cast("Answers", answers)
    alpha = watermark.profile.alpha
    climbs = []
    with progress("forging", runs) as advance:
        for number in range(runs):
            draws = np.random.default_rng([seed, number])
            climbs.append(
                climb(
                    lambda text: watermark.detect(text).p_value,
                    kind,
                    draws,
                    length=words,
                    most=queries,
                    alpha=alpha,
                )
            )
            advance(1)
    if as_json:
        for one in climbs:
            print_json({"answers": answers, **one._asdict(), "forged": one.p_value <= TARGET})
        return
    done = [one.queries for one in climbs if one.p_value <= TARGET]
    took = ""
    if done:
        cost = cost_of(median(done), rate, price)
        took = f": {median(done):g} queries (median), {min(done)} to {max(done)}, {cost}"
    print_text(f"{answers}: {len(done)} of {runs} texts of {words} words forged{took}")
