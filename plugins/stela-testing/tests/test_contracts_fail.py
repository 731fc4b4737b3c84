"""Contracts fail on parts that break them; that good ones pass is what the plugins' tests show."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from stela_testing import EvidenceContract, GreenListContract, TaggerContract
from stela_testing.taggers import reach_of
from stela_testing.texts import ENGLISH
from stela_testing.weightings import assert_weights

import stela_core as stela
from stela_core.api import KeyedHasher
from stela_core.text.windows import reach
from tests.helpers import LengthTagger


@pytest.mark.parametrize("values", [[1.0], [[1.0, 1.0]], [1.0, -0.5], [1.0, np.nan], [np.inf, 1.0]], ids=repr)
def test_what_is_no_weight(values: list[Any]) -> None:
    with pytest.raises(AssertionError, match="weight"):
        assert_weights(values, 2)


def test_weights_come_back() -> None:
    assert assert_weights([0, 2.5], 2).tolist() == [0, 2.5]


class OfShare(EvidenceContract):
    """Under 100 keys a text, with p-values times a share."""

    draws = 100
    share = 1.0

    def detector(self, watermark: stela.Watermark, key: int) -> Any:
        own = super().detector(watermark, key)

        def score(signals: stela.Signals) -> Any:
            p_value = own.composition.scorer.score_signals(signals).p_value
            return SimpleNamespace(p_value=self.share * p_value)

        composition = SimpleNamespace(scorer=SimpleNamespace(score_signals=score))
        return SimpleNamespace(
            composition=composition, recoloured=own.recoloured, evidence=own.evidence, ids_of=own.ids_of
        )


@pytest.mark.slow
def test_p_values_that_are_too_small_or_too_large(registry: stela.Registry) -> None:
    mark = stela.create("kgw", model="tiny", key="public", registry=registry, min_tokens=8)
    contract = OfShare()
    contract.test_p_values_hold_on_human_text(mark, None)
    for share, expected in ((0.3, "of p-values are at most"), (40.0, "lost its power")):
        contract.share = share
        with pytest.raises(AssertionError, match=expected):
            contract.test_p_values_hold_on_human_text(mark, None)


class Redder(KeyedHasher):
    """Too few tokens are green."""

    def green(self, seeds: Any, tokens: Any) -> Any:
        return super().green(seeds, tokens) & (np.asarray(tokens) % 10 > 0)


def test_a_green_share_below_gamma() -> None:
    parameters = KeyedHasher.Parameters(gamma=0.25, context_width=1)
    GreenListContract().test_green_share_is_gamma(KeyedHasher(parameters, 5))
    with pytest.raises(AssertionError):
        GreenListContract().test_green_share_is_gamma(Redder(parameters, 5))


class Counting(LengthTagger):
    """Its tags depend on how many texts come together."""

    def tag(self, texts: Any) -> list[list[stela.Tag]]:
        return [[tag._replace(tag=f"{tag.tag}{len(texts)}") for tag in tags] for tags in super().tag(texts)]


def test_tags_that_depend_on_the_batch() -> None:
    texts = [ENGLISH[: 12 + end] for end in range(0, 60, 3)]
    TaggerContract().test_same_tags_alone_and_in_any_batch(LengthTagger(), texts)
    with pytest.raises(AssertionError):
        TaggerContract().test_same_tags_alone_and_in_any_batch(Counting(), texts)


@pytest.mark.parametrize("window", [1, 4, 32])
def test_reach_is_the_core_s(window: int) -> None:
    assert reach_of(LengthTagger(), window) == reach(window, LengthTagger.unit)
