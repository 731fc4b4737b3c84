"""The key reaches the endpoint that it is for, and no message, log or value."""

from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import stela_run
from stela_metrics.judge import Judge
from stela_metrics.judge.secret import find_key
from stela_testing import run_cli

import stela_core as stela

from .conftest import Server, completion, sample_of

KEY = "sk-test-0123456789abcdef"
SAMPLE = [("p", "m", "u")]


def run(server: Server, **more: Any) -> list[stela_run.Value]:
    parameters = Judge.Parameters(model="m", base_url=server.url, retries=0, **more)
    return list(Judge(parameters).measure(sample_of(SAMPLE)))


def test_is_sent_and_seen_nowhere(
    server: Server,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("STELA_JUDGE_KEY", f" {KEY}\n")
    monkeypatch.setenv("OPENAI_API_KEY", "another")
    with caplog.at_level(logging.DEBUG):
        values = run(server)
    assert {headers["authorization"] for _, headers, _ in server.seen} == {f"Bearer {KEY}"}
    assert server.seen
    assert KEY not in str([body for _, _, body in server.seen])
    out, err = capfd.readouterr()
    assert KEY not in caplog.text + out + err + repr(values)


@pytest.mark.parametrize("status", [200, 400, 401, 403, 500])
@pytest.mark.parametrize("as_json", [True, False])
def test_message_that_repeats_it_is_scrubbed(
    server: Server, monkeypatch: pytest.MonkeyPatch, status: int, as_json: bool
) -> None:
    monkeypatch.setenv("STELA_JUDGE_KEY", KEY)
    complaint = f"Incorrect API key provided: {KEY}."
    server.answer = lambda body: (status, {"error": {"message": complaint}} if as_json else complaint, {})
    with pytest.raises(stela.StelaError) as caught:
        run(server)
    assert "Incorrect API key provided: [key]" in str(caught.value)
    assert KEY not in repr(caught.value) + str(caught.value)
    assert caught.value.__suppress_context__ or caught.value.__context__ is None


@pytest.mark.parametrize("start", range(140, 200, 7))
def test_key_at_the_edge_of_a_long_complaint(
    server: Server, monkeypatch: pytest.MonkeyPatch, start: int
) -> None:
    """A message is shortened after the key is taken out, or half of it could stay."""
    monkeypatch.setenv("STELA_JUDGE_KEY", KEY)
    server.answer = lambda body: (400, "x" * start + KEY + "y" * 100, {})
    with pytest.raises(stela.StelaError) as caught:
        run(server)
    assert KEY[:6] not in str(caught.value)


def test_401_names_the_variable(server: Server) -> None:
    server.answer = lambda body: (401, {"error": {"message": "No key"}}, {})
    with pytest.raises(stela.StelaError, match="answered 401: No key") as caught:
        run(server)
    assert "STELA_JUDGE_KEY" in caught.value.hint
    assert len(server.seen) <= 2


def test_openai_key_on_this_machine(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    server.answer = lambda body: completion("[[A]]")
    run(server)
    assert {headers.get("authorization") for _, headers, _ in server.seen} == {f"Bearer {KEY}"}


@pytest.mark.parametrize(
    ("url", "sent"),
    [
        ("https://api.openai.com/v1", True),
        ("http://localhost:8000/v1", True),
        ("http://[::1]:8000/v1", True),
        ("https://api.openai.com.example.org/v1", False),
        ("https://judge.example.org/v1", False),
        ("https://127.0.0.1.example.org/v1", False),
        ("https://192.168.1.5/v1", False),
    ],
)
def test_where_the_openai_key_goes(monkeypatch: pytest.MonkeyPatch, url: str, sent: bool) -> None:
    monkeypatch.delenv("STELA_JUDGE_KEY", raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    assert find_key(url) == (KEY if sent else None)
    monkeypatch.setenv("STELA_JUDGE_KEY", "own")
    monkeypatch.setenv("STELA_JUDGE_HOST", urlsplit(url).netloc)
    assert find_key(url) == "own"


def test_no_key_goes_unencrypted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Parameters refuse such an address; the key does not rely on it."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    assert find_key("http://api.openai.com/v1") is None
    monkeypatch.setenv("STELA_JUDGE_KEY", KEY)
    with pytest.raises(stela.StelaError, match="is not for"):
        find_key("http://api.openai.com/v1")


@pytest.mark.parametrize("key", ["two words", "schlüssel", "a\nb"])
def test_what_is_no_key(monkeypatch: pytest.MonkeyPatch, key: str) -> None:
    monkeypatch.setenv("STELA_JUDGE_KEY", key)
    with pytest.raises(stela.StelaError) as caught:
        find_key("http://localhost:8000")
    assert key not in str(caught.value)


def test_a_redirect_is_not_followed(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STELA_JUDGE_KEY", KEY)
    other = Server()
    server.answer = lambda body: (307, "", {"location": f"{other.url}/chat/completions"})
    with pytest.raises(stela.StelaError, match="answered 307"):
        run(server)
    other.close()
    assert other.seen == []


EXPERIMENT = """
model = "tiny-small"
lengths = [8]
texts = 2
metrics = [{{ name = "judge", model = "m", base_url = "{url}", retries = 0 }}]
[languages.en]
tagger = "penn"
prompts = "en.jsonl"
[[schemes]]
name = "kgw"
"""


@pytest.mark.slow
def test_is_in_no_file_of_a_run(
    server: Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """An endpoint that repeats the key in its complaint: the record has the complaint, without it."""
    monkeypatch.setenv("STELA_JUDGE_KEY", KEY)
    server.answer = lambda body: (401, {"error": {"message": f"bad key {KEY}"}}, {})
    (tmp_path / "x.toml").write_text(EXPERIMENT.format(url=server.url), encoding="utf-8")
    row = {
        "prompt": "The old bridge",
        "continuation": "was widened twice, and at last replaced by another one.",
    }
    rows = [json.dumps({**row, "prompt": f"The {n} bridge"}) + "\n" for n in ("old", "new")]
    (tmp_path / "en.jsonl").write_text("".join(rows), encoding="utf-8")
    out = tmp_path / "out"
    run_cli("run", tmp_path / "x.toml", "--data", tmp_path, "-o", out)
    assert "bad key [key]" in (out / "records.jsonl").read_text(encoding="utf-8")
    files = [path for path in out.rglob("*") if path.is_file()]
    assert not [path for path in files if KEY.encode() in path.read_bytes()]
    assert KEY not in "".join(capfd.readouterr())
