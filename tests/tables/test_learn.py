"""Learning of value tables: sums, smoothing and pruning by hand; the whole against a slow definition."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import stela_core as stela
from stela_core.cli.main import run
from stela_core.models.load import load_model, load_tokenizer
from stela_core.tables.file import parse_any_table
from stela_core.tables.freedom import expected_gain, spike_entropy
from stela_core.tables.learn import Expectations, prune, smooth, unbiased_gini
from stela_core.tables.learn_run import Quantity, Recipe, learn_table
from stela_core.tables.sampling_gain import gumbel_gain, synthid_gain
from stela_core.tables.values import ValueTable
from tests.helpers import ENGLISH, LengthTagger

TEXT = ENGLISH * 3


def test_smoothing_by_hand() -> None:
    """m = 2: root 0.5; "e" seen 4 times at 0.8; "he" twice at 0.2; "xe" once, left out."""
    means = {"": 0.5, "e": 0.8, "he": 0.2, "xe": 1.0}
    counts = Counter({"": 10, "e": 4, "he": 2, "xe": 1})
    e = (4 * 0.8 + 2 * 0.5) / 6
    assert smooth(means, counts, 2.0, 2) == {
        "": 0.5,
        "e": pytest.approx(e),
        "he": pytest.approx((2 * 0.2 + 2 * e) / 4),
    }
    tags = smooth({"": 0.5, "NN": 0.8, "DT NN": 0.2}, Counter({"": 9, "NN": 4, "DT NN": 2}), 2.0, 2, " ")
    assert tags["DT NN"] == pytest.approx((2 * 0.2 + 2 * e) / 4)


def test_pruning_by_hand() -> None:
    """ "he" is like "e" and goes; "the" is compared with "e", its longest suffix that stays."""
    values = {"": 0.5, "e": 0.3, "he": 0.305, "the": 0.33, "a": 0.505}
    assert prune(values, 0.02) == {"": 500, "e": 300, "the": 330}


def test_gini_is_unbiased() -> None:
    assert unbiased_gini([1]) == 1.0
    assert unbiased_gini([4]) == 0.0
    assert unbiased_gini([1, 1]) == 1.0
    assert unbiased_gini([2, 2]) == pytest.approx(1 - 4 / 12)


@pytest.mark.slow
@given(st.lists(st.text(alphabet="ab ", max_size=5), min_size=1, max_size=30))
def test_expectations_equal_means_over_suffixes(contexts: list[str]) -> None:
    targets = np.arange(len(contexts)) / 10
    found = Expectations(3)
    found.add(contexts, targets)
    for suffix, mean in found.means().items():
        meant = [t for c, t in zip(contexts, targets, strict=True) if c.endswith(suffix)]
        assert found.counts[suffix] == len(meant)
        assert mean == pytest.approx(np.mean(meant))
    assert set(found.means()) == {c[len(c) - n :] for c in contexts for n in range(min(3, len(c)) + 1)}


@settings(deadline=None, max_examples=30)
@given(st.lists(st.floats(-6, 6), min_size=4, max_size=7), st.sampled_from([0.5, 0.25]), st.floats(0.2, 3))
def test_expected_gain_of_few_tokens_is_exact(row: list[float], gamma: float, delta: float) -> None:
    """All colourings of up to three tokens that matter, one by one; a fourth that never comes."""
    logits = torch.tensor([*row[:3], -math.inf, -math.inf])[None]
    p = torch.softmax(logits.double() / 0.7, -1)[0, :3].tolist()
    gain = 0.0
    for colours in product([0, 1], repeat=3):
        chance = math.prod(gamma if c else 1 - gamma for c in colours)
        green = sum(c * q for c, q in zip(colours, p, strict=True))
        factor = math.exp(delta / 0.7)
        gain += chance * green * factor / (1 - green + green * factor)
    assert expected_gain(logits, 0.7, delta, gamma)[0] == pytest.approx(max(0.0, gain - gamma), abs=1e-9)


def test_gain_grows_with_freedom() -> None:
    rows = torch.stack([torch.linspace(0, scale, 50) for scale in (200.0, 20.0, 2.0, 0.0)])
    for found in (expected_gain(rows, 1.0), spike_entropy(rows)):
        assert (np.diff(found) > 0).all()
        assert found[0] == pytest.approx(0.0, abs=0.02)
    sure = torch.tensor([[0.0] + [-math.inf] * 9])
    assert expected_gain(sure, 0.7)[0] == pytest.approx(0.0, abs=1e-12)
    assert spike_entropy(sure)[0] == pytest.approx(0.0, abs=1e-6)


def corpus(tmp_path: Path, name: str = "corpus.jsonl") -> str:
    path = tmp_path / name
    path.write_text("".join(json.dumps({"text": TEXT + str(n)}) + "\n" for n in range(4)), encoding="utf-8")
    return str(path)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("quantity", "gain"),
    [("expected-gain", expected_gain), ("gumbel-gain", gumbel_gain), ("synthid-gain", synthid_gain)],
)
def test_learned_values_are_the_model_s_means(
    registry: stela.Registry, tmp_path: Path, quantity: Quantity, gain: Callable[..., Any]
) -> None:
    """Slow: the model alone over each text, every position's gain, the mean by last character."""
    from stela_core.corpora.corpus import Corpus
    from stela_core.text.prefix import text_of
    from stela_core.text.token_bytes import TokenBytes

    model = load_model(registry, "tiny-small", "cpu")
    tokenizer = load_tokenizer(registry, "tiny-small")
    tokens = TokenBytes.of(tokenizer)
    recipe = Recipe(quantity, longest=1, smoothing=0.0, minimum=1, least=0.0)
    table = learn_table([Corpus(corpus(tmp_path))], recipe, tokenizer, "tiny-small", model)
    gains: dict[str, list[float]] = {}
    for n in range(4):
        ids = tokenizer.encode(TEXT + str(n), add_special_tokens=False).ids
        with torch.no_grad():
            logits = model.model(torch.tensor([[model.model.config.bos_token_id, *ids]])).logits[0]
        for t in range(1, len(ids)):
            value = float(gain(logits[t][None], 0.7)[0])
            gains.setdefault(text_of(ids[:t], tokens)[-1:], []).append(value)
            gains.setdefault("", []).append(value)
    assert set(table.values) <= set(gains)
    for context, values in gains.items():
        mean = float(np.mean(values))
        # Exponential signals: the best weight of the mean.
        wanted = mean / (1 + mean) if quantity == "gumbel-gain" else mean
        assert table.of_text(context) == pytest.approx(wanted, abs=2e-3)
    assert table.learned.tokens == len(gains[""])


