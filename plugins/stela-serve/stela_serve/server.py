"""Workers and server, from the first to the last: ``run`` returns after a SIGTERM or Ctrl-C."""

from __future__ import annotations

import asyncio
import signal
import socket
from dataclasses import dataclass

import uvicorn
from stela_cli.printing import say
from stela_cli.problems import Problems

from stela_core import StelaError
from stela_serve import log
from stela_serve.app import Service
from stela_serve.audit import CheckLog
from stela_serve.examine import Setup
from stela_serve.hosts import Hosts
from stela_serve.limits import HEADER_BYTES, Limits
from stela_serve.metrics import Metrics
from stela_serve.pool import TRIES, Pool
from stela_serve.protocol import bounded


@dataclass(frozen=True)
class Place:
    """Address at which the service listens, and whom it believes."""

    host: str
    port: int
    proxy: str | None = None
    """Address of the proxy whose X-Forwarded-For says who a client is; ``None`` where there is none."""
    names: tuple[str, ...] = ()
    """Further names that requests may call it by."""


def run(
    setup: Setup,
    workers: int,
    limits: Limits,
    place: Place,
    secret_tokens: bool,
    problems: Problems,
    audit: CheckLog | None = None,
) -> None:
    """Serve until told to stop; requests at hand are answered first.

    Raises:
        StelaError: the place is taken, or the profiles cannot be opened.
    """
    with listening(place) as listener:
        asyncio.run(serve(setup, workers, limits, place, listener, secret_tokens, problems, audit))


async def serve(
    setup: Setup,
    workers: int,
    limits: Limits,
    place: Place,
    listener: socket.socket,
    secret_tokens: bool,
    problems: Problems,
    audit: CheckLog | None = None,
) -> None:
    """The same in a loop that runs already."""

    def heard(why: str) -> None:
        log.line("worker", why=why)
        metrics.gone.labels(why).inc()

    pool = Pool(setup, workers, limits, heard)
    metrics = Metrics(lambda: pool.waiting, lambda: pool.ready)
    await pool.start()
    try:
        tell(pool, problems)
        service = Service(pool, limits, metrics, Hosts(place.host, place.names), secret_tokens, audit)
        config = uvicorn.Config(
            service.application(),
            loop="asyncio",
            http=bounded(limits.connections),
            ws="none",
            lifespan="off",
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=place.proxy is not None,
            forwarded_allow_ips=place.proxy,
            h11_max_incomplete_event_size=HEADER_BYTES,
            timeout_graceful_shutdown=int(TRIES * limits.seconds + 2 * limits.wait) + 1,
        )
        log.install()
        for number in (signal.SIGTERM, signal.SIGINT):
            # uvicorn takes them while it serves, and raises them again when it has ended.
            signal.signal(number, lambda *_: None)
        host, port = listener.getsockname()[:2]
        say(f"listening at http://{f'[{host}]' if ':' in host else host}:{port}")
        await uvicorn.Server(config).serve(sockets=[listener])
    finally:
        await pool.close()
    log.line("stopped")


def listening(place: Place) -> socket.socket:
    """The socket, before anything takes time.

    Raises:
        StelaError: the place is taken, or not this machine's.
    """
    family = socket.AF_INET6 if ":" in place.host else socket.AF_INET
    try:
        return socket.create_server((place.host, place.port), family=family, backlog=512)
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise StelaError(
            f"cannot listen at {place.host}, port {place.port}: {reason}.",
            "name others with --host and --port",
        ) from None


def tell(pool: Pool, problems: Problems) -> None:
    """What an operator should know of the profiles."""
    for name, message, hint in pool.hello["left_out"]:
        problems.report(StelaError(f"{name} is left out: {message}", hint))
    for note in pool.hello["notes"]:
        problems.note(note)
    profiles = pool.hello["profiles"]
    secret = sum(profile["key"] == "secret" for profile in profiles)
    names = ", ".join(profile["name"] for profile in profiles)
    say(f"{len(profiles)} profiles, {secret} of them with a secret key: {names}")
