"""Numbers for Prometheus; their labels are names that the service gives, never a client's words."""

from __future__ import annotations

from collections.abc import Callable

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40)


class Metrics:
    """Counted by one service.

    Args:
        waiting: requests that wait or are worked on.
        ready: workers that are up.
    """

    content_type = "text/plain; version=0.0.4; charset=utf-8"

    def __init__(self, waiting: Callable[[], int], ready: Callable[[], int]) -> None:
        self._registry = CollectorRegistry()
        self.requests = Counter(
            "stela_requests", "Requests answered.", ["route", "status"], registry=self._registry
        )
        self.seconds = Histogram(
            "stela_request_seconds", "Until the answer.", ["route"], buckets=SECONDS, registry=self._registry
        )
        self.texts = Counter("stela_texts", "Texts tested.", registry=self._registry)
        self.characters = Counter("stela_characters", "Their characters.", registry=self._registry)
        self.gone = Counter("stela_workers_gone", "Workers replaced.", ["why"], registry=self._registry)
        Gauge("stela_requests_waiting", "Waiting or worked on.", registry=self._registry).set_function(
            waiting
        )
        Gauge("stela_workers_ready", "Workers that are up.", registry=self._registry).set_function(ready)

    def text(self) -> bytes:
        """All of them, as Prometheus reads them."""
        return generate_latest(self._registry)