def test_a_missing_model_is_said_in_one_line(registry: stela.Registry) -> None:
    with pytest.raises(stela.StelaError) as error:
        learn_table([], Recipe(), load_tokenizer(registry, "tiny-small"), "none")
    assert "so learning has to run that model" in error.value.message
    assert error.value.hint == "add --model NAME (in Python, model=(model, tokenizer))"


def test_tags_and_gini_need_no_model(registry: stela.Registry, tmp_path: Path) -> None:
    from stela_core.corpora.corpus import Corpus

    tokenizer = load_tokenizer(registry, "tiny-small")
    recipe = Recipe(quantity="token-gini", longest=2, smoothing=0.0, minimum=1, least=0.0)
    table = learn_table([Corpus(corpus(tmp_path))], recipe, tokenizer, "tiny-small", tagger=LengthTagger())
    assert table.key == "tags"
    assert table.k == 3
    assert table.tagger is not None
    assert table.tagger.name == "length"
    followers = Counter()
    for n in range(4):
        followers.update(tokenizer.encode(TEXT + str(n), add_special_tokens=False).ids[1:])
    assert table.of_tags(("no such tag",)) == pytest.approx(unbiased_gini(followers.values()), abs=1e-3)


@pytest.mark.slow
def test_command_learns_what_a_profile_takes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    source = corpus(tmp_path)
    for name in ("a.json", "b.json"):
        assert run(["lambda", "learn", "--model", "tiny-small", "--corpus", source, "-o", name]) == 0
    assert Path("a.json").read_bytes() == Path("b.json").read_bytes()
    table = parse_any_table(Path("a.json").read_bytes(), "a")
    assert isinstance(table, ValueTable)
    made = ["profile", "new", "--scheme", "learned-text", "--model", "tiny-small", "--public-key"]
    assert run([*made, "--lambda", "a.json", "-o", "p.stela"]) == 0
    assert run(["lambda", "show", "a.json"]) == 0
    assert "expected-gain" in capsys.readouterr().out
    assert run(["lambda", "learn", "--model", "tiny-small", "--corpus", "no.jsonl", "-o", "c.json"]) == 2
    assert run([*made, "--scheme", "stela", "--tagger", "penn", "--lambda", "a.json", "-o", "q.stela"]) == 2
    assert "reads counts of tags" in capsys.readouterr().err
