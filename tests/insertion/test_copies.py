"""Copies of what marks, pickles of it, and how it shows itself."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import pytest
import torch

import stela_core as stela
from stela_core.detection.result import Detection

KEY = 0x0123456789ABCDEF
MARKS: dict[str, dict[str, Any]] = {"kgw": {}, "gumbel": {}, "stela": {"tagger": "penn"}}
PARTS: dict[str, Callable[[stela.Watermark], Any]] = {
    "watermark": lambda mark: mark,
    "marker": lambda mark: mark.marker(),
    "processor": lambda mark: mark.logits_processor(),
    "returning": lambda mark: mark.logits_processor(round_trip=True),
    "config": lambda mark: mark.watermarking_config(),
    "requests": lambda mark: mark.requests(),
}


@pytest.fixture(scope="module")
def marks(registry: stela.Registry) -> dict[str, stela.Watermark]:
    return {
        name: stela.create(name, model="tiny", key=KEY, registry=registry, **more)
        for name, more in MARKS.items()
    }


def steps(processor: Any, ids: list[int]) -> list[torch.Tensor]:
    """The scores after each beginning of a text."""
    generator = torch.Generator().manual_seed(1)
    return [
        processor(torch.tensor([[5, *ids[:length]]]), torch.randn(1, 8192, generator=generator))
        for length in range(len(ids))
    ]


@pytest.mark.parametrize("name", MARKS)
@pytest.mark.parametrize("how", [copy.copy, copy.deepcopy])
def test_a_copied_processor_marks_a_text_of_its_own(
    marks: dict[str, stela.Watermark], name: str, how: Callable[[Any], Any]
) -> None:
    """Also of one that is within a text; the two do not meet."""
    ids = list(range(400, 409))
    wanted = steps(marks[name].logits_processor(), ids)
    first = marks[name].logits_processor(record=True)
    steps(first, ids[:4])
    second = how(first)
    assert all(map(torch.equal, steps(second, ids), wanted))
    assert (len(first.weights[0]), len(second.weights[0])) == (4, 9)
    assert [type(one) for one in how([first])] == [type(first)]


@pytest.mark.parametrize("name", MARKS)
def test_a_deep_copy_of_a_mark_is_itself(marks: dict[str, stela.Watermark], name: str) -> None:
    mark = marks[name]
    assert copy.deepcopy(mark) is mark
    marker = mark.marker()
    assert copy.deepcopy(marker) is marker
    other = copy.copy(mark)
    other.profile = mark.profile.model_copy(update={"alpha": 0.5})
    assert mark.profile.alpha != 0.5
    assert isinstance(other.detect("a b c"), Detection)


@pytest.mark.parametrize("name", MARKS)
@pytest.mark.parametrize("part", PARTS)
def test_pickle_is_refused_in_one_line(marks: dict[str, stela.Watermark], name: str, part: str) -> None:
    """It would hold the key, and loading it would run what it says."""
    one = PARTS[part](marks[name])
    for protocol in (0, 2, pickle.HIGHEST_PROTOCOL):
        with pytest.raises(stela.StelaError, match=r"is not pickled.*hint: .*stela\.load") as raised:
            pickle.dumps([one], protocol)
        assert "\n" not in str(raised.value)


def test_requests_are_not_copied(marks: dict[str, stela.Watermark]) -> None:
    for how in (copy.copy, copy.deepcopy):
        with pytest.raises(stela.StelaError, match="a Requests is not pickled or copied"):
            how(marks["kgw"].requests())


def test_a_watermark_says_what_it_is(registry: stela.Registry, marks: dict[str, stela.Watermark]) -> None:
    mark = marks["stela"]
    key_id = mark.profile.hasher.key_id
    assert repr(mark) == (
        f"<NewWatermark: stela, language en, key {key_id} (secret), gamma 0.5, delta 2, "
        "context width 1, k 2, tagger penn, 8192 ids>"
    )
    public = stela.create("gumbel", model="tiny", key="public", registry=registry)
    shown = repr(public)
    assert shown.startswith(
        f"<NewWatermark: gumbel, any language, key {public.profile.hasher.key_id} (public)"
    )
    assert public.profile.hasher.key not in shown
    for one in marks.values():
        assert f"{KEY:016x}" not in repr(one)
        assert str(KEY) not in repr(one)


def test_words_of_a_stranger_stay_in_the_line(marks: dict[str, stela.Watermark]) -> None:
    mark = copy.copy(marks["stela"])
    tagger = mark.profile.tagger
    assert tagger is not None
    words = {
        "language": "en\nverdict: \x1b[31mhuman",
        "tagger": tagger.model_copy(update={"name": "a\u202eb"}),
    }
    mark.profile = mark.profile.model_copy(update=words)
    assert repr(mark).isprintable()
