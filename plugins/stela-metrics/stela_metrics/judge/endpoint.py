"""A chat endpoint: one question, one answer, within limits of time and size, and further tries."""

from __future__ import annotations

import asyncio
import json
import random
from types import TracebackType
from typing import TYPE_CHECKING, Any

import stela_core as stela
from stela_core.api import parse_json, printable, require
from stela_metrics.judge.address import Address
from stela_metrics.judge.endpoint_parameters import EndpointParameters
from stela_metrics.judge.secret import HOSTS, OWN, find_key, scrub

if TYPE_CHECKING:
    import httpx

PIP = '"stela-metrics[judge]"'
"""What installs httpx."""

LONGEST_WAIT = 60.0
"""Seconds between two tries, at most."""

MEBIBYTE = 1 << 20
LONGEST_ANSWER = MEBIBYTE
"""Bytes; a verdict is one word, a model that reasons aloud writes some thousand."""

AGAIN = frozenset({408, 429})
"""Statuses that may pass, besides 5xx."""

REFUSALS = (401, 403)
"""Statuses that say what is wrong with a key."""

NO_COMPLETION = "base_url is the part before /chat/completions, as in https://api.openai.com/v1"


class ChatEndpoint:
    """Ask an OpenAI-compatible endpoint; used from many tasks of one loop, closed by ``async with``.

    Args:
        parameters: where it is, and limits.
        role: what errors call it, such as ``judge``.

    Raises, when constructed:
        MissingLibraryError: httpx is not installed.
        StelaError: the key is not a key, or not for this host.
    """

    def __init__(self, parameters: EndpointParameters, role: str) -> None:
        require("httpx", f"asking a {role}", PIP)
        import httpx

        self._parameters = parameters
        self._role = role
        self._key = find_key(parameters.base_url)
        self._url = f"{parameters.base_url}/chat/completions"
        # Not compressed, so that what is counted is what comes out.
        headers = {"Accept-Encoding": "identity", "Content-Type": "application/json"}
        limits = httpx.Limits(max_connections=parameters.concurrency)
        self._client = httpx.AsyncClient(
            headers=headers | ({"Authorization": f"Bearer {self._key}"} if self._key else {}),
            timeout=None,  # of each step; the whole is timed below
            follow_redirects=False,  # so the key goes to one host
            limits=limits,
            # A transport of its own takes no proxy: what is for this machine stays on it.
            transport=httpx.AsyncHTTPTransport(limits=limits)
            if Address.of(parameters.base_url).is_this_machine
            else None,
        )
        self._turns = asyncio.Semaphore(parameters.concurrency)

    async def __aenter__(self) -> ChatEndpoint:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        await self._client.aclose()

    async def ask(self, question: str) -> str:
        """The text of the answer, empty where the model gave none.

        Raises:
            StelaError: there is no answer after all tries, the endpoint refuses, or what it says is no
                chat completion, or too long. No message holds the key.
        """
        body: dict[str, Any] = {
            **self._parameters.extra,
            "model": self._parameters.model,
            "messages": [{"role": "user", "content": question}],
        }
        if self._parameters.temperature != "default":
            body["temperature"] = self._parameters.temperature
        async with self._turns:
            return await self._tries(json.dumps(body).encode())

    async def reach(self) -> None:
        """Look for the list of models, which most endpoints have; any answer but a refusal will do.

        Raises:
            StelaError: there is no answer, or the key is refused.
        """
        import httpx

        seconds = min(self._parameters.timeout, LONGEST_WAIT)
        try:
            async with (
                asyncio.timeout(seconds),
                self._client.stream("GET", f"{self._parameters.base_url}/models") as response,
            ):
                status = response.status_code
        except httpx.ConnectError as error:
            raise self._error(f"cannot be reached: {error}", "check base_url and the network") from None
        except TimeoutError:
            raise self._error(f"gave no answer in {seconds:g} s", "check base_url and the network") from None
        except httpx.HTTPError as error:
            raise self._error(f"broke off: {error or type(error).__name__}", "check base_url") from None
        if status in REFUSALS:
            raise self._error(f"refuses the key ({status})", _hint(status))

    async def _tries(self, request: bytes) -> str:
        import httpx

        problem = last = ""
        for attempt in range(self._parameters.retries + 1):
            if attempt:
                await asyncio.sleep(self._pause(attempt, last))
            last = ""
            try:
                # Connecting, headers and body together: a byte now and then does not keep it open.
                async with asyncio.timeout(self._parameters.timeout):
                    response, answer = await self._post(request)
            except httpx.ConnectError as error:
                raise self._error(f"cannot be reached: {error}", "check base_url and the network") from None
            except TimeoutError:
                problem = f"gave no answer in {self._parameters.timeout:g} s"
            except httpx.HTTPError as error:
                problem = f"broke off: {error or type(error).__name__}"
            else:
                if response.status_code == 200:
                    return self._content(answer)
                problem = (
                    f"answered {response.status_code}: {self._complaint(answer, response.reason_phrase)}"
                )
                if response.status_code not in AGAIN and response.status_code < 500:
                    raise self._error(problem, _hint(response.status_code))
                last = response.headers.get("retry-after", "")
        tries = self._parameters.retries + 1
        raise self._error(f"{problem} ({tries} tries)", "try later, or raise timeout or retries")

    async def _post(self, request: bytes) -> tuple[httpx.Response, bytes]:
        """The response and its body, which is read no further than it may be long."""
        answer = bytearray()
        async with self._client.stream("POST", self._url, content=request) as response:
            if response.headers.get("content-encoding", "identity").lower() != "identity":
                raise self._error("answered compressed, though asked not to", NO_COMPLETION)
            async for chunk in response.aiter_raw():
                answer += chunk
                if len(answer) > LONGEST_ANSWER:
                    limit = LONGEST_ANSWER // MEBIBYTE
                    raise self._error(f"answered with more than {limit} MiB", NO_COMPLETION)
        return response, bytes(answer)

    def _pause(self, attempt: int, retry_after: str) -> float:
        """Seconds before a further try: what the server asks for, or doubling ones, not all at once."""
        doubled = self._parameters.backoff * 2.0 ** (attempt - 1) * random.uniform(0.75, 1.25)
        asked = float(retry_after) if retry_after.strip().isdecimal() else 0.0
        return min(LONGEST_WAIT, max(doubled, asked))

    def _content(self, answer: bytes) -> str:
        try:
            content = _json(answer)["choices"][0]["message"].get("content")
        except (stela.StelaError, LookupError, TypeError, AttributeError):
            said = scrub(answer.decode(errors="replace"), self._key)[:100]
            raise self._error(f"answered what is not a chat completion: {said}", NO_COMPLETION) from None
        return content if isinstance(content, str) else ""

    def _complaint(self, answer: bytes, reason: str) -> str:
        """What the server says is wrong, in brief; shortened last, so that no half of a key is left."""
        try:
            message = _json(answer)["error"]["message"]
        except (stela.StelaError, LookupError, TypeError):
            message = answer.decode(errors="replace") or reason
        return scrub(str(message), self._key).strip().rstrip(".")[:200]

    def _error(self, problem: str, hint: str) -> stela.StelaError:
        """One line, whatever the server says."""
        said = " ".join(
            scrub(f"the {self._role} at {self._parameters.base_url} {problem}.", self._key).split()
        )
        return stela.StelaError(printable(said), hint)


def _json(answer: bytes) -> Any:
    return parse_json(answer, "the answer", NO_COMPLETION)


def _hint(status: int) -> str:
    if status in REFUSALS:
        return f"set {OWN} to its key and {HOSTS} to its host (OPENAI_API_KEY is sent to OpenAI alone)"
    if status == 404:
        return "check model, and that base_url is the part before /chat/completions"
    return "check model, temperature and extra against what the endpoint takes"
