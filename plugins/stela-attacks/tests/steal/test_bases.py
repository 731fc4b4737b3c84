"""Probabilities without the mark: the model's, and those counted."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from stela_attacks.steal.bases import LEAST, human_places, model_places
from stela_models.loaded import Models

import stela_core as stela


@pytest.mark.slow
@pytest.mark.parametrize("width", [0, 1, 3])
def test_model_places_are_the_models_distributions(registry: stela.Registry, width: int) -> None:
    language_model = Models(registry, "cpu").load("tiny-small")
    prompts = ["The history of the city", "In the winter"]
    texts = [" was written by the monks of the valley", " the river froze, and no ship could reach the town"]
    rows = language_model.tokenizer(texts, add_special_tokens=False)["input_ids"]
    found = list(model_places(language_model, rows, prompts, width, 0.7))
    assert len(found) == sum(len(row) - width for row in rows)
    expected = {}
    for prompt, row in zip(prompts, rows, strict=True):
        before = language_model.tokenizer(prompt)["input_ids"]
        with torch.no_grad():
            [logits] = language_model.model(torch.tensor([before + row])).logits
        for at in range(width, len(row)):
            probabilities = torch.softmax(logits[len(before) + at - 1].double() / 0.7, dim=-1).numpy()
            expected[tuple(row[at - width : at]), row[at], at] = probabilities
    for place in found:
        match = [
            p
            for (context, token, _), p in expected.items()
            if (context, token) == (place.context, place.token)
        ]
        # Sums of float32 in another order, in a batch with padding.
        assert any(np.allclose(p[place.ids], place.probabilities, rtol=1e-3, atol=1e-6) for p in match)
        assert place.probabilities.min() >= LEAST
        assert 0.5 < place.probabilities.sum() <= 1 + 1e-9


def test_human_places_are_counted() -> None:
    [first, second] = human_places([[1, 2, 1, 2, 1, 3], [2, 1]], [[1, 3, 9]], 1)
    assert (first.context, first.token) == ((1,), 3)
    assert dict(zip(first.ids.tolist(), first.probabilities.tolist(), strict=True)) == {2: 0.5, 3: 0.25}
    assert (second.context, second.token, len(second.ids)) == ((3,), 9, 0)
    [everywhere] = human_places([[1, 1, 2]], [[4]], 0)
    assert everywhere.context == ()
    assert everywhere.probabilities.tolist() == [0.5, 0.25]
