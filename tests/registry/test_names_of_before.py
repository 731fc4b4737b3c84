"""Plugins that derive from the names of before load, work, and are told in one line what to write."""

from __future__ import annotations

import json
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
from stela_philox.exponential import Exponential

import stela_core as stela
from stela_core.interfaces import Signals
from stela_core.statistics.bernoulli import Bernoulli

PLUGIN = """
import numpy as np
import stela_core as stela
from stela_core.api import keyed_seeds, mix

class Odd(stela.Hasher):
    name = "odd"

    def seeds(self, contexts):
        return keyed_seeds(self.key, contexts)

    def green(self, seeds, tokens):
        return mix(seeds, tokens) % np.uint32(2) == 1

    def beside(self, ids, positions):
        return {"theirs": float(len(positions))}

class Toss(stela.SamplingHasher):
    name = "toss"
    first_only = True

    @property
    def law(self):
        return stela.Law("exponential", parts=(1.0,), largest=32 * float(np.log(2)))

    def seeds(self, contexts):
        return keyed_seeds(self.key, contexts)

    def draws(self, seeds, tokens):
        return -np.log1p(mix(seeds, tokens) / -(2.0**32))[:, None]

    def contexts(self, ids, positions):
        return super().contexts(ids, positions)

    def mark(self, scores, seeds, vocab_size):
        import torch

        out = torch.full_like(scores, -torch.inf)
        for row, seed in enumerate(seeds):
            u = torch.from_numpy((mix(seed, np.arange(vocab_size)) + 0.5) / 2**32)
            out[row, (scores[row, :vocab_size].double() - torch.log(-torch.log(u))).argmax()] = 0.0
        return out

class OddScheme(stela.Scheme):
    name = "odd"
    hasher = "odd"

class TossScheme(stela.SamplingScheme):
    name = "toss"
    hasher = "toss"

@stela.hookimpl
def stela_register_hashers():
    return [Odd, Toss]

@stela.hookimpl
def stela_register_schemes():
    return [OddScheme, TossScheme]
"""
HINTS = {
    "odd": "stela.Hasher is stela.GreenList now, and beside is foreign_scores: derive from that",
    "toss": "stela.SamplingHasher is stela.Choice now, and beside is foreign_scores: derive from that",
}


@pytest.fixture(scope="module")
def plugin(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("before") / "before.py"
    file.write_text(PLUGIN, encoding="utf-8")
    return file


@pytest.fixture(scope="module")
def registry(plugin: Path) -> stela.Registry:
    with pytest.warns(FutureWarning) as caught:
        registry = stela.create_registry([plugin])
    said = {(one.filename, str(one.message)) for one in caught}
    assert said == {(str(plugin), f"{name.title()}: {hint}") for name, hint in HINTS.items()}
    assert len(caught) == 2
    return registry


@pytest.mark.parametrize("scheme", HINTS)
def test_they_mark_and_detect(registry: stela.Registry, scheme: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # it was said once
        mark = stela.create(scheme, "tiny", key="00000000000000a1", registry=registry, min_tokens=8)
        rng, ids = np.random.default_rng(0), [3, 4, 5, 6]
        for _ in range(60):
            scores = rng.normal(0, 0.5, (1, mark.profile.vocab_size + 8)).astype("f4")
            scores[0, 4000:] = -np.inf
            marked = mark.marker()([ids], scores)[0].astype("f8")
            likely = np.exp(marked - marked.max())
            ids.append(int(rng.choice(len(likely), p=likely / likely.sum())))
        [found] = mark.detect_ids([ids])
        [other] = mark.detect_ids([rng.integers(0, 4000, 60).tolist()])
    assert found.p_value < 1e-3 < other.p_value
    assert found.foreign_scores == ({"theirs": float(found.scored_tokens)} if scheme == "odd" else {})
    assert mark.parts.hasher.own_contexts == (scheme == "toss")


def test_laws_by_their_names_of_before() -> None:
    law = stela.Law
    assert law("bernoulli", 0.25) == law(gamma=0.25) == Bernoulli(0.25)
    assert law("bernoulli", 0.5, parts=(0.5, 0.5)) == Bernoulli(0.5, (0.5, 0.5))
    assert law("exponential", parts=(0.9, 0.1), largest=9.0) == Exponential((0.9, 0.1), largest=9.0)
    with pytest.raises(stela.StelaError, match='no law has draws "poisson"'):
        law("poisson")
    signals = Signals(np.zeros((0, 1)), np.zeros(0), np.zeros(0, dtype=np.int64), law())
    assert signals.law.is_green_list


def test_the_command_line_says_it_once_and_shows_it(plugin: Path) -> None:
    command = [sys.executable, "-m", "stela_cli", "--plugin", str(plugin), "plugins", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    rows = {row["name"]: row for row in json.loads(done.stdout) if row["kind"] == "hasher"}
    for name, hint in HINTS.items():
        assert (rows[name]["status"], rows[name]["hint"]) == ("ok", hint)
        assert done.stderr.count(hint) == 1
    assert rows["keyed"]["hint"] == ""
