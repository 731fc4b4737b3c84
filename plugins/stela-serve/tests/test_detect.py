"""``POST /detect``: a text's score in vLLM's words, and hints that restrict what is looked for."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from pathlib import Path
from random import Random
from typing import Any

import httpx
import pytest
from stela_cli.candidate_files import read_candidates
from stela_models.tokenizer import load_tokenizer
from stela_serve.started import started
from stela_sign.rotation.keys import rotated
from stela_testing.texts import marked_text, random_text

import stela_core as stela
from stela_core.profile.archive import Archive
from stela_core.profile.create import Settings

from .conftest import SECRET, Running

pytestmark = pytest.mark.slow

FIELDS = {"score", "p_value", "num_scored_tokens", "is_watermarked", "tests", "profile", "key_id"}
CANDIDATES = 300


def scored(client: httpx.Client, text: str, stranger: bool = False, **hint: Any) -> dict[str, Any]:
    """The answer; ``stranger`` says whether the best profile is somebody else's, with a caveat."""
    body = {"text": text, "hint": hint} if hint else {"text": text}
    answer = client.post("/detect", json=body)
    assert answer.status_code == 200, answer.text
    said: dict[str, Any] = answer.json()
    assert set(said) == FIELDS | ({"caveat"} if stranger else set())
    return said


def test_the_score_is_that_of_the_detection(running: Running, marks: stela.Watermarks) -> None:
    for text in (marked_text(marks["kgw.stela"]), random_text(1), "", "short"):
        expected = marks.detect(text)
        said = scored(running.client, text)
        assert said["p_value"] == expected.detection.deciding_p
        assert (said["score"], said["tests"]) == (expected.detection.z, len(marks))
        assert (said["profile"], said["key_id"]) == (expected.name, expected.key_id)
        assert said["is_watermarked"] is expected.watermarked
        assert said["num_scored_tokens"] == expected.detection.scored_tokens


def test_a_hint_restricts_the_search_and_the_correction(running: Running, marks: stela.Watermarks) -> None:
    text = random_text(2)
    alone = marks["kgw.stela"].detect(text)
    for name in ("kgw", "kgw.stela"):
        said = scored(running.client, text, profile=name)
        assert (said["tests"], said["p_value"], said["profile"]) == (1, alone.p_value, "kgw.stela")
    key_id = marks[SECRET].profile.hasher.key_id
    said = scored(running.client, text, key_id=key_id)
    assert (said["tests"], said["profile"]) == (1, SECRET)
    assert said["p_value"] == marks[SECRET].detect(text).p_value
    # Keys without epochs may be of any day.
    whole = scored(running.client, text, written_between=["2026-11-01", "2026-11-30"])
    assert whole["tests"] == len(marks)


@pytest.mark.parametrize(
    ("body", "status", "says"),
    [
        ({"text": "a", "hint": {"profile": "nobody"}}, 404, "no profile of this name"),
        ({"text": "a", "hint": {"key_id": "nobody"}}, 404, "leaves no key to test for"),
        ({"text": "a", "hint": {"profile": "kgw", "key_id": "00000000"}}, 404, "leaves no key"),
        ({"text": "a", "hint": {"written_between": ["2026-11-30", "2026-11-01"]}}, 404, "no day between"),
        ({"text": "a", "hint": {"written_between": ["2026-02-30", "2026-03-01"]}}, 404, "no day between"),
        ({"text": "a", "hint": {"written_between": ["today", "tomorrow"]}}, 400, "match pattern"),
        ({"text": "a", "hint": {"written_between": ["2026-11-01"]}}, 400, "at least 2 items"),
        ({"text": "a", "hint": {"who": "alice"}}, 400, "known are profile, key_id, written_between"),
        ({"text": "a", "hint": "kgw"}, 400, '"hint"'),
        ({"text": "a", "profile": "kgw"}, 400, "known are text, hint"),
        ({"hint": {}}, 400, '"text"'),
        ({"text": "a" * 50_001}, 422, "more than 50,000 characters"),
        ({"text": "\ud800"}, 400, "not JSON"),
    ],
    ids=lambda value: str(value)[:60] if isinstance(value, dict) else "",
)
def test_a_bad_body_gets_one_line(running: Running, body: Any, status: int, says: str) -> None:
    sent = json.dumps(body).encode()
    answer = running.client.post("/detect", content=sent, headers={"content-type": "application/json"})
    said = answer.json()
    assert (answer.status_code, set(said)) == (status, {"error", "hint"})
    assert says in f"{said['error']} {said['hint']}"
    assert "nobody" not in answer.text
    assert "alice" not in answer.text


