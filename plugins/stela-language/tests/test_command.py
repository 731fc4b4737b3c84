"""From a small treebank to a verdict on marked text, by commands."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from invented import write_data
from stela_language import making
from stela_testing import assert_refused, run_cli

import stela_core as stela

OPTIONS = ("--code", "xx", "--name", "Invented", "--licence", "CC0-1.0")


def run(*words: object, cwd: Path, path: Path | None = None) -> subprocess.CompletedProcess[str]:
    """A command of stela's in a process of its own, with one more folder of packages."""
    folders = [*([str(path)] if path else []), *sys.path]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, folders))}
    command = [sys.executable, "-m", "stela_cli", *map(str, words)]
    return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False)


def new(cwd: Path, treebank: Path, corpus: Path, *more: object) -> subprocess.CompletedProcess[str]:
    sources = ("--conllu", treebank, "--corpus", corpus)
    return run("language", "new", *sources, *OPTIONS, *more, cwd=cwd)


@pytest.mark.deep(stand_in="test_a_stopped_training_ends_as_one_that_was_not")
@pytest.mark.slow
def test_from_a_treebank_to_a_verdict(tmp_path: Path) -> None:
    treebank, corpus = write_data(tmp_path)
    made = new(tmp_path, treebank, corpus, "--epochs", 30, "-o", "stela-xx")
    assert made.returncode == 0, made.stderr
    right = re.search(r"tags right (\d+\.\d)%", made.stdout)
    assert right is not None
    assert float(right[1]) >= 90
    folder = tmp_path / "stela-xx"
    assert not (tmp_path / "stela-xx.partial").exists()
    assert "CC0-1.0" in (folder / "NOTICE").read_text(encoding="utf-8")
    site = tmp_path / "site"
    pip = ("-m", "pip", "install", "-q", "--no-deps", "--no-build-isolation", "--target", str(site))
    subprocess.run([sys.executable, *pip, str(folder)], check=True, cwd=tmp_path, capture_output=True)

    def stela_xx(*words: object) -> str:
        done = run(*words, cwd=tmp_path, path=site)
        assert done.returncode == 0, done.stderr
        return done.stdout

    stela_xx(
        "profile", "new", "--scheme", "stela", "--tagger", "xx", "--model", "tiny", "--public-key",
        "-o", "p.stela",
    )  # fmt: skip
    profile = ("--profile", "p.stela")
    stela_xx(
        "generate", *profile, "--model", "tiny", "--prompt", "La urbo", "--temperature", 1,
        "--min-new-tokens", 200, "-o", "out.jsonl",
    )  # fmt: skip
    [record] = stela_xx("detect", *profile, "--json", "out.jsonl").splitlines()
    assert json.loads(record)["verdict"] == "watermarked"
    own_tests = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", os.devnull, "tests"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(site), *filter(None, sys.path)])},
        capture_output=True,
        text=True,
        check=False,
    )
    assert own_tests.returncode == 0, own_tests.stdout


def test_what_is_wrong_is_told_in_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    treebank, corpus = write_data(tmp_path)
    lines = treebank.read_text(encoding="utf-8").split("\n")
    row = next(number for number, line in enumerate(lines) if "\tVERB\t" in line)
    lines[row] = lines[row].replace("VERB", "VRB")
    treebank.write_text("\n".join(lines), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    asked = ("language", "new", "--conllu", treebank, "--corpus", corpus, *OPTIONS, "-o")
    made = run_cli(*asked, "stela-xx")
    assert_refused(made, f'xx_invented.conllu:{row + 1} has UPOS "VRB"')
    (tmp_path / "there").mkdir()
    made = run_cli(*asked, "there")
    assert_refused(made, '"there" exists')


def wanted_of(folder: Path) -> making.Wanted:
    treebank, corpus = write_data(folder, 60)
    language = making.Language("xx", "Invented", ("CC0-1.0",))
    return making.Wanted([str(treebank)], [], [str(corpus)], language, 4, 0, False)


def test_a_stopped_training_ends_as_one_that_was_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = wanted_of(tmp_path)
    making.make(wanted, tmp_path / "whole", lambda line: None)
    lines: list[str] = []

    def stop(line: str) -> None:
        lines.append(line)
        if line.startswith("epoch 2"):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        making.make(wanted, tmp_path / "parts", stop)
    making.make(wanted, tmp_path / "parts", lines.append)
    epochs = [line.split(":")[0] for line in lines if line.startswith("epoch")]
    assert epochs == [f"epoch {number} of 4" for number in (1, 2, 3, 4)]
    for name in ("model/weights.f2", "model/model.json", "tables/k3.json"):
        whole, parts = (tmp_path / folder / "stela_xx" / name for folder in ("whole", "parts"))
        assert whole.read_bytes() == parts.read_bytes()


def test_a_damaged_checkpoint_starts_anew(tmp_path: Path) -> None:
    partial = tmp_path / "out.partial"
    partial.mkdir()
    (partial / "training.pt").write_bytes(b"no checkpoint")
    lines: list[str] = []
    making.make(wanted_of(tmp_path), tmp_path / "out", lines.append)
    assert any(line.startswith("epoch 1 ") for line in lines)


@pytest.mark.parametrize(
    ("code", "name", "licence", "message"),
    [
        ("tr/..", "Turkish", "MIT", "not a language code"),
        ("lsh", "Lish", "MIT", "stela-lsh is already a plugin"),
        ("ctb", "Tagalog", "MIT", "stela-ctb is already a plugin"),
        ("tr", 'Tur"""kish', "MIT", "not a language name"),
        ("tr", "Turkish", "CC BY", "not an SPDX"),
    ],
)
def test_words_that_cannot_stand_in_a_package(code: str, name: str, licence: str, message: str) -> None:
    from stela_language.writing import language_of

    with pytest.raises(stela.StelaError, match=message):
        language_of(code, name, [licence])
