"""From text to p-value: other people's marks, exact tails, unmarked text, the mean scores beside."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from scipy import stats
from stela_models.generation.generate import Sampling, generate
from stela_models.load import load_model
from stela_models.tokenizer import load_tokenizer
from stela_synthid.hasher import SynthIdHasher
from stela_synthid.ngrams import coins, context_hashes, ngram_hashes
from stela_testing import run_cli
from stela_testing.texts import little_english
from transformers import GenerationConfig, SynthIDTextWatermarkingConfig, SynthIDTextWatermarkLogitsProcessor

import stela_core as stela
from stela_core import Watermark
from stela_core.api import LanguageModel, Settings
from tests.tiers import Draws

KEYS = [654, 400, 836, 123, 340, 443, 597, 160, 57, 29, 590, 639, 13, 715, 468, 990, 966, 226, 324, 585, 118,
        504, 421, 521, 129, 669, 732, 225, 90, 960]  # fmt: skip
"""Of synthid-text's own example."""

MEANS = ("SynthID mean score", "SynthID weighted mean score")
PROMPTS = ["The history of the city", "In the"]


@pytest.fixture(scope="session")
def tiny(registry: stela.Registry) -> LanguageModel:
    return load_model(registry, "tiny", device="cpu")


@pytest.fixture(scope="module")
def make(registry: stela.Registry) -> Any:
    """A watermark of the embedded model's tokenizer."""
    tokenizer = load_tokenizer(registry, "tiny")

    def call(key: int = 7, ties: str = "split", **parameters: Any) -> Watermark:
        chosen = Settings("synthid", {"ties": ties}, hasher_parameters=parameters)
        return Watermark(chosen.create(registry, tokenizer, key, True).archive, None, registry)

    return call


@pytest.fixture(scope="module")
def human(registry: stela.Registry) -> list[int]:
    """Ids of Python's own documentation."""
    tokenizer = load_tokenizer(registry, "tiny")
    return list(tokenizer.encode(little_english()[:60_000], add_special_tokens=False).ids)


def theirs_of(hasher: Any) -> SynthIDTextWatermarkLogitsProcessor:
    signed = hasher.keys.view(np.int64).tolist()
    return SynthIDTextWatermarkLogitsProcessor(5, signed, 1 << 16, 0, 1024, torch.device("cpu"))


CONFIG = SynthIDTextWatermarkingConfig(ngram_len=5, keys=KEYS)


@pytest.fixture(scope="module")
def their_texts(tiny: LanguageModel) -> list[str]:
    """Two texts of 40 tokens that transformers marks, prompt left out."""
    inputs = tiny.tokenizer(PROMPTS, return_tensors="pt", padding=True, return_token_type_ids=False)
    torch.manual_seed(3)
    model: Any = tiny.model
    sampling = {"do_sample": True, "top_k": 0, "max_new_tokens": 40, "min_new_tokens": 40}
    ids = model.generate(**inputs, **sampling, watermarking_config=CONFIG)[:, inputs["input_ids"].shape[1] :]
    texts: list[str] = tiny.tokenizer.batch_decode(ids)
    return texts


