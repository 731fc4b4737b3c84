"""A chat endpoint: one question, one answer, with time limits and further tries."""

from __future__ import annotations

import random
from threading import Event
from types import TracebackType
from typing import TYPE_CHECKING, Any

from stela_core.errors import MissingLibraryError, StelaError
from stela_judge.parameters import JudgeParameters
from stela_judge.secret import OWN, find_key, scrub

if TYPE_CHECKING:
    import httpx

LONGEST_WAIT = 60.0
"""Seconds between two tries, at most."""

AGAIN = frozenset({408, 429})
"""Statuses that may pass, beside 5xx."""


class ChatEndpoint:
    """Ask an OpenAI-compatible endpoint; one is used from many threads, and closed by ``with``.

    Raises, when constructed:
        MissingLibraryError: httpx is not installed.
        StelaError: the key is no key.
    """

    def __init__(self, parameters: JudgeParameters) -> None:
        try:
            import httpx
        except ImportError:
            raise MissingLibraryError("httpx", 'metric "judge"', "httpx") from None
        self._parameters = parameters
        self._key = find_key(parameters.base_url)
        self._url = f"{parameters.base_url}/chat/completions"
        self._stop = Event()
        self._client = httpx.Client(
            headers={"Authorization": f"Bearer {self._key}"} if self._key else {},
            timeout=parameters.timeout,
            # One connection for each thread; redirects are not followed, so the key goes to one host.
            limits=httpx.Limits(max_connections=parameters.concurrency),
        )

    def __enter__(self) -> ChatEndpoint:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        self._client.close()

    def stop(self) -> None:
        """Let threads that wait for another try give up."""
        self._stop.set()

    def ask(self, question: str) -> str:
        """The text of the answer, empty where the model gave none.

        Raises:
            StelaError: there is no answer after all tries, the endpoint refuses, or what it says is no
                chat completion. No message holds the key.
        """
        import httpx

        body: dict[str, Any] = {
            **self._parameters.extra,
            "model": self._parameters.model,
            "messages": [{"role": "user", "content": question}],
        }
        if self._parameters.temperature != "default":
            body["temperature"] = self._parameters.temperature
        last = ""
        for attempt in range(self._parameters.retries + 1):
            if attempt and self._stop.wait(self._pause(attempt, last)):
                break
            last = ""
            try:
                response = self._client.post(self._url, json=body)
            except httpx.ConnectError as error:
                raise self._error(f"cannot be reached: {error}", "check base_url and the network") from None
            except httpx.TimeoutException:
                problem = f"gave no answer in {self._parameters.timeout:g} s"
            except httpx.HTTPError as error:
                problem = f"broke off: {error or type(error).__name__}"
            else:
                if response.status_code == 200:
                    return self._content(response)
                problem = f"answered {response.status_code}: {self._complaint(response)}"
                if response.status_code not in AGAIN and response.status_code < 500:
                    raise self._error(problem, _hint(response.status_code))
                last = response.headers.get("retry-after", "")
        tries = self._parameters.retries + 1
        raise self._error(f"{problem} ({tries} tries)", "try later, or raise timeout or retries")

    def _pause(self, attempt: int, retry_after: str) -> float:
        """Seconds before a further try: what the server asks for, or doubling ones, not all at once."""
        doubled = self._parameters.backoff * 2.0 ** (attempt - 1) * random.uniform(0.75, 1.25)
        asked = float(retry_after) if retry_after.strip().isdecimal() else 0.0
        return min(LONGEST_WAIT, max(doubled, asked))

    def _content(self, response: httpx.Response) -> str:
        try:
            content = response.json()["choices"][0]["message"].get("content")
        except (ValueError, LookupError, TypeError, AttributeError):
            raise self._error(
                f"answered what is no chat completion: {scrub(response.text, self._key)[:100]}",
                "base_url is the part before /chat/completions, as in https://api.openai.com/v1",
            ) from None
        return content if isinstance(content, str) else ""

    def _complaint(self, response: httpx.Response) -> str:
        """What the server says is wrong, in brief; shortened last, so that no half of a key stays."""
        try:
            message = response.json()["error"]["message"]
        except (ValueError, LookupError, TypeError):
            message = response.text or response.reason_phrase
        return scrub(str(message), self._key).strip().rstrip(".")[:200]

    def _error(self, problem: str, hint: str) -> StelaError:
        return StelaError(scrub(f"the judge at {self._parameters.base_url} {problem}.", self._key), hint)


def _hint(status: int) -> str:
    if status in (401, 403):
        return f"set {OWN} to a key of this endpoint (OPENAI_API_KEY is sent to OpenAI alone)"
    if status == 404:
        return "check model, and that base_url is the part before /chat/completions"
    return "check model, temperature and extra against what the endpoint takes"
