"""``stela key signing``, ``stela profile sign`` and ``verify``, ``stela verdict sign`` and ``verify``.

Signatures are imported by the commands that need them: these are made whenever ``stela`` starts.
"""

from __future__ import annotations

from pathlib import Path

import click
from stela_cli.common import force_option, key_from, registry_of
from stela_cli.group import Group
from stela_cli.one_text import one_text
from stela_cli.printing import report, say

import stela_core as stela
from stela_core.api import Archive, one_line, read_bounded, require_free, trusted, write_atomically

signing_key_option = click.option(
    "--signing-key", required=True, metavar="FILE", help="Signing key, made by stela key signing."
)


def add_to(cli: click.Group) -> None:
    """Put the commands where they belong."""
    for name, command in (("key", signing), ("profile", profile_sign), ("profile", profile_verify)):
        group = cli.commands[name]
        assert isinstance(group, click.Group)
        group.add_command(command)
    verdict = Group("verdict", help="Sign verdicts on texts, and verify signed verdicts.")
    verdict.add_command(verdict_sign)
    verdict.add_command(verdict_verify)
    cli.add_command(verdict)


@click.command("signing", epilog="\b\nExample:\n  stela key signing -o maker.pem")
@click.option(
    "-o", "--output", required=True, type=click.Path(dir_okay=False), metavar="FILE", help="File to write."
)
def signing(output: str) -> None:
    """Draw a key that signs profiles and verdicts (Ed25519).

    Give the public key, which is printed, to all who should recognise your signature. A signing key marks
    no text.
    """
    from stela_sign.signing_key import new_signing_key, word_of

    word = word_of(new_signing_key(output).public_key())
    say(f"{output}: a new signing key; keep it secret\npublic key: {word}")


@click.command(
    "sign",
    epilog="\b\nExample:\n  stela profile sign p.stela --signing-key maker.pem -o signed.stela",
)
@click.argument("profile", type=click.Path())
@signing_key_option
@click.option("--maker", metavar="NAME", help="Your name, as readers of the profile will see it.")
@click.option(
    "-o",
    "--output",
    required=True,
    type=click.Path(dir_okay=False),
    metavar="P.stela",
    help="Profile to write.",
)
@force_option
def profile_sign(profile: str, signing_key: str, maker: str | None, output: str, force: bool) -> None:
    """Sign a profile: the signature is stored in the profile file."""
    from stela_sign.profile_signature import sign_profile
    from stela_sign.signing_key import read_signing_key, word_of

    require_free(Path(output), force)
    key = read_signing_key(signing_key)
    write_atomically(Path(output), sign_profile(profile, key, maker), force)
    report(output, f"{output}: signed with {word_of(key.public_key())}")


@click.command("verify", epilog="\b\nExample:\n  stela profile verify signed.stela")
@click.argument("profile", type=click.Path())
@click.option("--signer", metavar="ed25519:...", help="Public key that should have signed it.")
@click.option("--trust", is_flag=True, help="Trust the profile if --signer signed it.")
def profile_verify(profile: str, signer: str | None, trust: bool) -> None:
    """Say who signed a profile.

    The exit status is 2 if the profile is not signed or the signature does not hold. By itself, a signature
    changes no verdict: anyone can sign. With --signer and --trust, the profile counts as your own.
    """
    from stela_sign.profile_signature import signature_of
    from stela_sign.signing_key import key_of
    from stela_sign.verdict import profile_sha256

    if signer is not None:
        key_of(signer)
    elif trust:
        raise stela.StelaError(
            "--trust needs the key of a signer whom you trust.",
            f"stela profile verify {one_line(profile)} --signer ed25519:... --trust",
        )
    signature = signature_of(profile)
    if signature is None:
        raise stela.StelaError(f"{profile} is not signed.", "stela profile sign signs one")
    if signer is not None and signature.key != signer:
        raise stela.StelaError(
            f"{profile} is signed with {signature.key}, not with {signer}.", "ask its maker for the file"
        )
    name = "" if signature.maker is None else f', which calls itself "{one_line(signature.maker)}"'
    say(f"{one_line(profile)}: the signature holds")
    say(f"signed with {signature.key}{name}, at {one_line(signature.time)}")
    say(f"SHA-256 of the profile: {profile_sha256(profile)}")
    if signer is None:
        say("only its owner can tell you whose key that is: then name it with --signer")
    if trust:
        if not trusted.add(Archive.read(profile).profile):
            raise stela.StelaError(
                "the list of your profiles cannot be written.",
                "set STELA_STATE to a folder that you can write to",
            )
        say("its verdicts carry no caveat on this machine; stela profile trust --undo takes that back")