@pytest.mark.slow
@pytest.mark.parametrize("inside", [False, True])
def test_text_that_transformers_marked_is_found(their_texts: list[str], tmp_path: Path, inside: bool) -> None:
    """From the file that transformers writes to the verdict on the command line."""
    if inside:
        GenerationConfig(watermarking_config=CONFIG).save_pretrained(tmp_path)
    else:
        CONFIG.to_json_file(tmp_path / "generation_config.json")
    lines = [json.dumps({"text": text}) for text in their_texts]
    (tmp_path / "texts.jsonl").write_text("\n".join(lines), encoding="utf-8")
    settings = ("--transformers", tmp_path / "generation_config.json", "--model", "tiny")
    key, profile = tmp_path / "key", tmp_path / "p.stela"
    made = run_cli("profile", "import", *settings, "--key-file", key, "-o", profile)
    assert made.status == 0, made.err
    assert key.read_text() == "".join(f"{number:016x}" for number in KEYS) + "\n"
    again = run_cli("profile", "import", *settings, "--key-file", key, "-o", tmp_path / "q.stela")
    assert again.status == 0, again.err
    test = ("detect", "--profile", profile, "--key-file", key, tmp_path / "texts.jsonl", "--json")
    # Somebody may have chosen the layers' keys to fit the texts.
    assert run_cli("profile", "trust", "--undo", profile).status == 0
    assert [line["verdict"] for line in run_cli(*test).json] == ["no watermark found"] * 2
    assert run_cli("profile", "trust", profile).status == 0
    outcome = run_cli(*test, "--as-it-is")
    assert outcome.status == 0, outcome.err
    for line in outcome.json:
        assert line["verdict"] == "watermarked"
        assert line["p_value"] < 1e-15
        assert line["beside"].keys() == {*MEANS}
    assert len(outcome.json) == 2
    key.write_text("".join(f"{number + 1:016x}" for number in KEYS) + "\n")
    wrong = run_cli("detect", "--profile", profile, "--key-file", key, tmp_path / "texts.jsonl", "--json")
    assert [line["verdict"] for line in wrong.json] == ["no watermark found"] * 2


@pytest.mark.slow
def test_another_key_file_is_not_taken(tmp_path: Path) -> None:
    (tmp_path / "c.json").write_text(json.dumps({"ngram_len": 5, "keys": [1, 2]}))
    new = ("profile", "import", "--transformers", tmp_path / "c.json", "--model", "tiny")
    for content in ("0" * 16, "0" * 32):
        (tmp_path / "key").write_text(content)
        outcome = run_cli(*new, "--key-file", tmp_path / "key", "-o", tmp_path / "p.stela")
        assert outcome.status == 2
        assert "another key than the configuration" in outcome.err
        assert "32 hex digits" in outcome.err


@pytest.mark.slow
def test_text_that_we_mark_is_found_by_their_g_values(make: Any, tiny: LanguageModel) -> None:
    """Three leaves mark more strongly than two, and each text is found."""
    means = []
    for leaves in (2, 3):
        watermark = make(leaves=leaves)
        sampling = Sampling(max_new_tokens=60, temperature=1.0, seed=2)
        [texts] = generate(watermark, tiny, PROMPTS, sampling, batch_size=2)
        ids = [text.token_ids for text in texts]
        assert all(detection.p_value < 1e-15 for detection in watermark.detect_ids(ids))
        theirs = theirs_of(watermark.parts.hasher)
        means.append(np.mean([theirs.compute_g_values(rows(one)).double().mean() for one in ids]))
    assert 0.6 < means[0] < means[1]


def rows(ids: Sequence[int]) -> Any:
    return torch.tensor([list(ids)])


@pytest.mark.parametrize("table_seed", [0, 3])
def test_p_value_of_equal_layers_is_binomial(make: Any, human: list[int], table_seed: int) -> None:
    """With the table's own share of ones; every text of 200 tokens, whatever its p."""
    watermark = make(layers="mean", ties="whole", table_seed=table_seed)
    hasher = watermark.parts.hasher
    share = 32743 / 65536 if table_seed == 0 else 32927 / 65536
    texts = [human[start : start + 200] for start in range(0, 4000, 400)]
    each_its_own = [
        one for one in watermark.detector.evidence(texts) if len(set(one.groups)) == len(one.groups)
    ]
    assert len(each_its_own) > 4  # in the others two n-grams share their coin
    for evidence in each_its_own:
        assert evidence.draws is not None
        ones = int(evidence.draws.sum())
        expected = stats.binom.sf(ones - 1, evidence.draws.size, share)
        p_value = watermark.detector.judge(evidence).p_value
        assert p_value == pytest.approx(expected, rel=1e-6)
    assert hasher.law.gamma == share


