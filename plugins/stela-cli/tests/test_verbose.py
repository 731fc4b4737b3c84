"""``--verbose`` and the loggers behind it: what is loaded and done, on standard error, if asked for."""

from __future__ import annotations

import ast
import logging
import re
from pathlib import Path

import click
import pytest
from stela_cli.verbose import asked
from stela_testing import run_cli
from stela_testing.texts import ENGLISH

import stela_core as stela
from stela_core.logs import timed
from tests.commands import whole_cli

ROOT = Path(__file__).parents[3]
LINE = re.compile(r" *\d+\.\d\d s  stela_\w+: .+")
OF_ENGINES = {"stela_serving", "stela_vllm", "stela_sglang", "stela_ray"}
"""Their warnings are for who runs the engine and may have set up no logging: no NullHandler holds them."""


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    """A profile, and a text."""
    profile, text = tmp_path / "p.stela", tmp_path / "a text\x1b[31m.txt"
    new = ("profile", "new", "--scheme", "kgw", "--model", "tiny", "--public-key", "-o", str(profile))
    assert run_cli(*new).status == 0
    text.write_text(ENGLISH, encoding="utf-8")
    return str(profile), str(text)


def test_says_what_is_loaded_and_done_on_stderr_only(files: tuple[str, str]) -> None:
    profile, text = files
    detect = ("detect", "--profile", profile, text, "--json")
    quiet = run_cli(*detect)
    for loud in (run_cli(*detect, "--verbose"), run_cli("-v", *detect), run_cli(*detect, "-v")):
        assert (loud.status, loud.out) == (0, quiet.out)
        lines = loud.err.splitlines()
        assert all(LINE.fullmatch(line) for line in lines)
        for said in (
            "plugin kgw loaded in",
            "tokenizer",
            f"profile {profile} loaded in",
            "is read as",
        ):
            assert [line for line in lines if said in line], said
        assert "\x1b" not in loud.err
        assert ENGLISH.split()[0] not in loud.err.split()
    assert quiet.err == ""
    assert not [one for one in logging.getLogger().handlers if type(one).__module__.startswith("stela_cli")]


def test_twice_says_more(files: tuple[str, str]) -> None:
    profile, text = files
    once, twice = (run_cli("detect", "--profile", profile, text, flag).err for flag in ("-v", "-vv"))
    assert "texts tested: 1 in" in twice
    assert "texts tested: 1 in" not in once
    assert "texts tested: 1 in" in twice


@pytest.mark.parametrize(
    ("arguments", "times"),
    [
        ([], 0),
        (["detect", "-v"], 1),
        (["--verbose", "detect", "-vv"], 3),
        (["detect", "--", "-v"], 0),
        (["detect", "-"], 0),
        (["--version"], 0),
    ],
)
def test_arguments(arguments: list[str], times: int) -> None:
    assert asked(arguments) == times


def test_every_command_has_it(registry: stela.Registry) -> None:
    def lacking(command: click.Command) -> list[str]:
        inner = command.commands.values() if isinstance(command, click.Group) else []
        own = [flag for parameter in command.params for flag in parameter.opts if flag == "--verbose"]
        return [str(command.name)] * (len(own) != 1) + [name for each in inner for name in lacking(each)]

    whole_cli(registry)
    assert lacking(whole_cli(registry)) == []


def test_another_option_of_that_name_is_left_alone() -> None:
    from stela_cli.verbose import add_verbose

    short = click.Command("a", params=[click.Option(["-v", "--volume"])])
    long = click.Command("b", params=[click.Option(["--verbose"], is_flag=True)])
    for command in (short, long):
        add_verbose(command)
    assert [parameter.opts for parameter in short.params] == [["-v", "--volume"], ["--verbose"]]
    assert [parameter.opts for parameter in long.params] == [["--verbose"]]


def test_a_failure_is_not_said_to_be_done(caplog: pytest.LogCaptureFixture) -> None:
    log = logging.getLogger("stela_test")
    with (
        caplog.at_level(logging.INFO),
        pytest.raises(ValueError, match="no"),
        timed(log, "%s opened", "a file"),
    ):
        raise ValueError("no")
    with caplog.at_level(logging.INFO), timed(log, "%s opened", "a file"):
        pass
    assert [re.sub(r"\d\.\d\d", "T", record.getMessage()) for record in caplog.records] == [
        "a file opened in T s"
    ]


def packages() -> list[Path]:
    plugins = sorted(ROOT.glob("plugins/stela-*/stela_*"))
    return [ROOT / "stela_core", *(folder for folder in plugins if folder.suffix != ".egg-info")]


@pytest.mark.parametrize("package", packages(), ids=lambda folder: folder.name)
def test_a_library_logs_under_its_own_name_and_prints_nothing(package: Path) -> None:
    printed, loggers = [], 0
    for file in package.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call):
                continue
            called = ast.unparse(node.func)
            if called == "print" and file.name != "sandbox_child.py":  # its standard output is a pipe
                printed.append(f"{file}:{node.lineno}")
            if called == "logging.getLogger" and node.args and package.name != "stela_serve":
                own = ast.unparse(node.args[0]) in ("__name__", f"'{package.name}'")
                loggers += own
                assert own or file.name in ("hf_open.py",), file
    assert printed == []
    if loggers and package.name not in OF_ENGINES:
        start = (package / "__init__.py").read_text(encoding="utf-8")
        assert "logging.getLogger(__name__).addHandler(logging.NullHandler())" in start


@pytest.mark.parametrize("room", ["insertion", "hashing", "statistics", "text", "interfaces"])
def test_nothing_is_logged_where_a_token_takes_microseconds(room: str) -> None:
    files = [*(ROOT / "stela_core" / room).rglob("*.py")]
    assert files
    assert [file for file in files if "logging" in file.read_text(encoding="utf-8")] == []
