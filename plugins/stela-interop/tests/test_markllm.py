"""Profiles from MarkLLM's configurations against golden vectors of its own code (tests/data/README.md)."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from stela_testing import run_cli

import stela_core as stela
from stela_core.api import LanguageModel
from stela_core.profile.provenance import trusted

Import = Callable[..., Path]
Case = dict[str, Any]
DATA = Path(__file__).parent / "data" / "markllm.json"
CASES: list[Case] = json.loads(DATA.read_text(encoding="utf-8"))
LISTS = [case for case in CASES if "lists" in case]
SYNTHID = [case for case in CASES if "bits" in case]
SIZE = 8192


def called(case: Case) -> str:
    settings = case["settings"]
    return f"{settings['algorithm_name']}-{settings.get('prefix_length')}-{settings.get('type')}"


def weighs(case: Case) -> bool:
    """Whether its detection runs the model."""
    return "weights" in case


@pytest.mark.parametrize("case", LISTS, ids=called)
def test_green_lists_are_equal_to_the_bit(import_profile: Import, case: Case) -> None:
    watermark = stela.load(import_profile("markllm", case["settings"]))
    hasher, width = watermark.detector.composition.hasher, case["settings"]["prefix_length"]
    ids = np.array(case["ids"])
    for end, digest in zip((width, 20, 50), case["lists"], strict=True):
        seeds = np.repeat(hasher.seeds(ids[None, end - width : end]), SIZE)
        green = np.flatnonzero(hasher.green(seeds, np.arange(SIZE)))
        assert hashlib.sha256(green.astype("<i8").tobytes()).hexdigest() == digest


@pytest.mark.deep(keep=["KGW-1-None"])
@pytest.mark.slow
@pytest.mark.parametrize("case", LISTS, ids=called)
def test_scores_are_those_of_its_detector(tiny: LanguageModel, import_profile: Import, case: Case) -> None:
    """To 1e-9; where float32 entropies are weights, its z is a float32, too."""
    watermark = stela.load(import_profile("markllm", case["settings"]))
    detection = watermark.detect(case["text"], model=tiny if weighs(case) else None)
    tokens = detection.tokens
    width = case["settings"]["prefix_length"]
    assert [-1 if token.green is None else int(token.green) for token in tokens] == case["green"]
    weights = [0.0 if token.weight is None else token.weight for token in tokens[width:]]
    real = case["settings"]["algorithm_name"] == "EWD" or case["settings"].get("ewd", False)
    assert detection.z_plain == pytest.approx(case["score"], **({"rel": 2e-5} if real else {"abs": 1e-9}))
    if weighs(case):
        assert weights == pytest.approx(case["weights"][width:], abs=2e-6 if real else 0)
    assert detection.verdict == "watermarked"


@pytest.mark.slow
@pytest.mark.parametrize(
    "case", [c for c in LISTS if weighs(c) and c["settings"]["prefix_length"] < 3], ids=called
)
def test_beginning_of_text_is_what_made_the_difference(
    tiny: LanguageModel, import_profile: Import, case: Case
) -> None:
    """The model reads the text alone; after its own first token it says other things of the first ones."""
    archive = import_profile("markllm", case["settings"])
    watermark = stela.load(archive)
    assert watermark.profile.scheme.parameters["bos"] is False
    other = stela.load(archive).detector
    composition = other.composition
    evidence = type(composition.evidence)(composition.evidence.parameters.model_copy(update={"bos": True}))
    after_bos = other.with_composition(replace(composition, evidence=evidence))
    logits = watermark.logits_of(tiny)
    [found] = after_bos.detect_many([case["text"]], logits)
    [same] = watermark.detector.detect_many([case["text"]], logits)
    assert same.z_plain == pytest.approx(case["score"], rel=2e-5)
    assert abs(found.z_plain - case["score"]) > 1e-3 or found.scored_tokens != same.scored_tokens


@pytest.mark.parametrize("case", LISTS, ids=called)
def test_marked_logits_have_its_distribution(tiny: LanguageModel, import_profile: Import, case: Case) -> None:
    watermark = stela.load(import_profile("markllm", case["settings"]))
    scores = torch.sin(torch.arange(SIZE) * 0.7)[None] * 4
    scores[0, case["boosted"]] += 1.0
    processor = watermark.logits_processor(tiny.tokenizer)
    ids = torch.tensor(case["ids"])[None]
    for end in range(1, 21):
        marked = processor(ids[:, :end], scores.clone())
    assert marked.softmax(-1)[0, :64].tolist() == pytest.approx(case["marked"], rel=2e-5, abs=1e-9)


@pytest.mark.parametrize("case", SYNTHID, ids=lambda case: case["settings"]["watermark_mode"])
def test_synthid_is_the_same_mark(import_profile: Import, case: Case) -> None:
    settings = case["settings"]
    profile = import_profile("markllm", settings)
    watermark = stela.load(profile)
    hasher, ids = watermark.detector.composition.hasher, np.array(case["ids"])
    width, depth = settings["ngram_len"] - 1, len(settings["keys"])
    grams = np.lib.stride_tricks.sliding_window_view(ids, width + 1)
    bits = hasher.g_values(hasher.seeds(grams[:, :-1]), grams[:, -1])
    theirs = np.unpackbits(np.frombuffer(bytes.fromhex(case["bits"]), dtype=np.uint8))
    assert np.array_equal(bits.ravel(), theirs[: bits.size])
    assert bits.shape == (len(ids) - width, depth)
    # Its keys are chosen one by one: a stranger's until the user says that they are his.
    assert watermark.detect(case["text"]).verdict != "watermarked"
    trusted.add(watermark.profile)
    assert stela.load(profile).detect(case["text"]).verdict == "watermarked"
    kind = "SynthID mean score" if settings["detector_type"] == "mean" else "SynthID weighted mean score"
    assert all(case["mask"]), "a repeated context would count twice in the distortionary mode's score"
    assert hasher.foreign_scores(ids, np.arange(len(ids)))[kind] == pytest.approx(case["score"], abs=1e-9)


SWEET = CASES[1]["settings"]
SYNTH = SYNTHID[0]["settings"]


@pytest.mark.parametrize(
    ("settings", "lines"),
    [
        (
            {"algorithm_name": "SWEET"},
            ["gamma: field", "hash_key: field", "prefix_length", "delta", "entropy_t"],
        ),
        (
            {**SWEET, "gama": 0.5, "entropy": 1},
            ['"entropy" is not', '"gama" is not a setting of this toolkit'],
        ),
        ({**SWEET, "gamma": 1.5, "delta": -1, "deltas": 2}, ['did you mean "delta"', "gamma: ", "delta: "]),
        ({**SWEET, "hash_key": 2**40}, ["hash_key: input should be less than 1099511627776"]),
        ({**SWEET, "algorithm_name": "EWD"}, ['"entropy_threshold" is not a setting']),
        ({**SYNTH, "watermark_mode": "both", "keys": "1"}, ["keys: ", "watermark_mode: "]),
        ({**SYNTH, "ngram_len": 1, "sampling_table_size": 16}, ["ngram_len: ", "sampling_table_size: "]),
        ({**SYNTH, "keys": [1, 65537]}, ["equal modulo"]),
        ({**CASES[0]["settings"], "algorithm_name": "UPV"}, ["is MarkLLM's UPV, which is not reproduced"]),
    ],
    ids=range(9),
)
def test_each_bad_setting_has_a_line(tmp_path: Path, settings: dict[str, Any], lines: list[str]) -> None:
    file = tmp_path / "c.json"
    file.write_text(json.dumps(settings), encoding="utf-8")
    out = tmp_path / "p.stela"
    done = run_cli("profile", "import", "--markllm", file, "--model", "tiny", "--public-key", "-o", out)
    assert done.status == 2
    said = done.err.splitlines()
    assert len(said) == len(lines), said
    for line in lines:
        assert [one for one in said if line in one and one.startswith("error: ") and " hint: " in one], line
    assert not out.exists()
