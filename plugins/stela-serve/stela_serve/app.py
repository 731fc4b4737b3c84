"""The routes: what is answered where."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route, Router

from stela_serve.asking import asked_of, for_worker, scoring_of
from stela_serve.audit import CheckLog
from stela_serve.bodies import Bodies
from stela_serve.costs import Costs
from stela_serve.examine import Asked
from stela_serve.guard import Guard
from stela_serve.hosts import Hosts
from stela_serve.limits import HEAVY, LONG, WINDOWS_COST, Limits
from stela_serve.metrics import Metrics
from stela_serve.models import Health
from stela_serve.openapi import openapi
from stela_serve.page import Page
from stela_serve.pool import Pool
from stela_serve.rates import Rates, client_of
from stela_serve.refused import RefusedError, busy, json_line

T = TypeVar("T")

GONE = 499
"""Status in log and metrics of a request whose client has not waited."""


class Service:
    """What the routes share.

    Args:
        pool: started.
        limits: of requests.
        metrics: what is counted.
        hosts: names that a request may call it by.
        secret_tokens: tell colours of tokens of profiles whose key is secret.
        audit: gets a line for each request; ``None`` where no record is kept.
    """

    def __init__(
        self,
        pool: Pool,
        limits: Limits,
        metrics: Metrics,
        hosts: Hosts,
        secret_tokens: bool = False,
        audit: CheckLog | None = None,
    ) -> None:
        self._pool, self._limits, self._metrics, self._audit = pool, limits, metrics, audit
        profiles = pool.hello["profiles"]
        self._names = {profile["name"] for profile in profiles}
        secret = {profile["name"] for profile in profiles if profile["key"] == "secret"}
        self._no_tokens = set() if secret_tokens else secret
        self._signer = pool.hello["signer"]
        html, policy = pool.hello["page"]
        self._page = Page(html.encode(), policy)
        self._bodies = Bodies(limits)
        self._rates = Rates(limits.rate)
        self._costs = Costs(pool.hello["costs"])
        self._hosts = hosts
        self._listed = json_line({"profiles": profiles, "tests": pool.hello["tests"]})
        self._described = json_line(openapi(limits, self._names))

    def application(self) -> Guard:
        """The application that a server runs."""
        routes = [
            Route("/", self.page, methods=["GET"]),
            Route("/v1/detect", self.detect, methods=["POST"]),
            Route("/detect", self.score, methods=["POST"]),
            Route("/v1/profiles", self.profiles, methods=["GET"]),
            Route("/v1/signer", self.signer, methods=["GET"]),
            Route("/healthz", self.health, methods=["GET"]),
            Route("/metrics", self.metrics, methods=["GET"]),
            Route("/openapi.json", self.description, methods=["GET"]),
        ]
        paths = frozenset(route.path for route in routes)
        return Guard(Router(routes, redirect_slashes=False), paths, self._rates, self._metrics, self._hosts)

    async def page(self, request: Request) -> Response:
        """The page for people."""
        return self._page

    async def profiles(self, request: Request) -> Response:
        """What is tested for."""
        return Response(self._listed, media_type="application/json")

    async def signer(self, request: Request) -> Response:
        """Public half of the key that signs verdicts."""
        if self._signer is None:
            raise RefusedError(404, "this service does not sign verdicts.", "stela serve --signing-key")
        return Response(json_line(self._signer), media_type="application/json")

    async def description(self, request: Request) -> Response:
        """OpenAPI."""
        return Response(self._described, media_type="application/json")

    async def health(self, request: Request) -> Response:
        """Whether a text could be tested now."""
        ready = self._pool.ready
        if not ready:
            raise busy("no worker is up.", 5)
        said: Health = {"status": "ok", "workers": self._pool.workers, "ready": ready}
        return Response(json_line(said), media_type="application/json")

    async def metrics(self, request: Request) -> Response:
        """Numbers."""
        return Response(self._metrics.text(), media_type=self._metrics.content_type)

    async def detect(self, request: Request) -> Response:
        """Test texts."""
        signs = self._signer is not None
        return await self._tested(
            request, lambda body: asked_of(body, self._limits, self._names, self._no_tokens, signs)
        )

    async def score(self, request: Request) -> Response:
        """Test a text, in the words of vLLM's request for comment."""
        return await self._tested(request, lambda body: scoring_of(body, self._limits, self._names))

    async def _tested(self, request: Request, read: Callable[[bytes], Asked]) -> Response:
        asked: Asked | None = None
        try:
            asked, answer = await self._answered(request, read)
        except RefusedError as refused:
            if self._audit is not None:
                self._audit.refused(asked, refused.status)
            raise
        if self._audit is not None:
            self._audit.checked(asked, answer)
        return Response(answer + b"\n", media_type="application/json")

    async def _answered(self, request: Request, read: Callable[[bytes], Asked]) -> tuple[Asked, bytes]:
        body = await self._bodies.read(request)
        try:
            asked = read(body)
            characters = sum(map(len, asked.texts))
            request.scope["stela"].update(texts=len(asked.texts), characters=characters)
            client = client_of(request.client.host if request.client else None)
            seconds = self._seconds(asked)
            counted = max(len(asked.texts), round(self._rates.texts_in(seconds)))
            if counted > 1:  # one has been counted before the body was read
                self._rates.take(client, counted - 1)
            late = max(0.0, self._rates.texts_in(self._limits.seconds) - counted)
            work = self._pool.ask(
                for_worker(asked), self._is_heavy(asked, seconds), lambda: self._rates.charge(client, late)
            )
            answer = await or_gone(request, work)
        finally:
            self._bodies.release(body)
        self._metrics.texts.inc(len(asked.texts))
        self._metrics.characters.inc(characters)
        return asked, answer

    def _is_heavy(self, asked: Asked, seconds: float) -> bool:
        """Whether it may take long."""
        tests = self._pool.hello["tests"] if asked.profile is None else 1
        length = sum(map(len, asked.texts)) * tests * (WINDOWS_COST if asked.windows else 1)
        return bool(seconds > HEAVY or length > LONG)

    def _seconds(self, asked: Asked) -> float:
        """CPU seconds that it will take, about: by what the texts are, and what they are tested for."""
        seconds = self._costs.of(asked.texts, asked.profile)
        return seconds * (WINDOWS_COST if asked.windows else 1)


async def or_gone(request: Request, work: Awaitable[T]) -> T:
    """What the work gives, which is given up where the client disconnected.

    Raises:
        RefusedError: the client has gone: nobody will read it.
    """
    doing = asyncio.ensure_future(work)
    leaving = asyncio.ensure_future(left(request))
    try:
        await asyncio.wait({doing, leaving}, return_when=asyncio.FIRST_COMPLETED)
        if doing.done():
            return doing.result()
        raise RefusedError(GONE, "the client disconnected.", "wait for the answer")
    finally:
        for task in (doing, leaving):
            task.cancel()
        await asyncio.gather(doing, leaving, return_exceptions=True)


async def left(request: Request) -> None:
    """Wait until the client disconnected."""
    while (await request.receive())["type"] != "http.disconnect":
        pass
