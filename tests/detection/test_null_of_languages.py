"""The null of STELA in each shipped language: human sentences under random keys (invariant 5)."""

from __future__ import annotations

from importlib import import_module

import numpy as np
import pytest
from stela_models.tokenizer import load_tokenizer

import stela_core as stela
from stela_core.profile.create import Settings
from stela_core.registry.tagger_spec import make_tagger
from tests.detection.test_null import under_keys

pytestmark = pytest.mark.slow

LANGUAGES = ("ar", "de", "es", "fr", "hi", "id", "ja", "pt", "ru", "tr", "vi")
TEXTS, SENTENCES, KEYS = 60, 6, 50


def sentences_of(language: str) -> list[str]:
    """Sentences that come with spaCy."""
    examples: list[str] = import_module(f"spacy.lang.{language}.examples").sentences
    return examples


@pytest.mark.deep(keep=["ja"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_p_values_are_valid(language: str, registry: stela.Registry) -> None:
    rng = np.random.default_rng(LANGUAGES.index(language))
    tagger, tokenizer = make_tagger(registry, language), load_tokenizer(registry, "tiny")
    settings = Settings("stela")
    archive = settings.create(registry, tokenizer, 1, public=True, tagger=tagger).archive
    mark = stela.Watermark(archive, None, registry)
    texts = [" ".join(rng.choice(sentences_of(language), SENTENCES)) for _ in range(TEXTS)]
    ids = [encoding.ids[:200] for encoding in tokenizer.encode_batch(texts, add_special_tokens=False)]
    scores = [
        score
        for evidence in mark.detector.evidence(ids)
        for score in under_keys(mark, evidence, rng.integers(0, 2**63, KEYS).tolist())
    ]
    p = np.array([score.p_value for score in scores])
    assert len(p) == TEXTS * KEYS
    assert 0.93 < np.std([score.z for score in scores]) < 1.07
    for alpha in (0.1, 0.01):
        assert (p <= alpha).mean() <= alpha + 4 * (alpha * (1 - alpha) / len(p)) ** 0.5
    assert (p <= 0.1).mean() > 0.06, "exact, not merely conservative"
