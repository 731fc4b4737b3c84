"""A text is the same in any batch, whichever kind of mark it bears: its draws are its own."""

from __future__ import annotations

import pytest
from stela_models.generation.generate import Generated, Sampling, generate

import stela_core as stela
from stela_core.api import LanguageModel

PROMPTS = ["The history of the city", "In the morning", "Water is", "They said that the"]
KEYS = [11, 12, 13, 14]
UNMARKED = "kgw"


@pytest.fixture(scope="module")
def model(registry: stela.Registry) -> LanguageModel:
    return stela.load_model("tiny-small", registry=registry)


def texts(
    registry: stela.Registry, model: LanguageModel, scheme: str, batch: int, **sampling: float
) -> list[Generated]:
    delta = 0.0 if scheme == UNMARKED else None
    mark = stela.create(scheme, model="tiny-small", key=7, delta=delta, registry=registry)
    drawn = Sampling(24, 24, seed=3, **sampling)  # type: ignore[arg-type]
    return [one for some in generate(mark, model, PROMPTS, drawn, batch, KEYS) for one in some]


@pytest.mark.deep(
    keep=["sampling1-gumbel", "sampling0-synthid", "sampling1-unbiased-dip", "sampling0-coupling"]
)
@pytest.mark.slow
@pytest.mark.parametrize("scheme", [UNMARKED, "gumbel", "synthid", "unbiased-dip", "coupling"])
@pytest.mark.parametrize("sampling", [{"temperature": 1.0}, {"temperature": 0.7, "top_p": 0.9, "top_k": 50}])
def test_batches_change_no_text(
    registry: stela.Registry, model: LanguageModel, scheme: str, sampling: dict[str, float]
) -> None:
    together = texts(registry, model, scheme, 4, **sampling)
    one_by_one = texts(registry, model, scheme, 1, **sampling)
    assert [one.token_ids for one in together] == [one.token_ids for one in one_by_one]
    marked = [weight for one in together for weight in one.weights if weight is not None]
    assert len(marked) > 60


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["gumbel", "coupling"])
def test_cuts_hold_for_what_the_key_chooses(
    registry: stela.Registry, model: LanguageModel, scheme: str
) -> None:
    """With one token left to take, a key has no choice."""
    likeliest = texts(registry, model, UNMARKED, 4, temperature=0.7, top_k=1)
    assert [one.token_ids for one in texts(registry, model, scheme, 4, temperature=0.7, top_k=1)] == [
        one.token_ids for one in likeliest
    ]


@pytest.mark.slow
def test_a_greedy_text_holds_no_mark_that_chooses(registry: stela.Registry, model: LanguageModel) -> None:
    with pytest.raises(stela.StelaError, match="greedy decoding draws nothing"):
        texts(registry, model, "gumbel", 4, temperature=0.0)
