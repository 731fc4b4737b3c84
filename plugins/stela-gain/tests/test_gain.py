from __future__ import annotations

import gc
from pathlib import Path

import numpy as np
import pytest
from stela_gain import SHIPPED, ByClass, GainParameters, TagGain, TagStrength, TextGain, TextStrength
from stela_models.generation.generate import Sampling, generate
from stela_models.load import load_model
from stela_tables.file import parse_any_table
from stela_tables.gains.table import GainTable
from stela_testing import EvidenceContract, WeightingContract

import stela_core as stela
from stela_core.api import Context

TAGS: list[Context] = [(), ("NN",), ("DT", "JJ", "IN"), ("no such tag",), (".", "DT", "NN")]


def table_of(kind: str, name: str) -> GainTable:
    table = parse_any_table(SHIPPED.read(kind, name, "it"), "it")
    assert isinstance(table, GainTable)
    return table


class TestTextGain(WeightingContract):
    @pytest.fixture(scope="class")
    @classmethod
    def weighting(cls) -> stela.Weighting:
        return TextGain(GainParameters(), table_of("text", "ko"))


class TestTextStrength(WeightingContract):
    @pytest.fixture(scope="class")
    @classmethod
    def weighting(cls) -> stela.Weighting:
        return TextStrength(GainParameters(), table_of("text", "ko"))


class TestTagGain(WeightingContract):
    @pytest.fixture(scope="class")
    @classmethod
    def weighting(cls) -> stela.Weighting:
        return TagGain(GainParameters(kgw_delta=1), table_of("tags", "penn"))

    @pytest.fixture(scope="class")
    @classmethod
    def contexts(cls) -> list[Context]:
        return TAGS

    def test_weights_are_gains_and_strengths_are_theirs(
        self, weighting: stela.Weighting, contexts: list[Context]
    ) -> None:
        table = table_of("tags", "penn")
        positions = stela.Positions(len(contexts), contexts)
        strengths = TagStrength(GainParameters(kgw_delta=1), table).weights(positions)
        curves = table.curves(0.7, "surprisal")
        numbers = np.searchsorted(curves.strengths, strengths)
        classes = [table.of_tags(context) for context in contexts]
        assert curves.strengths[numbers].tolist() == strengths.tolist()
        assert weighting.weights(positions).tolist() == curves.rise[classes, numbers].tolist()
        assert len(set(strengths.tolist())) > 1


class TestEvidence(EvidenceContract):
    """``gain-text``: p-values hold, and no key changes a weight."""

    @pytest.fixture(scope="class")
    @classmethod
    def watermark(cls, registry: stela.Registry) -> stela.Watermark:
        return stela.create("gain-text", model="tiny", language="en", key="public", registry=registry)


@pytest.mark.deep(stand_in="plugins/stela-gain/tests/test_gain.py::TestEvidence")
class TestEvidenceOfTags(EvidenceContract):
    """The same of ``gain-tags``, at a small cost."""

    @pytest.fixture(scope="class")
    @classmethod
    def watermark(cls, registry: stela.Registry) -> stela.Watermark:
        return stela.create(
            "gain-tags",
            model="tiny",
            tagger="penn",
            key="public",
            parameters={"kgw_delta": 1},
            registry=registry,
        )


@pytest.mark.parametrize("name", ["text-en", "tags-penn"])
@pytest.mark.parametrize("temperature", [0.7, 1.0])
@pytest.mark.parametrize(
    ("asked", "by"),
    [
        ({"kgw_delta": 1.0}, "surprisal"),
        ({"surprisal": 0.1}, "surprisal"),
        ({"divergence": 0.02}, "divergence"),
    ],
)
def test_what_is_asked_for_is_spent_and_not_more(
    name: str, temperature: float, asked: dict[str, float], by: str
) -> None:
    """By the table's own estimate; and it leaves more evidence than KGW at that cost."""
    table = table_of(*name.split("-"))
    curves = table.curves(temperature, by)
    parameters = GainParameters(temperature=temperature, **asked)
    strengths = np.array(TextStrength(parameters, table).by_class)
    gains = np.array(TextGain(parameters, table).by_class)
    spent = curves.cost_of(np.searchsorted(curves.strengths, strengths))
    wanted = curves.cost_of_all(asked["kgw_delta"]) if "kgw_delta" in asked else next(iter(asked.values()))
    assert 0.9 * wanted < spent <= wanted
    even = max(
        float(curves.shares @ curves.rise[:, number])
        for number, strength in enumerate(curves.strengths)
        if curves.cost_of_all(strength) <= spent
    )
    assert float(curves.shares @ gains**2) > even**2


