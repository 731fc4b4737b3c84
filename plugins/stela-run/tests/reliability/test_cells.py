"""Texts of one length: where they are cut, and what is said of them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from stela_run.reliability.cells import cut_texts, read_documents, run_detector

import stela_core as stela

WORDS = "the old town by a river had two bridges and its market where people sold fish".split()  # noqa: SIM905


@pytest.fixture(scope="module")
def watermark() -> stela.Watermark:
    return stela.create("kgw", model="tiny", key=7)


@given(
    st.lists(st.lists(st.sampled_from(WORDS), max_size=40).map(" ".join), max_size=6),
    st.integers(1, 12),
    st.integers(0, 9),
    st.integers(1, 4),
)
def test_cuts(
    watermark: stela.Watermark, texts: list[str], tokens: int, most: int, per_document: int
) -> None:
    """Texts lie in their documents one behind the other, and are as many as the documents have room for."""
    documents = read_documents(texts, watermark.tokenizer)
    cut = cut_texts(documents, tokens, most, per_document)
    room = [min(per_document, len(document.ends) // tokens) for document in documents]
    assert len(cut.texts) == len(cut.documents) == min(most, sum(room))
    for number, text in enumerate(texts):
        own = [piece for piece, owner in zip(cut.texts, cut.documents, strict=True) if owner == number]
        places = [text.find(piece) for piece in own]
        assert all(place >= 0 for place in places)
        assert len(own) <= room[number]
    if most >= sum(room):
        assert np.bincount(cut.documents, minlength=len(texts)).tolist()[: len(texts)] == room
    elif len(cut.texts):
        counts = np.bincount(cut.documents, minlength=len(texts))
        open_ones = [int(count) for count, space in zip(counts, room, strict=True) if count < space]
        assert max(counts) - min(open_ones) <= 1, "every document's first text before any one's second"


def test_the_detector_s_own_numbers(watermark: stela.Watermark) -> None:
    documents = read_documents([" ".join(WORDS * 9), " ".join(WORDS[::-1] * 9)], watermark.tokenizer)
    cut = cut_texts(documents, 20, 6)
    steps: list[int] = []
    tested = run_detector(watermark, cut, steps.append)
    assert sum(steps) == len(cut.texts) == 6
    for number, text in enumerate(cut.texts):
        alone = watermark.detect(text)
        assert tested.p_values[number] == alone.p_value
        assert tested.watermarked[number] == (alone.verdict == "watermarked")
        assert tested.power[number] == alone.power
