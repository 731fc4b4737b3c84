"""The processor as llama-cpp-python calls it: all ids so far, and one row of scores."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from stela_llamacpp import Processor, require_same_pieces

import stela_core as stela
from tests.tiers import examples

WIDTH = 8200
MARKS: dict[str, dict[str, Any]] = {"kgw": {}, "learned-text": {"language": "en"}, "gumbel": {}}


@pytest.fixture(scope="module")
def marks(registry: stela.Registry) -> dict[str, stela.Watermark]:
    return {
        name: stela.create(name, model="tiny", key=7, registry=registry, **more)
        for name, more in MARKS.items()
    }


def scores_of(seed: int) -> np.ndarray:
    return np.random.default_rng(seed).normal(0, 3, WIDTH).astype(np.single)


def candidates_of(seed: int) -> Any:
    """As llama-cpp-python hands scores over: a field of its candidates."""
    candidates = np.recarray((WIDTH,), dtype=[("id", np.intc), ("logit", np.single), ("p", np.single)])
    candidates.logit[:] = scores_of(seed)
    return candidates


@pytest.mark.parametrize("name", ["kgw", "learned-text", pytest.param("gumbel", marks=pytest.mark.slow)])
@examples(5)
@given(data=st.data())
def test_each_step_is_that_of_the_stateless_marker(
    marks: dict[str, stela.Watermark], name: str, data: st.DataObject
) -> None:
    ids = st.integers(0, WIDTH - 1)
    marker, processor = marks[name].marker(), Processor(marks[name], record=True, final=True)
    for _ in range(2):
        prompt = data.draw(st.lists(ids, min_size=1, max_size=4))
        text: list[int] = []
        weights: list[float | None] = []
        for number in range(data.draw(st.integers(1, 8))):
            scores = candidates_of(number).logit
            before = scores.copy()
            out = processor(np.array([*prompt, *text], dtype=np.intc), scores)
            assert out.dtype == np.single
            assert (out == marker([text], scores[None])[0]).all()
            assert (scores == before).all()
            assert processor.weights == weights
            weights += marker.step([text], scores[None]).weights
            text.append(data.draw(ids))
            if text[-1] >= marks[name].profile.vocab_size:
                weights[-1] = None  # no id of the profile's, so nothing was added to it
        processor.reset()


def test_other_ids_are_refused(marks: dict[str, stela.Watermark]) -> None:
    """Another prompt, a step twice, drafts, a step back: none of them goes on unseen."""
    for then in ([5, 6, 7], [5, 6], [5, 9, 10], [5, 6, 9, 9], [5]):
        processor = Processor(marks["kgw"])
        processor(np.array([5, 6], dtype=np.intc), scores_of(0))
        if then == [5, 6, 7]:
            processor(np.array(then, dtype=np.intc), scores_of(0))
            continue
        with pytest.raises(stela.StelaError, match=r"do not continue the last step's 2 by one"):
            processor(np.array(then, dtype=np.intc), scores_of(0))
        with pytest.raises(stela.StelaError, match="do not continue"):  # as llama-cpp-python swallowed it
            processor.require_marked()
        processor.reset()
        processor(np.array(then, dtype=np.intc), scores_of(0))
        processor.require_marked()


def test_a_draft_model_is_refused(marks: dict[str, stela.Watermark]) -> None:
    with pytest.raises(stela.StelaError, match="no drafted tokens"):
        Processor(marks["kgw"], SimpleNamespace(draft_model=object()))


def test_a_mark_that_chooses_wants_final_scores(marks: dict[str, stela.Watermark]) -> None:
    with pytest.raises(stela.StelaError, match="final=True"):
        Processor(marks["gumbel"])


def test_another_vocabulary_is_refused(marks: dict[str, stela.Watermark]) -> None:
    mark = marks["kgw"]
    tokens = mark.tokens

    def llama(count: int, other: int | None = None) -> Any:
        def detokenize(ids: list[int]) -> bytes:
            [index] = ids
            return b"?" if index == other else tokens[index]

        return SimpleNamespace(detokenize=detokenize, n_vocab=lambda: count)

    Processor(mark, llama(len(tokens)))
    Processor(mark, llama(WIDTH, other=len(tokens)))
    Processor(mark, llama(len(tokens), other=0))  # an end token has no bytes
    with pytest.raises(stela.StelaError, match=r"wrong model: its token 300 is b'\?'"):
        Processor(mark, llama(len(tokens), other=300))
    with pytest.raises(stela.StelaError, match="it has 8000 tokens"):
        require_same_pieces(mark, lambda index: tokens[index], 8000)


def test_each_text_bears_the_message(registry: stela.Registry, marks: dict[str, stela.Watermark]) -> None:
    mark = stela.create("kgw", model="tiny", key=7, bits=8, registry=registry)
    marker, processor = mark.marker(message=0x5A), Processor(mark, message="5a")
    for _ in range(2):
        for end in range(1, 5):
            ids, scores = [9, 10, 11, 12, 13][:end], scores_of(end)
            out = processor(np.array(ids, dtype=np.intc), scores)
            assert (out == marker([ids[1:]], scores[None])[0]).all()
        processor.reset()
    assert (out != mark.marker(message=0x5B)([ids[1:]], scores[None])[0]).any()
    for made, message, said in (
        (mark, None, "carry a message of 8 bits, and there is none"),
        (mark, "100", "not one of 8 bits"),
        (marks["kgw"], "5a", "carry no message"),
    ):
        with pytest.raises(stela.StelaError, match=said):
            Processor(made, message=message)


@pytest.mark.parametrize("second", ["kgw", "gumbel"])
def test_a_text_is_marked_once(marks: dict[str, stela.Watermark], second: str) -> None:
    """Two processors of a call, as llama-cpp-python calls them; two texts of one prompt are not refused."""
    one, two = Processor(marks["kgw"]), Processor(marks[second], final=True)
    ids = np.array([5, 6], dtype=np.intc)
    for number in range(3):  # next to each other, each with scores of its own
        one(ids, scores_of(number))
        two(ids, scores_of(number))
        ids = np.append(ids, np.intc(9))
    for processor in (one, two):
        processor.reset()
    ids = np.array([5], dtype=np.intc)
    two(ids, one(ids, candidates_of(0).logit))  # nothing is marked yet: the context is too short
    ids = np.append(ids, np.intc(9))
    with pytest.raises(stela.StelaError, match="marked twice: another processor"):
        two(ids, one(ids, candidates_of(1).logit))
    ids = np.append(ids, np.intc(9))
    with pytest.raises(stela.StelaError, match="do not continue"):
        two(ids, scores_of(2))
    with pytest.raises(stela.StelaError, match="marked twice"):  # what was refused first
        two.require_marked()
    one.require_marked()
