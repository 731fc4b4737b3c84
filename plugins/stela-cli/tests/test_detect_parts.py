"""Parts of texts: all of them, in order, and small ones where workers would wait for the last."""

from __future__ import annotations

import pytest
from stela_cli.detect_jobs import AT_THE_END, SHARED, parts_of
from stela_cli.documents.reader import Text


def batches_of(count: int, size: int) -> list[list[Text]]:
    texts = [Text(f"t:{number}", f"text {number}") for number in range(count)]
    return [texts[start : start + size] for start in range(0, count, size)]


@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize(("count", "most"), [(1, 256), (256, 256), (700, 256), (700, 50), (0, 8)])
def test_every_text_once_with_its_prompt(count: int, most: int, shared: bool) -> None:
    prompts = [f"prompt {number}" for number in range(count)]
    parts = list(parts_of(batches_of(count, 256), prompts, most, shared))
    assert [text for part in parts for text in part.texts] == [f"text {n}" for n in range(count)]
    assert [source for part in parts for source in part.sources] == [f"t:{n}" for n in range(count)]
    assert [prompt for part in parts for prompt in part.prompts or ()] == prompts
    assert all(len(part.texts) <= most for part in parts)
    assert all(part.prompts is None for part in parts_of(batches_of(count, 256), None, most, shared))


def test_workers_get_less_at_a_time_and_little_at_the_end() -> None:
    sizes = [len(part.texts) for part in parts_of(batches_of(700, 256), None, 256, True)]
    large, small = AT_THE_END
    assert sizes == [256, SHARED, SHARED, large, large, small, 28]
    assert [len(part.texts) for part in parts_of(batches_of(700, 256), None, 256, False)] == [256, 256, 188]
