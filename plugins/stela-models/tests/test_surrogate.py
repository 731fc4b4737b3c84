"""A model with a tokenizer of its own, in place of the one that wrote: what it says of each token."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import example, given
from hypothesis import strategies as st
from stela_models.logits import ModelLogits
from stela_models.own_token import TokenStarts, with_own_column
from stela_models.surrogate import SurrogateLogits
from stela_testing.texts import text_of

import stela_core as stela
from stela_core.interfaces.logits import Surrogate
from stela_core.text.token_bytes import TokenBytes
from stela_core.text.tokenizer import backend_of
from tests.tiers import examples

Rows = list[np.ndarray]


@cache
def writer() -> tuple[Any, TokenBytes]:
    """The tokenizer that cut the texts, and its tokens' bytes."""
    tokenizer = backend_of(stela.load_model("tiny").tokenizer)
    return tokenizer, TokenBytes.of(tokenizer)


@cache
def surrogate() -> Surrogate:
    return Surrogate(*stela.load_model("tiny-small"))


def told(texts: Sequence[Sequence[int]], at: Sequence[Sequence[int]], **limits: int) -> list[Any]:
    """Log-probabilities (n, 2 vocabulary) before some tokens of each text."""
    logits = SurrogateLogits(surrogate(), writer()[1], **limits)
    texts_ = [np.array(ids, dtype=np.int64) for ids in texts]
    positions = [np.array(one, dtype=np.intp) for one in at]
    rows: list[list[Any]] = [[None] * len(one) for one in at]
    for chunk in logits.chunks(texts_, positions, logits.prefixes(None, len(texts))):
        assert rows[chunk.text][chunk.start : chunk.stop] == [None] * (chunk.stop - chunk.start)
        rows[chunk.text][chunk.start : chunk.stop] = list(chunk.logits)
    return [torch.stack(one) for one in rows]


def by_itself(ids: Sequence[int]) -> Any:
    """The definition: the text before a token is cut and read alone."""
    model, tokenizer = surrogate()
    backend, tokens = backend_of(tokenizer), TokenBytes.of(backend_of(tokenizer))
    size = len(tokens)
    cut = backend.encode(text_of(ids, writer()[1]), add_special_tokens=False).ids
    first = [] if tokenizer.bos_token_id is None else [tokenizer.bos_token_id]
    wide = torch.full((2 * size,), -torch.inf)
    if not first + cut:
        return torch.zeros_like(wide)
    with torch.no_grad():
        logits = model(torch.tensor([first + cut])).logits[0, :, :size].float()
    wide[:size] = logits[-1].log_softmax(-1)
    if len(first + cut) < 2 or not cut:
        return wide
    chances = logits[-2].softmax(-1).double()
    begun = tokens[cut[-1]]
    texts = [tokens.is_text(index) for index in range(size)]
    same = [index for index in range(size) if texts[index] and tokens[index] == begun]
    longer = [i for i in range(size) if texts[i] and tokens[i].startswith(begun) and tokens[i] != begun]
    if same and longer:
        stays, goes_on = chances[same].sum(), chances[longer].sum()
        wide[:size] += (stays / (stays + goes_on)).log()
        wide[[size + index for index in longer]] = (chances[longer] / (stays + goes_on)).log().float()
    return wide


ENGLISH = "It was unbelievably cold when the hovercraft's crew re-encountered 4,096 eels. 강이 흐른다 河水"
WHOLE = tuple(backend_of(stela.load_model("tiny").tokenizer).encode(ENGLISH, add_special_tokens=False).ids)


@examples(15)
@given(st.lists(st.integers(0, len(writer()[1]) - 1), min_size=2, max_size=12))
@example(list(WHOLE))
@example([*WHOLE[:9], *WHOLE[12:]])
def test_each_token_is_expected_as_if_the_text_ended_before_it(ids: list[int]) -> None:
    at = range(1, len(ids))
    [rows] = told([ids], [at])
    for row, end in zip(rows, at, strict=True):
        torch.testing.assert_close(row, by_itself(ids[:end]), rtol=0, atol=2e-3)
        if text_of(ids[:end], writer()[1]):
            assert float(row.double().exp().sum()) == pytest.approx(1, rel=1e-4)


