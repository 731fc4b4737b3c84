"""The posterior against transformers' own, on models that the test makes and saves."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import torch
from stela_synthid.bayesian import read_detector
from stela_synthid.safetensors import read_tensors
from transformers import BayesianDetectorConfig, BayesianDetectorModel

import stela_core as stela


def model_of(depth: int, base_rate: float = 0.5) -> BayesianDetectorModel:
    """As if trained: the layers depend on one another."""
    torch.manual_seed(depth)
    model = BayesianDetectorModel(BayesianDetectorConfig(watermarking_depth=depth, base_rate=base_rate))
    with torch.no_grad():
        likelihood = model.likelihood_model_watermarked
        likelihood.beta.copy_(torch.randn(1, 1, depth) - 0.5)
        likelihood.delta.copy_(torch.randn(1, 1, depth, depth))
        model.prior.copy_(torch.tensor([base_rate]))
    return model


@pytest.mark.parametrize(("depth", "base_rate"), [(2, 0.5), (9, 0.1), (30, 0.5), (30, 0.0)])
def test_posterior_is_that_of_transformers(tmp_path: Path, depth: int, base_rate: float) -> None:
    model = model_of(depth, base_rate)
    model.save_pretrained(tmp_path)
    ours = read_detector(tmp_path)
    assert ours.depth == depth
    rng = np.random.default_rng(depth)
    between = 0
    for tokens in (2, 3, 12, 200):  # of one token theirs mixes the texts of a batch up
        bits = rng.integers(0, 2, (2, tokens, depth)).astype(np.uint8)
        mask = rng.random((2, tokens)) < 0.8
        with torch.no_grad():
            (expected,) = model(torch.from_numpy(bits).long(), torch.from_numpy(mask).long())
        for row in range(2):
            posterior = ours.posterior(bits[row], mask[row])
            assert posterior == pytest.approx(float(expected[row]), abs=1e-6)
            between += 0.001 < posterior < 0.999
    assert between or base_rate == 0.0


def test_tensors_are_those_that_were_saved(tmp_path: Path) -> None:
    model = model_of(3)
    for dtype in (torch.float32, torch.float64, torch.float16):
        model.to(dtype).save_pretrained(tmp_path)
        tensors = read_tensors(tmp_path / "model.safetensors")
        assert tensors.keys() == model.state_dict().keys()
        for name, tensor in model.state_dict().items():
            assert (tensors[name] == tensor.double().numpy()).all()


@pytest.mark.parametrize(
    ("file", "content", "says"),
    [
        ("config.json", None, "does not exist"),
        ("config.json", b"[]", "watermarking_depth"),
        ("config.json", b'{"watermarking_depth": true}', "watermarking_depth"),
        ("config.json", b'{"watermarking_depth": 4}', "no tensor"),
        ("config.json", b"{", "JSON"),
        ("model.safetensors", None, "does not exist"),
        ("model.safetensors", b"abc", "not a safetensors file"),
        ("model.safetensors", (2**63).to_bytes(8, "little"), "not a safetensors file"),
        ("model.safetensors", (2).to_bytes(8, "little") + b"[]", "not a safetensors file"),
        ("model.safetensors", (2).to_bytes(8, "little") + b"{}", "no tensor"),
        ("model.safetensors", b'\x0d\0\0\0\0\0\0\0{"prior": {}}', "corrupt"),
        ("model.safetensors", b'\x0c\0\0\0\0\0\0\0{"prior": 3}', "corrupt"),
        ("model.safetensors", b"\0" * (2 << 20), "larger than"),
    ],
)
def test_what_is_no_detector_is_refused_in_one_line(
    tmp_path: Path, file: str, content: bytes | None, says: str
) -> None:
    model_of(3).save_pretrained(tmp_path)
    if content is None:
        (tmp_path / file).unlink()
    else:
        (tmp_path / file).write_bytes(content)
    with pytest.raises(stela.StelaError, match=says) as caught:
        read_detector(tmp_path)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("offsets", [[0, 8], [4, 0], [-4, 0], [0, 2], [0], "ab", None])
def test_offsets_outside_of_the_file_are_refused(tmp_path: Path, offsets: object) -> None:
    header = json.dumps({"prior": {"dtype": "F32", "shape": [1], "data_offsets": offsets}}).encode()
    file = tmp_path / "model.safetensors"
    file.write_bytes(len(header).to_bytes(8, "little") + header + b"\0" * 4)
    with pytest.raises(stela.StelaError, match="corrupt"):
        read_tensors(file)
