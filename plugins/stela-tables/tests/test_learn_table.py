"""``stela lambda learn`` against the slow definition: one text at a time, all contexts in dictionaries."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
import torch
from stela_cli.main import run
from stela_corpora.corpus import Corpus
from stela_models.gains import expected_gain, gumbel_gain, spike_entropy, synthid_gain
from stela_models.load import load_model
from stela_models.tokenizer import load_tokenizer
from stela_tables.file import parse_any_table
from stela_tables.learning.learn import learn_table
from stela_tables.learning.pieces import PIECE, Batch, Place, batches
from stela_tables.learning.recipe import Quantity, Recipe
from stela_tables.values import ValueTable
from stela_tables.weightings import DELTA
from stela_testing.texts import ENGLISH, text_of

import stela_core as stela
from stela_core.text.token_bytes import TokenBytes
from tests.tiers import Draws

from .killed_learning import MOMENTS
from .slow_learning import Means, Observation, mean_of, prune, smooth, unbiased_gini

KILLED = Path(__file__).with_name("killed_learning.py")

TEXTS = [ENGLISH * 3 + str(n) for n in range(4)]


def corpus(tmp_path: Path, texts: Sequence[str] = TEXTS) -> str:
    path = tmp_path / "corpus.jsonl"
    path.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts), encoding="utf-8")
    return str(path)


def words(seed: int, documents: int) -> list[str]:
    """Documents of some words in random order."""
    rng = random.Random(seed)
    return [" ".join(rng.choices(ENGLISH.split(), k=rng.randint(5, 40))) for _ in range(documents)]


def observed(registry: stela.Registry, name: str, texts: Sequence[str], gain: Any) -> list[Observation]:
    """Every position of every text, the model run over one text at a time."""
    model = load_model(registry, name, "cpu")
    tokenizer = load_tokenizer(registry, name)
    tokens = TokenBytes.of(tokenizer)
    made = []
    for text in texts:
        ids = tokenizer.encode(text, add_special_tokens=False).ids
        with torch.no_grad():
            logits = model.model(torch.tensor([[model.model.config.bos_token_id, *ids]])).logits[0]
        values = gain(logits[1 : len(ids)])
        made += [
            Observation(tuple(text_of(ids[:t], tokens)), round(value * 1e6), ids[t])
            for t, value in enumerate(values.tolist(), start=1)
        ]
    return made


@pytest.mark.deep(keep=["expected-gain", "gumbel-gain"])
@pytest.mark.slow
@pytest.mark.parametrize(
    ("quantity", "gain"),
    [
        ("expected-gain", lambda logits: expected_gain(logits, 0.7, DELTA)),
        ("spike-entropy", lambda logits: spike_entropy(logits, DELTA)),
        ("gumbel-gain", lambda logits: gumbel_gain(logits, 0.7)),
        ("synthid-gain", lambda logits: synthid_gain(logits, 0.7)),
    ],
    ids=["expected-gain", "spike-entropy", "gumbel-gain", "synthid-gain"],
)
def test_the_table_is_that_of_the_definition(
    registry: stela.Registry, tmp_path: Path, quantity: Quantity, gain: Callable[..., Any]
) -> None:
    """To a thousandth: in batches a model's last bits are others, and so may be what is just kept."""
    texts = words(1, 30)
    recipe = Recipe(quantity, longest=4)
    table = learn_table(registry, ["tiny-small"], [Corpus(corpus(tmp_path, texts))], recipe, tmp_path / "p")
    slow = observed(registry, "tiny-small", texts, gain)
    means = Means(slow, 4)
    values = smooth(means.means, means.counts, recipe.smoothing, recipe.minimum)
    if quantity == "gumbel-gain":
        values = {context: value / (1 + value) for context, value in values.items()}
    kept = prune(values, recipe.least * values[()])
    assert len(kept) > 40
    assert len({"".join(context) for context in kept} ^ set(table.values)) <= 2
    for context in values:
        whole = kept.get(context)
        if whole is not None:
            assert table.values.get("".join(context), whole) == pytest.approx(whole, abs=1)
    assert table.mean_in_units == pytest.approx(mean_of(kept, means.counts, 4), abs=1)
    assert table.learned.tokens == len(slow)
    assert table.learned.documents == 30


