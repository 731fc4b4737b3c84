"""The commands as a user chains them: profile, generate, detect."""

from __future__ import annotations

import json
import zipfile
from hashlib import sha256
from pathlib import Path

import pytest
from stela_models.tokenizer import load_tokenizer

import stela_core as stela
from tests.commands import Stela

PROMPTS = ["이 도시의 역사는", "한국의 문화는 다양하고 사람들은", "그는"]


@pytest.fixture(scope="module")
def prompts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("prompts") / "prompts.jsonl"
    file.write_text("".join(json.dumps({"prompt": p}) + "\n" for p in PROMPTS), encoding="utf-8")
    return file


@pytest.mark.deep(keep=["kgw"])
@pytest.mark.slow
@pytest.mark.parametrize("name", ["stela", "kgw"])
def test_generate_then_detect(
    stela_: Stela,
    profiles: dict[str, Path],
    prompts: Path,
    tmp_path: Path,
    registry: stela.Registry,
    name: str,
) -> None:
    records = tmp_path / "out.jsonl"
    # At temperature 1, without an early end, the text is long and varied on every machine: torch's
    # draws are not the same on all.
    length = ("--max-new-tokens", 160, "--min-new-tokens", 160, "--temperature", 1)
    options = ("--model", "tiny", "--prompts", prompts, *length, "--seed", 3)
    made = stela_("generate", "--profile", profiles[name], *options, "-o", records, "--json")
    assert made.status == 0, made.err
    assert made.json == [json.loads(line) for line in records.read_text(encoding="utf-8").splitlines()]
    assert [record["prompt"] for record in made.json] == PROMPTS
    found = stela_("detect", "--profile", profiles[name], records, "--tokens", "--json")
    assert found.status == 0, found.err
    for record, detection in zip(made.json, found.json, strict=True):
        assert record["weights"][0] is None
        assert len(record["weights"]) == len(record["token_ids"])
        assert not record["text"].startswith(record["prompt"])
        assert detection["verdict"] == "watermarked"
        assert detection["p_value"] < 1e-6
        assert "".join(token["text"] for token in detection["tokens"]) == record["text"]
        if name == "kgw":
            applied = [2.0 if weight is not None else 0.0 for weight in record["weights"]]
            assert record["mean_bias"] == pytest.approx(sum(applied) / len(applied))
        else:
            assert 1.4 < record["mean_bias"] < 2.6
    tokenizer = load_tokenizer(registry, "tiny")
    for record, detection in zip(made.json, found.json, strict=True):
        # A text may be cut into other tokens than those drawn, and as many of them.
        if tokenizer.encode(record["text"], add_special_tokens=False).ids == record["token_ids"]:
            assert [token["weight"] for token in detection["tokens"]] == record["weights"]


@pytest.mark.slow
def test_human_text_and_a_wrong_key_find_nothing(
    stela_: Stela, profiles: dict[str, Path], tmp_path: Path
) -> None:
    file = tmp_path / "human.txt"
    file.write_text(
        "모든 국민은 법 앞에 평등하다. 누구든지 성별·종교 또는 사회적 신분에 의하여 정치적·경제적·사회적·"
        "문화적 생활의 모든 영역에 있어서 차별을 받지 아니한다.",
        encoding="utf-8",
    )
    for name in ("stela", "kgw"):
        [found] = stela_("detect", "--profile", profiles[name], file, "--json").json
        assert found["verdict"] == "no watermark found"
        assert found["threshold"] == 1e-3


@pytest.mark.slow
def test_short_text_is_insufficient(stela_: Stela, profiles: dict[str, Path], tmp_path: Path) -> None:
    file = tmp_path / "short.txt"
    file.write_text("안녕하세요.", encoding="utf-8")
    [found] = stela_("detect", "--profile", profiles["stela"], file, "--json").json
    assert found["verdict"] == "insufficient text"


def test_profile_names_what_lies_in_it(stela_: Stela, profiles: dict[str, Path]) -> None:
    shown = json.loads(stela_("profile", "show", profiles["stela"], "--json").out)
    with zipfile.ZipFile(profiles["stela"]) as archive:
        assert archive.namelist() == ["profile.json", "tokenizer.json", "table.json"]
        assert shown == json.loads(archive.read("profile.json"))
        assert shown["tokenizer_sha256"] == sha256(archive.read("tokenizer.json")).hexdigest()
        assert shown["table_sha256"] == sha256(archive.read("table.json")).hexdigest()
    assert shown["format"] == "stela-profile/1"
    rules = {"repeats": "fourth-root", "ties": "split"}
    assert shown["scheme"] == {"name": "stela", "parameters": {"delta": 2.0, **rules}}
    assert shown["vocab_size"] == 8192
    secret = json.loads(stela_("profile", "show", profiles["secret"], "--json").out)
    assert secret["hasher"]["key"] is None
    assert secret["hasher"]["key_id"] != shown["hasher"]["key_id"]
    assert "0123456789abcdef" not in json.dumps(secret)
    assert "secret" in stela_("profile", "show", profiles["secret"]).out


