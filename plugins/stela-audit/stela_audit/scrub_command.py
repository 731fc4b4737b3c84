"""``stela audit scrub``: how many words of marked texts change until the mark is not found."""

from __future__ import annotations

from collections.abc import Callable
from statistics import median
from typing import cast, get_args

import click
import numpy as np
from stela_cli.common import key_from, registry_of
from stela_cli.documents.read import texts_of
from stela_cli.documents.sources import Readers, sources_of
from stela_cli.printing import print_json, print_text
from stela_cli.problems import Problems
from stela_cli.progress import progress

from stela_audit.options import cost_of, detector_options, record_options
from stela_audit.scrub import Access, Scrubbed, scrub
from stela_core import StelaError, load

FEWEST = 10
"""Words of a text."""


@click.command(
    "scrub",
    epilog="\b\nExample:\n  stela audit scrub --profile p.stela --access yes-no texts.jsonl",
)
@detector_options
@click.option(
    "--access",
    type=click.Choice(get_args(Access)),
    default="full",
    show_default=True,
    help="What the attacker has: no detector, one that tells the verdict, the power of ten or the p-value, "
    "or the key.",
)
@click.option(
    "--queries",
    type=click.IntRange(1, 1_000_000),
    default=5_000,
    show_default=True,
    help="Queries after which an attacker gives up on a text.",
)
@record_options
@click.argument("files", nargs=-1, required=True, metavar="FILE ...")
@click.pass_context
def scrub_command(
    context: click.Context,
    profile: str,
    key_file: str | None,
    access: str,
    queries: int,
    seed: int,
    rate: float,
    price: float | None,
    as_json: bool,
    files: tuple[str, ...],
) -> None:
    """Count the words of marked texts that change until no mark is found.

    A .jsonl file holds one text a line, others one text each. Common English words are put in, whatever
    stood there: a scrubbed text cannot be read. It shows what the mark survives, not what an attacker writes.
    """
    watermark = load(profile, key_from(key_file), registry_of(context), allow_lenient=True)
    alpha = watermark.profile.alpha

    def detect(text: str) -> float:
        return watermark.detect(text).p_value

    texts = marked_texts(context, files, detect, alpha)
    done: list[Scrubbed] = []
    with progress("scrubbing", len(texts)) as advance:
        for number, text in enumerate(texts):
            draws = np.random.default_rng([seed, number])
            kind = cast("Access", access)
            done.append(scrub(text, detect, kind, draws, most=queries, alpha=alpha))
            advance(1)
    if as_json:
        for one in done:
            print_json({"access": access, **one._asdict(), "scrubbed": one.p_value > alpha})
        return
    print_text(summary(access, done, alpha, rate, price))


def marked_texts(
    context: click.Context, files: tuple[str, ...], detect: Callable[[str], float], alpha: float
) -> list[str]:
    """The texts of files that have words enough and are called watermarked.

    Raises:
        StelaError: a file cannot be read, or no text is left.
    """
    problems = Problems()
    readers = Readers(registry_of(context))
    kept: list[str] = []
    for item in texts_of(sources_of(files, None, problems.note, readers), "text", problems.note, readers):
        if isinstance(item, StelaError):
            raise item
        if len(item.text.split()) >= FEWEST and detect(item.text) <= alpha:
            kept.append(item.text)
    if not kept:
        raise StelaError(
            f"no text has {FEWEST} words between spaces and is called watermarked.",
            "give marked texts: stela generate --profile P.stela --prompt TEXT -o FILE",
        )
    return kept


def summary(access: str, done: list[Scrubbed], alpha: float, rate: float, price: float | None) -> str:
    """One line."""
    clean = [one for one in done if one.p_value > alpha]
    line = f"{access}: {len(clean)} of {len(done)} texts scrubbed"
    if clean:
        line += f", {median(one.changed / one.words for one in clean):.0%} of words changed (median)"
    if clean and access not in ("none", "key"):
        queries = median(one.queries for one in clean)
        line += f", {queries:g} queries a text, {cost_of(queries, rate, price)}"
    return line
