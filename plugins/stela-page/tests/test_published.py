"""A page of a profile whose key was published: its verdicts and caveats are those of ``stela detect``."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest
from stela_models.cli.demo_texts import HUMAN
from stela_page.holding import held_of, require_public
from stela_testing import run_cli

import stela_core as stela
from stela_core.api import Archive

PLUGIN = Path(__file__).resolve().parents[1]
NODE = shutil.which("node")


@pytest.fixture
def profiles(tmp_path: Path) -> dict[str, Path]:
    """By name: one key, which was published; a published one behind a secret one; a secret one alone."""
    keys = [str(tmp_path / f"{n}.txt") for n in (1, 2)]
    for key in keys:
        assert run_cli("key", "new", "-o", key).status == 0
    made = {name: tmp_path / f"{name}.stela" for name in ("secret", "rotated", "one", "two")}
    new = ["profile", "new", "--scheme", "learned-text", "--language", "en", "--model", "tiny"]
    assert run_cli(*new, "--key-file", keys[0], "-o", str(made["secret"])).status == 0
    today = datetime.now(UTC).date().isoformat()
    rotate = ["profile", "rotate", str(made["secret"]), "--from", today, "--key-file", keys[1]]
    assert run_cli(*rotate, "-o", str(made["rotated"])).status == 0
    publish = ["profile", "publish", "--key-file", keys[0]]
    assert run_cli(*publish, str(made["secret"]), "--early", "-o", str(made["one"])).status == 0
    assert run_cli(*publish, str(made["rotated"]), "--early", "-o", str(made["two"])).status == 0
    return made


def test_pages_hold_published_keys_and_no_secret_profile(profiles: dict[str, Path]) -> None:
    for name in ("one", "two"):
        held = held_of(profiles[name])
        assert "published" in held.content
    for name in ("secret", "rotated"):
        with pytest.raises(stela.StelaError, match="is secret"):
            require_public(Archive.read(profiles[name]), profiles[name])


@pytest.mark.deep(stand_in="plugins/stela-page/tests/test_parity.py::test_few_texts_under_some_schemes_agree")
@pytest.mark.slow
@pytest.mark.skipif(NODE is None, reason="needs node 20 or newer")
@pytest.mark.skipif(not (PLUGIN / "node_modules").is_dir(), reason="needs npm ci in plugins/stela-page")
def test_verdicts_under_published_keys_are_those_of_stela_detect(
    profiles: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sys.path.insert(0, str(PLUGIN / "scripts"))
    from parity import built, unpack

    monkeypatch.setenv(
        "STELA_STATE", str(tmp_path / "reader")
    )  # whoever opens a page did not make its profile
    names = ("one", "two")
    watermarks = [stela.load(profiles[name]) for name in names]
    texts = [HUMAN["en"], HUMAN["en"] * 2, HUMAN["ko"]]
    job = {
        "profiles": [
            unpack(profiles[name], watermark, tmp_path)
            for name, watermark in zip(names, watermarks, strict=True)
        ],
        "texts": texts,
        "asked": [
            {"text": n, "profile": p, "passages": False} for p in range(len(names)) for n in range(len(texts))
        ],
    }
    (tmp_path / "job.json").write_text(json.dumps(job), encoding="utf-8")
    subprocess.run([str(NODE), str(built(tmp_path)), str(tmp_path)], check=True)
    lines = (tmp_path / "answers.jsonl").read_text(encoding="utf-8").splitlines()
    expected = [watermark.detect(text).to_dict() for watermark in watermarks for text in texts]
    for seen, ours in zip(map(json.loads, lines), expected, strict=True):
        assert seen["p_value"] == pytest.approx(ours["p_value"], rel=1e-9)
        for field in ("verdict", "caveat", "key_id"):
            assert seen[field] == ours[field]
        assert "was published on" in seen["caveat"]
        assert seen["published"] in seen["caveat"]
        assert seen["tests"] == ours.get("tests", 1)
