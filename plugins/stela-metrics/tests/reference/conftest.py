from __future__ import annotations

import pytest
import stela_run
from stela_models.load import load_model
from stela_models.testing import save_encoder
from stela_run.testing import make_sample
from tokenizers import Tokenizer
from tokenizers.processors import TemplateProcessing

import stela_core as stela


@pytest.fixture(scope="session")
def sample(registry: stela.Registry) -> stela_run.Sample:
    """Eight texts of 40 tokens of the embedded model."""
    return make_sample(registry)


@pytest.fixture(scope="session")
def encoder(registry: stela.Registry, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A folder with an encoder of two layers that reads 64 pieces, with the embedded model's tokenizer."""
    folder = tmp_path_factory.mktemp("encoder")
    _, tokenizer = load_model(registry, "tiny")
    backend = Tokenizer.from_str(tokenizer.backend_tokenizer.to_str())
    edge = str(tokenizer.pad_token)  # in the place of [CLS] and [SEP]
    backend.post_processor = TemplateProcessing(
        single=f"{edge} $A {edge}", special_tokens=[(edge, tokenizer.pad_token_id)]
    )
    return save_encoder(folder, backend, 1, layers=2, pad_token=edge)
