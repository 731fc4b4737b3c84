"""TextSeal's ``greenlist``: its own numbers for every golden vector, and the null of its hash."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from stela_interop.textseal_green import TextSealGreen
from stela_kernels.philox import textseal_hash

import stela_core as stela

GOLDEN: dict[str, Any] = json.loads(
    (Path(__file__).parent / "data" / "textseal.json").read_text(encoding="utf-8")
)
WORD = 2**64 - 1


def made(key: int, **parameters: Any) -> TextSealGreen:
    return TextSealGreen(TextSealGreen.Parameters(**parameters), key & WORD)


def test_colours_are_equal() -> None:
    assert len(GOLDEN["green"]) == 120
    for key, context, token, greens in GOLDEN["green"]:
        for gamma, green in zip(GOLDEN["gammas"], greens, strict=True):
            hasher = made(key, gamma=gamma, context_width=len(context))
            seeds = hasher.seeds(np.array([context]))
            assert hasher.green(seeds, np.array([token])).tolist() == [bool(green)]
            if token < 20_000:
                assert bool(hasher.listed(token + 1, seeds[0])[token]) == green


@pytest.mark.parametrize("number", range(len(GOLDEN["marked"])))
def test_logits_are_equal(number: int) -> None:
    """To the bit; and after top-p their probabilities, which they raise, are the softmax of ours."""
    torch = pytest.importorskip("torch")
    case = GOLDEN["marked"][number]
    hasher = made(case["key"], gamma=case["gamma"], context_width=len(case["context"]))
    scores, seeds = torch.tensor([case["logits"]]), hasher.seeds(np.array([case["context"]]))
    out = hasher.add_bias(scores, seeds, [case["delta"]], scores.shape[1])
    assert out[0].tolist() == case["marked"]
    assert out[0].softmax(-1).tolist() == pytest.approx(case["probabilities"], abs=1e-6)


@pytest.mark.parametrize("number", range(len(GOLDEN["detect"])))
def test_scores_and_p_values_are_equal(number: int) -> None:
    case = GOLDEN["detect"][number]
    ids = np.array(case["token_ids"])
    assert len({kind for kind, *_ in case["said"]}) == 1
    for _, scoring, key, _, score, p_value in case["said"]:
        hasher = made(key, gamma=case["gamma"], context_width=case["ngram"], scoring_method=scoring)
        beside = hasher.foreign_scores(ids, np.arange(case["ngram"], len(ids)))
        assert beside["TextSeal score"] == score
        assert beside["TextSeal p-value"] == pytest.approx(p_value, rel=1e-9)


def test_the_share_of_green_numbers_is_never_above_the_law() -> None:
    """Counted over all numbers of 63 bits, in whole numbers."""
    whole, left = divmod(2**63, textseal_hash.SIZE)
    for gamma in (0.001, 0.25, 0.3, 0.5, 0.75, 0.999):
        limit = textseal_hash.green_numbers(gamma)
        share = (whole * limit + min(limit, left)) / 2**63
        law = made(1, gamma=gamma).law
        assert gamma <= law.draw_mean <= gamma + 2e-4
        assert share <= law.draw_mean
    assert textseal_hash.green_numbers(0.5) == 4096
    assert made(1, gamma=0.5).law.draw_mean > 0.5


KEYS = 20_000


def shares(ids: list[int], width: int, gamma: float, keys: np.ndarray[Any, Any]) -> dict[float, float]:
    """Of keys, how many give these ids a p-value of at most a, as a multiple of a."""
    text = np.array(ids)
    at = np.arange(width, len(text))
    hasher = made(0, gamma=gamma, context_width=width)
    seeds = hasher.seeds(hasher.contexts(text, at))
    sums = np.unique(hasher.coins(seeds, text[at])[hasher.independent(seeds, text[at])])
    limit, total = textseal_hash.green_numbers(gamma), np.zeros(len(keys), dtype=np.int64)
    for one in sums:
        total += textseal_hash.hashes(keys + one) < limit
    ones = np.ones(len(sums))
    p_of = np.array(
        [
            hasher.law.p_value((ones.cumsum() <= k)[:, None].astype(float), ones, False)
            for k in range(len(sums) + 1)
        ]
    )
    return {alpha: float(np.mean(p_of[total] <= alpha)) / alpha for alpha in (0.1, 0.01, 0.001)}


@pytest.mark.deep(keep=["1-0.5-random"])
@pytest.mark.slow
@pytest.mark.parametrize("kind", ["random", "following", "short"])
@pytest.mark.parametrize(("width", "gamma"), [(1, 0.5), (1, 0.25), (3, 0.5)])
def test_false_alarms_are_at_most_nominal(kind: str, width: int, gamma: float) -> None:
    """Over random keys, keys from 1 on, and random ones of 32 bits."""
    rng = np.random.default_rng(1)
    keys = {
        "random": rng.integers(0, 2**64, KEYS, dtype=np.uint64),
        "following": np.arange(1, KEYS + 1, dtype=np.uint64) * textseal_hash.key_part(1),
        "short": rng.integers(0, 2**32, KEYS, dtype=np.uint64) * textseal_hash.key_part(1),
    }[kind]
    numbers = rng.permutation(50_000)
    ids = [int(numbers[one % 50_000]) for one in rng.zipf(1.3, 240)]
    for alpha, over in shares(ids, width, gamma, keys).items():
        assert over < 1 + 4 / (alpha * KEYS) ** 0.5, alpha


@pytest.mark.slow
def test_marked_text_is_found(registry: stela.Registry) -> None:
    """The package's own text, by our p-value, and under another key not."""
    pytest.importorskip("torch")
    from stela_models.tokenizer import load_tokenizer

    from stela_core.api import Detector, Settings

    case = GOLDEN["detect"][0]
    for key, verdict in ((case["secret_key"], "watermarked"), (7, "no watermark found")):
        settings = Settings(
            "uniform",
            {"delta": 2.0},
            gamma=case["gamma"],
            context_width=case["ngram"],
            hasher="interop-textseal",
        )
        parts = settings.create(registry, load_tokenizer(registry, "tiny"), key & WORD, True)
        detector = Detector(parts.composition, parts.tokenizer, parts.tokens, None, 8, 1e-3)
        assert detector.detect_ids([case["token_ids"]])[0].verdict == verdict
