"""TextSeal's SynthID: its own numbers for every golden vector, shared bits, and the null of its hash."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from stela_kernels.philox import textseal_hash
from stela_synthid.textseal import WIDTH, SynthIdTextSeal
from stela_testing.choices import SamplingHasherContract

import stela_core as stela

GOLDEN: dict[str, Any] = json.loads(
    (Path(__file__).parent / "data" / "textseal.json").read_text(encoding="utf-8")
)
WORD = 2**64 - 1


def made(key: int, stride: int = 1, **parameters: Any) -> SynthIdTextSeal:
    return SynthIdTextSeal(
        SynthIdTextSeal.Parameters.model_validate({"stride": stride, **parameters}), key & WORD
    )


@pytest.mark.parametrize(("name", "stride", "count"), [("bits", 1, 60), ("main", 659101, 20)])
def test_bits_are_equal(name: str, stride: int, count: int) -> None:
    assert len(GOLDEN[name]) == count
    for key, context, token, bits in GOLDEN[name]:
        for gamma, own in zip((0.5, 0.25), bits, strict=True):
            hasher = made(key, stride, gamma=gamma, depth=64, context_width=len(context))
            seeds = hasher.seeds(np.array([context]))
            [said] = hasher.g_values(seeds, np.array([token]))
            assert "".join("1" if bit else "0" for bit in said) == own
            wanted = sum(int(bit) << layer for layer, bit in enumerate(own))
            assert hasher.words(seeds[0], np.array([token + 5, token]))[1] == wanted


@pytest.mark.parametrize("number", range(len(GOLDEN["marked"])))
def test_probabilities_are_equal(number: int) -> None:
    torch = pytest.importorskip("torch")
    case = GOLDEN["marked"][number]
    hasher = made(case["key"], gamma=case["gamma"], depth=case["depth"], context_width=len(case["context"]))
    scores = torch.tensor([case["logits"]])
    out = hasher.mark(scores, hasher.seeds(np.array([case["context"]])), scores.shape[1])
    assert out[0].exp().tolist() == pytest.approx(case["probabilities"], abs=1e-6)


@pytest.mark.parametrize("number", range(len(GOLDEN["detect"])))
def test_scores_and_p_values_are_equal(number: int) -> None:
    """Their weighted score is summed in single precision, and its p-value one minus a number near 1."""
    case = GOLDEN["detect"][number]
    ids = np.array(case["token_ids"])
    for kind, scoring, key, _, score, p_value in case["said"]:
        layers = "weighted" if kind == "synthid-weighted" else "mean"
        settings = {"gamma": case["gamma"], "depth": case["depth"], "context_width": case["ngram"]}
        hasher = made(key, layers=layers, scoring_method=scoring, **settings)
        beside = hasher.foreign_scores(ids, np.arange(case["ngram"], len(ids)))
        if layers == "mean":
            assert beside["TextSeal score"] == score
            assert beside["TextSeal p-value"] == pytest.approx(p_value, rel=1e-9)
        else:
            assert beside["TextSeal score"] == pytest.approx(score, rel=1e-6)
            least = 1e-15 if p_value < 1e-10 else 0.0
            assert beside["TextSeal p-value"] == pytest.approx(p_value, rel=1e-4, abs=least)


class TestContract(SamplingHasherContract):
    undistorted: ClassVar[bool] = False

    @pytest.fixture(scope="class")
    @classmethod
    def hasher(cls) -> SynthIdTextSeal:
        """Two layers: ids that are two apart, as the contract's, share no bit."""
        return made(42, depth=2)


class TestContractOfMain(SamplingHasherContract):
    undistorted: ClassVar[bool] = False

    @pytest.fixture(scope="class")
    @classmethod
    def hasher(cls) -> SynthIdTextSeal:
        return made(42, 659101, depth=8, layers="weighted")


def test_the_likelier_of_two_neighbours_nearly_always_wins() -> None:
    """What sharing bits does: over 200 keys; ids far apart keep their probabilities, and all do in main."""
    torch = pytest.importorskip("torch")
    scores = torch.full((1, 900), -torch.inf)
    for other, stride, low, high in ((1, 1, 0.999, 1.0), (800, 1, 0.7, 0.9), (1, 659101, 0.7, 0.9)):
        scores[:] = -torch.inf
        scores[0, 0], scores[0, other] = np.log(0.8), np.log(0.2)
        first = []
        for key in np.random.default_rng(0).integers(0, 2**63, 200).tolist():
            hasher = made(key, stride)
            marked = hasher.mark(scores, hasher.seeds(np.array([[5]])), 900)
            first.append(float(marked.exp()[0, 0]))
        assert low < np.mean(first) <= high + 1e-9