def test_some_beginnings_are_cut_in_another_way() -> None:
    """The example above has them: the property is not about whole rows alone."""
    logits = SurrogateLogits(surrogate(), writer()[1])
    assert len(logits._rows(0, list(WHOLE), list(range(1, len(WHOLE))))) > 1


@given(st.integers(2, len(WHOLE) - 1), st.lists(st.integers(0, len(writer()[1]) - 1), min_size=1, max_size=5))
@examples(10)
def test_what_comes_later_changes_nothing(end: int, others: list[int]) -> None:
    at = range(1, end + 1)
    (one,), (other,) = told([WHOLE], [at]), told([[*WHOLE[:end], *others]], [at])
    torch.testing.assert_close(one, other, rtol=0, atol=2e-3)


def test_texts_of_a_batch_and_pieces_of_a_long_one_are_what_each_is_alone() -> None:
    texts = [WHOLE, WHOLE[5:25], WHOLE[10:14]]
    at = [range(1, len(WHOLE)), range(3, 20, 2), [1]]
    together = told(texts, at)
    for text, places, rows in zip(texts, at, together, strict=True):
        torch.testing.assert_close(rows, told([text], [places])[0], rtol=0, atol=2e-3)
    size = len(TokenBytes.of(backend_of(surrogate().tokenizer)))
    for pieces in (1, 7):
        again = told(texts, at, batch=1, cells=pieces * size)
        for rows, parts in zip(together, again, strict=True):
            torch.testing.assert_close(rows, parts, rtol=0, atol=2e-3)


@given(
    st.lists(st.binary(min_size=1, max_size=3), min_size=1, max_size=40), st.binary(min_size=1, max_size=2)
)
def test_tokens_that_begin_with_some_bytes(table: list[bytes], beginning: bytes) -> None:
    special = frozenset({0})
    same, longer = TokenStarts(TokenBytes(table, special)).with_bytes(beginning)
    ordinary = [index for index in range(len(table)) if index not in special]
    assert sorted(same.tolist()) == [index for index in ordinary if table[index] == beginning]
    begun = [index for index in ordinary if table[index].startswith(beginning) and table[index] != beginning]
    assert sorted(longer.tolist()) == begun


def own_chances(ids: Sequence[int], at: Sequence[int], **limits: int) -> tuple[np.ndarray, Any]:
    """What a surrogate says of the tokens at some positions themselves, and of all else."""
    logits = SurrogateLogits(surrogate(), writer()[1], own=True, **limits)
    rows: list[Any] = [None] * len(at)
    texts = [np.array(ids, dtype=np.int64)]
    for chunk in logits.chunks(texts, [np.array(at, dtype=np.intp)], logits.prefixes(None, 1)):
        told_apart, columns = with_own_column(chunk.logits, chunk.own)
        assert columns.tolist() == [told_apart.shape[-1] - 1] * len(columns)
        rows[chunk.start : chunk.stop] = list(told_apart)
    told_apart = torch.stack(rows)
    return told_apart[:, -1].double().exp().numpy(), told_apart


