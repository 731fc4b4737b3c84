"""``stela serve``: check texts over HTTP."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import click
from stela_cli.common import allow_lenient_option, registry_of
from stela_cli.group import sectioned
from stela_cli.jobs.workers import plugin_files
from stela_cli.problems import Problems

from stela_core import StelaError
from stela_serve.limits import MEBIBYTE, Limits

DEFAULTS = Limits()

Command = TypeVar("Command", bound=Callable[..., object])


def limit(
    name: str, kind: click.IntRange | click.FloatRange, default: float, about: str
) -> Callable[[Command], Command]:
    """An option with its default in its help."""
    return click.option(name, type=kind, default=default, show_default=True, help=about)


SECTIONS = {
    "Marks": "--profiles --key-file --keys --messages --model --device --allow-lenient",
    "Address": "--host --port --proxy --allow-host",
    "Work": "--workers --memory --seconds --wait --queue --connections",
    "Requests": "--rate --max-body --max-text --max-texts",
    "Answers": "--signing-key --secret-tokens --keep-profiles --show-issued --audit",
}


@click.command("serve", cls=sectioned(SECTIONS), epilog="\b\nExample:\n  stela serve --profiles profiles/")
@click.option(
    "--profiles",
    required=True,
    metavar="DIR",
    help="Folder of the profiles whose marks texts are tested for.",
)
@click.option(
    "--key-file",
    "key_files",
    multiple=True,
    metavar="FILE",
    help="Key file of a secret-key profile, or a folder of key files. May be repeated.",
)
@click.option(
    "--keys",
    "candidates",
    multiple=True,
    metavar="NAME.jsonl",
    help="Candidate keys in place of those of the profile NAME.stela. May be repeated.",
)
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    help="Address to listen on; 0.0.0.0 for all addresses of this machine.",
)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8765,
    show_default=True,
    help="Port to listen on; 0 for any free port.",
)
@click.option("--proxy", metavar="ADDRESS", help="Address of a proxy whose X-Forwarded-For is trusted.")
@click.option(
    "--allow-host",
    "names",
    multiple=True,
    envvar="STELA_HOSTS",
    metavar="NAME",
    help="Further host name that requests may use; * for any. May be repeated.  [variable: STELA_HOSTS]",
)
@click.option(
    "--workers",
    type=click.IntRange(1, 256),
    help="Number of processes that test texts.  [default: number of cores]",
)
@limit("--memory", click.IntRange(256, 1 << 20), 1024, "Memory of a worker, in MiB.")
@limit("--rate", click.IntRange(0), DEFAULTS.rate, "Texts of one client a minute; 0 for any number.")
@limit("--max-body", click.IntRange(1024), DEFAULTS.body, "Largest request, in bytes.")
@limit("--max-text", click.IntRange(1), DEFAULTS.characters, "Longest text, in characters.")
@limit("--max-texts", click.IntRange(1, 1024), DEFAULTS.texts, "Largest number of texts in a request.")
@limit("--seconds", click.FloatRange(0.1), DEFAULTS.seconds, "Longest time for one request, in seconds.")
@limit("--wait", click.FloatRange(0.1), DEFAULTS.wait, "Longest wait for a free worker, in seconds.")
@limit("--queue", click.IntRange(0), DEFAULTS.queue, "Number of requests that may wait.")
@limit("--connections", click.IntRange(1), DEFAULTS.connections, "Number of connections that may be open.")
@click.option(
    "--secret-tokens",
    is_flag=True,
    help="Tell token colours of secret-key profiles, too. Whoever has many can forge the mark.",
)
@click.option(
    "--keep-profiles",
    is_flag=True,
    help="Put no profile into the page: all texts are sent to the server.",
)
@click.option(
    "--model",
    metavar="M",
    help="Language model, for schemes that weigh tokens by its logits. Each worker loads it.",
)
@click.option("--device", help="torch device of the model.  [default: cuda if there is one]")
@click.option(
    "--signing-key", metavar="FILE", help="Key to sign verdicts with, for requests that ask for it."
)
@click.option(
    "--messages",
    metavar="FILE",
    help='Register of the messages that were issued, each a line with "message". Others are not read.',
)
@click.option("--show-issued", is_flag=True, help="Tell what the register says of a text's message.")
@click.option(
    "--audit",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE.jsonl",
    help="Record to add a line to for each request: time, profile, verdicts, p-values; no text and no key.",
)
@allow_lenient_option
@click.pass_context
def serve(
    context: click.Context,
    profiles: str,
    key_files: tuple[str, ...],
    candidates: tuple[str, ...],
    host: str,
    port: int,
    proxy: str | None,
    names: tuple[str, ...],
    workers: int | None,
    memory: int,
    rate: int,
    max_body: int,
    max_text: int,
    max_texts: int,
    seconds: float,
    wait: float,
    queue: int,
    connections: int,
    secret_tokens: bool,
    keep_profiles: bool,
    model: str | None,
    device: str | None,
    signing_key: str | None,
    messages: str | None,
    show_issued: bool,
    audit: Path | None,
    allow_lenient: bool,
) -> int:
    """Serve a page and an HTTP interface that test texts.

    The page is at /. The interface has /v1/detect, /detect, /v1/profiles, /healthz, /metrics and
    /openapi.json.
    SIGTERM or Ctrl-C ends the server after the current requests.
    """
    # They take time that other commands need not spend.
    from stela_serve.audit import CheckLog
    from stela_serve.examine import Setup
    from stela_serve.issued import size_of
    from stela_serve.server import Place, run

    if show_issued and messages is None:
        raise StelaError("--show-issued shows entries of a register.", "name it with --messages")
    setup = Setup(
        folder=profiles,
        key_files=key_files,
        candidates=candidates,
        plugins=tuple(file.path for file in plugin_files(registry_of(context))),
        allow_lenient=allow_lenient,
        model=model,
        device=device,
        signing_key=signing_key,
        messages=messages,
        messages_size=0 if messages is None else size_of(messages),
        show_issued=show_issued,
        keep_profiles=keep_profiles,
        secret_tokens=secret_tokens,
        memory=0 if model else memory * MEBIBYTE,
    )
    limits = Limits(
        body=max_body,
        characters=max_text,
        texts=max_texts,
        seconds=seconds,
        wait=wait,
        queue=queue,
        rate=rate,
        connections=connections,
        held=max(DEFAULTS.held, 4 * max_body),
    )
    problems = Problems()
    record = None if audit is None else CheckLog(audit)
    place = Place(host, port, proxy, names)
    run(setup, workers or os.cpu_count() or 1, limits, place, secret_tokens, problems, record)
    return 0
