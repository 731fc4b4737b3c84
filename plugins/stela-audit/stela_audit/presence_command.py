"""``stela audit presence``: whether a mark shows without the key."""

from __future__ import annotations

import click
from stela_cli.common import key_from, registry_of
from stela_cli.printing import print_json, print_text

from stela_core import load
from stela_core.api import require_generation

SEEN = 0.001
"""Largest p-value that is called a sign of a mark."""


@click.command(
    "presence",
    epilog="\b\nExample:\n  stela audit presence --model tiny --profile p.stela --queries 500",
)
@click.option("--model", required=True, help="Language model: alias, folder or Hugging Face name.")
@click.option(
    "--profile", type=click.Path(), metavar="P.stela", help="Profile that marks the answers.  [default: none]"
)
@click.option("--key-file", metavar="FILE", help="Key file of a secret-key profile.  [variable: STELA_KEY]")
@click.option(
    "--queries",
    type=click.IntRange(10, 100_000),
    default=1000,
    show_default=True,
    help="Answers that each test asks for.",
)
@click.option(
    "--temperature",
    type=click.FloatRange(0, min_open=True),
    default=1.0,
    show_default=True,
    help="Sampling temperature.",
)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Seed of the draws.")
@click.option("--device", help="torch device of the model.  [default: cuda if there is one]")
@click.option("--json", "as_json", is_flag=True, help="Print one record a line, one for each test.")
@click.pass_context
def presence(
    context: click.Context,
    model: str,
    profile: str | None,
    key_file: str | None,
    queries: int,
    temperature: float,
    seed: int,
    device: str | None,
    as_json: bool,
) -> None:
    """Test for a mark without its key, by a model's answers.

    Each test prints a p-value, which is valid for a plain model. A large one proves no absence.
    """
    registry = registry_of(context)
    watermark = None
    if profile is not None:
        watermark = load(profile, key_from(key_file), registry, allow_lenient=True)  # no verdict here
    from stela_models.load import load_model

    from stela_audit.local import deployment
    from stela_audit.presence import presence as run

    require_generation()
    asks = deployment(load_model(registry, model, device), watermark, temperature, seed)
    for finding in run(asks, queries, seed):
        if as_json:
            print_json(finding.to_dict())
        else:
            says = finding.meaning if finding.p_value <= SEEN else "no sign of a mark"
            print_text(f"{finding.test}: p-value {finding.p_value:.2g}, {finding.queries} queries: {says}")