def test_tokens_that_share_bits_are_not_scored() -> None:
    hasher = made(1, depth=30)
    ids = np.array([5, 100, 5, 129, 5, 130, 5, 100, 6, 101])
    at = np.arange(1, len(ids))
    seeds = hasher.seeds(hasher.contexts(ids, at))
    kept = dict(zip(at.tolist(), hasher.independent(seeds, ids[at]).tolist(), strict=True))
    assert kept[1]
    assert kept[7]  # a repeat is kept with its first
    assert not kept[3]  # 129 after 5 has the bits of 100 after 5 from layer 29 on
    assert not kept[5]  # 130 has those of 129
    assert kept[9]  # another context


def zipf(rng: np.random.Generator, length: int) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Ids of which few are frequent, in no order of their numbers."""
    numbers = rng.permutation(50_000)
    return numbers[rng.zipf(1.3, length) % 50_000]


def totals(
    hasher: SynthIdTextSeal,
    text: np.ndarray[Any, np.dtype[np.int64]],
    keys: np.ndarray[Any, np.dtype[np.uint64]],
) -> tuple[int, np.ndarray[Any, np.dtype[np.int64]]]:
    """Number of bits that are scored, and how many are 1 where keys add so much to u."""
    at = np.arange(hasher.context_width, len(text))
    seeds = hasher.seeds(hasher.contexts(text, at))
    sums = np.unique(hasher.coins(seeds, text[at])[hasher.independent(seeds, text[at])])
    limit, total = textseal_hash.green_numbers(hasher.parameters.gamma), np.zeros(len(keys), dtype=np.int64)
    steps = np.arange(30, dtype=np.uint64) * np.uint64(
        hasher.parameters.stride * textseal_hash.OF_TOKEN % 2**64
    )
    for one in (sums[:, None] + steps).ravel():
        total += textseal_hash.hashes(keys + one) < limit
    return 30 * len(sums), total


KEYS = 5_000


@pytest.mark.deep(keep=["1-0.5-1-random"])
@pytest.mark.slow
@pytest.mark.parametrize("kind", ["random", "following", "short"])
@pytest.mark.parametrize("stride", [1, 659101])
@pytest.mark.parametrize(("width", "gamma"), [(1, 0.5), (3, 0.25)])
def test_false_alarms_are_at_most_nominal(kind: str, stride: int, width: int, gamma: float) -> None:
    """Over random keys, keys from 1 on, and random ones of 32 bits."""
    rng = np.random.default_rng(1)
    keys = {
        "random": rng.integers(0, 2**64, KEYS, dtype=np.uint64),
        "following": np.arange(1, KEYS + 1, dtype=np.uint64) * textseal_hash.key_part(1),
        "short": rng.integers(0, 2**32, KEYS, dtype=np.uint64) * textseal_hash.key_part(1),
    }[kind]
    hasher = made(0, stride, gamma=gamma, context_width=width)
    count, total = totals(hasher, zipf(rng, 200), keys)
    assert count > 3000
    law, ones = hasher.law, np.ones(count)
    p_of = {one: law.tail((np.arange(count) < one).astype(float), ones, False) for one in set(total.tolist())}
    p_values = np.array([p_of[one] for one in total.tolist()])
    for alpha in (0.1, 0.01, 0.001):
        assert np.mean(p_values <= alpha) < alpha + 4 * (alpha / KEYS) ** 0.5, alpha


@pytest.mark.slow
def test_the_width_of_the_law_is_that_of_texts() -> None:
    """Variances of 12 texts' sums over those of independent bits: below 1; in main about 1, but uneven."""
    rng, spread = np.random.default_rng(2), {}
    for stride in WIDTH:
        hasher, of_texts = made(0, stride), []
        for _ in range(12):
            keys = rng.integers(0, 2**64, 1500, dtype=np.uint64)
            count, total = totals(hasher, zipf(rng, 200), keys)
            of_texts.append(total.var() / (count * hasher.law.draw_variance))
        spread[stride] = np.array(of_texts)
    assert 0.8 < spread[1].mean() < 0.96
    assert 0.92 < spread[659101].mean() < 1.08
    for stride, width in WIDTH.items():
        assert spread[stride].mean() + 1.5 * spread[stride].std() < width


@pytest.mark.slow
def test_marked_text_is_found(registry: stela.Registry) -> None:
    """The package's own text, by our p-value, and under another key not."""
    from stela_models.tokenizer import load_tokenizer

    from stela_core.api import Detector, Settings

    case = GOLDEN["detect"][0]
    for key, verdict in ((case["secret_key"], "watermarked"), (7, "no watermark found")):
        settings = Settings("synthid-textseal", context_width=case["ngram"], hasher_parameters={"stride": 1})
        parts = settings.create(registry, load_tokenizer(registry, "tiny"), key & WORD, True)
        detector = Detector(parts.composition, parts.tokenizer, parts.tokens, None, 8, 1e-3)
        assert detector.detect_ids([case["token_ids"]])[0].verdict == verdict
