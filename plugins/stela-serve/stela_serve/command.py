"""``stela serve``: check texts over HTTP."""

from __future__ import annotations

import os

import click

from stela_core.api import Problems, allow_lenient_option, plugin_files, registry_of
from stela_serve.examine import Setup
from stela_serve.limits import MEBIBYTE, Limits

DEFAULTS = Limits()


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
    "--workers", type=click.IntRange(1, 256), help="Processes that test texts.  [default: a core each]"
)
@click.option(
    "--memory",
    type=click.IntRange(256, 1 << 20),
    default=1024,
    show_default=True,
    help="MiB that a worker may allocate.",
)
@click.option(
    "--rate",
    type=click.IntRange(0),
    default=DEFAULTS.rate,
    show_default=True,
    help="Texts a minute of one client; 0: any.",
)
@click.option(
    "--max-body",
    type=click.IntRange(1024),
    default=DEFAULTS.body,
    show_default=True,
    help="Bytes of a request.",
)
@click.option(
    "--max-text",
    type=click.IntRange(1),
    default=DEFAULTS.characters,
    show_default=True,
    help="Characters of a text.",
)
@click.option(
    "--max-texts",
    type=click.IntRange(1, 1024),
    default=DEFAULTS.texts,
    show_default=True,
    help="Texts of a request.",
)
@click.option(
    "--seconds",
    type=click.FloatRange(0.1),
    default=DEFAULTS.seconds,
    show_default=True,
    help="For the work on a request.",
)
@click.option(
    "--wait",
    type=click.FloatRange(0.1),
    default=DEFAULTS.wait,
    show_default=True,
    help="Seconds for a worker to be free.",
)
@click.option(
    "--queue",
    type=click.IntRange(0),
    default=DEFAULTS.queue,
    show_default=True,
    help="Requests that may wait.",
)
@click.option(
    "--connections",
    type=click.IntRange(1),
    default=DEFAULTS.connections,
    show_default=True,
    help="Open at once.",
)
@click.option(
    "--secret-tokens",
    is_flag=True,
    help="Tell colours of tokens of secret-key profiles: to those who may forge.",
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
    model: str | None,
    device: str | None,
    signing_key: str | None,
    allow_lenient: bool,
) -> int:
    """Check texts over HTTP: a page at /, and /v1/detect, /v1/profiles, /healthz, /metrics, /openapi.json.

    SIGTERM or Ctrl-C ends it after the requests at hand.
    """
    from stela_serve.server import Place, run  # it takes time that other commands need not spend

    setup = Setup(
        folder=profiles,
        key_files=key_files,
        plugins=tuple(file.path for file in plugin_files(registry_of(context))),
        allow_lenient=allow_lenient,
        model=model,
        device=device,
        signing_key=signing_key,
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
    run(setup, workers or os.cpu_count() or 1, limits, Place(host, port, proxy), secret_tokens, problems)
    return 0
