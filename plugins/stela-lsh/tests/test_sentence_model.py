"""Seeds by a sentence-embedding model: a small one of the class, saved by the test."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from stela_lsh.hasher import PURPOSE, LshHasher, LshParameters
from stela_models.known_sentence_models import known_sentence_model, remember_sentence_model
from stela_models.sentence_model import load_sentence_model
from stela_models.testing import save_encoder
from stela_testing import run_cli
from tokenizers import Tokenizer
from transformers import BertModel, PreTrainedTokenizerFast

import stela_core as stela
from stela_core.api import TokenBytes


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory, tokenizer: Tokenizer) -> str:
    return save_encoder(tmp_path_factory.mktemp("encoder"), tokenizer, 0)


def test_a_vector_is_the_mean_state_of_length_127(encoder: str) -> None:
    model = load_sentence_model(encoder)
    first, second, again = model.vectors(["a small house", "the sea", "a small house"])
    assert (first == again).all()
    assert (first != second).any()
    assert np.linalg.norm(first) == pytest.approx(127, abs=3)
    network = BertModel.from_pretrained(encoder).eval()
    pieces = PreTrainedTokenizerFast.from_pretrained(encoder)("the sea", return_tensors="pt")
    with torch.inference_mode():
        mean = network(**pieces).last_hidden_state[0].mean(dim=0)
    assert second == pytest.approx((127 * mean / mean.norm()).numpy(), abs=0.51)


def test_seeds_are_of_the_text(encoder: str, tokens: TokenBytes) -> None:
    """Of the decoded context: other ids of one text share a seed."""
    known = remember_sentence_model(encoder, PURPOSE)
    hasher = LshHasher(LshParameters.model_validate({"model": known, "context_width": 2, "bits": 16}), 5)
    with pytest.raises(stela.StelaError, match="no vocabulary"):
        hasher.seeds(np.array([[1, 2]]))
    hasher.bind(tokens)
    by_text = {tokens[index]: index for index in range(len(tokens))}
    whole = [
        [by_text[b"th"], by_text[b"e"]],
        [by_text[b"t"], by_text[b"he"]],
        [by_text[b" a"], by_text[b" b"]],
    ]
    one, same, other = hasher.seeds(np.array(whole)).tolist()
    assert one == same != other


@pytest.mark.slow
def test_a_mark_by_a_sentence_model_is_found(encoder: str, tokens: TokenBytes, tmp_path: Path) -> None:
    known = remember_sentence_model(encoder, PURPOSE)
    mark = stela.create("lsh", "tiny", key=7, delta=3.0, context_width=6, parameters={"model": known})
    mark.save(tmp_path / "p.stela", key_file=tmp_path / "k")
    marker, ids = mark.marker(), [[100, 200, 300, 400, 500, 600]]
    generator = torch.Generator().manual_seed(0)
    for _ in range(60):
        scores = marker(ids, torch.zeros(1, len(tokens)))
        ids[0].append(int(torch.multinomial(scores.softmax(-1), 1, generator=generator)))
    again = stela.load(tmp_path / "p.stela", key=7)
    assert again.detect_ids(ids)[0].p_value < 1e-6


def test_a_model_is_known_by_its_hash_alone(
    encoder: str, tokenizer: Tokenizer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STELA_STATE", str(tmp_path / "state"))
    monkeypatch.chdir(encoder)
    done = run_cli("lsh", "model", ".")
    assert done.status == 0
    monkeypatch.chdir(tmp_path)
    known = done.out.split("model=")[1].strip()
    known_sentence_model.cache_clear()
    assert (
        known_sentence_model(known, PURPOSE, "stela lsh model").fingerprint
        == known
        == load_sentence_model(encoder).fingerprint
    )
    other = save_encoder(tmp_path / "other", tokenizer, 1)
    (tmp_path / "state" / "sentence-models" / known).write_text(other)
    known_sentence_model.cache_clear()
    with pytest.raises(stela.StelaError, match="no longer"):
        known_sentence_model(known, PURPOSE, "stela lsh model")
    with pytest.raises(stela.StelaError, match="does not exist"):
        known_sentence_model("0" * 64, PURPOSE, "stela lsh model")


@pytest.mark.parametrize("name", ["no/such-model", "/etc", "../models", "0" * 63])
def test_a_profile_names_no_model(name: str) -> None:
    with pytest.raises(stela.StelaError, match="model: string should match"):
        stela.create("lsh", "tiny", key="public", parameters={"model": name})


def test_a_folder_without_a_model_gets_one_line(tmp_path: Path) -> None:
    with pytest.raises(stela.StelaError, match="cannot be loaded"):
        load_sentence_model(str(tmp_path))