@click.command(
    "sign",
    epilog="\b\nExample:\n  stela verdict sign text.txt --profile p.stela --signing-key m.pem -o v.json",
)
@click.argument("file", type=click.Path())
@click.option("--profile", required=True, metavar="P.stela", help="Profile to test for.")
@click.option("--key-file", metavar="FILE", help="Key file of a secret-key profile.  [variable: STELA_KEY]")
@signing_key_option
@click.option(
    "-o", "--output", required=True, type=click.Path(dir_okay=False), metavar="FILE", help="File to write."
)
@force_option
@click.pass_context
def verdict_sign(
    context: click.Context,
    file: str,
    profile: str,
    key_file: str | None,
    signing_key: str,
    output: str,
    force: bool,
) -> None:
    """Test a text and sign the verdict.

    The signed verdict holds the hash of the text, not the text.
    """
    from stela_sign.signing_key import read_signing_key, word_of
    from stela_sign.verdict import Tested, profile_sha256, sign_verdict

    require_free(Path(output), force)
    key = read_signing_key(signing_key)
    registry = registry_of(context)
    text = one_text(file, registry)
    watermark = stela.load(profile, key_from(key_file), registry)
    detection = watermark.detect(text)
    key_id = detection.key_id or watermark.profile.hasher.key_id
    tested = Tested(Path(profile).name, key_id, profile_sha256(profile))
    data = sign_verdict(detection.to_dict(), text, [tested], key)
    write_atomically(Path(output), data, force)
    report(output, f"{output}: {detection.verdict}, signed with {word_of(key.public_key())}")


@click.command(
    "verify",
    epilog="\b\nExample:\n  stela verdict verify v.json --text text.txt --profile p.stela",
)
@click.argument("verdict", type=click.Path())
@click.option("--text", "file", metavar="FILE", help="Text that the verdict should be about.")
@click.option("--profile", metavar="P.stela", help="Profile that the verdict should be made with.")
@click.option("--signer", metavar="ed25519:...", help="Public key that should have signed it.")
@click.pass_context
def verdict_verify(
    context: click.Context, verdict: str, file: str | None, profile: str | None, signer: str | None
) -> None:
    """Verify a signed verdict, offline.

    The exit status is 2 if the signature does not hold, or the verdict is about another text or profile.
    """
    from stela_sign.signing_key import key_of
    from stela_sign.statement import LARGEST
    from stela_sign.verdict import check_verdict, profile_sha256

    if signer is not None:
        key_of(signer)
    data = read_bounded(verdict, LARGEST, f'verdict "{verdict}"', "give what stela verdict sign wrote")
    statement = check_verdict(
        data,
        f'verdict "{verdict}"',
        None if file is None else one_text(file, registry_of(context)),
        None if profile is None else profile_sha256(profile),
        signer,
    )
    says = statement.says
    result = says["result"]
    # Whoever signed it wrote all of this: none of it may look like a line of ours.
    lines = [
        f"{verdict}: the signature holds",
        f"{result.get('verdict')}, p-value {result.get('p_value')} (threshold {result.get('threshold')})",
        *([f"caveat: {result['caveat']}"] if result.get("caveat") else []),
        f"signed with {statement.key}, at {says['time']}",
        f"text sha256 {says['text_sha256']}, {says.get('characters')} characters",
    ]
    for one in says["tested"]:
        if isinstance(one, dict):
            names = f"{one.get('name')}, key id {one.get('key_id')}, sha256 {one.get('profile_sha256')}"
            lines.append(f"tested for {names}")
    for line in lines:
        say(one_line(line))
    open_ends = [
        name for name, given in (("--text", file), ("--profile", profile), ("--signer", signer)) if not given
    ]
    if open_ends:
        say(f"not compared: {', '.join(open_ends)}")
