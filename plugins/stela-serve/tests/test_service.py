"""A real service over HTTP: it says what ``stela detect --json`` says, and nothing more."""

from __future__ import annotations

import json
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest
from stela_serve.started import Started, started
from stela_testing import run_cli
from stela_testing.texts import ENGLISH, KOREAN, marked_text, random_text

import stela_core as stela

from .conftest import KEY, SECRET, TRAP, Another, Running

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def texts(marks: stela.Watermarks) -> list[str]:
    """Marked by each, unmarked, disguised, empty, strange."""
    marked = [marked_text(marks[name], seed=number) for number, name in enumerate(marks.names)]
    odd = ["", " ", "a", "\x00\x1b[2J", "é" * 300, "🏙️👩‍👩‍👧" * 40, "\u202e" + ENGLISH]
    disguised = marked[0].replace(" ", "\u00a0")
    return [*marked, disguised, *odd, KOREAN * 5, *(random_text(seed) for seed in range(6))]


def of_command(tmp_path: Path, texts: list[str], *options: object) -> list[dict[str, Any]]:
    file = tmp_path / "texts.jsonl"
    file.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts), encoding="utf-8")
    done = run_cli("--plugin", TRAP, "detect", file, "--json", *options)
    assert done.status == 0, done.err
    return [{name: value for name, value in line.items() if name != "source"} for line in done.json]


@pytest.mark.parametrize("name", ["kgw.stela", SECRET, "korean.stela"])
@pytest.mark.parametrize("options", [(), ("--windows",), ("--as-it-is",)], ids=str)
def test_one_profile_says_what_the_command_says(
    running: Running, tmp_path: Path, texts: list[str], name: str, options: tuple[str, ...]
) -> None:
    key = ["--key-file", running.keys / "secret.txt"] if name == SECRET else []
    expected = of_command(tmp_path, texts, "--profile", running.profiles / name, *key, *options)
    asked = {option[2:].replace("-", "_"): True for option in options}
    answers = running.results(texts=texts, profile=name, **asked)
    assert answers == expected
    assert {"watermarked", "no watermark found", "insufficient text"} <= {one["verdict"] for one in answers}
    assert running.results(text=texts[0], profile=name.removesuffix(".stela"), **asked) == expected[:1]


@pytest.mark.parametrize("options", [(), ("--windows",)], ids=str)
def test_all_profiles_say_what_the_command_says(
    running: Running, tmp_path: Path, texts: list[str], options: tuple[str, ...]
) -> None:
    where = ("--profiles", running.profiles, "--key-file", running.keys)
    expected = of_command(tmp_path, texts, *where, *options)
    answers = running.results(texts=texts, windows=bool(options))
    assert answers == expected
    assert {one["tests"] for one in answers} == {4}
    assert {one["profile"] for one in answers[:4] if one["verdict"] == "watermarked"} >= {SECRET}


def test_tokens_have_their_places(running: Running, tmp_path: Path, texts: list[str]) -> None:
    expected = of_command(tmp_path, texts, "--profile", running.profiles / "kgw.stela", "--tokens")
    answers = running.results(texts=texts, profile="kgw", tokens=True)
    for text, answer, plain in zip(texts, answers, expected, strict=True):
        tokens = answer.pop("tokens")
        places = [(token.pop("start"), token.pop("end")) for token in tokens]
        assert tokens == plain.pop("tokens")
        assert answer == plain
        assert "".join(text[start:end] for start, end in places) == text
        for token, (start, end) in zip(tokens, places, strict=True):
            assert token["text"] == text[start:end]


def test_tokens_of_a_secret_key_are_not_told(running: Running, another: Another) -> None:
    for profile in ({"profile": SECRET}, {}):
        refused = running.detect(text=ENGLISH, tokens=True, **profile)
        assert refused.status_code == 403
        assert "secret" in refused.json()["error"]
    [told] = another.detect(text=ENGLISH, tokens=True, profile=SECRET)["results"]
    assert {token["green"] for token in told["tokens"]} >= {True, False}


def test_key_of_the_environment_and_no_key(
    running: Running, another: Another, keyless: Started, texts: list[str]
) -> None:
    """As ``stela detect`` takes it; without it the secret profile is left out, and tested is one less."""
    assert another.detect(texts=texts[:3])["results"] == running.results(texts=texts[:3])
    assert KEY not in another.service.log.read_text() + another.service.out.read_text()
    assert httpx.get(f"{keyless.url}/v1/profiles").json()["tests"] == 3
    assert f"{SECRET} is left out" in keyless.log.read_text()


def test_profiles_tell_no_key(running: Running, marks: stela.Watermarks) -> None:
    answer = running.client.get("/v1/profiles")
    listed = {one["name"]: one for one in answer.json()["profiles"]}
    assert set(listed) == {"kgw.stela", SECRET, "korean.stela", "trap.stela"}
    assert answer.json()["tests"] == 4
    for name, one in listed.items():
        profile = marks[name].profile
        assert one["key"] == ("secret" if name == SECRET else "public")
        assert one["key_id"] == profile.hasher.key_id
        assert (one["scheme"], one["language"]) == (profile.scheme.name, profile.language)
        assert re.fullmatch("[0-9a-f]{64}", one["fingerprint"])
        assert profile.hasher.key is None or profile.hasher.key not in answer.text
        for key, _ in marks[name].detectors:
            assert f"{key.number:016x}" not in answer.text
    assert len({one["fingerprint"] for one in listed.values()}) == 4