def public(scheme: str, key: int) -> Archive:
    registry = stela.create_registry()
    tokenizer = load_tokenizer(registry, "tiny")
    return Settings(scheme).create(registry, tokenizer, key, public=True).archive


@pytest.fixture(scope="module")
def keyed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[httpx.Client, dict[str, str]]]:
    """A profile with two epochs, and one with candidates in place of its key; a text of each kind."""
    root = tmp_path_factory.mktemp("keyed")
    profiles = root / "profiles"
    profiles.mkdir()
    marked: dict[str, str] = {}
    archive = public("kgw", 1)
    changed = replace(archive, profile=rotated(archive.profile, 2, 1, since=date(2026, 11, 1)))
    changed.write(profiles / "epochs.stela")
    public("kgw", 3).write(profiles / "many.stela")
    marked["autumn"] = marked_text(stela.create("kgw", model="tiny", key=1))
    draw = Random(1)
    keys = [draw.getrandbits(64) for _ in range(CANDIDATES)]
    lines = [{"key_id": f"customer-{n}", "key": f"{key:016x}"} for n, key in enumerate(keys)]
    (root / "many.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    (root / "many.jsonl").chmod(0o600)
    marked["customer-7"] = marked_text(stela.create("kgw", model="tiny", key=keys[7]), 200)
    given = ("--profiles", str(profiles), "--rate", "0", "--workers", "1", "--keys", str(root / "many.jsonl"))
    with started(root, *given) as service, httpx.Client(base_url=service.url, timeout=60) as client:
        yield client, marked


def test_days_choose_the_key(keyed: tuple[httpx.Client, dict[str, str]]) -> None:
    client, marked = keyed
    for days, tests, found in (
        (["2026-10-01", "2026-10-31"], 1, True),
        (["2026-11-01", "2026-11-30"], 1, False),
        (["2026-10-31", "2026-11-01"], 2, True),
    ):
        said = scored(client, marked["autumn"], True, profile="epochs", written_between=days)
        assert (said["tests"], said["is_watermarked"]) == (tests, found)


def test_candidates_are_searched_with_all_others(keyed: tuple[httpx.Client, dict[str, str]]) -> None:
    client, marked = keyed
    said = scored(client, marked["customer-7"], True)
    assert (said["tests"], said["profile"], said["key_id"]) == (CANDIDATES + 2, "many.stela", "customer-7")
    assert said["is_watermarked"]
    alone = scored(client, marked["customer-7"], True, profile="many", key_id="customer-7")
    assert alone["tests"] == 1
    assert said["p_value"] == pytest.approx((CANDIDATES + 2) * alone["p_value"])
    [told] = [one for one in client.get("/v1/profiles").json()["profiles"] if one["name"] == "many.stela"]
    assert (told["candidates"], told["key"], told["key_id"]) == (CANDIDATES, "secret", None)
    whole = client.post("/v1/detect", json={"text": marked["customer-7"]}).json()["results"][0]
    assert (whole["tests"], whole["key_id"]) == (CANDIDATES + 2, "customer-7")
    assert client.post("/v1/detect", json={"text": "a", "tokens": True}).status_code == 403


def test_keys_of_no_profile_are_refused(tmp_path: Path) -> None:
    public("kgw", 1).write(tmp_path / "p.stela")
    line = {"key_id": "a", "key": "0" * 16}
    (tmp_path / "other.jsonl").write_text(json.dumps(line) + "\n")
    keys = read_candidates(tmp_path / "other.jsonl", lambda _: None)
    with pytest.raises(stela.StelaError, match='no profile is called "other"'):
        stela.load_all(tmp_path, candidates={"other": keys})