@pytest.mark.deep(stand_in="test_the_table_is_that_of_the_definition")
@pytest.mark.slow
def test_several_models_go_into_one_table(registry: stela.Registry, tmp_path: Path) -> None:
    texts = words(2, 12)
    recipe = Recipe("spike-entropy", longest=2, smoothing=0.0, minimum=1, least=0.0)
    models = ["tiny-small", "tiny"]
    table = learn_table(registry, models, [Corpus(corpus(tmp_path, texts))], recipe, tmp_path / "p")
    both = [
        one
        for name in models
        for one in observed(registry, name, texts, lambda logits: spike_entropy(logits, DELTA))
    ]
    for context, mean in Means(both, 2).means.items():
        assert table.of_text("".join(context)) == pytest.approx(mean, abs=1.1e-3)
    assert table.learned.model == "tiny-small + tiny"
    assert table.learned.settings.startswith("sums of 2 models, ")
    assert table.learned.tokens == len(both)


def test_next_models_read_the_same_text(registry: stela.Registry, tmp_path: Path) -> None:
    texts = [" ".join(words(n, 40)) for n in range(3)]
    opened = [Corpus(corpus(tmp_path, texts))]
    tokenizers = [load_tokenizer(registry, name) for name in ("tiny-small", "tiny")]
    first = tokenizers[0].encode(texts[0], add_special_tokens=False).ids
    limit = len(first) + PIECE + 1
    read = list(batches(opened, tokenizers, limit, Place()))
    whole = []
    for model, tokenizer in enumerate(tokenizers):
        rows = [row for batch in read if batch.model == model for row in batch.rows]
        whole.append(text_of([token for row in rows for token in row], TokenBytes.of(tokenizer)))
    assert whole[0] == whole[1]
    assert len(texts[0]) < len(whole[0]) < len(texts[0] + texts[1])


def test_reading_goes_on_anywhere(registry: stela.Registry, tmp_path: Path) -> None:
    texts = [" ".join(words(n, 60)) for n in range(3)] + words(9, 30)
    opened = [Corpus(corpus(tmp_path, texts)), Corpus(corpus(tmp_path, texts))]
    tokenizers = [load_tokenizer(registry, name) for name in ("tiny-small", "tiny")]
    for limit in (100, 3_000, 1_000_000):
        whole: list[Batch] = list(batches(opened, tokenizers, limit, Place()))
        assert {batch.model for batch in whole} == {0, 1}
        assert whole[-1].place.pieces == sum(len(batch.rows) for batch in whole)
        for number, batch in enumerate(whole):
            place = Place(*json.loads(json.dumps(batch.place)))
            assert list(batches(opened, tokenizers, limit, place)) == whole[number + 1 :]


def test_a_missing_model_is_said_in_one_line(registry: stela.Registry, tmp_path: Path) -> None:
    with pytest.raises(stela.StelaError) as error:
        learn_table(registry, [], [], Recipe(), tmp_path / "p")
    assert "so learning has to run that model" in error.value.message
    assert error.value.hint == "add --model NAME (in Python, model=(model, tokenizer))"


def test_followers_are_those_of_one_tokenizer(registry: stela.Registry, tmp_path: Path) -> None:
    with pytest.raises(stela.StelaError, match="counts the tokens of one tokenizer"):
        learn_table(registry, ["tiny", "tiny-small"], [], Recipe("token-gini"), tmp_path / "p")


def test_no_text_is_said(registry: stela.Registry, tmp_path: Path) -> None:
    opened = [Corpus(corpus(tmp_path, ["", "a"]))]
    with pytest.raises(stela.StelaError, match="hold no text of two tokens"):
        learn_table(registry, ["tiny-small"], opened, Recipe("token-gini"), tmp_path / "p")
    assert not (tmp_path / "p").exists()


def test_tags_and_gini_need_no_model(letters: stela.Registry, tmp_path: Path) -> None:
    tokenizer = load_tokenizer(letters, "tiny-small")
    recipe = Recipe("token-gini", longest=2, smoothing=0.0, minimum=1, least=0.0)
    opened = [Corpus(corpus(tmp_path))]
    table = learn_table(letters, ["tiny-small"], opened, recipe, tmp_path / "p", tagger="letters")
    assert table.key == "tags"
    assert table.k == 3
    assert table.tagger is not None
    assert table.tagger.name == "letters"
    followers: Counter[int] = Counter()
    for text in TEXTS:
        followers.update(tokenizer.encode(text, add_special_tokens=False).ids[1:])
    assert table.of_tags(("no such tag",)) == pytest.approx(unbiased_gini(followers.values()), abs=1e-3)


