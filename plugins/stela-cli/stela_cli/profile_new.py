"""``stela profile new``, for what a user chooses of a profile, and ``stela key new``."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
from stela_search.candidates import MOST_CANDIDATES

from stela_cli.candidate_files import write_new_candidates
from stela_cli.common import (
    force_option,
    key_from,
    output_option,
    parse_assignments,
    registry_of,
    setting_options,
)
from stela_cli.printing import report, say
from stela_core import NewWatermark, StelaError
from stela_core.api import (
    Assembly,
    NewProfile,
    lent,
    new_key,
    require_free,
    resolve_scheme,
    write_key_file,
)

ALIKE = "answers to one prompt under one key share phrases"
RANDOM = "give each answer a random message (stela generate --message random)"


@click.command("new")
@setting_options(NewProfile, required=("model",), without=("tokenizer", "key", "registry"))
@click.option(
    "--key-file", metavar="FILE", help="File of the secret key. The key is not written into the profile."
)
@click.option(
    "--public-key",
    is_flag=True,
    help="Draw a key and write it into the profile: everyone can test, and mark, with it.",
)
@click.option(
    "--check-null",
    "corpora",
    multiple=True,
    metavar="CORPUS",
    help="Test the key on this human text, and use it only if its rate of false alarms holds there. A .jsonl "
    "file or an installed sample (stela plugins). May be repeated.",
)
@output_option("P.stela", "Profile to write.")
@force_option
@click.pass_context
def profile_new(
    context: click.Context,
    /,
    key_file: str | None,
    public_key: bool,
    corpora: tuple[str, ...],
    output: str,
    force: bool,
    parameters: tuple[str, ...],
    **settings: Any,
) -> None:
    """Write a profile: one file that marks text and lets anyone test it."""
    if public_key == (key_file is not None):
        raise StelaError(
            "give either --key-file FILE or --public-key.",
            "--key-file names a secret key; --public-key draws a key that everyone can read",
        )
    require_free(Path(output), force)
    new = NewProfile(
        **settings | {"bits": settings["bits"] or None},
        parameters=parse_assignments(parameters),
        key="public" if key_file is None else key_from(key_file),
        registry=registry_of(context),
    )
    assembly, key = new.assembly()
    mark, drawn = assembly.under(key), ""
    if mark.parts.hasher.samples and settings["bits"] is None:
        carries = bool(resolve_scheme(assembly.registry, mark.profile.scheme.name).scheme.encoder)
        if not (carries and sys.stdin and sys.stdin.isatty()):
            way = f"add --bits 8 and {RANDOM}" if carries else "use several keys (stela key new --count 16)"
            say(f"note: {ALIKE}. To vary them, {way}", err=True)
        elif click.confirm(f"{ALIKE.capitalize()}. May one prompt be asked many times?", err=True):
            assembly, key = replace(new, bits=8).assembly()
            mark = assembly.under(key)
            say(f"note: {RANDOM}", err=True)
    if corpora:
        mark, drawn = _checked(mark, assembly, key, corpora, settings["model"])
    mark.save(output, force=force)
    for remark in mark.remarks:
        say(f"note: {remark}", err=True)
    of_key = f"key id {mark.profile.hasher.key_id} ({'public' if public_key else 'secret'}){drawn}"
    report(output, f"{output}: scheme {mark.profile.scheme.name}, {of_key}")


def _checked(
    mark: NewWatermark, assembly: Assembly, key: int, corpora: tuple[str, ...], model: str
) -> tuple[NewWatermark, str]:
    """The watermark of a key that passes on each corpus, and what is said of that.

    Raises:
        StelaError: a corpus is bad, no key passes, or stela-run is not installed.
    """
    draw = assembly.draw if assembly.public else None
    check_key = lent("checked_null_key", "--check-null")
    key, checks = check_key(mark, assembly.registry, model, corpora, key, draw)
    drawn = f", passed on {sum(check.tests for check in checks)} human texts"
    drawn += f" of {len(checks)} corpora" if len(checks) > 1 else ""
    if assembly.public and len(checks) == 1:
        drawn += f" as number {checks[0].keys_drawn} of the keys drawn"
    elif assembly.public:
        drawn += f", chosen from {checks[0].keys_drawn} keys drawn"
    return assembly.under(key, checks), drawn


@click.command("new")
@output_option("FILE", "Key file to write.")
@click.option(
    "--count", type=click.IntRange(1, MOST_CANDIDATES), metavar="N", help="Draw N keys for detect --keys."
)
def key_new(output: str, count: int | None) -> None:
    """Draw a secret key into a new file.

    Only the owner can read the file. A file that exists is never replaced.
    """
    if count is None:
        write_key_file(output, new_key())
        say(f"{output}: a new key. Keep a copy: without it, nobody finds the marks made with it")
        return
    write_new_candidates(output, count)
    say(f"{output}: {count:,} new keys. Keep a copy: without them, nobody finds the marks made with them")
