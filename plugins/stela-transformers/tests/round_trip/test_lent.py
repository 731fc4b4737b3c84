"""The core asks for ``RoundTrip`` by name, once a watermark, and says what to install where it is missing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from stela_transformers.round_trip.round_trip import RoundTrip

import stela_core as stela

WAYS: dict[str, Callable[[stela.Watermark], Any]] = {
    "marker": lambda mark: mark.marker(round_trip=True),
    "requests": lambda mark: mark.requests(round_trip=True),
    "processor": lambda mark: mark.logits_processor(round_trip=True),
    "config": lambda mark: mark.watermarking_config(round_trip=True).construct_processor(4096, "cpu"),
}


@pytest.fixture
def mark(registry: stela.Registry) -> stela.Watermark:
    return stela.create("kgw", model="tiny-small", key=5, registry=registry)


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names that the core has asked for so far; ``RoundTrip`` is not to be had."""
    from stela_core import catalogue

    names: list[str] = []
    entry_of = catalogue.lent_entry

    def entry(name: str) -> Any:
        names.append(name)
        return None if name == "RoundTrip" else entry_of(name)

    monkeypatch.setattr(catalogue, "lent_entry", entry)
    return names


@pytest.mark.parametrize("way", WAYS)
def test_a_hint_where_it_is_missing(mark: stela.Watermark, asked: list[str], way: str) -> None:
    with pytest.raises(stela.StelaError) as raised:
        WAYS[way](mark)
    assert str(raised.value) == (
        "forbidding tokens that do not come back needs stela-transformers. "
        "hint: pip install stela-transformers"
    )


def test_a_mark_without_a_round_trip_does_not_ask(mark: stela.Watermark, asked: list[str]) -> None:
    mark.marker()
    mark.requests()
    assert asked == ["Requests"]


def test_markers_of_a_watermark_share_one(mark: stela.Watermark, monkeypatch: pytest.MonkeyPatch) -> None:
    made = mark.marker(round_trip=True)
    monkeypatch.setattr("stela_core.catalogue.lent_entry", None)  # looked up once
    assert mark.marker(round_trip=True)._round_trip is made._round_trip
    assert isinstance(made._round_trip, RoundTrip)
