"""A real server on this machine that speaks the chat-completions format, and a sample to judge."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace
from typing import Any

import pytest

Reply = tuple[int, Any, dict[str, str]]
"""Status, body (text as it is, else JSON) and headers."""


def completion(content: str | None) -> Reply:
    """What an endpoint says when all is well."""
    message = {"role": "assistant", "content": content}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    return 200, {"id": "x", "object": "chat.completion", "choices": [choice]}, {}


def shown(body: dict[str, Any]) -> tuple[str, str]:
    """The two continuations in a question of the default template."""
    question = body["messages"][0]["content"]
    first, second = question.split("[Continuation A]\n")[1].split("\n\n[Continuation B]\n")
    return first, second.split("\n\n[End")[0]


class Server:
    """``answer`` makes the reply of each request; ``seen`` holds path, headers and body of all."""

    def __init__(self) -> None:
        self.answer: Callable[[dict[str, Any]], Reply] = lambda body: completion("[[C]]")
        self.seen: list[tuple[str, dict[str, str], dict[str, Any]]] = []
        self.get_status = 404
        """What it says of anything but a question."""
        self._busy = 0
        self.most_busy = 0
        self._lock = threading.Lock()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                outer._reply(self)

            def do_GET(self) -> None:
                self.send_error(outer.get_status)

            def log_message(self, *args: Any) -> None:
                pass

        class Queueing(ThreadingHTTPServer):
            request_queue_size = 64  # of 5 by default: more connections at once wait a second

        self.http = Queueing(("127.0.0.1", 0), Handler)
        self.http.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.http.server_address[1]}/v1"
        self._thread = threading.Thread(target=self.http.serve_forever, args=(0.01,), daemon=True)
        self._thread.start()

    def _reply(self, handler: BaseHTTPRequestHandler) -> None:
        body = json.loads(handler.rfile.read(int(handler.headers["content-length"])))
        headers = {name.lower(): value for name, value in handler.headers.items()}
        with self._lock:
            self._busy += 1
            self.most_busy = max(self.most_busy, self._busy)
            self.seen.append((handler.path, headers, body))
        try:
            status, content, more = self.answer(body)
        finally:
            with self._lock:
                self._busy -= 1
        data = (content if isinstance(content, str) else json.dumps(content)).encode()
        try:
            handler.send_response(status)
            for name, value in {**more, "content-length": str(len(data))}.items():
                handler.send_header(name, value)
            handler.end_headers()
            handler.wfile.write(data)
        except OSError:
            pass  # the client gave up waiting

    def close(self) -> None:
        self.http.shutdown()
        self.http.server_close()


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """One for each test; no key is set and no proxy is used."""
    for name in ("STELA_JUDGE_KEY", "OPENAI_API_KEY", "http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    made = Server()
    yield made
    made.close()


def sample_of(pairs: list[tuple[str, str, str]]) -> Any:
    """A sample of (prompt, marked, unmarked): all that the metric looks at."""
    return SimpleNamespace(
        seed=1,
        marked=[SimpleNamespace(generated=SimpleNamespace(prompt=p), text=m) for p, m, _ in pairs],
        model_text=[SimpleNamespace(prompt=p, text=u) for p, _, u in pairs],
    )
