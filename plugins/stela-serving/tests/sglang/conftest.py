"""Marks over the embedded model's tokenizer, and what each row ought to become."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
import torch
from stela_sglang.drawing import Drawing

import stela_core as stela

from .stand_in import SamplingParams

WIDTH = 8200
"""Of the logits: wider than the tokenizer."""
NAMES = ("gumbel", "kgw", "learned-text")


def logits_of(rows: int, seed: int) -> torch.Tensor:
    return torch.from_numpy(np.random.default_rng(seed).normal(0, 3, (rows, WIDTH)).astype(np.float32))


@pytest.fixture(scope="session")
def marks(registry: stela.Registry) -> dict[str, stela.Watermark]:
    def create(name: str) -> stela.Watermark:
        language = {"language": "en"} if name == "learned-text" else {}
        return stela.create(name, model="tiny", key="public", registry=registry, **language)

    return {name: create(name) for name in NAMES}


@pytest.fixture(scope="session")
def folder(marks: dict[str, stela.Watermark], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of their profiles."""
    own = tmp_path_factory.mktemp("profiles")
    for name, mark in marks.items():
        mark.save(own / f"{name}.stela")
    return own


@pytest.fixture(scope="session")
def carrying(registry: stela.Registry, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of one profile, ``bits.stela``, whose marks carry a message of 8 bits."""
    own = tmp_path_factory.mktemp("carrying")
    stela.create("kgw", model="tiny", key="public", bits=8, registry=registry).save(own / "bits.stela")
    return own


def wanted(
    mark: stela.Watermark, params: SamplingParams, ids: Sequence[int], row: torch.Tensor
) -> torch.Tensor:
    """A row by the stateless marker."""
    marker, logits = mark.marker(), row[None]
    if not marker.samples:
        return marker([list(ids)], logits)[0].clone()
    step = marker.step([list(ids)], logits)
    if step.weights == [None]:
        return row
    return marker.apply(step, Drawing.of(params).final(logits))[0].clone()
