"""The processor as mlx-lm calls it, on a stand-in for its arrays."""

from __future__ import annotations

import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest
from stela_mlx import Processor
from stela_models.tokenizer import load_tokenizer

import stela_core as stela

WIDTH = 8200


class Array:
    """As ``mx.array``, as far as it is used: numpy takes it as it is."""

    def __init__(self, values: Any) -> None:
        self.values = np.asarray(values)

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        return np.array(self.values, dtype=dtype)

    def astype(self, dtype: Any) -> Array:
        return Array(self.values.astype(dtype))


@pytest.fixture(autouse=True)
def mlx(monkeypatch: pytest.MonkeyPatch) -> None:
    core = ModuleType("mlx.core")
    vars(core).update(array=Array, float32=np.float32)
    monkeypatch.setitem(sys.modules, "mlx", ModuleType("mlx"))
    monkeypatch.setattr(sys.modules["mlx"], "core", core, raising=False)
    monkeypatch.setitem(sys.modules, "mlx.core", core)


@pytest.fixture(scope="module")
def mark(registry: stela.Registry) -> stela.Watermark:
    return stela.create("kgw", model="tiny", key=7, registry=registry)


def test_each_step_is_that_of_the_stateless_marker(mark: stela.Watermark) -> None:
    processor, marker, rng = Processor(mark, record=True), mark.marker(), np.random.default_rng(0)
    for prompt in ([5, 6], [300]):
        text: list[int] = []
        for _ in range(6):
            logits = rng.normal(0, 3, (1, WIDTH)).astype(np.float16)
            out = processor(Array([*prompt, *text]), Array(logits))
            assert isinstance(out, Array)
            assert (out.values == marker([text], logits.astype(np.float32))).all()
            text.append(int(rng.integers(2, 8000)))
        assert processor.weights == [None, 1.0, 1.0, 1.0, 1.0]
        processor.reset()


def test_what_is_refused(mark: stela.Watermark, registry: stela.Registry) -> None:
    processor, logits = Processor(mark), Array(np.zeros((1, WIDTH), dtype=np.float32))
    processor(Array([5, 6]), logits)
    with pytest.raises(stela.StelaError, match="do not continue"):
        processor(Array([5, 6, 7, 8]), logits)
    wrapped = SimpleNamespace(_tokenizer=load_tokenizer(registry, "tiny"))
    Processor(mark, wrapped)
    with pytest.raises(stela.StelaError, match="wrong tokenizer"):
        Processor(mark, SimpleNamespace(_tokenizer=load_tokenizer(registry, "tiny-small")))
    gumbel = stela.create("gumbel", model="tiny", key=7, registry=registry)
    with pytest.raises(stela.StelaError, match="final=True"):
        Processor(gumbel)
    Processor(gumbel, final=True)


def test_each_text_bears_the_message(mark: stela.Watermark, registry: stela.Registry) -> None:
    carrying = stela.create("kgw", model="tiny", key=7, bits=8, registry=registry)
    processor, logits = Processor(carrying, message=0x5A), np.random.default_rng(0).normal(0, 3, (1, WIDTH))
    logits = logits.astype(np.float32)
    for _ in range(2):
        for end in range(1, 5):
            ids = [9, 10, 11, 12, 13][:end]
            out = processor(Array(ids), Array(logits))
            assert (out.values == carrying.marker(message="5a")([ids[1:]], logits)).all()
        processor.reset()
    assert (out.values != carrying.marker(message="5b")([ids[1:]], logits)).any()
    for made, message, said in ((carrying, None, "there is none"), (mark, "5a", "carry no message")):
        with pytest.raises(stela.StelaError, match=said):
            Processor(made, message=message)


def test_a_text_is_marked_once(mark: stela.Watermark) -> None:
    """Two processors of a call, as mlx-lm calls them."""
    one, two = Processor(mark), Processor(mark)
    logits = Array(np.random.default_rng(0).normal(0, 3, (1, WIDTH)).astype(np.float32))
    for processor in (one, two):
        processor(Array([5]), logits)
        processor(Array([5, 9]), logits)
    with pytest.raises(stela.StelaError, match="marked twice: another processor"):
        two(Array([5, 9, 9]), one(Array([5, 9, 9]), logits))
