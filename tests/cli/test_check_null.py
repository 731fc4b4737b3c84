"""``stela profile new --check-null``: a key is used only if human text shows that it holds its rate."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import numpy as np
import pytest

import stela_core as stela
from stela_core.cli.null_corpora import MOST, PER_DOCUMENT, documents_of
from stela_core.detection.null_check import cut
from stela_core.models.load import load_tokenizer
from tests.cli.conftest import Stela
from tests.helpers import human_english

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


@pytest.mark.slow
def test_draws_until_a_key_passes_and_records_the_test(
    stela_: Stela,
    corpus: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    registry: stela.Registry,
) -> None:
    keys = iter(range(1000, 1100))
    monkeypatch.setattr("stela_core.cli.profile_new.new_key", lambda: next(keys))
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
def test_bad_secret_key_is_refused_in_one_line(stela_: Stela, corpus: Path, tmp_path: Path) -> None:
    key, profile = tmp_path / "key.txt", tmp_path / "p.stela"
    new = ("profile", "new", "--scheme", "kgw", "--model", "tiny", "--key-file", key, "-o", profile)
    key.write_text(f"{BAD:016x}")
    key.chmod(0o600)
    refused = stela_(*new, "--check-null", corpus)
    assert refused.status == 2
    assert refused.err.startswith("error: the key could not be shown to keep its false alarms")
    assert refused.err.count("\n") == 1
    assert not profile.exists()
    key.write_text(f"{GOOD:016x}")
    assert stela_(*new, "--check-null", corpus).status == 0
    shown = json.loads(stela_("profile", "show", profile, "--json").out)
    assert shown["hasher"]["key"] is None
    assert shown["null_check"]["keys_drawn"] == 1


@pytest.mark.slow
def test_no_key_passes_on_too_little_text(stela_: Stela, corpus: Path, tmp_path: Path) -> None:
    few = tmp_path / "few.jsonl"
    few.write_text("\n".join(corpus.read_text(encoding="utf-8").splitlines()[:20]), encoding="utf-8")
    profile = tmp_path / "p.stela"
    new = ("profile", "new", "--scheme", "kgw", "--model", "tiny", "--public-key", "-o", profile)
    outcome = stela_(*new, "--check-null", few)
    assert outcome.status == 2
    assert "has 20 documents of 50 tokens or more: too few" in outcome.err
    assert not profile.exists()
    assert stela_(*new, "--check-null", tmp_path / "none.jsonl").status == 2


@pytest.mark.slow
def test_profile_without_a_check_does_not_mention_it(stela_: Stela, profiles: dict[str, Path]) -> None:
    assert "null_check" not in json.loads(stela_("profile", "show", profiles["kgw"], "--json").out)
    assert "null check" in stela_("profile", "show", profiles["kgw"]).out


def test_documents_come_from_all_over_the_corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stela_core.cli.null_corpora.MOST", 40)
    file = tmp_path / "many.jsonl"
    file.write_text("".join(json.dumps({"text": f"document {n}"}) + "\n" for n in range(100)))
    found = [int(text.split()[1]) for text in documents_of(str(file))]
    assert found == list(range(0, 100, 10))
