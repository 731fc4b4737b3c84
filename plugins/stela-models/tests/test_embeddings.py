"""Input embeddings of a model: those of its matrix, centred and of length 1."""

import numpy as np
import pytest
from stela_models.embeddings import input_embeddings
from stela_models.load import load_model

import stela_core as stela


def test_centred_and_of_length_one(registry: stela.Registry) -> None:
    vectors = input_embeddings(registry, "tiny", 500)
    matrix = load_model(registry, "tiny", "cpu").model.get_input_embeddings().weight.detach().numpy()[:500]
    expected = matrix - matrix.mean(axis=0)
    assert vectors.shape == (500, matrix.shape[1])
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1.0, abs=1e-5)
    cosines = (vectors * expected).sum(axis=1) / np.linalg.norm(expected, axis=1)
    assert cosines == pytest.approx(1.0, abs=1e-5)


def test_more_ids_than_embeddings_are_refused(registry: stela.Registry) -> None:
    with pytest.raises(stela.StelaError, match="embeddings for 10000 ids"):
        input_embeddings(registry, "tiny", 10_000)
