"""``stela profile import --sbw``, and ``--vllm`` with ``algorithm`` sbw: profiles, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from stela_interop.foreign import Foreign
from stela_interop.foreign_engines import read_vllm
from stela_interop.foreign_sbw import read_sbw
from stela_testing import run_cli

import stela_core as stela

SECRET = 6836152213465890477


@pytest.mark.parametrize(
    ("scheme", "salted", "width", "candidates"),
    [
        ("gpu-selfhash", True, 3, 40),
        ("gpu-selfhash-100", True, 3, 100),
        ("gpu-fused-selfhash-fullvocab-cudagraphs", True, 3, None),
        ("gpu-simple_1", False, 1, None),
        ("gpu-fused-simple_4-100", False, 4, 100),
        ("gpu-ff-anchored_minhash_prf-2-True", True, 1, 40),
        ("gpu-ff-additive_prf-3-False", False, 3, None),
    ],
)
def test_schemes(scheme: str, salted: bool, width: int, candidates: int | None) -> None:
    foreign = read_sbw(json.dumps({"seeding_scheme": scheme, "gamma": 0.25, "z_threshold": 4.0}))
    assert (foreign.context_width, foreign.parameters["candidates"]) == (width, candidates)
    assert foreign.parameters["scheme"] == ("selfhash" if salted else "lefthash")
    assert (foreign.key, foreign.gamma, foreign.values) == (15485863, 0.25, {"delta": 2.0})
    assert foreign.alpha == pytest.approx(3.167e-5, rel=1e-3)


def test_vllm_tells_contexts_apart_by_one_id_more() -> None:
    def read(**settings: Any) -> Foreign:
        return read_vllm(json.dumps({"key": 42, "algorithm": "sbw", **settings}))

    one = read(sbw_gamma=0.25, sbw_delta=3)
    assert (one.context_width, one.parameters) == (4, {"scheme": "selfhash", "unread": 1, "once": True})
    assert (one.gamma, one.values, one.key) == (0.25, {"delta": 3.0}, 42)
    one = read(deduplicate_contexts="none", context_width=2)
    assert (one.context_width, one.parameters["unread"], one.parameters["once"]) == (1, 0, False)
    one = read(sbw_scheme="lefthash")
    assert (one.context_width, one.parameters["unread"]) == (1, 0)
    assert any("own detector" in remark for remark in one.remarks)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ({}, "seeding_scheme: field required"),
        ({"hash_key": 5}, "holds no seeding_scheme"),
        ('{"gamma"', "is not JSON"),
        ({"seeding_scheme": "selfhash"}, 'seeding_scheme "selfhash" is not SBW'),
        ({"seeding_scheme": "gpu-minhash"}, 'seeding_scheme "gpu-minhash" is not reproduced'),
        ({"seeding_scheme": "gpu-\x1b[2J"}, '"gpu-\\x1b[2J" is not reproduced'),
        ({"seeding_scheme": "gpu-simple_4"}, '"gpu-simple_4" is not reproduced'),
        ({"seeding_scheme": "gpu-selfhash-cpuhash"}, "is not reproduced"),
        ({"seeding_scheme": "gpu-selfhash-0"}, "is not reproduced"),
        ({"seeding_scheme": "gpu-ff-anchored_minhash_prf-5-True"}, "SBW over 5 ids is not reproduced"),
        ({"seeding_scheme": "gpu-selfhash", "gamma": 1}, "gamma: input should be less than 1"),
        ({"seeding_scheme": "gpu-selfhash", "delta": -1}, "delta"),
        ({"seeding_scheme": "gpu-selfhash", "z_threshold": "x"}, "z_threshold"),
        ({"seeding_scheme": "gpu-selfhash", "vocab": [1]}, '"vocab" is not a setting'),
        ({"seeding_scheme": "gpu-selfhash", "hash_key": 2**63}, "hash_key is not an integer of 63 bits"),
        ({"seeding_scheme": "gpu-selfhash", "hash_key": "1"}, "hash_key is not an integer of 63 bits"),
        ({"key": 1, "prf": "philox"}, "vLLM's, which --sbw does not read"),
    ],
)
def test_what_is_refused(content: Any, expected: str) -> None:
    with pytest.raises(stela.StelaError) as caught:
        read_sbw(content if isinstance(content, str) else json.dumps(content))
    assert expected in caught.value.message
    assert "\n" not in caught.value.message


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ({"key": 2**63}, "the key has 64 bits"),
        ({"key": 1, "context_width": 5}, "SBW over 5 ids"),
        ({"key": 1, "sbw_scheme": "lefthash", "context_width": 9}, "SBW over 9 ids"),
        ({"key": 1, "sbw_scheme": "minhash"}, "sbw_scheme: input should be 'selfhash' or 'lefthash'"),
        ({"key": 1, "sbw_gamma": 0}, "sbw_gamma"),
        ({"key": 1, "gamma": 0.5}, '"gamma" is not a setting'),
    ],
)
def test_what_is_refused_of_vllm(content: dict[str, Any], expected: str) -> None:
    with pytest.raises(stela.StelaError) as caught:
        read_vllm(json.dumps({"algorithm": "sbw", **content}))
    assert expected in caught.value.message


def test_no_error_repeats_a_key() -> None:
    for content in ({"hash_key": SECRET + 2**63}, {"hash_key": [SECRET]}, {"hash_key": SECRET, "gamma": 7}):
        with pytest.raises(stela.StelaError) as caught:
            read_sbw(json.dumps({"seeding_scheme": "gpu-selfhash", **content}))
        assert str(SECRET) not in str(caught.value)


@pytest.mark.deep(keep=["--vllm"])
@pytest.mark.slow
@pytest.mark.parametrize("option", ["--sbw", "--vllm"])
def test_text_is_made_and_found(option: str, tmp_path: Path) -> None:
    content: dict[str, Any] = {"seeding_scheme": "gpu-fused-selfhash-fullvocab", "gamma": 0.25, "delta": 3}
    if option == "--vllm":
        content = {"key": 42, "algorithm": "sbw", "sbw_gamma": 0.25, "sbw_delta": 3}
    profile, texts = tmp_path / "p.stela", tmp_path / "out.jsonl"
    command = ("profile", "import", option, json.dumps(content), "--model", "tiny", "--public-key")
    assert run_cli(*command, "-o", profile).status == 0
    generate = ("generate", "--profile", profile, "--model", "tiny", "--prompt", "The history of the city")
    assert run_cli(*generate, "--max-new-tokens", "80", "-o", texts).status == 0
    [found] = run_cli("detect", "--profile", profile, texts, "--json").json
    assert found["verdict"] == "watermarked"
    assert ("SBW z" in found.get("beside", {})) == (option == "--sbw")