@pytest.mark.slow
def test_p_value_of_falling_weights_is_that_of_random_bits(make: Any, human: list[int]) -> None:
    """Drawn from the law many times, for a text where p is moderate."""
    watermark = make()
    law, rng = watermark.parts.hasher.law, np.random.default_rng(0)
    falling = np.linspace(10, 1, 30) / np.linspace(10, 1, 30).sum()
    assert law.parts == pytest.approx(falling)
    for start in (0, 500):
        [evidence] = watermark.detector.evidence([human[start : start + 20]])
        assert evidence.draws is not None
        counts = rng.binomial(len(evidence.draws), law.gamma, (200_000, 30))
        share = float((counts @ falling >= evidence.draws.sum(0) @ falling - 1e-12).mean())
        p_value = watermark.detector.judge(evidence).p_value
        assert abs(p_value - share) < 5 * np.sqrt(share / 2e5) + 1e-4


@pytest.mark.deep(keep=["3"])
@pytest.mark.slow
@pytest.mark.parametrize("table_seed", [0, 3])
def test_unmarked_text_over_random_keys(make: Any, human: list[int], table_seed: int, draws: Draws) -> None:
    """P(p <= a) <= a. Under seed 3 a share of a half would call nearly twice as many marked."""
    texts = [human[start : start + 200] for start in (0, 1000, 5000)]
    watermark = make(layers="mean", table_seed=table_seed)
    hasher, detector = watermark.parts.hasher, watermark.detector
    evidence, p_values, halves = detector.evidence(texts), [], []
    for key in range(draws(400, 250)):
        own = hasher.under(key * 0x9E3779B97F4A7C15 % 2**64)
        other = detector.with_composition(replaced(watermark.parts, own))
        for one in evidence:
            recoloured = other.recoloured(one)
            p_values.append(other.judge(recoloured).p_value)
            halves.append(stats.binom.sf(recoloured.draws.sum() - 1, recoloured.draws.size, 0.5))
    for level in (0.2, 0.05, 0.01):
        allowed = level + 4 * np.sqrt(level / len(p_values))
        assert np.mean(np.array(p_values) <= level) < allowed
        assert np.mean(np.array(p_values) <= level) > level / 2
    assert (np.mean(np.array(halves) <= 0.05) > 0.08) == (table_seed == 3)


def replaced(parts: Any, hasher: Any) -> Any:
    from dataclasses import replace

    return replace(parts, hasher=hasher)


def test_n_grams_of_one_coin_are_one_draw(make: Any) -> None:
    """Other tokens after other contexts, and yet the same bits under every key."""
    watermark = make()
    hasher, rng = watermark.parts.hasher, np.random.default_rng(0)
    grams = rng.integers(2, 8000, (3000, 5))
    numbers = coins(ngram_hashes(context_hashes(grams[:, :-1]), grams[:, -1]), 1 << 16)
    order = np.argsort(numbers, kind="stable")
    same = int(np.flatnonzero(np.diff(numbers[order].astype(np.int64)) == 0)[0])
    one, other = grams[order[same]], grams[order[same + 1]]
    assert one[-1] != other[-1]
    assert isinstance(hasher, SynthIdHasher)
    ids = [*one.tolist(), *other.tolist()]
    detection = watermark.detect_ids([ids])[0]
    assert detection.scored_tokens == 10
    assert detection.unique_pairs == 9


def test_a_text_of_no_or_few_ids(make: Any) -> None:
    watermark = make()
    for count in range(6):
        detection = watermark.detect_ids([[5] * count])[0]
        assert detection.verdict == "insufficient text"
        assert set(detection.foreign_scores) == (set() if count < 5 else {*MEANS})


def test_mean_scores_stand_beside(make: Any, human: list[int]) -> None:
    """The package's, from the fifth token on."""
    ids = list(dict.fromkeys(human))[:60]
    watermark = make()
    bits = theirs_of(watermark.parts.hasher).compute_g_values(rows(ids))[0].double().numpy()
    beside = watermark.detect_ids([ids])[0].foreign_scores
    assert beside[MEANS[0]] == pytest.approx(bits.mean())
    falling = np.linspace(10, 1, 30)
    assert beside[MEANS[1]] == pytest.approx((bits * falling).sum() / falling.sum() / len(bits))
