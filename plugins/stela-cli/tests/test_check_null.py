"""``stela profile new --check-null``: a key is used only if human text shows that it holds its rate."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path

import numpy as np
import pytest
from stela_cli.profile_show import checked
from stela_corpora import TextSource
from stela_models.tokenizer import load_tokenizer
from stela_run.null.check import best_keys, checked_key
from stela_run.null.corpora import MOST, PER_DOCUMENT, corpus_path, documents_of, read_human
from stela_run.null.shift import ERROR, cut, shift_under_key
from stela_testing.texts import little_english

import stela_core as stela
from stela_core.builtin.hashers import KeyedHasher
from stela_core.profile.create import Settings
from stela_core.profile.schema import parse_profile
from tests.commands import Stela
from tests.helpers import human_english, new_keys_are

BAD, GOOD = 1002, 1011
"""Keys whose z has mean 0.56 and -0.64 on this corpus."""


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Pieces of the prose that comes with Python."""
    file = tmp_path_factory.mktemp("corpus") / "human.jsonl"
    text = human_english()
    pieces = [text[i : i + 1000] for i in range(0, len(text), 3000)]
    file.write_text("".join(json.dumps({"text": piece}) + "\n" for piece in pieces), encoding="utf-8")
    return file


@pytest.fixture(scope="module")
def little(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """311 pieces of a third of it: the keys' means are 0.2 and -0.3, of which 0.1 is a standard error."""
    file, text = tmp_path_factory.mktemp("little") / "human.jsonl", little_english()
    pieces = [text[i : i + 1000] for i in range(0, len(text), 1500)]
    file.write_text("".join(json.dumps({"text": piece}) + "\n" for piece in pieces), encoding="utf-8")
    return file


@pytest.mark.deep(stand_in="plugins/stela-run/tests/null/test_null_check.py::test_a_bad_key_passes_rarely")
@pytest.mark.slow
def test_draws_until_a_key_passes_and_records_the_test(
    stela_: Stela,
    corpus: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    registry: stela.Registry,
) -> None:
    new_keys_are(monkeypatch, *range(1000, 1100))
    profile = tmp_path / "p.stela"
    new = ("profile", "new", "--scheme", "kgw", "--model", "tiny", "--public-key")
    made = stela_(*new, "--check-null", corpus, "-o", profile)
    assert made.status == 0, made.err
    shown = json.loads(stela_("profile", "show", profile, "--json").out)
    check = shown["null_check"]
    assert int(shown["hasher"]["key"], 16) == 999 + check["keys_drawn"]
    assert check["keys_drawn"] > 1, "the first of these keys is refused"
    assert f"as number {check['keys_drawn']} of the keys drawn" in made.out
    assert check["corpus"] == "human.jsonl"
    assert check["corpus_sha256"] == hashlib.sha256(corpus.read_bytes()).hexdigest()
    assert check["tests"] > check["documents"] > 300
    assert check["mean_z"] < 0
    assert [share["level"] for share in check["shares"]] == [0.1, 0.01, 0.001]
    for share in check["shares"]:
        assert share["low"] <= min(share["observed"], share["level"])
    printed = stela_("profile", "show", profile).out
    assert "human.jsonl" in printed
    assert f"{check['mean_z']:+.3f}" in printed
    # The recorded figures are those of the detector itself under this key.
    texts = (json.loads(line)["text"] for line in corpus.read_text(encoding="utf-8").splitlines())
    mark = stela.load(profile)
    found = mark.detect_ids(
        [piece.ids for piece in cut(texts, load_tokenizer(registry, "tiny"), MOST, PER_DOCUMENT)]
    )
    z = [detection.z for detection in found]
    assert (check["mean_z"], check["sd_z"]) == (
        pytest.approx(np.mean(z), abs=1e-5),
        pytest.approx(np.std(z, ddof=1), abs=1e-5),
    )
    for share in check["shares"]:
        assert share["observed"] == np.mean([d.p_value <= share["level"] for d in found])


@pytest.mark.slow
def test_bad_secret_key_is_refused_in_one_line(stela_: Stela, little: Path, tmp_path: Path) -> None:
    key, profile = tmp_path / "key.txt", tmp_path / "p.stela"
    new = ("profile", "new", "--scheme", "kgw", "--model", "tiny", "--key-file", key, "-o", profile)
    key.write_text(f"{BAD:016x}")
    key.chmod(0o600)
    refused = stela_(*new, "--check-null", little)
    assert refused.status == 2
    assert refused.err.startswith("error: the key could not be shown to keep its false alarms")
    assert refused.err.count("\n") == 1
    assert not profile.exists()
    key.write_text(f"{GOOD:016x}")
    assert stela_(*new, "--check-null", little).status == 0
    shown = json.loads(stela_("profile", "show", profile, "--json").out)
    assert shown["hasher"]["key"] is None
    assert shown["null_check"]["keys_drawn"] == 1


@pytest.mark.slow
def test_no_key_passes_on_too_little_text(stela_: Stela, little: Path, tmp_path: Path) -> None:
    few = tmp_path / "few.jsonl"
    few.write_text("\n".join(little.read_text(encoding="utf-8").splitlines()[:20]), encoding="utf-8")
    profile = tmp_path / "p.stela"
    new = ("profile", "new", "--scheme", "kgw", "--model", "tiny", "--public-key", "-o", profile)
    outcome = stela_(*new, "--check-null", little, "--check-null", few)
    assert outcome.status == 2
    assert f'"{few}" has 20 documents of 50 tokens or more: too few' in outcome.err
    assert not profile.exists()
    assert stela_(*new, "--check-null", tmp_path / "none.jsonl").status == 2


@pytest.fixture(scope="module")
def all_green(tmp_path_factory: pytest.TempPathFactory, registry: stela.Registry) -> Path:
    """Documents of words that follow each other only where the good key makes them green."""
    tokenizer = load_tokenizer(registry, "tiny")
    words = [i for token, i in tokenizer.get_vocab().items() if re.fullmatch("Ġ[a-z]{4,}", token)]
    hasher, rng = KeyedHasher(KeyedHasher.Parameters(), GOOD), np.random.default_rng(4)
    documents = []
    for _ in range(130):
        ids = [int(rng.choice(words))]
        while len(ids) < 130:
            offered = rng.choice(words, 8)
            seeds = hasher.seeds(np.full((8, 1), ids[-1]))
            green = offered[hasher.green(seeds, offered)]
            ids.append(int(green[0] if len(green) else offered[0]))
        documents.append(tokenizer.decode(ids))
    file = tmp_path_factory.mktemp("green") / "green.jsonl"
    file.write_text("".join(json.dumps({"text": text}) + "\n" for text in documents), encoding="utf-8")
    return file


@pytest.mark.deep(stand_in="test_no_key_passes_on_too_little_text")
@pytest.mark.slow
def test_a_key_that_is_bad_on_one_of_several_corpora_is_refused(
    stela_: Stela, corpus: Path, all_green: Path, tmp_path: Path
) -> None:
    key, profile = tmp_path / "key.txt", tmp_path / "p.stela"
    key.write_text(f"{GOOD:016x}")
    key.chmod(0o600)
    new = ("profile", "new", "--scheme", "kgw", "--model", "tiny", "--key-file", key, "-o", profile)
    refused = stela_(*new, "--check-null", corpus, "--check-null", all_green)
    assert refused.status == 2
    assert refused.err.startswith("error: the key could not be shown to keep its false alarms")
    assert str(all_green) in refused.err
    assert str(corpus) not in refused.err
    assert refused.err.count("\n") == 1
    assert not profile.exists()
    # Each corpus alone accepts it.
    again = corpus.parent / ".." / corpus.parent.name / corpus.name
    held = stela_(*new, "--check-null", corpus, "--check-null", again)
    assert held.status == 0, held.err
    shown = json.loads(stela_("profile", "show", profile, "--json").out)
    assert [check["corpus"] for check in shown["further_null_checks"]] == ["human.jsonl"]
    assert shown["further_null_checks"] == [shown["null_check"]]
    assert stela_("profile", "show", profile).out.count("texts from") == 2


@pytest.mark.deep(stand_in="test_no_key_passes_on_too_little_text")
@pytest.mark.slow
def test_of_several_corpora_keys_are_chosen_on_one_half_and_tested_on_the_other(
    corpus: Path, all_green: Path, registry: stela.Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("stela_run.null.check.DRAWS_FOR_SEVERAL", 12)
    monkeypatch.setattr("stela_run.null.check.FINALISTS", 3)
    tokenizer = load_tokenizer(registry, "tiny")
    made = Settings("kgw").create(registry, tokenizer, 1, public=True)
    mark = stela.Watermark(made.archive, None, registry)
    both = [read_human(mark, tokenizer, file.name, file) for file in (corpus, all_green)]
    drawn = [GOOD, *range(2000, 2011)]
    keys = iter(drawn[1:])
    best = best_keys(mark, both, GOOD, lambda: next(keys))
    # The slow way: every key on every corpus, on documents of even number alone.
    worst = []
    for key in drawn:
        excesses = []
        for human in both:
            even = human.documents % 2 == 0
            z = human.texts.z_scores(human.hasher(mark, key))
            excesses.append(shift_under_key(z[even], human.documents[even], 1e-3, ERROR).excess)
        worst.append(max(excesses))
    assert best == [drawn[n] for n in np.argsort(worst)[:3]]
    assert GOOD not in best
    # And each of them is tested on the others, with its share of the error.
    keys = iter(drawn[1:])
    odd = [human.documents % 2 == 1 for human in both]
    passing = []
    for key in best:
        held = True
        for human, own in zip(both, odd, strict=True):
            z = human.texts.z_scores(human.hasher(mark, key))[own]
            held = held and shift_under_key(z, human.documents[own], 1e-3, ERROR / 3).accepted
        passing += [key] if held else []
    if passing:
        key, checks = checked_key(mark, both, GOOD, lambda: next(keys))
        assert key == passing[0]
        assert [check["keys_drawn"] for check in checks] == [12, 12]
        assert [check["tests"] for check in checks] == [int(own.sum()) for own in odd], (
            "none that chose the key"
        )
    else:
        with pytest.raises(stela.StelaError, match="none of 12 keys drawn"):
            checked_key(mark, both, GOOD, lambda: next(keys))


def test_names_of_samples_and_what_is_no_corpus(registry: stela.Registry, tmp_path: Path) -> None:
    code = registry.get(TextSource, "sample-code").location("en")
    assert corpus_path(registry, "sample-code", None) == code
    assert corpus_path(registry, "sample-prose", "ko") == corpus_path(registry, "sample-prose:ko", "en")
    assert corpus_path(registry, str(tmp_path), None) == tmp_path
    for name, problem in (
        ("sample-prose", 'corpus "sample-prose": the profile is for any language'),
        ("sample-prose:de", 'the shipped prose has no texts in "de"'),
        ("sample-tabels", 'there is no corpus "sample-tabels". hint: did you mean "sample-tables"?'),
    ):
        with pytest.raises(stela.StelaError) as raised:
            corpus_path(registry, name, None)
        assert problem in f"{raised.value} hint: {raised.value.hint}"


def test_profiles_of_one_check_are_read_and_written_as_before() -> None:
    share = {"level": 0.1, "observed": 0.05, "low": 0.04, "high": 0.06}
    check = {
        "corpus": "human.jsonl",
        "corpus_sha256": "0" * 64,
        "documents": 500,
        "tests": 1500,
        "keys_drawn": 3,
        "mean_z": -0.2,
        "sd_z": 0.98,
        "shares": [share],
    }
    old = {
        "format": "stela-profile/1",
        "created_with": "stela-core 0.2.0",
        "scheme": {"name": "kgw", "parameters": {"delta": 2.0}},
        "hasher": {"name": "keyed", "gamma": 0.5, "context_width": 1, "key_id": "01234567"},
        "tokenizer_sha256": "1" * 64,
        "vocab_size": 8192,
        "null_check": check,
    }
    profile = parse_profile(json.dumps(old).encode(), "p")
    assert len(profile.null_checks) == 1
    written = json.loads(profile.to_json())
    assert written["null_check"] == check
    assert "further_null_checks" not in written
    again = profile.with_null_checks([*profile.null_checks, *profile.null_checks])
    assert parse_profile(again.to_json(), "p") == again
    assert len(again.null_checks) == 2
    assert profile.model_copy(update={"null_check": None}).null_checks == ()
    assert checked(profile).count("\n") == 1


@pytest.mark.slow
def test_profile_without_a_check_does_not_mention_it(stela_: Stela, profiles: dict[str, Path]) -> None:
    assert "null_check" not in json.loads(stela_("profile", "show", profiles["kgw"], "--json").out)
    assert "null check" in stela_("profile", "show", profiles["kgw"]).out


def test_documents_come_from_all_over_the_corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stela_run.null.corpora.MOST", 40)
    file = tmp_path / "many.jsonl"
    file.write_text("".join(json.dumps({"text": f"document {n}"}) + "\n" for n in range(100)))
    found = [int(text.split()[1]) for text in documents_of(str(file))]
    assert found == list(range(0, 100, 10))
