"""Steps of detection: each file once, when all its texts are tested."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from stela_cli.detect_steps import Steps
from stela_cli.documents.reader import Text
from stela_cli.documents.sources import Readers, sources_of

from stela_core.registry.components import default_registry


def steps_of(folder: Path, texts: list[int]) -> Steps:
    """Of files with so many lines of JSON."""
    for number, count in enumerate(texts):
        (folder / f"{number:03}.jsonl").write_text('{"text": "one"}\n' * count, encoding="utf-8")
    return Steps(sources_of([str(folder)], None, lambda note: None, Readers(default_registry())))


@given(texts=st.lists(st.integers(1, 5), min_size=2, max_size=8), at_once=st.integers(1, 7))
def test_each_file_once_when_its_last_text_is_tested(
    tmp_path_factory: pytest.TempPathFactory, texts: list[int], at_once: int
) -> None:
    folder = tmp_path_factory.mktemp("files")
    steps = steps_of(folder, texts)
    assert steps.total(None) == len(texts)
    ends = [sum(texts[: number + 1]) for number in range(len(texts))]
    read = list(steps.read("text", lambda note: None, Readers(default_registry())))
    assert [isinstance(item, Text) for item in read] == [True] * sum(texts)
    files = tested = 0
    while tested < sum(texts):
        part = min(at_once, sum(texts) - tested)
        tested += part
        files += steps.done(part)
        assert files == sum(end <= tested for end in ends)
    assert files == len(texts)


def test_a_file_being_read_is_not_done(tmp_path: Path) -> None:
    steps = steps_of(tmp_path, [2, 1])
    reading = steps.read("text", lambda note: None, Readers(default_registry()))
    next(reading)
    assert steps.done(1) == 0
    next(reading)
    assert steps.done(1) == 0  # more of it may come
    next(reading)
    assert steps.done(1) == 1
    assert next(reading, None) is None
    assert steps.done(0) == 1


def test_steps_of_one_file_are_its_texts(tmp_path: Path) -> None:
    steps = steps_of(tmp_path, [3])
    assert steps.total(None) is None
    assert steps.total(["a", "b", "c"]) == 3
    assert steps.done(2) == 2
