"""TextSeal's own numbers, for every golden vector; and keys that no p-value holds for."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from stela_gumbel import textseal_score
from stela_gumbel.textseal import TextSealDual, TextSealDualParameters, TextSealGumbel, TextSealParameters
from stela_kernels.philox import textseal_hash
from stela_kernels.philox.textseal_tokens import scored_positions
from stela_models.tokenizer import load_tokenizer

import stela_core as stela
from stela_core.api import Detector, Settings

GOLDEN: dict[str, list[dict[str, Any]]] = json.loads(
    (Path(__file__).parent / "data" / "textseal.json").read_text(encoding="utf-8")
)
WORD = 2**64 - 1


def plain_hash(key: int, context: list[int], token: int) -> int:
    """The definition in whole numbers that do not end."""
    primes = [
        10000019,
        10000247,
        10000439,
        10000643,
        10000747,
        10000867,
        10000993,
        10001213,
        10001357,
        10001501,
    ]
    u = sum(p * w for p, w in zip(primes, context, strict=False)) + 100000007 * token + 500001713 * key
    u = (u * 15485863 * 40499 + 2**63) % 2**64 - 2**63
    return (u ^ u >> 13) % 8191


def dual(keys: list[int], alpha: float, **settings: Any) -> TextSealDual:
    """With key B of its own."""
    parameters = TextSealDualParameters(mixing_alpha=alpha, own_b=True, **settings)
    return TextSealDual(parameters, (keys[0] & WORD) << 64 | keys[1] & WORD)


def test_hashes_are_equal() -> None:
    assert len(GOLDEN["hash"]) == 140
    for case in GOLDEN["hash"]:
        hasher = TextSealGumbel(TextSealParameters(context_width=len(case["context"])), case["key"] & WORD)
        [own] = hasher.hashes(hasher.seeds(np.array([case["context"]])), np.array([case["token"]]))
        assert own.tolist() == [case["hash"]] == [plain_hash(case["key"], case["context"], case["token"])]


def test_choices_are_equal() -> None:
    """Of one key, and of A alone or B alone, which is what their two keys come to for a token."""
    pytest.importorskip("torch")
    import torch

    for case in GOLDEN["choice"]:
        logits = (np.random.default_rng(case["seed"]).standard_normal(2000) * 3).astype(np.float32)[None]
        width = {"context_width": len(case["context"])}
        one, other = (TextSealGumbel(TextSealParameters(**width), key) for key in case["keys"])
        seeds = one.seeds(np.array([case["context"]]))
        theirs = [case["chosen"][0], case["chosen"][1]]
        for hasher, token in zip((one, one if case["alpha"] else other), theirs, strict=True):
            assert int(hasher.mark_array(logits, seeds, 2000).argmax()) == token
            assert int(hasher.mark(torch.from_numpy(logits), seeds, 2000).argmax()) == token


@pytest.mark.parametrize("number", range(len(GOLDEN["detect"])))
def test_scores_are_equal(number: int) -> None:
    """To the last bit of torch's logarithm in single precision (``textseal_score.py``), and p with it."""
    case = GOLDEN["detect"][number]
    ids, settings = (
        np.array(case["token_ids"]),
        {"context_width": case["ngram"], "scoring_method": case["scoring"]},
    )
    hashers = [TextSealGumbel(TextSealParameters(**settings), key & WORD) for key in case["keys"]]
    said = [*case["one_key"].values(), case["two_keys"]]
    for hasher, (count, score, p_value) in zip(
        [*hashers, dual(case["keys"], case["alpha"], **settings)], said, strict=True
    ):
        at = scored_positions(ids, case["ngram"], case["scoring"])
        assert len(at) == count
        beside = hasher.foreign_scores(ids, np.arange(case["ngram"], len(ids)))
        assert beside["TextSeal score"] == pytest.approx(score, rel=1e-7)
        assert beside["TextSeal p-value"] == pytest.approx(p_value, rel=1e-4)
        assert textseal_score.p_value(score, count, hasher.law.parts) == pytest.approx(p_value, rel=1e-9)
        # What is left is that last bit: of the scores before the logarithm, nothing.
        draws = hasher.draws(hasher.seeds(hasher.contexts(ids, at)), ids[at])
        assert float(hasher.law.signal(draws).sum()) == pytest.approx(score, rel=1e-4)


def test_a_draw_is_never_above_its_law() -> None:
    """``P(h >= j) <= 1 - j / 8191`` of uniform u: v is any of 2**63 numbers, each for two u."""
    whole, left = divmod(2**63, 8191)
    above = 0
    for j in range(8190, -1, -1):
        above += whole + (j < left)
        assert above * 8191 <= (8191 - j) * 2**63
        assert textseal_hash.DRAWS[j] <= -np.log1p(-j / 8191)
    u = np.random.default_rng(0).integers(0, 2**64, 1000, dtype=np.uint64)
    assert (textseal_hash.hashes(u) == textseal_hash.hashes(~u)).all()
    v = u.view(np.int64) ^ u.view(np.int64) >> 13
    assert (v >= 0).all()
    back = v.copy()
    for _ in range(5):
        back = v ^ back >> 13
    assert (back == np.where(u.view(np.int64) < 0, ~u, u).view(np.int64)).all()


def test_two_draws_depend_on_each_other_weakly() -> None:
    """Of random distances: within 0.05 but for some in a hundred; and of digits alone, strongly."""
    apart = np.random.default_rng(0).integers(0, 2**64, 60, dtype=np.uint64).tolist()
    correlations = np.array([textseal_hash.dependence(one) for one in apart])
    assert abs(correlations.mean()) < 0.01
    assert 0.005 < correlations.std() < 0.04
    assert textseal_hash.dependence(1) > 0.9
    assert textseal_hash.dependence(1 << 52) > 0.9


def test_keys_too_near_are_refused() -> None:
    far = TextSealDual(TextSealDualParameters(), 42)
    assert far.keys == (42, 12387)
    assert TextSealDual(TextSealDualParameters(), WORD).keys == (WORD, 12344)
    with pytest.raises(stela.StelaError, match="too much alike"):
        dual([7, 7], 0.5)
    inverse = pow(500001713 * 15485863 * 40499, -1, 2**64)
    with pytest.raises(stela.StelaError, match="too much alike"):
        dual([7, 7 + inverse], 0.5)


@pytest.mark.slow
@pytest.mark.parametrize("two", [False, True])
def test_the_detector_finds_their_text(two: bool, registry: stela.Registry) -> None:
    """Ours is theirs but for the tokens that are left out, and one that they leave out."""
    case = next(c for c in GOLDEN["detect"] if c["by"] == ("TwoKeys" if two else "GumbelmaxGenerator"))
    name = "gumbel-textseal-dual" if two else "gumbel-textseal"
    given = {"scoring_method": case["scoring"]} | ({"mixing_alpha": case["alpha"]} if two else {})
    settings = Settings(name, context_width=case["ngram"], hasher_parameters=given)
    parts = settings.create(registry, load_tokenizer(registry, "tiny"), case["keys"][0], True)
    detector = Detector(parts.composition, parts.tokenizer, parts.tokens, None, 8, 1e-3)
    [detection] = detector.detect_ids([case["token_ids"]])
    theirs = case["two_keys"] if two else case["one_key"][str(case["keys"][0])]
    assert detection.verdict == "watermarked"
    assert detection.foreign_scores["TextSeal p-value"] == pytest.approx(theirs[2], rel=1e-4)
    assert theirs[2] ** 1.2 < detection.p_value < theirs[2] ** 0.8