def test_plugins_lists_what_is_installed(stela_: Stela) -> None:
    rows = json.loads(stela_("plugins", "--json").out)
    found = {(row["kind"], row["name"], row["distribution"], row["status"]) for row in rows}
    assert {
        ("scheme", "kgw", "stela-kgw", "ok"),
        ("scheme", "stela", "stela-stela", "ok"),
        ("tagger", "penn", "stela-penn", "ok"),
        ("tagger", "sejong", "stela-sejong", "ok"),
        ("model", "tiny", "stela-tiny", "ok"),
        ("hasher", "keyed", "stela-core", "ok"),
    } <= found
    assert "sejong" in stela_("plugins").out


@pytest.mark.slow
def test_weighting_in_a_local_file_is_a_scheme(stela_: Stela, tmp_path: Path) -> None:
    plugin = tmp_path / "nouns.py"
    plugin.write_text(
        """
import numpy as np
import stela_core as stela

class Nouns(stela.Weighting):
    name = "nouns"
    needs = frozenset({"contexts"})

    def weights(self, positions):
        return np.array([1.0 if c and c[-1].startswith("NN") else 0.5 for c in positions.contexts])

@stela.hookimpl
def stela_register_weightings():
    return Nouns
"""
    )
    profile = tmp_path / "p.stela"
    new = ("profile", "new", "--scheme", "nouns", "--tagger", "sejong", "--model", "tiny", "--public-key")
    assert stela_(*new, "-o", profile, "--plugin", plugin).status == 0
    make = (
        "generate",
        "--profile",
        profile,
        "--model",
        "tiny",
        "--prompt",
        "이 도시의",
        "--max-new-tokens",
        60,
    )
    [record] = stela_("--plugin", plugin, *make, "--json").json
    assert {0.5, 1.0} <= set(record["weights"])
    text = tmp_path / "text.txt"
    text.write_text(record["text"], encoding="utf-8")
    missing = stela_("detect", "--profile", profile, text)
    assert missing.status == 2
    assert 'the profile needs scheme "nouns", not installed here' in missing.err
    assert "--plugin FILE" in missing.err


@pytest.mark.slow
def test_greedy_and_stdin(stela_: Stela, profiles: dict[str, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    import io
    import sys

    make = (
        "generate",
        "--profile",
        profiles["kgw"],
        "--model",
        "tiny",
        "--prompt",
        "The",
        "--temperature",
        0,
    )
    first, second = (stela_(*make, "--max-new-tokens", 30, "--seed", seed).out for seed in (1, 2))
    assert first == second
    monkeypatch.setattr(sys, "stdin", type("Stdin", (), {"buffer": io.BytesIO(first.encode())})())
    [found] = stela_("detect", "--profile", profiles["kgw"], "-", "--json").json
    assert found["scored_tokens"] > 10


def test_line_separators_inside_a_text_are_no_line_ends(
    stela_: Stela, profiles: dict[str, Path], tmp_path: Path
) -> None:
    file = tmp_path / "lines.jsonl"
    texts = ["one\u2028two\x85three\x0cfour", "five\r\nsix"]
    file.write_text("".join(json.dumps({"text": t}, ensure_ascii=False) + "\r\n" for t in texts))
    found = stela_("detect", "--profile", profiles["kgw"], file, "--tokens", "--json").json
    assert ["".join(token["text"] for token in detection["tokens"]) for detection in found] == texts


def test_brackets_in_names_and_texts_are_no_markup(
    stela_: Stela, profiles: dict[str, Path], tmp_path: Path
) -> None:
    file = tmp_path / "a[" / "red].txt"  # a slash inside brackets closes a markup tag
    file.parent.mkdir()
    file.write_text("He wrote [/b] and [red] and [/] and [link=x] in the text, again [/b] [/red].")
    found = stela_("detect", "--profile", profiles["kgw"], file, "--tokens")
    assert (found.status, found.err) == (0, "")
    assert "a[/red].txt" in found.out
    assert "[/b] and [red] and [/] and [link=x]" in found.out


def test_hints_keep_their_brackets(stela_: Stela, tmp_path: Path) -> None:
    plugin = tmp_path / "needy.py"
    plugin.write_text(
        """
import stela_core as stela

class Needy(stela.Weighting):
    name = "needy"
    def weights(self, positions): return positions
    @classmethod
    def status(cls): return stela.Status(False, 'pip install "thing[extra]"')

@stela.hookimpl
def stela_register_weightings(): return Needy
"""
    )
    assert 'pip install "thing[extra]"' in stela_("plugins", "--plugin", plugin).out