def test_cheaper_marks_leave_contexts_of_little_choice_alone() -> None:
    """In the lowest class of text hardly anything else may follow: no bias, no weight."""
    table = table_of("text", "en")
    cheap, dear = (TextStrength(GainParameters(kgw_delta=delta), table).by_class for delta in (1, 3))
    assert cheap[0] == 0
    assert sum(strength == 0 for strength in cheap) > sum(strength == 0 for strength in dear)
    assert all(one <= other for one, other in zip(cheap, dear, strict=True))


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["gain-text", "gain-tags"])
def test_detection_weighs_as_insertion_did(registry: stela.Registry, scheme: str) -> None:
    """Each generated token's weight goes with the bias that it was drawn with (invariant 1)."""
    watermark = stela.create(
        scheme, model="tiny-small", tagger="penn", key=7, language="en", registry=registry
    )
    table = watermark.parts.evidence.table
    assert isinstance(table, GainTable)
    strengths, weights = (
        cls(GainParameters(), table).by_class
        for cls in ((TextStrength, TextGain) if scheme == "gain-text" else (TagStrength, TagGain))
    )
    model = load_model(registry, "tiny-small", "cpu")
    [[text]] = generate(watermark, model, ["The history of the city"], Sampling(40, 40, 0.7, seed=3), 1)
    [detection] = watermark.detect_ids([text.token_ids])
    pairs = {(None, None), *zip(strengths, weights, strict=True)}
    seen = {(strength, token.weight) for strength, token in zip(text.weights, detection.tokens, strict=True)}
    assert seen <= pairs
    assert len(seen) > 4
    gc.collect()


def test_shipped_tables_name_their_data() -> None:
    readme = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
    for kind, cls in (("text", TextGain), ("tags", TagGain)):
        assert list(cls.shipped_tables()) == SHIPPED.files(kind)
        for path in SHIPPED.files(kind):
            assert path.stat().st_size < 600_000, path
            name = path.name.split(".")[0].removeprefix(f"{kind}-")
            table = table_of(kind, name)
            assert f"`{kind}-{name}`" in readme
            assert f"{table.learned.tokens:,}" in readme
            assert table.temperatures == [700, 1000]


@pytest.mark.parametrize(
    ("cls", "told", "hint"),
    [(TextGain, 'no table for language "fr"', "en, ko, zh"), (TagGain, "none was named", "penn")],
)
def test_missing_tables_are_told(cls: type[ByClass], told: str, hint: str) -> None:
    with pytest.raises(stela.StelaError, match=told) as caught:
        cls.own_table("fr", None, None)
    assert hint in caught.value.hint


def test_wrong_tables_and_temperatures_are_told(registry: stela.Registry) -> None:
    with pytest.raises(stela.StelaError, match="gains by tags; the table holds those by characters"):
        TagGain.check_table(table_of("text", "ko"))
    with pytest.raises(stela.StelaError, match="reads gains by class") as caught:
        TextGain.check_table(Nothing())
    assert "stela lambda gains" in caught.value.hint
    with pytest.raises(stela.StelaError, match=r"holds temperature 0.7 and 1, not 0.5") as caught:
        stela.create("gain-text", model="tiny", language="ko", key=1, parameters={"temperature": 0.5})
    assert "--param temperature=0.7" in caught.value.hint


class Nothing:
    k = None
