"""``stela profile new``: choose scheme, tagger, table, model and key; write a profile."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

import click

from stela_core.cli.check_null import checked_key
from stela_core.cli.common import (
    allow_lenient_option,
    force_option,
    key_from,
    parse_assignments,
    registry_of,
    report,
    say,
)
from stela_core.cli.null_corpora import read_corpora
from stela_core.errors import StelaError
from stela_core.files.write import require_free
from stela_core.hashing.keys import new_key
from stela_core.hashing.slow_keys import new_salt
from stela_core.interfaces import Calibration
from stela_core.models.load import load_model, load_tokenizer
from stela_core.models.logits import ModelLogits
from stela_core.profile.archive import write_archive
from stela_core.profile.create import Settings, create_profile, key_words_of
from stela_core.profile.key import number_of
from stela_core.profile.provenance import remember
from stela_core.registry.tagger_spec import make_tagger
from stela_core.tables.file import read_table_bytes
from stela_core.watermark import Watermark


@click.command("new")
@click.option("--scheme", required=True, help="Scheme, or a weighting to use on both sides.")
@click.option(
    "--tagger", "tagger_spec", metavar="NAME[:MODEL]", help="Tagger, for schemes that use POS contexts."
)
@click.option(
    "--lambda", "table_file", metavar="TABLE", help="Indeterminacy table; default: the tagger's own."
)
@click.option("--model", required=True, help="Alias, folder or Hugging Face name; gives the tokenizer.")
@click.option("--key-file", metavar="FILE", help="Secret key; it is not written into the profile.")
@click.option("--public-key", is_flag=True, help="Draw a key and write it into the profile.")
@click.option("--gamma", type=float, help="Share of green tokens, in (0, 1). [0.5]")
@click.option("--delta", type=float, help="Mean bias on green logits, nats. [2.0]")
@click.option("--context-width", type=int, help="Preceding tokens that seed the split. [1]")
@click.option(
    "--param",
    "assignments",
    multiple=True,
    metavar="NAME=VALUE",
    help="Parameter of the scheme or its hasher.",
)
@click.option("--k", type=int, help="n-gram length of the POS contexts. [the tagger's]")
@click.option("--window", type=int, help="Words (or characters) tagged before a token. [the tagger's]")
@click.option("--calibration", type=click.Choice(["tokens", "types"]), default="tokens", show_default=True)
@click.option("--language", help="ISO 639-1 code. [the tagger's]")
@click.option("--min-tokens", type=int, help='Fewer distinct pairs are "insufficient text". [8]')
@click.option("--alpha", type=float, help="Largest p-value called watermarked. [0.001]")
@allow_lenient_option
@click.option(
    "--check-null",
    "corpora",
    multiple=True,
    metavar="CORPUS",
    help="Human text, a .jsonl file or an installed sample (stela plugins): use a key only if it keeps its "
    "rate of false alarms there. Repeat it, and the key has to hold in each.",
)
@click.option("-o", "--output", required=True, type=click.Path(dir_okay=False), metavar="P.stela")
@force_option
@click.pass_context
def profile_new(
    context: click.Context,
    scheme: str,
    tagger_spec: str | None,
    table_file: str | None,
    model: str,
    key_file: str | None,
    public_key: bool,
    gamma: float | None,
    delta: float | None,
    context_width: int | None,
    assignments: tuple[str, ...],
    k: int | None,
    window: int | None,
    calibration: Calibration,
    language: str | None,
    min_tokens: int | None,
    alpha: float | None,
    allow_lenient: bool,
    corpora: tuple[str, ...],
    output: str,
    force: bool,
) -> None:
    """Write a profile: one file that lets anyone test a text."""
    if public_key == (key_file is not None):
        raise StelaError(
            "give either --key-file FILE or --public-key.",
            "a secret key in a file, or one drawn now that everyone may see",
        )
    require_free(Path(output), force)
    registry = registry_of(context)
    settings = Settings(
        scheme=scheme,
        parameters=parse_assignments(assignments),
        gamma=gamma,
        context_width=context_width,
        k=k,
        window=window,
        calibration=calibration,
        language=language,
        min_tokens=min_tokens,
        alpha=alpha,
        allow_lenient=allow_lenient,
    ).with_delta(delta)
    given = key_from(key_file)
    salt, words = None if given is None else new_salt(), key_words_of(registry, settings)
    key = new_key(words) if given is None else number_of(given, salt, words)
    table = None if table_file is None else read_table_bytes(table_file)
    tokenizer = load_tokenizer(registry, model)
    tagger = None if tagger_spec is None else make_tagger(registry, tagger_spec)
    created = create_profile(registry, settings, tokenizer, key, public_key, tagger, table, salt)
    archive, drawn = created.archive, ""
    if corpora:
        used = tagger if archive.profile.tagger else None
        watermark = Watermark(archive, key, registry, tagger=used, parts=created.parts)
        draw = partial(new_key, words) if public_key else None
        logits = None
        if watermark.needs_model_to_detect:
            logits = ModelLogits(*load_model(registry, model))
        human = read_corpora(watermark, registry, tokenizer, corpora, logits)
        key, checks = checked_key(watermark, human, key, draw)
        made = create_profile(registry, settings, tokenizer, key, public_key, tagger, table, salt).archive
        archive = replace(made, profile=made.profile.with_null_checks(checks))
        drawn = f", passed on {sum(check.tests for check in checks)} human texts"
        drawn += f" of {len(checks)} corpora" if len(checks) > 1 else ""
        number = checks[0].keys_drawn
        if public_key and len(checks) == 1:
            drawn += f" as number {number} of the keys drawn"
        elif public_key:
            drawn += f", chosen from {number} keys drawn"
    write_archive(output, archive, replace=force)
    remember(archive.profile)
    for remark in created.remarks:
        say(f"note: {remark}", err=True)
    kind = "public" if public_key else "secret"
    report(output, f"{output}: scheme {scheme}, key id {archive.profile.hasher.key_id} ({kind}){drawn}")