@pytest.mark.slow
@pytest.mark.deep(keep=["1"])
@pytest.mark.parametrize("workers", [1, 2])
def test_command_learns_what_a_profile_takes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], workers: int
) -> None:
    monkeypatch.chdir(tmp_path)
    source = corpus(tmp_path)
    learn = ["lambda", "learn", "--model", "tiny-small", "--corpus", source]
    assert run([*learn, "-o", "a.json"]) == 0
    assert run([*learn, "-o", "b.json", "--workers", str(workers)]) == 0
    assert Path("a.json").read_bytes() == Path("b.json").read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.json", "b.json", "corpus.jsonl"]
    table = parse_any_table(Path("a.json").read_bytes(), "a")
    assert isinstance(table, ValueTable)
    made = ["profile", "new", "--scheme", "learned-text", "--model", "tiny-small", "--public-key"]
    assert run([*made, "--lambda", "a.json", "-o", "p.stela"]) == 0
    assert run(["lambda", "show", "a.json"]) == 0
    assert "expected-gain" in capfd.readouterr().out
    assert run(["lambda", "learn", "--model", "tiny-small", "--corpus", "no.jsonl", "-o", "c.json"]) == 2
    assert run([*made, "--scheme", "stela", "--tagger", "penn", "--lambda", "a.json", "-o", "q.stela"]) == 2
    assert "reads counts of tags" in capfd.readouterr().err
    assert run([*learn, "--quantity", "token-gini", "-o", "/dev/stdout"]) == 0
    assert json.loads(capfd.readouterr().out)["quantity"] == "token-gini"


@pytest.mark.deep(keep=["before-run"])
@pytest.mark.slow
@pytest.mark.parametrize("moment", MOMENTS)
def test_a_killed_run_goes_on(
    tmp_path: Path, moment: str, capsys: pytest.CaptureFixture[str], draws: Draws
) -> None:
    """Killed three times at some step of a checkpoint, then done by two workers: byte for byte as at once.

    ``make test`` kills it once.
    """
    source = corpus(tmp_path, words(7, 150))
    learn = ["lambda", "learn", "--model", "tiny-small", "--corpus", source, "--quantity", "token-gini"]
    assert run([*learn, "-o", str(tmp_path / "at-once.json")]) == 0
    output = tmp_path / "killed.json"
    partial = tmp_path / "killed.json.partial"
    for call in (2, 3, 2)[: draws(3, 1)]:
        calls = call * 31 if moment == "within-run" else call
        command = [sys.executable, KILLED, moment, str(calls), *learn]
        done = subprocess.run([*command, "-o", output], capture_output=True, text=True, check=False)
        assert done.returncode == -9, done.stderr
        assert not output.exists()
        assert (partial / "state.json").is_file()
    capsys.readouterr()
    assert run([*learn, "-o", str(output), "--workers", "2"]) == 0
    assert "note: continuing after" in capsys.readouterr().err
    assert output.read_bytes() == (tmp_path / "at-once.json").read_bytes()
    assert not partial.exists()


def test_a_failing_tagger_is_said_in_one_line(letters: stela.Registry, tmp_path: Path) -> None:
    opened = [Corpus(corpus(tmp_path, ["some words !raises an error"]))]
    recipe = Recipe("token-gini", longest=2)
    with pytest.raises(stela.StelaError, match=r'tagger "letters" failed on .* IndexError: no such word'):
        learn_table(letters, ["tiny-small"], opened, recipe, tmp_path / "p", tagger="letters")


@pytest.mark.slow
def test_a_partial_folder_of_other_settings_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = corpus(tmp_path, words(7, 40))
    learn = ["lambda", "learn", "--model", "tiny-small", "--corpus", source, "--quantity", "token-gini"]
    output = ["-o", str(tmp_path / "a.json")]
    command = [sys.executable, KILLED, "after-state", "2", *learn, *output]
    subprocess.run(command, capture_output=True, check=False)
    assert run([*learn, *output, "--longest", "5"]) == 2
    assert "begun with other settings. hint: give them again" in capsys.readouterr().err
    # What is only needed at the end may be another.
    assert run([*learn, *output, "--minimum", "5", "--least", "0.1"]) == 0
