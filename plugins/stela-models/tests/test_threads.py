"""A small model runs on one thread, and what the user has set is as before afterwards."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
from stela_models.generation.generate import Sampling, generate
from stela_models.load import load_model
from stela_models.threads import threads_for, threads_for_steps
from stela_models.tokenizer import load_tokenizer

import stela_core as stela
from stela_core.profile.create import Settings


@pytest.fixture
def three_threads() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(3)
    yield
    torch.set_num_threads(before)


@pytest.mark.parametrize(
    ("parameters", "rows", "threads"),
    [
        (1_300_000, 1, 1),
        (6_100_000, 1, 1),
        (6_100_000, 128, 1),
        (6_100_000, 1024, 8),
        (124_000_000, 1, 8),
        (7_000_000_000, 1, 8),
    ],
)
def test_threads_that_a_step_can_use(parameters: int, rows: int, threads: int) -> None:
    assert threads_for(parameters, rows, 8) == threads


def test_generation_with_a_small_model_takes_one(
    registry: stela.Registry, tmp_path: Path, three_threads: None
) -> None:
    created = Settings("kgw").create(registry, load_tokenizer(registry, "tiny-small"), 7, public=True)
    created.archive.write(tmp_path / "p.stela")
    watermark = stela.load(tmp_path / "p.stela", registry=registry)
    language_model = load_model(registry, "tiny-small", "cpu")
    seen: list[int] = []
    language_model.model.register_forward_pre_hook(lambda *_: seen.append(torch.get_num_threads()))
    sampling = Sampling(max_new_tokens=3, min_new_tokens=3)
    batches = generate(watermark, language_model, ["one", "two"], sampling, batch_size=1)
    for number, _ in enumerate(batches, 1):
        assert seen == [1] * 3 * number
        assert torch.get_num_threads() == 3, "whoever takes the texts has its threads"


def test_threads_are_as_before_after_an_error(registry: stela.Registry, three_threads: None) -> None:
    model = load_model(registry, "tiny-small", "cpu").model
    with pytest.raises(RuntimeError, match="3 against 1"), threads_for_steps(model, 1):
        raise RuntimeError(f"3 against {torch.get_num_threads()}")
    assert torch.get_num_threads() == 3
    with threads_for_steps(model, 100_000):
        assert torch.get_num_threads() == 3
