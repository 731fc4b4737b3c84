"""vLLM's ``red_green`` and its PRF by HMAC: colours, scores, profiles, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats
from stela_interop.foreign_engines import read_vllm
from stela_interop.red_green import RedGreen, green_numbers
from stela_testing import run_cli

import stela_core as stela

GOLDEN: dict[str, Any] = json.loads(
    (Path(__file__).parent / "data" / "red_green.json").read_text(encoding="utf-8")
)


def test_colours_are_equal() -> None:
    for key, context, token, greens in GOLDEN["green"]:
        for gamma, green in zip(GOLDEN["gammas"], greens, strict=True):
            hasher = RedGreen(RedGreen.Parameters(gamma=gamma, context_width=len(context)), key)
            seeds = hasher.seeds(np.array([context]))
            assert hasher.green(seeds, np.array([token])).tolist() == [green]
            assert bool(hasher.listed(token + 1, seeds[0])[token]) == green


def test_the_share_of_green_numbers_is_never_above_the_law() -> None:
    """At 0.3, float32's gamma is larger: one number in 2**24 more is green."""
    for gamma, count in GOLDEN["numbers"]:
        assert green_numbers(gamma) == count
        law = RedGreen(RedGreen.Parameters(gamma=gamma), 1).law
        assert count / 2**24 <= law.draw_mean <= gamma + 2**-23
    assert RedGreen(RedGreen.Parameters(gamma=0.3), 1).law.draw_mean > 0.3


def test_score_and_p_value_are_vllms() -> None:
    hasher = RedGreen(RedGreen.Parameters(), 42)
    ids = np.random.default_rng(0).integers(0, 50_000, 120)
    green = hasher.green(hasher.seeds(hasher.contexts(ids, np.arange(120))), ids)
    beside = hasher.foreign_scores(ids, np.arange(120))
    assert beside["vLLM score"] == green.sum()
    assert beside["vLLM p-value"] == pytest.approx(
        float(stats.binom.sf(green.sum() - 1, 120, 0.25)), rel=1e-9
    )


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ({"key": 2**64, "algorithm": "red_green"}, "the key is not an integer of 64 bits"),
        ({"key": 1, "algorithm": "red_green", "gamma": 1}, "gamma"),
        ({"key": 1, "algorithm": "red_green", "delta": 0}, "delta"),
        ({"key": 1, "algorithm": "red_green", "prf": "sha"}, "prf"),
        ({"key": 1, "algorithm": "red_green", "depth": 3}, '"depth" is not a setting'),
        ({"key": "0x1" + "0" * 64, "prf": "hmac_sha256"}, "the key is not an integer of 256 bits"),
        ({"key": 1, "prf": "hmac_sha256", "context_width": 17}, "context_width"),
        ({"key": 1, "prf": "hmac_sha256", "algorithm": "red_green"}, "algorithm"),
    ],
)
def test_what_is_refused(content: Any, expected: str) -> None:
    with pytest.raises(stela.StelaError) as caught:
        read_vllm(json.dumps(content))
    assert expected in caught.value.message
    assert "\n" not in caught.value.message


@pytest.mark.deep(keep=["config1"])
@pytest.mark.slow
@pytest.mark.parametrize(
    "config", [{"key": 1 << 60, "algorithm": "red_green"}, {"key": hex(1 << 250), "prf": "hmac_sha256"}]
)
def test_the_whole_way(config: dict[str, Any], tmp_path: Path) -> None:
    """Imported, marked, found, the key in a file."""
    pytest.importorskip("stela_gumbel")
    profile, out, keys = (str(tmp_path / name) for name in ("p.stela", "out.jsonl", "key.txt"))
    given = ("--vllm", json.dumps(config), "--model", "tiny", "--key-file", keys)
    assert run_cli("profile", "import", *given, "-o", profile).status == 0
    prompt = ("--prompt", "The history of the city", "--max-new-tokens", "80", "--seed", "1")
    made = run_cli(
        "generate", "--profile", profile, "--key-file", keys, "--model", "tiny", *prompt, "-o", out
    )
    assert made.status == 0, made.err
    assert run_cli("profile", "trust", profile).status == 0
    [result] = run_cli("detect", "--profile", profile, "--key-file", keys, out, "--json").json
    assert result["verdict"] == "watermarked"
    assert result["beside"]["vLLM p-value"] < 1e-3
