"""Marks of each kind over the embedded model's tokenizer, and what each row ought to become."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from stela_models.tokenizer import load_tokenizer
from stela_serving.marks import MarkWish, ServerMarks
from stela_vllm.sampling import Sampling

import stela_core as stela

from .stand_in import SamplingParams, install

WIDTH = 8200
"""Of the logits: wider than the tokenizer."""
KEY = 7
Start = Callable[..., Any]
"""What :func:`start` gives."""
NAMES = ("kgw", "learned-text", "gumbel", "synthid")


def logits_of(rows: int, seed: int) -> torch.Tensor:
    return torch.from_numpy(np.random.default_rng(seed).normal(0, 3, (rows, WIDTH)).astype(np.float32))


class Made:
    """The marks, and the slow definition of what they do to a row."""

    def __init__(self, watermarks: dict[str, stela.Watermark]) -> None:
        self.watermarks = watermarks
        tokens = watermarks["kgw"].tokens
        cut = [i for i in range(2, len(tokens)) if tokens[i][:1] >= b"\x80"][:4]
        words = [i for i in range(2, len(tokens)) if tokens[i][:1] == b" "][:5]
        self.ids = [*cut, *words, 0]
        """What texts are made of: words, halves of characters, an end token."""

    def marks(self) -> ServerMarks:
        return ServerMarks(self.watermarks)

    def wish_of(self, params: SamplingParams) -> MarkWish | None:
        profile = (params.extra_args or {}).get("stela")
        return None if profile is None else MarkWish(profile, Sampling.of(params))

    def wanted(self, params: SamplingParams, ids: Sequence[int], row: torch.Tensor) -> torch.Tensor:
        """By the stateless marker; only the draws of a mark that reshapes are left to whoever compares."""
        wish = self.wish_of(params)
        if wish is None:
            return row
        marker, logits = self.watermarks[wish.profile].marker(), row[None]
        if not marker.samples:
            return marker([list(ids)], logits)[0].clone()
        step = marker.step([list(ids)], logits)
        if step.weights == [None]:
            return row
        final = wish.sampling.final(logits)
        return marker.apply(step, final)[0].clone()

    def require(
        self, got: torch.Tensor, params: SamplingParams, ids: Sequence[int], row: torch.Tensor
    ) -> None:
        """Bit for bit; of a mark that reshapes, one of the tokens that it leaves."""
        wanted = self.wanted(params, ids, row)
        if torch.equal(got, wanted):
            return
        assert (params.extra_args or {})["stela"] == "synthid"
        [chosen] = torch.isfinite(got).nonzero()
        assert torch.isfinite(wanted[chosen])


@pytest.fixture(scope="session")
def made(registry: stela.Registry) -> Made:
    def create(name: str) -> stela.Watermark:
        language = {"language": "en"} if name == "learned-text" else {}
        return stela.create(name, model="tiny", key=KEY, registry=registry, **language)

    return Made({name: create(name) for name in NAMES})


@pytest.fixture
def folder(made: Made, tmp_path: Path) -> Path:
    """A folder of profiles with their keys beside them."""
    for name in ("kgw", "gumbel"):
        made.watermarks[name].save(tmp_path / f"{name}.stela", key_file=tmp_path / f"{name}.txt")
    return tmp_path


@pytest.fixture
def start(folder: Path, registry: stela.Registry, monkeypatch: pytest.MonkeyPatch) -> Start:
    """The class, under an environment, for a model with a tokenizer: by default those of the profiles."""

    def begin(tokenizer: Any = None, slots: bool = True, **environment: str) -> Any:
        install(monkeypatch, tokenizer or load_tokenizer(registry, "tiny"), slots)
        monkeypatch.setenv("STELA_PROFILE", str(folder / "kgw.stela"))
        monkeypatch.setenv("STELA_KEY_FILE", str(folder))
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        return import_module("stela_vllm").Processor

    return begin
