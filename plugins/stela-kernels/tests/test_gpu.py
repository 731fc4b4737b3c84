"""Whether the fast path on a GPU is taken, without a GPU: what is asked for, and the hint."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from importlib.metadata import EntryPoint
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from stela_kernels import gpu


@pytest.fixture(autouse=True)
def anew(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setitem(sys.modules, "triton", SimpleNamespace(__spec__=object()))
    gpu._lent.cache_clear()
    yield
    gpu._lent.cache_clear()


def scores(device: str = "cuda", stride: int = 1) -> Any:
    return SimpleNamespace(device=torch.device(device), stride=lambda axis: stride)


def test_kernels_are_those_that_are_lent(monkeypatch: pytest.MonkeyPatch) -> None:
    lent = EntryPoint("gpu_kernels", "math", "stela.names")
    monkeypatch.setattr(gpu, "lent", lambda name: lent.load())
    assert gpu.gpu_kernels(scores()) is lent.load()
    monkeypatch.setattr(gpu, "lent", None)  # looked up once
    assert gpu.gpu_kernels(scores()) is lent.load()
    assert gpu.gpu_kernels(scores("cpu")) is None
    assert gpu.gpu_kernels(scores(stride=2)) is None


def test_without_triton_nothing_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "triton", None)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert gpu.gpu_kernels(scores()) is None


def test_it_is_announced() -> None:
    kernels = gpu.lent("gpu_kernels")
    assert all(callable(getattr(kernels, name)) for name in gpu.GpuKernels.__annotations__)
