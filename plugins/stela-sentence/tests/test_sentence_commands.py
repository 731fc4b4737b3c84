"""``stela sentence new``, ``generate`` and ``detect`` on the embedded model."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from stela_testing import assert_refused, run_cli

from tests.helpers import new_keys_are

pytestmark = pytest.mark.slow

TEXT = "The city is old. People read books there. Rivers run to the sea."


@pytest.fixture(scope="module")
def mark(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Under one key: under some few the model ends its text after three sentences."""
    path = tmp_path_factory.mktemp("mark") / "m.json"
    with pytest.MonkeyPatch.context() as patch:
        new_keys_are(patch, 7)
        made = run_cli("sentence", "new", "--public-key", "--margin", 0, "-o", path)
    assert made.status == 0, made.err
    assert "k-semstamp, 32 regions" in made.out
    return path


ASKED = ("--model", "tiny-small", "--prompt", "The history of the city", "--seed", 3)
KEPT = Path(__file__).with_name("data") / "sentences.jsonl"
"""What ``sentence generate`` wrote for that: a test of ``make test-deep`` writes it again."""


@pytest.mark.once
@pytest.mark.deep(stand_in="test_a_text_of_the_model_is_found")
def test_from_a_prompt_to_a_verdict(mark: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    made = run_cli("sentence", "generate", "--mark", mark, *ASKED, "--sentences", 8, "-o", out)
    assert made.status == 0, made.err
    assert "texts 1, sentences" in made.out
    assert out.read_text(encoding="utf-8") == KEPT.read_text(encoding="utf-8")
    check_found(mark, out)


def test_a_text_of_the_model_is_found(mark: Path) -> None:
    check_found(mark, KEPT)


def check_found(mark: Path, out: Path) -> None:
    [record] = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert len(record["tries"]) == len(record["valid"]) >= 6
    [said] = run_cli("sentence", "detect", "--mark", mark, out, "--json", "--sentences").json
    assert said["verdict"] == "watermarked"
    assert said["caveat"] is None
    assert [one["green"] for one in said["sentences"]][1:] == record["valid"][1:]
    assert " ".join(one["text"] for one in said["sentences"]) == " ".join(record["text"].split())
    table = run_cli("sentence", "detect", "--mark", mark, out)
    assert "watermarked means p-value <= 0.001" in table.out
    short = ("--sentences", 2, "--batch-size", 3, "--json")
    [again] = run_cli("sentence", "generate", "--mark", mark, *ASKED, *short).json
    assert record["text"].startswith(again["text"])
    assert again["tries"] == record["tries"][:2]


def test_texts_of_people_and_too_short_ones(mark: Path, tmp_path: Path) -> None:
    path = tmp_path / "t.txt"
    path.write_text(TEXT)
    [said] = run_cli("sentence", "detect", "--mark", mark, path, "--json").json
    assert (said["verdict"], said["scored_sentences"]) == ("insufficient text", 2)
    assert "sentences" not in said


def test_a_secret_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("STELA_KEY", raising=False)
    key, text, path = tmp_path / "key", tmp_path / "t.txt", tmp_path / "m.json"
    key.write_text("a passphrase of mine")
    key.chmod(0o600)
    text.write_text(TEXT)
    assert run_cli("sentence", "new", "--kind", "simmark", "--key-file", key, "-o", path).status == 0
    assert_refused(run_cli("sentence", "detect", "--mark", path, text), "is secret")
    assert run_cli("sentence", "detect", "--mark", path, "--key-file", key, text).status == 0


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("new", "-o", "m.json"), "either --key-file FILE or --public-key"),
        (("new", "--public-key", "--corpus", "nowhere.jsonl", "-o", "m.json"), "does not exist"),
        (("new", "--public-key", "--corpus", "sample-prose:xx", "-o", "m.json"), "xx"),
        (("new", "--public-key", "--embedder", "./nowhere", "-o", "m.json"), "nowhere"),
        (("new", "--public-key", "--kind", "semstamp", "--regions", "12", "-o", "m.json"), "power of two"),
        (("generate", "--mark", "none.json", "--model", "tiny", "--prompt", "A"), "does not exist"),
        (("generate", "--mark", "none.json", "--model", "tiny"), "either --prompt TEXT or --prompts"),
        (("detect", "--mark", "none.json", "t.txt"), "does not exist"),
        (("detect", "--mark", "none.json", "--sentences", "t.txt"), "add --json"),
        (("detect", "--mark", "none.json"), "no text to test"),
        (("generate", "--mark", "none.json", "--model", "tiny", "--prompt", ""), "prompt is empty"),
    ],
)
def test_mistakes_get_one_line(
    arguments: tuple[str, ...], says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert_refused(run_cli("sentence", *arguments), says)
    assert not (tmp_path / "m.json").exists()


def test_files_and_models_that_are_not_there(mark: Path) -> None:
    refused = run_cli("sentence", "generate", "--mark", mark, "--model", "./nowhere", "--prompt", "A")
    assert refused.status == 2
    assert len(refused.err.splitlines()) == 1
    assert_refused(run_cli("sentence", "detect", "--mark", mark, "nowhere.txt"), "nowhere.txt")
    assert_refused(run_cli("sentence", "detect", "--mark", mark, "--embedder", "other", __file__), "built in")


def test_detection_by_ngrams_imports_no_model_library(mark: Path, tmp_path: Path) -> None:
    path = tmp_path / "t.txt"
    path.write_text(TEXT)
    program = (
        "import sys\n"
        "for name in ('torch', 'transformers', 'numba'): sys.modules[name] = None\n"
        "from stela_cli.main import run\n"
        f"sys.exit(run(['sentence', 'detect', '--mark', {str(mark)!r}, {str(path)!r}]))"
    )
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert "insufficient text" in ended.stdout
