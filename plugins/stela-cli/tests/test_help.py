"""``--help`` of every command: whole sentences in plain words, none of them cut."""

from __future__ import annotations

import ast
import inspect
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from stela_cli.group import Formatter
from stela_cli.main import create_registry, run

import stela_core as stela
from tests.commands import whole_cli

ROOT = Path(__file__).parents[3]

PRIVATE = re.compile(
    r"\b(at home|told apart|can be told|nowhere else|beside|alone|of its own|of their own|what finds most|"
    r"takes? away|bears?|bearing|stays?|as it came|whose mark is it|a stranger's)\b"
)
"""Words of ours that a reader of the field would not use."""


def commands(command: click.Command, *words: str) -> Iterator[tuple[str, click.Command]]:
    """All commands with their words."""
    yield " ".join(words), command
    if isinstance(command, click.Group):
        for name, inner in command.commands.items():
            yield from commands(inner, *words, name)


@pytest.fixture(scope="module")
def all_of_them(registry: stela.Registry) -> dict[str, click.Command]:
    return dict(commands(whole_cli(registry), "stela"))


def sentences(text: str) -> list[str]:
    """Of a help, without what holds if an option is not given."""
    text = re.sub(r" *\[(default|variable): .*", "", text)
    return re.split(r"(?<=[.:;]) (?=[A-Z])", " ".join(text.split()))


def test_lists_of_commands_have_whole_sentences(all_of_them: dict[str, click.Command]) -> None:
    groups = {words: each for words, each in all_of_them.items() if isinstance(each, click.Group)}
    assert {"stela", "stela profile", "stela lambda", "stela verdict", "stela watme"} <= set(groups)
    for words, group in groups.items():
        shown = group.get_help(click.Context(group, info_name=words, terminal_width=80))
        assert "..." not in shown.partition("Commands:")[2], words
        for name, command in group.commands.items():
            first = " ".join((command.help or "").split("\n\n")[0].split())
            sentence = re.split(r"(?<=\.) ", first)[0]
            assert sentence in " ".join(shown.split()), f"{words} {name}"


def test_commands_and_options_say_what_they_are(all_of_them: dict[str, click.Command]) -> None:
    for words, command in all_of_them.items():
        first = sentences((command.help or "").split("\n\n")[0])[0]
        assert first.endswith((".", ":")), words
        assert first[:1].isupper(), words
        for option in command.params:
            if isinstance(option, click.Option):
                says = option.help or ""
                assert sentences(says)[-1].endswith("."), f"{words} {option.opts[0]}: {says!r}"
                assert "\n" not in says, f"{words} {option.opts[0]}"


def test_help_shows_no_escape(all_of_them: dict[str, click.Command]) -> None:
    """``\\b`` keeps lines as they are; in a raw docstring it is printed."""
    for name, command in all_of_them.items():
        context = click.Context(command, info_name=name)
        assert "\\b" not in command.get_help(context), name


def test_sentences_are_short_and_plain(all_of_them: dict[str, click.Command]) -> None:
    for words, command in all_of_them.items():
        options = [option.help or "" for option in command.params if isinstance(option, click.Option)]
        for text in (command.help or "", *options):
            assert not PRIVATE.search(text), f"{words}: {text}"
            for sentence in sentences(text):
                if "\b" not in text:
                    assert len(sentence.split()) <= 25, f"{words}: {sentence}"


