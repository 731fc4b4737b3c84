"""The examples run as a stranger runs them: each in an empty folder, with what it prints."""

from __future__ import annotations

import csv
import json
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import stela_run
from stela_cli.main import run
from stela_models.loaded import Models
from stela_testing.texts import ENGLISH

import stela_core as stela
from tests.helpers import flat_ids

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[1]
EXAMPLES = ROOT / "examples"
BIN = Path(sys.executable).parent


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copytree(EXAMPLES, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", str(BIN), prepend=":")
    return tmp_path


def printed_by(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=600).stdout


def test_shipped_text_bears_the_mark_of_the_shipped_profile(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    for command in re.findall(r"`(stela (?:detect|profile) [^`]+)`", page):
        assert run(command.split()[1:]) == 0
    told = capsys.readouterr().out
    assert re.search(r"marked.txt +watermarked +2.9e-48", told)
    assert "public" in told


def test_every_file_is_in_the_list() -> None:
    page = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    files = {path.name for path in EXAMPLES.iterdir() if path.is_file()} - {"README.md"}
    assert files == set(re.findall(r"^\| \[([\w.]+)\]", page, re.MULTILINE))


@pytest.mark.deep(stand_in="plugins/stela-cli/tests/test_roundtrip.py::test_generate_then_detect")
def test_mark_and_detect(here: Path) -> None:
    marked, unmarked = printed_by(sys.executable, "mark_and_detect.py").splitlines()
    assert marked.startswith("marked: watermarked, p = ")
    assert float(unmarked.split()[-1]) > 1e-9


@pytest.mark.deep(stand_in="plugins/stela-cli/tests/test_roundtrip.py::test_generate_then_detect")
def test_chat_streams_what_is_found(here: Path) -> None:
    answer, verdict = printed_by(sys.executable, "chat_streaming.py").rsplit("\n\n", 1)
    assert len(answer) > 100
    assert verdict.startswith("Detection(watermarked, ")


@pytest.mark.deep(stand_in="plugins/stela-cli/tests/test_detect_output.py::test_csv_has_the_numbers_of_json")
def test_folder_to_csv(here: Path) -> None:
    assert run(["profile", "new", "--scheme", "kgw", "--model", "tiny", "--public-key", "-o", "p.stela"]) == 0
    Path("documents").mkdir()
    prose = " ".join(ENGLISH.split())
    Path("documents/a.txt").write_text(prose, encoding="utf-8")
    Path("documents/b.html").write_text(f"<p>{prose}</p>", encoding="utf-8")
    printed_by("./folder_to_csv.sh", "p.stela", "documents", "verdicts.csv")
    with Path("verdicts.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [Path(row["source"]).name for row in rows] == ["a.txt", "b.html"]
    assert len({row["p_value"] for row in rows}) == 1


@pytest.mark.parametrize(
    ("file", "scheme", "tagger"),
    [("my_scheme.py", "free-nouns", "penn"), ("my_tagger.py", "stela", "eo-endings")],
)
def test_plugin_files_mark_and_find(here: Path, file: str, scheme: str, tagger: str) -> None:
    table = None
    if file == "my_tagger.py":
        treebank, table = ROOT / "plugins/_template/stela_template/treebank.conllu", here / "eo.json"
        assert run(["lambda", "build", "--conllu", str(treebank), "--k", "2", "-o", str(table)]) == 0
    registry = stela.create_registry([here / file])
    mark = stela.create(scheme, model="tiny", tagger=tagger, table=table, key=7, registry=registry)
    assert mark.detect_ids([flat_ids(mark)])[0].verdict == "watermarked"


def test_attack_doubles_letters(here: Path) -> None:
    registry = stela.create_registry([here / "my_attack.py"])
    attack = registry.get(stela_run.Attack, "typos")(stela.Parameters())
    circumstances = stela_run.Circumstances("en", 0, ["", ""], [], Models(registry))
    typed, short = attack.apply([ENGLISH, "Short."], circumstances)
    assert len(typed) > len(ENGLISH)
    assert re.sub(r"(.)\1", r"\1", typed) == re.sub(r"(.)\1", r"\1", ENGLISH)
    assert short == "Short."


@pytest.mark.deep(stand_in="test_plugin_files_mark_and_find")
def test_scheme(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first_lines(Path("my_scheme.py"))
    capsys.readouterr()
    common = ["--plugin", "my_scheme.py", "--profile", "mine.stela", "--json"]
    prompt = "The history of the city"
    assert run(["generate", *common, "--model", "tiny", "--prompt", prompt, "-o", "out.jsonl"]) == 0
    assert set(json.loads(capsys.readouterr().out)["weights"]) == {None, 1.0, 2.0}
    assert run(["detect", *common, "out.jsonl"]) == 0
    assert json.loads(capsys.readouterr().out)["verdict"] == "watermarked"


@pytest.mark.deep(stand_in="test_plugin_files_mark_and_find")
def test_tagger(here: Path) -> None:
    treebank = ROOT / "plugins/_template/stela_template/treebank.conllu"
    texts = re.findall(r"^# text = (.*)$", treebank.read_text(encoding="utf-8"), re.MULTILINE)
    assert len(texts) > 30
    Path("TEXTS.jsonl").write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))
    first_lines(Path("my_tagger.py"))
    generate = "generate --plugin my_tagger.py --profile eo.stela --model tiny --prompt Urbo -o o.jsonl"
    assert run(generate.split()) == 0
    assert run(["detect", "--plugin", "my_tagger.py", "--profile", "eo.stela", "--exit-code", "o.jsonl"]) == 0
    holds = """
        import pytest
        from my_tagger import EsperantoEndings
        from stela_testing import TaggerContract

        class TestEndings(TaggerContract):
            @pytest.fixture
            def tagger(self):
                return EsperantoEndings()

            @pytest.fixture
            def texts(self):
                prose = "La verda stelo lumas super nia vojo, kaj ni esperas trovi amikojn en la mondo. "
                return [prose[i : i + 12 + i] for i in range(0, 60, 2)]
    """
    Path("test_my_tagger.py").write_text(re.sub(r"^ {8}", "", holds, flags=re.MULTILINE), encoding="utf-8")
    printed_by(sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "test_my_tagger.py")


@pytest.mark.deep(stand_in="test_attack_doubles_letters")
def test_attack_in_an_experiment(here: Path) -> None:
    experiment = Path("compare.toml").read_text(encoding="utf-8")
    assert len(tomllib.loads(experiment)["schemes"]) == 2
    Path("compare.toml").write_text(experiment.replace('{ name = "edits-delete", share = 0.3 }', '"typos"'))
    Path("compare.toml").write_text(Path("compare.toml").read_text().replace("texts = 20", "texts = 2"))
    first_lines(Path("my_attack.py"))
    rows = [json.loads(line) for line in Path("runs/compare/records.jsonl").read_text().splitlines()]
    assert {row["attack"] for row in rows} >= {"none", "typos"}
    assert Path("runs/compare/report.html").exists()


def first_lines(file: Path) -> None:
    """Run the commands at the head of a file."""
    commands = re.findall(r"^# \$ stela (.*?)(?:  #.*)?$", file.read_text(encoding="utf-8"), re.MULTILINE)
    assert commands
    for command in commands:
        assert run(command.split()) == 0, command


def test_server_script_gives_stela_what_it_takes(here: Path) -> None:
    """``make test-vllm`` runs it whole; here its syntax, and the commands of ``stela`` in it."""
    printed_by("bash", "-n", "vllm_server.sh")
    script = Path("vllm_server.sh").read_text(encoding="utf-8")
    Path("answers.jsonl").write_text(
        json.dumps({"choices": [{"text": ENGLISH, "index": 0}], "object": "text_completion"})
    )
    commands = re.findall(r"^stela (.*)$", script, re.MULTILINE)
    assert len(commands) == 3
    for command in commands:
        assert run(command.replace('"$MODEL"', "tiny").split()) == 0
    assert "--logits-processors stela_vllm:Processor" in script


def test_code_of_the_notebook(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cells = json.loads(Path("mark_and_detect.ipynb").read_text(encoding="utf-8"))["cells"]
    scope: dict[str, object] = {}
    for cell in cells:
        if cell["cell_type"] == "code":
            exec("".join(cell["source"]), scope)
    assert "\nwatermarked\n" in capsys.readouterr().out


@pytest.mark.deep(stand_in="test_code_of_the_notebook")
def test_notebook(here: Path) -> None:
    stored = json.loads(Path("mark_and_detect.ipynb").read_text(encoding="utf-8"))
    outputs = [output for cell in stored["cells"] for output in cell.get("outputs", [])]
    assert "watermarked\n" in json.dumps(
        [output.get("text") for output in outputs], ensure_ascii=False
    ).replace("\\n", "\n")
    assert not any(output.get("name") == "stderr" for output in outputs)
    printed_by(
        sys.executable,
        "-m",
        "pytest",
        "-p",
        "no:cacheprovider",
        "--nbmake",
        "--overwrite",
        "mark_and_detect.ipynb",
    )
    again = json.loads(Path("mark_and_detect.ipynb").read_text(encoding="utf-8"))
    [*_, last] = [cell for cell in again["cells"] if cell["cell_type"] == "code"]
    assert "no watermark found" in json.dumps(last["outputs"]) or "insufficient text" in json.dumps(
        last["outputs"]
    )
