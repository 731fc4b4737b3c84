from __future__ import annotations

import gc
import hashlib
import lzma
from pathlib import Path

import pytest
from stela_kernels.philox.exponential import Exponential
from stela_learned import EARLIER, SHIPPED, Learned, LearnedText
from stela_models.generation.generate import Sampling, generate
from stela_models.load import load_model
from stela_tables.file import parse_any_table
from stela_testing import WeightingContract

import stela_core as stela

PROMPTS = {"en": "The history of the city", "zh": "这座城市的历史", "ko": "이 도시의 역사는"}
TAGGERS = {"en": "penn", "zh": "ctb", "ko": "sejong"}


class TestLearnedText(WeightingContract):
    @pytest.fixture(scope="class")
    @classmethod
    def weighting(cls) -> stela.Weighting:
        return LearnedText(stela.Parameters(), parse_any_table(SHIPPED.read("text", "ko", "it"), "it"))


class TestLearned(WeightingContract):
    @pytest.fixture(scope="class")
    @classmethod
    def weighting(cls) -> stela.Weighting:
        return Learned(stela.Parameters(), parse_any_table(SHIPPED.read("tags", "penn", "it"), "it"))


@pytest.mark.deep(keep=["zh-learned", "ko-learned-text"])
@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["learned-text", "learned"])
@pytest.mark.parametrize("language", PROMPTS)
def test_detection_weighs_as_insertion_did(registry: stela.Registry, scheme: str, language: str) -> None:
    """Equal at every position (invariant 1), alone and in a batch, characters cut in the middle too."""
    watermark = stela.create(
        scheme,
        model="tiny-small",
        tagger=TAGGERS[language],
        delta=1.5,
        key=7,
        language=language,
        registry=registry,
    )
    model = load_model(registry, "tiny-small", "cpu")
    prompts = [PROMPTS[language], PROMPTS[language] * 2, PROMPTS[language]]
    for size in (1, 3):
        for batch in generate(watermark, model, prompts, Sampling(40, 40, 0.7, seed=3), size):
            for text, found in zip(batch, watermark.detect_ids([t.token_ids for t in batch]), strict=True):
                assert [token.weight for token in found.tokens] == text.weights
                assert len(set(text.weights)) > 5
    gc.collect()


def test_shipped_tables_name_their_data() -> None:
    readme = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
    assert SHIPPED.names("text") == ["en", "ko", "zh"]
    assert SHIPPED.names("gumbel") == ["en"]
    assert SHIPPED.names("synthid") == ["en", "zh"]
    assert SHIPPED.names("surprisal") == ["en", "ko", "zh"]
    assert SHIPPED.names("tags") == ["ctb", "penn", "sejong"]
    for path in SHIPPED.folder.glob("*.xz"):
        assert path.stat().st_size < 1_500_000, path
        kind, name = path.name.split(".")[0].split("-")
        table = parse_any_table(SHIPPED.read(kind, name, "it"), str(path))
        assert f"{len(table.values):,}" in readme  # type: ignore[union-attr]
        assert f"{table.learned.tokens:,}" in readme  # type: ignore[union-attr]


def test_tables_of_earlier_profiles_stay_known() -> None:
    [earlier] = EARLIER.folder.iterdir()
    assert earlier in LearnedText.shipped_tables()
    assert earlier.read_bytes() != (SHIPPED.folder / earlier.name).read_bytes()
    digest = hashlib.sha256(lzma.decompress(earlier.read_bytes())).hexdigest()
    # Of the English profiles of version 0.2.0 until November 2026.
    assert digest == "72ffcea1d75fd9546ab20c89b16ad436b6a1fc3ef5f40b49096833463fba31a3"


@pytest.mark.parametrize(
    ("law", "quantity"),
    [
        (Exponential(), "gumbel-gain"),
        (Exponential(parts=(0.9, 0.1)), "gumbel-gain"),
        (stela.Bernoulli(0.5, parts=(0.5, 0.5)), "synthid-gain"),
        (stela.Bernoulli(0.25), "expected-gain"),
    ],
)
def test_each_kind_of_mark_has_its_table(law: stela.Law, quantity: str) -> None:
    data = LearnedText.own_table_for(law, "en", None, None)
    assert data is not None
    assert parse_any_table(data, "it").quantity == quantity
    with pytest.raises(stela.StelaError, match='no table for language "fr"'):
        LearnedText.own_table_for(law, "fr", None, None)


def test_missing_and_wrong_tables_are_told(registry: stela.Registry) -> None:
    with pytest.raises(stela.StelaError, match='no table for language "fr"') as caught:
        LearnedText.own_table("fr", None, None)
    assert "en, ko, zh" in caught.value.hint
    with pytest.raises(stela.StelaError, match="none was named"):
        LearnedText.own_table(None, None, None)
    by_tags = parse_any_table(SHIPPED.read("tags", "penn", "it"), "it")
    with pytest.raises(stela.StelaError, match="what was learned by characters"):
        LearnedText.check_table(by_tags)
