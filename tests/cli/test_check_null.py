"""``stela profile new --check-null``: a key is used only if human text shows that it holds its rate."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from tests.cli.conftest import Stela
from tests.helpers import human_english


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """1,360 pieces of prose that comes with Python."""
    file = tmp_path_factory.mktemp("corpus") / "human.jsonl"
    text = human_english()
    pieces = [text[i : i + 1000] for i in range(0, len(text), 1000)]
    file.write_text("".join(json.dumps({"text": piece}) + "\n" for piece in pieces), encoding="utf-8")
    return file


def test_draws_until_a_key_passes_and_records_the_test(
    stela_: Stela, corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
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
    assert f"as key {check['keys_drawn']} of those drawn" in made.out
    assert check["corpus"] == "human.jsonl"
    assert check["corpus_sha256"] == hashlib.sha256(corpus.read_bytes()).hexdigest()
    assert check["tests"] == check["documents"] > 1000
    assert check["mean_z"] < 0
    assert [share["level"] for share in check["shares"]] == [0.1, 0.01, 0.001]
    for share in check["shares"]:
        assert share["low"] <= min(share["observed"], share["level"])
    printed = stela_("profile", "show", profile).out
    assert "human.jsonl" in printed
    assert f"{check['mean_z']:+.3f}" in printed
    # The recorded figures are those of the detector itself under this key.
    texts = tmp_path / "cut.jsonl"
    lines = corpus.read_text(encoding="utf-8").splitlines()
    texts.write_text("\n".join(lines[3::4]), encoding="utf-8")  # those cut to 400 tokens: too short to be cut
    found = stela_("detect", "--profile", profile, texts, "--json").json
    z = [detection["z"] for detection in found]
    assert abs(sum(z) / len(z) - check["mean_z"]) < 0.25


def test_bad_secret_key_is_refused_in_one_line(stela_: Stela, corpus: Path, tmp_path: Path) -> None:
    key, profile = tmp_path / "key.txt", tmp_path / "p.stela"
    new = ("profile", "new", "--scheme", "kgw", "--model", "tiny", "--key-file", key, "-o", profile)
    outcomes = {}
    for number in range(1000, 1012):
        key.write_text(f"{number:016x}")
        outcome = stela_(*new, "--check-null", corpus)
        outcomes[outcome.status] = outcome
        if len(outcomes) == 2:
            break
    assert set(outcomes) == {0, 2}
    assert outcomes[2].err.startswith("error: the key could not be shown to keep its false alarms")
    assert outcomes[2].err.count("\n") <= 2
    assert "Traceback" not in outcomes[2].err
    shown = json.loads(stela_("profile", "show", profile, "--json").out)
    assert shown["hasher"]["key"] is None
    assert shown["null_check"]["keys_drawn"] == 1


def test_no_key_passes_on_too_little_text(stela_: Stela, corpus: Path, tmp_path: Path) -> None:
    few = tmp_path / "few.jsonl"
    few.write_text("\n".join(corpus.read_text(encoding="utf-8").splitlines()[:20]), encoding="utf-8")
    profile = tmp_path / "p.stela"
    new = ("profile", "new", "--scheme", "kgw", "--model", "tiny", "--public-key", "-o", profile)
    outcome = stela_(*new, "--check-null", few)
    assert outcome.status == 2
    assert "has 20 texts with evidence: too few" in outcome.err
    assert not profile.exists()
    assert stela_(*new, "--check-null", tmp_path / "none.jsonl").status == 2


def test_profile_without_a_check_does_not_mention_it(stela_: Stela, profiles: dict[str, Path]) -> None:
    assert "null_check" not in json.loads(stela_("profile", "show", profiles["kgw"], "--json").out)
    assert "null check" in stela_("profile", "show", profiles["kgw"]).out
