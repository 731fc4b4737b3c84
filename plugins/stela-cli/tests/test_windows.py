"""``stela detect --windows``: passages, on the terminal and in JSON."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from stela_models.tokenizer import load_tokenizer

import stela_core as stela
from stela_core.loading import load
from tests.commands import Stela
from tests.helpers import human_english

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def long_text(profiles: dict[str, Path], registry: stela.Registry) -> tuple[str, str]:
    """Human text with a marked passage in it, and the passage: words that are green after each other."""
    mark = load(profiles["kgw"])
    human = human_english()
    tokenizer = load_tokenizer(registry, "tiny")
    whole = {}
    for word in sorted({f" {word}" for word in human[:200_000].split()}):
        ids = tokenizer.encode(word, add_special_tokens=False).ids
        if len(ids) == 1:
            whole[ids[0]] = word
    hasher, rng = mark.parts.hasher, np.random.default_rng(2)
    passage, last = "", tokenizer.encode(" the", add_special_tokens=False).ids[-1]
    for _ in range(100):
        options = rng.choice(list(whole), 12)
        green = hasher.green(np.repeat(hasher.seeds(np.array([[last]])), 12), options)
        last = int(options[np.argmax(green)])
        passage += whole[last]
    return human[:2500] + passage + human[2500:6000], passage


def test_passage_in_json(
    stela_: Stela, profiles: dict[str, Path], long_text: tuple[str, str], tmp_path: Path
) -> None:
    text, passage = long_text
    file = tmp_path / "long.txt"
    file.write_text(text, encoding="utf-8")
    [plain] = stela_("detect", "--profile", profiles["kgw"], file, "--json").json
    assert "window" not in plain
    [found] = stela_("detect", "--profile", profiles["kgw"], file, "--windows", "--json").json
    window = found["window"]
    assert found["verdict"] == "watermarked"
    assert window["p_value"] <= 1e-3 < found["p_value"] * 1e9
    assert window["p_uncorrected"] < window["p_value"]
    assert text[window["start"] : window["end"]] == window["text"]
    begin = text.index(passage)
    shared = min(window["end"], begin + len(passage)) - max(window["start"], begin)
    assert shared > 0.7 * len(passage)
    [part] = found["passages"]
    assert (window["window_start"], window["window_end"]) == (window["start"], window["end"])
    assert part["window_start"] <= part["start"] < part["end"] <= part["window_end"]
    assert text[part["start"] : part["end"]] == part["text"]
    assert part["p_value"] <= 1e-3
    added = ("window", "passages", "verdict")
    same = {name: value for name, value in found.items() if name not in added}
    assert same == {name: value for name, value in plain.items() if name != "verdict"}


def test_passage_on_the_terminal(
    stela_: Stela, profiles: dict[str, Path], long_text: tuple[str, str], tmp_path: Path
) -> None:
    file = tmp_path / "long[1].txt"
    file.write_text(long_text[0], encoding="utf-8")
    shown = stela_("detect", "--profile", profiles["kgw"], file, "--windows")
    [found] = stela_("detect", "--profile", profiles["kgw"], file, "--windows", "--json").json
    [part] = found["passages"]
    assert f"characters {part['start']}-{part['end']} look marked, p-value" in shown.out
    assert "after correction for" in shown.out
    assert "long[1].txt: characters" in shown.out


@pytest.mark.deep(stand_in="test_passage_in_json")
def test_unmarked_text_has_a_passage_too_and_no_watermark(
    stela_: Stela, profiles: dict[str, Path], tmp_path: Path
) -> None:
    file = tmp_path / "texts.jsonl"
    human = human_english()
    lines = [human[i : i + 3000] for i in range(0, 30_000, 3000)]
    file.write_text("".join(json.dumps({"text": line}) + "\n" for line in lines), encoding="utf-8")
    found = stela_("detect", "--profile", profiles["stela"], file, "--windows", "--json").json
    assert [d["verdict"] for d in found] == ["no watermark found"] * 10
    for line, detection in zip(lines, found, strict=True):
        window = detection["window"]
        assert line[window["start"] : window["end"]] == window["text"]
        assert 1e-3 < window["p_value"] <= 1
        assert detection["passages"] == []
    shown = stela_("detect", "--profile", profiles["stela"], file, "--windows").out
    assert shown.count("look marked most, p-value") == 10
