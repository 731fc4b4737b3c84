"""``stela profile new``, for what a user chooses of a profile, and ``stela key new``."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import Any

import click
from stela_detection.search.candidates import MOST_CANDIDATES

from stela_cli.candidate_files import write_new_candidates
from stela_cli.common import (
    allow_lenient_option,
    force_option,
    key_from,
    output_option,
    parse_assignments,
    registry_of,
)
from stela_cli.group import sectioned
from stela_cli.printing import report, say
from stela_core import StelaError, create
from stela_core.api import Profile, lent, require_free, resolve_scheme, write_key_file

ALIKE = "answers to one prompt under one key share phrases"
RANDOM = "give each answer a random message (stela generate --message random)"


SECTIONS = {
    "Scheme": "--scheme --gamma --delta --context-width --param --bits --lambda --k --calibration",
    "Model and language": "--model --tagger --language --window",
    "Key": "--key-file --public-key --check-null",
    "Detection": "--alpha --min-tokens --allow-lenient",
    "Results": "--output --force",
}


@click.command(
    "new",
    cls=sectioned(SECTIONS),
    epilog="\b\nExample:\n  stela profile new --model tiny --public-key -o p.stela",
)
@click.option(
    "--scheme",
    help="Scheme, or a weighting that is used for marking and detecting.  [default: the recommended one]",
)
@click.option("--model", required=True, help="Alias, folder or Hugging Face name; gives the tokenizer.")
@click.option(
    "--tagger",
    metavar="NAME[:MODEL]",
    help="Tagger, for schemes that use POS contexts.  [default: the language's]",
)
@click.option("--gamma", type=float, help="Share of green tokens, between 0 and 1.  [default: the scheme's]")
@click.option("--delta", type=float, help="Mean bias on the logits of green tokens, in nats.  [default: 2.0]")
@click.option(
    "--context-width",
    type=int,
    help="Number of preceding tokens that give the seed.  [default: the scheme's]",
)
@click.option(
    "--param",
    "parameters",
    multiple=True,
    metavar="NAME=VALUE",
    help="Parameters of the scheme or of its hasher, by name.",
)
@click.option(
    "--bits",
    type=int,
    help="Bits of a message that marks carry, 0 to 16, or 24, 32, .. 64.  [default: no message]",
)
@click.option("--k", type=int, help="n-gram length of part-of-speech contexts.  [default: the tagger's]")
@click.option(
    "--window",
    type=int,
    help="Number of words (Chinese: characters) before a token that are tagged.  [default: the tagger's]",
)
@click.option(
    "--calibration",
    type=click.Choice(["tokens", "types"]),
    default="tokens",
    show_default=True,
    help="Which mean delta is divided by: over the tokens of text, or over context types.",
)
@click.option("--language", help="Language of the texts, as an ISO 639-1 code.  [default: the tagger's]")
@click.option(
    "--min-tokens",
    type=int,
    help='Smallest number of distinct pairs; fewer are "insufficient text".  [default: 8]',
)
@click.option("--alpha", type=float, help="Largest p-value that is called watermarked.  [default: 0.001]")
@allow_lenient_option
@click.option("--lambda", "table", metavar="TABLE", help="Indeterminacy table.  [default: the tagger's own]")
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
    registry = registry_of(context)
    given = {
        **settings,
        "parameters": parse_assignments(parameters),
        "key": "public" if key_file is None else key_from(key_file),
        "registry": registry,
    }
    mark, drawn = create(**given | {"bits": settings["bits"] or None}), ""
    if mark.parts.hasher.samples and settings["bits"] is None:
        carries = bool(resolve_scheme(registry, mark.profile.scheme.name).scheme.encoder)
        if not (carries and sys.stdin and sys.stdin.isatty()):
            way = f"add --bits 8 and {RANDOM}" if carries else "use several keys (stela key new --count 16)"
            say(f"note: {ALIKE}. To vary them, {way}", err=True)
        elif click.confirm(f"{ALIKE.capitalize()}. May one prompt be asked many times?", err=True):
            mark = create(**given | {"bits": 8})
            say(f"note: {RANDOM}", err=True)
    if corpora:
        check_key = lent("checked_null_key", "--check-null")
        mark = mark.with_checked_key(partial(check_key, mark, registry, settings["model"], corpora))
        drawn = _of_checks(mark.profile)
    mark.save(output, force=force)
    for remark in mark.remarks:
        say(f"note: {remark}", err=True)
    of_key = f"key id {mark.profile.hasher.key_id} ({'public' if public_key else 'secret'}){drawn}"
    report(output, f"{output}: scheme {mark.profile.scheme.name}, {of_key}")


def _of_checks(profile: Profile) -> str:
    """What is said of a key that passed on human text."""
    checks = profile.null_checks
    drawn = f", passed on {sum(check.tests for check in checks)} human texts"
    drawn += f" of {len(checks)} corpora" if len(checks) > 1 else ""
    public = profile.hasher.key is not None
    if public and len(checks) == 1:
        drawn += f" as number {checks[0].keys_drawn} of the keys drawn"
    elif public:
        drawn += f", chosen from {checks[0].keys_drawn} keys drawn"
    return drawn


@click.command("new", epilog="\b\nExample:\n  stela key new -o key.txt")
@output_option("FILE", "Key file to write.")
@click.option(
    "--count", type=click.IntRange(1, MOST_CANDIDATES), metavar="N", help="Draw N keys for detect --keys."
)
def key_new(output: str, count: int | None) -> None:
    """Draw a secret key into a new file.

    Only the owner can read the file. A file that exists is never replaced.
    """
    if count is None:
        write_key_file(output)
        say(f"{output}: a new key. Keep a copy: without it, nobody finds the marks made with it")
        return
    write_new_candidates(output, count)
    say(f"{output}: {count:,} new keys. Keep a copy: without them, nobody finds the marks made with them")
