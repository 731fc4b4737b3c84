"""``stela serve``: check texts over HTTP."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TypeVar

import click

from stela_core.api import Problems, allow_lenient_option, plugin_files, registry_of
from stela_serve.limits import MEBIBYTE, Limits

DEFAULTS = Limits()

Command = TypeVar("Command", bound=Callable[..., object])


def limit(
    name: str, kind: click.IntRange | click.FloatRange, default: float, about: str
) -> Callable[[Command], Command]:
    """An option with its default in its help."""
    return click.option(name, type=kind, default=default, show_default=True, help=about)


@click.command("serve")
@click.option(
    "--profiles", required=True, metavar="DIR", help="Folder of the profiles that texts are tested for."
)
@click.option(
    "--key-file",
    "key_files",
    multiple=True,
    metavar="FILE",
    help="Keys of secret-key profiles: files, folders.",
)
@click.option(
    "--host", default="127.0.0.1", show_default=True, help="Address; 0.0.0.0 for all of this machine."
)
@click.option(
    "--port", type=click.IntRange(0, 65535), default=8765, show_default=True, help="0 for any free one."
)
@click.option("--proxy", metavar="ADDRESS", help="Of a proxy whose X-Forwarded-For is believed.")
@click.option(
    "--allow-host",
    "names",
    multiple=True,
    envvar="STELA_HOSTS",
    metavar="NAME",
    help="Further names that requests may call it by; * for any.  [variable: STELA_HOSTS]",
)
@click.option(
    "--workers", type=click.IntRange(1, 256), help="Processes that test texts.  [default: a core each]"
)
@limit("--memory", click.IntRange(256, 1 << 20), 1024, "MiB that a worker may allocate.")
@limit("--rate", click.IntRange(0), DEFAULTS.rate, "Texts a minute of one client; 0: any.")
@limit("--max-body", click.IntRange(1024), DEFAULTS.body, "Bytes of a request.")
@limit("--max-text", click.IntRange(1), DEFAULTS.characters, "Characters of a text.")
@limit("--max-texts", click.IntRange(1, 1024), DEFAULTS.texts, "Texts of a request.")
@limit("--seconds", click.FloatRange(0.1), DEFAULTS.seconds, "For the work on a request.")
@limit("--wait", click.FloatRange(0.1), DEFAULTS.wait, "Seconds for a worker to be free.")
@limit("--queue", click.IntRange(0), DEFAULTS.queue, "Requests that may wait.")
@limit("--connections", click.IntRange(1), DEFAULTS.connections, "Open at once.")
@click.option(
    "--secret-tokens",
    is_flag=True,
    help="Tell colours of tokens of secret-key profiles: to those who may forge.",
)
@click.option(
    "--keep-profiles",
    is_flag=True,
    help="Put no profile into the page: all texts are sent here, public keys stay.",
)
@click.option(
    "--model", metavar="M", help="For schemes that weigh by its logits; each worker loads torch and it."
)
@click.option("--device", help="torch device of that model. [cuda where there is one]")
@click.option("--signing-key", metavar="FILE", help="Sign verdicts where a request asks for it.")
@allow_lenient_option
@click.pass_context
def serve(
    context: click.Context,
    profiles: str,
    key_files: tuple[str, ...],
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
    allow_lenient: bool,
) -> int:
    """Check texts over HTTP: a page at /, and /v1/detect, /v1/profiles, /healthz, /metrics, /openapi.json.

    SIGTERM or Ctrl-C ends it after the requests at hand.
    """
    # They take time that other commands need not spend.
    from stela_serve.examine import Setup
    from stela_serve.server import Place, run

    setup = Setup(
        folder=profiles,
        key_files=key_files,
        plugins=tuple(file.path for file in plugin_files(registry_of(context))),
        allow_lenient=allow_lenient,
        model=model,
        device=device,
        signing_key=signing_key,
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
    place = Place(host, port, proxy, names)
    run(setup, workers or os.cpu_count() or 1, limits, place, secret_tokens, problems)
    return 0
