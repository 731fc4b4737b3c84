"""Marks by a sentence-embedding model: a small one of the class, saved by the test."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from stela_models.load import load_model
from stela_models.testing import save_encoder
from stela_models.tokenizer import load_tokenizer
from stela_sentence.create import create_mark
from stela_sentence.draws import model_draws
from stela_sentence.embedders import open_embedder
from stela_sentence.mark import load_mark
from stela_sentence.writing import Draw, write
from tokenizers import Tokenizer

import stela_core as stela
from stela_core.api import trusted

KEY = 77


@pytest.fixture(scope="module")
def tokenizer(registry: stela.Registry) -> Tokenizer:
    return load_tokenizer(registry, "tiny")


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory, tokenizer: Tokenizer) -> str:
    return save_encoder(tmp_path_factory.mktemp("encoder"), tokenizer, 0)


@pytest.mark.slow
def test_a_mark_by_a_model_is_found_with_that_model_only(
    encoder: str, tokenizer: Tokenizer, prose: list[str], drawing: Callable[[int], Draw], tmp_path: Path
) -> None:
    path = tmp_path / "m.json"
    made = create_mark("k-semstamp", open_embedder(encoder), prose[:80], KEY, public=True, margin=0)
    path.write_bytes(made.to_bytes())
    assert encoder not in path.read_text()
    mark = load_mark(path, embedder=encoder)
    text = write(mark, "", drawing(0), 14).text
    assert trusted.add(made)
    mark = load_mark(path, embedder=encoder)
    assert mark.detect(text).watermarked
    assert not load_mark(path, KEY, embedder=encoder).detect(prose[100]).watermarked
    with pytest.raises(stela.StelaError, match="is by a sentence-embedding model"):
        load_mark(path)
    with pytest.raises(stela.StelaError, match="is not the model of this mark"):
        load_mark(path, embedder=save_encoder(tmp_path / "other", tokenizer, 1))


@pytest.mark.slow
def test_draws_of_a_language_model_do_not_turn_on_the_batch(registry: stela.Registry) -> None:
    model = load_model(registry, "tiny", device="cpu")
    draw = model_draws(model, "The river", most_tokens=40)
    together = draw("", 0, 4)
    assert together == [draw("", number, 1)[0] for number in range(4)]
    assert len(set(together)) == 4
    assert draw(" It runs.", 0, 1) != together[:1]
    assert model_draws(model, "The river", 1, most_tokens=40)("", 0, 1) != together[:1]
    with pytest.raises(stela.StelaError, match="empty"):
        model_draws(model, "")("", 0, 1)