def own_by_itself(ids: Sequence[int], token: int) -> float:
    """The definition: entries whose bytes are the token's, or longer with it cut off first; and its parts."""
    _, written = writer()
    backend = backend_of(surrogate().tokenizer)
    read = TokenBytes.of(backend)
    size = len(read)
    wide = by_itself(ids).double().exp()
    first = [] if surrogate().tokenizer.bos_token_id is None else [surrogate().tokenizer.bos_token_id]
    cut, after = (
        backend.encode(text_of(some, written), add_special_tokens=False).ids for some in (ids, [*ids, token])
    )
    known = {written[index] for index in range(len(written)) if written.is_text(index)}
    data = written[token]

    def is_it(more: bytes) -> bool:
        return more.startswith(data) and not any(
            more[:end] in known for end in range(len(data) + 1, len(more) + 1)
        )

    begun = read[cut[-1]] if cut else b""
    ends = [read[n] if read.is_text(n) else b"" for n in range(size)]
    ends += [e[len(begun) :] if begun and e.startswith(begun) else b"" for e in ends]
    taken = sum(float(wide[n]) for n, more in enumerate(ends) if more and is_it(more))
    if not any(map(is_it, ends[:size])):
        taken += sum(float(wide[n]) for n, more in enumerate(ends[:size]) if more.startswith(data) and more)
    if after[: len(cut)] == cut and len(after) > len(cut) + 1 and data.startswith(read[after[len(cut)]]):
        chance = float(wide[after[len(cut)]])
        with torch.no_grad():
            rows = surrogate().model(torch.tensor([first + after])).logits[0, :, :size].softmax(-1)
        for place in range(len(cut) + 1, len(after)):
            chance *= float(rows[len(first) + place - 1, after[place]])
        taken += chance
    return taken


@examples(8)
@given(st.lists(st.integers(300, len(writer()[1]) - 1), min_size=2, max_size=8))
@example(list(WHOLE))
def test_the_token_itself_is_what_its_bytes_take(ids: list[int]) -> None:
    at = range(1, len(ids))
    chances, rows = own_chances(ids, at)
    expected = [own_by_itself(ids[:end], ids[end]) for end in at]
    assert chances == pytest.approx(expected, rel=5e-3, abs=1e-6)
    for row, end in zip(rows, at, strict=True):
        if text_of(ids[:end], writer()[1]):
            assert float(row.double().exp().sum()) == pytest.approx(1, rel=1e-4), "nothing is lost"


def test_the_token_itself_does_not_depend_on_what_comes_later_nor_on_pieces() -> None:
    at = range(1, len(WHOLE))
    whole, _ = own_chances(WHOLE, at)
    size = len(TokenBytes.of(backend_of(surrogate().tokenizer)))
    for end in (4, len(WHOLE) // 2):
        cut, _ = own_chances(WHOLE[: end + 1], range(1, end + 1))
        assert cut == pytest.approx(whole[:end], rel=1e-3, abs=1e-6)
    pieces, _ = own_chances(WHOLE, at, batch=1, cells=3 * size)
    assert pieces == pytest.approx(whole, rel=1e-3, abs=1e-6)


def test_some_tokens_are_several_of_the_surrogate_s() -> None:
    """The example has them: the parts above are not empty."""
    logits = SurrogateLogits(surrogate(), writer()[1], own=True)
    assert any(row.ends for row in logits._rows(0, list(WHOLE), list(range(1, len(WHOLE)))))


def test_the_writer_as_its_own_surrogate_says_what_it_says() -> None:
    """Where both cut alike, the token's chance is the model's own."""
    model = stela.load_model("tiny")
    text = "The history of the city begins with a small harbour on the river, and the people who lived there."
    ids = backend_of(model.tokenizer).encode(text, add_special_tokens=False).ids
    at = np.arange(1, len(ids))
    surrogates = SurrogateLogits(Surrogate(*model), writer()[1], own=True)
    own = ModelLogits(*model)
    rows = [np.array(ids, dtype=np.int64)]
    said, known = np.zeros(len(at)), np.zeros(len(at))
    for chunk in surrogates.chunks(rows, [at], surrogates.prefixes(None, 1)):
        said[chunk.start : chunk.stop] = with_own_column(chunk.logits, chunk.own)[0][:, -1].numpy()
    for chunk in own.chunks(rows, [at], own.prefixes(None, 1)):
        logs = chunk.logits.log_softmax(-1).numpy()
        known[chunk.start : chunk.stop] = logs[np.arange(chunk.stop - chunk.start), ids[1:]]
    assert np.median(np.abs(said - known)) < 0.1
    assert np.corrcoef(said, known)[0, 1] > 0.95
