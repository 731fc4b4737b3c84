"""Completion in a shell: commands, options, and values that plugins and folders hold."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.shell_completion import get_completion_class
from stela_cli import completion
from stela_cli.completion_script import SHELLS
from stela_cli.main import build_cli
from stela_testing import run_cli

import stela_core as stela

LANGUAGES = ("ar", "de", "es", "fr", "hi", "id", "ja", "pt", "ru", "tr", "vi")
"""Made from treebanks, a plugin each."""


def offered(registry: stela.Registry, *words: str, shell: str = "bash") -> list[str]:
    """Values that come next, of words whose last is incomplete."""
    kind = get_completion_class(shell)
    assert kind is not None
    complete = kind(build_cli(registry), {}, "stela", completion.VARIABLE)
    return [item.value for item in complete.get_completions(list(words[:-1]), words[-1])]


@pytest.mark.parametrize(
    ("words", "values"),
    [
        (["de"], ["demo", "detect"]),
        (["profile", "ne"], ["new"]),
        (["detect", "--prof"], ["--profile", "--profiles"]),
        (["profile", "new", "--scheme", "kg"], ["kgw"]),
        (["profile", "new", "--tagger", "sej"], ["sejong"]),
        (["generate", "--model", "tin"], ["tiny", "tiny-small"]),
        (["detect", "--executor", "lo"], ["local"]),
        (["detect", "--format", "json"], ["json", "jsonl"]),
        (["completion", ""], ["bash", "fish", "zsh"]),
        (["no-such-command", "dete"], ["detect"]),
    ],
)
def test_what_comes_next(registry: stela.Registry, words: list[str], values: list[str]) -> None:
    assert sorted(set(offered(registry, *words))) == values


def test_languages_are_those_of_the_installed_taggers(registry: stela.Registry) -> None:
    """Chinese and what is made from treebanks have plugins that test-lowest does without."""
    made = [code for code in LANGUAGES if registry.has(stela.Tagger, code)]
    languages = ["en", "ko", *(["zh"] if registry.has(stela.Tagger, "ctb") else []), *made]
    assert offered(registry, "profile", "new", "--language", "") == sorted(languages)


def test_profiles_of_a_folder(
    registry: stela.Registry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("a.stela", "b.stela", "b.txt", "b\n.stela"):
        (tmp_path / name).touch()
    monkeypatch.chdir(tmp_path)
    for command in (["detect", "--profile"], ["page", "--profile"], ["profile", "show"]):
        assert offered(registry, *command, "") == ["a.stela", "b.stela"]
    assert offered(registry, "detect", "--profile", f"{tmp_path}/b") == [f"{tmp_path}/b.stela"]
    kind = get_completion_class("bash")
    assert kind is not None
    complete = kind(build_cli(registry), {}, "stela", completion.VARIABLE)
    kinds = {
        "detect --profile none/": "file",
        "detect --profiles ": "dir",
        "detect --key-file ": "file",
        "detect ": "file",
        "profile new --model ./": "dir",
    }
    for words, wanted in kinds.items():
        *before, incomplete = words.split(" ")
        assert [item.type for item in complete.get_completions(before, incomplete)] == [wanted], words


def test_a_path_is_taken_as_it_was(registry: stela.Registry, tmp_path: Path) -> None:
    """What only completes a value refuses none: the command says what is wrong with it."""
    refused = run_cli("detect", "--profile", tmp_path, __file__, "--format", "text")
    assert refused.err.startswith(f'error: profile "{tmp_path}"')


@pytest.mark.parametrize("shell", SHELLS)
def test_script(shell: str) -> None:
    done = run_cli("completion", shell)
    assert done.status == 0
    assert f"_STELA_COMPLETE={shell}_complete" in done.out


@pytest.mark.parametrize(
    ("words", "here", "absent"),
    [
        (["generate", "--pr"], {"models"}, {"kgw", "sejong", "run"}),
        (["detect", "--pr"], set(), {"kgw", "models"}),
        (["profile", "new", "--scheme", ""], {"kgw", "stela"}, {"sejong", "run"}),
        (["profile", "new", "--tagger", "s"], {"sejong"}, {"kgw", "run"}),
        (["p"], {"page", "paper"}, {"kgw", "run"}),
    ],
)
def test_only_plugins_that_can_say_it_are_loaded(words: list[str], here: set[str], absent: set[str]) -> None:
    registry = stela.create_registry()
    assert offered(registry, *words)
    loaded = set(registry.plugins.origins)
    assert here <= loaded
    assert not absent & loaded


@pytest.mark.deep(stand_in="test_script")
@pytest.mark.slow
@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash")
def test_bash_itself(tmp_path: Path) -> None:
    (tmp_path / "a b.stela").touch()
    program = f"{sys.executable} -m stela_cli"
    (tmp_path / "stela").write_text(f'#!/bin/sh\nexec {program} "$@"\n', encoding="utf-8")
    (tmp_path / "stela").chmod(0o755)
    script = """
eval "$(stela completion bash)"
complete -p stela
COMP_WORDS=(stela dete) COMP_CWORD=1; _stela_completion stela; printf '[%s]' "${COMPREPLY[@]}"
COMPREPLY=() COMP_WORDS=(stela detect --profile "") COMP_CWORD=3; _stela_completion stela
printf '[%s]' "${COMPREPLY[@]}"
"""
    here = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    done = subprocess.run(
        ["bash", "--norc", "-c", script], env=here, cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert "-F _stela_completion stela" in done.stdout
    assert done.stdout.endswith("[detect][a b.stela]")
    assert done.stderr == ""


def test_types_of_the_commands_own_are_kept() -> None:
    given = click.Option(["--profile"], type=click.Choice(["a"]), metavar="P.stela")
    command = click.Command("a", params=[given])
    completion.add_completion(command)
    assert isinstance(given.type, click.Choice)