def test_many_clients_at_once_get_their_own_answers(running: Running, marks: stela.Watermarks) -> None:
    mark = marks["kgw.stela"]
    texts = [random_text(seed, words=10 + seed) for seed in range(60)]
    expected = [detection.to_dict() for detection in mark.detect_many(texts)]
    with ThreadPoolExecutor(20) as clients:
        answers = list(clients.map(lambda text: running.results(text=text, profile="kgw"), texts))
    assert answers == [[one] for one in expected]


def test_page_runs_nothing_but_its_own(running: Running) -> None:
    answer = running.client.get("/")
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert int(answer.headers["content-length"]) == len(answer.content)
    policy = answer.headers["content-security-policy"]
    [within] = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', answer.text)
    assert policy == f"{within}; frame-ancestors 'none'"
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    markup = re.sub(r"<(script|style)\b.*?</\1>", "", answer.text, flags=re.DOTALL)
    assert not re.findall(r"(?:src|href|action)\s*=|https?://|@import|url\(", markup)
    assert running.client.head("/").content == b""


def test_health_metrics_and_description(running: Running) -> None:
    running.results(text=ENGLISH)
    running.await_workers()
    assert running.client.get("/healthz").json() == {"status": "ok", "workers": 2, "ready": 2}
    metrics = running.client.get("/metrics")
    assert metrics.headers["content-type"].startswith("text/plain; version=0.0.4")
    assert 'stela_requests_total{route="/v1/detect",status="200"}' in metrics.text
    assert "stela_workers_ready 2.0" in metrics.text
    described = running.client.get("/openapi.json").json()
    assert described["openapi"] == "3.1.0"
    assert running.client.get("/").headers["x-content-type-options"] == "nosniff"


def test_no_process_has_imported_torch(keyless: Started, folders: tuple[Path, Path]) -> None:
    """Of a service with little to do: after some hundred tests workers load numba, which then saves time."""
    with httpx.Client(base_url=keyless.url, timeout=60) as client:
        running = Running(keyless, *folders, client)
        running.await_workers()
        running.results(texts=[ENGLISH, KOREAN], windows=True)
        workers = keyless.children()
        assert len(workers) == 2
        maps = [Path(f"/proc/{pid}/maps").read_text() for pid in (keyless.process.pid, *workers)]
    for libraries in maps:
        assert "numpy" in libraries
        assert "torch" not in libraries
        assert "llvmlite" not in libraries


def profile_of(folder: Path, *options: str) -> Path:
    folder.mkdir()
    new = ("profile", "new", "--model", "tiny", "--public-key", "-o", folder / "p.stela")
    made = run_cli(*new, *options)
    assert made.status == 0, made.err
    return folder


@pytest.mark.deep(stand_in="test_no_process_has_imported_torch")
def test_a_tagger_that_would_import_torch_imports_none(tmp_path: Path) -> None:
    """spaCy stands on a library that imports it wherever it is installed."""
    folder = profile_of(tmp_path / "profiles", "--scheme", "stela", "--tagger", "penn")
    with started(tmp_path, "--profiles", str(folder), "--workers", "1") as service:
        answer = httpx.post(f"{service.url}/v1/detect", json={"text": ENGLISH}, timeout=60)
        expected = stela.load(folder / "p.stela").detect(ENGLISH).to_dict()
        assert answer.json()["results"][0]["p_value"] == expected["p_value"]
        [worker] = service.children()
        libraries = Path(f"/proc/{worker}/maps").read_text()
        assert "spacy" in libraries
        assert "torch" not in libraries


@pytest.mark.deep(stand_in="tests/schemes/test_model_detection.py::test_command_line")
def test_scheme_that_weighs_by_a_model(tmp_path: Path) -> None:
    """Left out without one; with one, as the command says."""
    folder = profile_of(tmp_path / "profiles", "--scheme", "ewd")
    with pytest.raises(RuntimeError, match="has to run that model"):
        started(tmp_path, "--profiles", str(folder), "--workers", "1").__enter__()
    options = ("--profiles", str(folder), "--workers", "1", "--model", "tiny", "--device", "cpu")
    with started(tmp_path, *options) as service:
        answer = httpx.post(f"{service.url}/v1/detect", json={"text": ENGLISH}, timeout=60)
    text = tmp_path / "t.txt"
    text.write_text(ENGLISH, encoding="utf-8", newline="")
    where = ("--profiles", folder, "--model", "tiny", "--device", "cpu")
    [expected] = run_cli("detect", text, "--json", *where).json
    assert answer.json()["results"] == [{n: v for n, v in expected.items() if n != "source"}]
