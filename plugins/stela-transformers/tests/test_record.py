"""The record of weights against a dictionary of all prefixes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from stela_transformers.record import WeightRecord


def node_of(record: WeightRecord, prompt: list[int], row: list[int]) -> int:
    node = record.root(prompt)
    for token in row:
        node = record.child(node, token)
    return node


@given(st.data())
def test_any_order_of_rows_as_in_beam_search(data: st.DataObject) -> None:
    prompts = data.draw(st.lists(st.lists(st.integers(0, 2), max_size=2), min_size=1, max_size=4))
    size = data.draw(st.integers(1, 5))  # tokens are 0 to 3
    record = WeightRecord(prompts, None if size == 5 else size)
    oracle: dict[tuple[tuple[int, ...], tuple[int, ...]], float] = {}

    def wanted(prompt: tuple[int, ...], row: list[int], count: int) -> list[float | None]:
        """Of the first tokens, and the next one; a token beyond the vocabulary has none."""
        return [
            None if t < len(row) and row[t] >= size else oracle[prompt, tuple(row[:t])] for t in range(count)
        ]

    rows: list[list[int]] = [[] for _ in prompts]
    nodes = [record.root(prompt) for prompt in prompts]
    count = 0.0
    for _ in range(data.draw(st.integers(1, 6))):
        keys = [(tuple(prompt), tuple(row)) for prompt, row in zip(prompts, rows, strict=True)]
        for key in keys:
            count += 1
            oracle.setdefault(key, count)  # a weight is a function of prompt and prefix
        assert nodes == [node_of(record, prompt, row) for prompt, row in zip(prompts, rows, strict=True)]
        record.add(nodes, [oracle[key] for key in keys])
        assert record.of_rows() == [wanted(prompt, list(row), len(row) + 1) for prompt, row in keys]
        # A row goes on from any row with its prompt, as beams do.
        places = [
            data.draw(st.sampled_from([place for place, p in enumerate(prompts) if p == prompt]))
            for prompt in prompts
        ]
        tokens = [data.draw(st.integers(0, 3)) for _ in prompts]
        nodes = [record.child(nodes[place], token) for place, token in zip(places, tokens, strict=True)]
        rows = [[*rows[place], token] for place, token in zip(places, tokens, strict=True)]
    for number, (prompt, row) in enumerate(zip(prompts, rows, strict=True)):
        assert record.of(row, number) == wanted(tuple(prompt), row, len(row))


def test_equal_texts_after_other_prompts_are_kept_apart() -> None:
    record = WeightRecord([[1], [2], [1]])
    nodes = [record.root(prompt) for prompt in ([1], [2], [1])]
    record.add(nodes, [0.1, 0.2, 0.1])
    record.add([record.child(node, 5) for node in nodes], [0.3, 0.4, 0.3])
    assert record.of_rows() == [[0.1, 0.3], [0.2, 0.4], [0.1, 0.3]]
    assert record.of([5, 6], 1) == [0.2, 0.4]


def test_memory_grows_with_the_tokens_alone() -> None:
    record = WeightRecord([[1]])
    node = record.root([1])
    for length in range(500):
        record.add([node], [float(length)])
        node = record.child(node, 7)
    assert len(record._weights) == 501
    assert record.of([7] * 500, 0) == [float(n) for n in range(500)]


def test_a_text_that_was_not_generated() -> None:
    record = WeightRecord([[1]])
    record.add([record.root([1])], [None])
    with pytest.raises(KeyError):
        record.of([3, 4], 0)