def test_every_help_ends_with_an_example_that_can_be_parsed(
    all_of_them: dict[str, click.Command], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its command, its options and their values are there; files need not be."""
    monkeypatch.chdir(tmp_path)
    for folder in ("which", "which-costs"):
        Path("runs", folder).mkdir(parents=True)
    for words, command in all_of_them.items():
        if isinstance(command, click.Group):
            continue
        shown = command.get_help(click.Context(command, info_name=words, terminal_width=80))
        heading, example = shown.splitlines()[-2:]
        assert heading.strip() == "Example:", words
        arguments = shlex.split(example)
        assert arguments[: len(words.split())] == words.split(), words
        with command.make_context(words, arguments[len(words.split()) :], obj=lambda: create_registry([])):
            pass


def test_everyday_commands_come_first_then_those_for_research(registry: stela.Registry) -> None:
    group = whole_cli(registry)
    shown = group.get_help(click.Context(group, info_name="stela"))
    parts = re.split(r"^(Commands|Commands for research|Other commands):$", shown, flags=re.MULTILINE)[1:]
    listed = {
        heading: re.findall(r"^  ([a-z0-9]\S*) ", part, re.MULTILINE)
        for heading, part in zip(parts[::2], parts[1::2], strict=True)
    }
    assert list(listed) == ["Commands", "Commands for research", "Other commands"]
    assert listed["Commands"][:3] == ["profile", "generate", "detect"]
    assert listed["Commands for research"][0] == "run"
    assert "watme" in listed["Other commands"]
    assert sorted(name for names in listed.values() for name in names) == sorted(group.commands)


def test_options_of_long_commands_stand_under_headings(all_of_them: dict[str, click.Command]) -> None:
    """Each once, and under the last heading only what every command has."""
    long = 20
    for words, command in all_of_them.items():
        options = [option for option in command.params if isinstance(option, click.Option)]
        if len(options) < long:
            continue
        shown = command.get_help(click.Context(command, info_name=words, terminal_width=80))
        assert "\nOptions:\n" not in shown, words
        for name in (max(option.opts, key=len) for option in options):
            found = re.findall(rf"^  (?:-., )?{name}(?![\w-])", shown, re.MULTILINE)
            assert len(found) == 1, f"{words} {name}"
        rest = shown.partition("\nOther options:\n")[2].partition("\n\n")[0]
        last = set(re.findall(r"^  (?:-., )?(--[a-z-]+)", rest, re.MULTILINE))
        assert last == {"--verbose", "--help"}, words
        assert "FILE" not in rest


def test_short_option_shows_the_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["-V"]) == 0
    short = capsys.readouterr().out
    assert run(["--version"]) == 0
    assert short == capsys.readouterr().out
    assert short.startswith("stela, version ")


def test_headings_are_bold_where_asked(registry: stela.Registry) -> None:
    group = whole_cli(registry)
    context = click.Context(group, info_name="stela")
    plain = group.get_help(context)
    context.formatter_class = Formatter
    bold = group.get_help(context)
    assert bold.count("\x1b[1m") == 4, "options, and three lists of commands"
    assert click.unstyle(bold) == plain


def said(source: str) -> Iterator[str]:
    """Messages and hints of a module's errors, and what it says to a user."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call):
            name = ast.unparse(node.func).rpartition(".")[2]
            if name.endswith("Error") or name in ("say", "note", "fail"):
                for each in ast.walk(node):
                    if isinstance(each, ast.Constant) and isinstance(each.value, str):
                        yield each.value


SOURCES = [*ROOT.glob("stela_core/**/*.py"), *ROOT.glob("plugins/stela-*/stela_*/**/*.py")]


def test_messages_and_hints_are_plain() -> None:
    private = [
        f"{file.relative_to(ROOT)}: {text}"
        for file in SOURCES
        for text in said(file.read_text(encoding="utf-8"))
        if PRIVATE.search(text)
    ]
    assert private == []


def docstrings() -> Iterator[tuple[str, str]]:
    """Of the public names of the core, and of what their classes define."""
    for name in stela.__all__:
        public = getattr(stela, name)
        members = [("", public)]
        if inspect.isclass(public):
            members += [(f".{key}", value) for key, value in vars(public).items() if not key.startswith("_")]
        for key, member in members:
            plain = getattr(member, "func", member)  # of a cached property
            if callable(plain) or isinstance(plain, property | classmethod | staticmethod):
                yield f"{name}{key}", inspect.getdoc(plain) or ""


def test_docstrings_of_public_names_are_plain() -> None:
    found = dict(docstrings())
    assert {"load", "Watermark.detect", "Detection.power"} <= set(found)
    assert [f"{name}: {text}" for name, text in found.items() if PRIVATE.search(text)] == []
