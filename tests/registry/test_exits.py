"""A plugin that tries to end the program is a broken plugin, whatever it does and wherever."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest
from stela_testing import assert_refused, run_cli
from tokenizers import Tokenizer

import stela_core as stela
from stela_core.registry.components import Registry
from stela_core.registry.manager import create_plugins
from tests.helpers import new_keys_are

WEIGHTING = """
import asyncio, signal, sys
import click
import numpy as np
import stela_core as stela

class Half(stela.Weighting):
    name = "half"
    def __init__(self, *given):
        super().__init__(*given)
        {made}
    @classmethod
    def status(cls):
        {asked}
        return stela.Status()
    def weights(self, positions):
        {called}
        return np.full(positions.count, 0.5)

@stela.hookimpl
def stela_register_weightings():
    {hook}
    return Half
"""

ENDS = [
    "sys.exit(0)",
    "sys.exit()",
    "sys.exit('a word')",
    "raise SystemExit",
    "raise GeneratorExit",
    "raise asyncio.CancelledError",
    "raise click.exceptions.Exit(0)",
    "raise type('Bye', (BaseException,), {})",
    "__import__('argparse').ArgumentParser().exit()",
]


def weighting(made: str = "", asked: str = "", called: str = "", hook: str = "") -> str:
    """A plugin's code that does these things when it is constructed, asked, called and registered."""
    return WEIGHTING.format(
        made=made or "pass", asked=asked or "pass", called=called or "pass", hook=hook or "pass"
    )


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    def write_code(content: str, name: str = "mine") -> Path:
        file = tmp_path / f"{name}.py"
        file.write_text(content)
        for module in [module for module in sys.modules if module.endswith(f"_{name}")]:
            del sys.modules[module]
        return file

    return write_code


@pytest.fixture
def install(write: Callable[..., Path], monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], EntryPoint]:
    def install_plugin(name: str, content: str) -> EntryPoint:
        monkeypatch.syspath_prepend(str(write(content, f"entry_{name}").parent))
        monkeypatch.delitem(sys.modules, f"entry_{name}", raising=False)
        return EntryPoint(name, f"entry_{name}", "stela")

    return install_plugin


IMPORTS = "import asyncio, sys\nimport click\n"
AT_LOADING = {
    "import": f"{IMPORTS}{{}}",
    "hook": f"{IMPORTS}import stela_core as s\n@s.hookimpl\ndef stela_register_taggers():\n    {{}}",
    "generator of a hook": f"{IMPORTS}import stela_core as s\n@s.hookimpl\n"
    "def stela_register_taggers():\n    yield 1\n    {}",
    "hook of hooks": f"{IMPORTS}import stela_core as s\n@s.hookimpl\ndef stela_add_hooks():\n    {{}}",
    "attribute": f"{IMPORTS}def __getattr__(name):\n    {{}}",
}


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("where", AT_LOADING)
def test_the_others_work(install: Callable[[str, str], EntryPoint], where: str, end: str) -> None:
    bad = install("bad", AT_LOADING[where].format(end))
    registry = Registry(create_plugins(installed=[bad, install("good", weighting())]))
    assert registry.has(stela.Weighting, "half")
    if where == "attribute" and not registry.broken:
        return  # pluggy takes an attribute that raises for none
    [broken] = registry.broken
    assert broken.name == "bad"
    if where != "generator of a hook":
        assert "which would have ended this program" in broken.reason


@pytest.mark.parametrize("end", ENDS)
def test_a_file_that_exits_is_named(
    write: Callable[..., Path], monkeypatch: pytest.MonkeyPatch, end: str
) -> None:
    file = write(f"{IMPORTS}\nprint('words')\n{end}")
    finished = run_cli("detect", "--quiet", "--plugin", file, "--profile", "p.stela", "text.txt")
    assert (finished.status, finished.out) == (2, "")
    words, line = finished.err.splitlines()
    assert words == "words"
    assert line.startswith(f'error: plugin file "{file}" fails: "{file}", line ')
    monkeypatch.setenv("STELA_PLUGINS", str(file))
    assert run_cli("plugins", "--json").status == 2


def test_an_interrupt_stays_one(
    install: Callable[[str, str], EntryPoint], write: Callable[..., Path]
) -> None:
    with pytest.raises(KeyboardInterrupt):
        create_plugins(installed=[install("bad", "raise KeyboardInterrupt")])
    assert run_cli("plugins", "--plugin", write("raise KeyboardInterrupt")).status == 130


def test_what_a_handler_of_signals_raises_is_meant_for_the_program(write: Callable[..., Path]) -> None:
    def leave(number: int, frame: object) -> None:
        sys.exit(7)

    before = signal.signal(signal.SIGTERM, leave)
    try:
        with pytest.raises(SystemExit):
            stela.create_registry([write("import os, signal\nos.kill(os.getpid(), signal.SIGTERM)")])
    finally:
        signal.signal(signal.SIGTERM, before)


@pytest.fixture
def profile(
    write: Callable[..., Path], tokenizer: Tokenizer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Path:
    """A profile of the weighting ``half``, under whose key the text is not found."""
    new_keys_are(monkeypatch, 0x5EED)
    registry = stela.create_registry([write(weighting())])
    made = stela.create(scheme="half", tokenizer=tokenizer, key="public", registry=registry)
    made.save(tmp_path / "half.stela")
    (tmp_path / "text.txt").write_text("The city lies on a river, and the river is wide. " * 8)
    return tmp_path / "half.stela"


@pytest.mark.parametrize("when", ["made", "called"])
@pytest.mark.parametrize("end", ENDS)
def test_a_component_decides_no_status(
    write: Callable[..., Path], profile: Path, when: str, end: str
) -> None:
    options = ["--profile", profile, profile.with_name("text.txt")]
    assert run_cli("detect", "--quiet", "--plugin", write(weighting()), *options).status == 1
    bad = write(weighting(**{when: end}))
    assert_refused(
        run_cli("detect", "--quiet", "--plugin", bad, *options), f'"{bad}", line ', "would have ended"
    )
    registry = stela.create_registry([bad])
    with pytest.raises(stela.StelaError, match="would have ended"):
        stela.load(profile, registry=registry).detect("The city lies on a river. " * 20)


def test_marking_is_contained(write: Callable[..., Path], profile: Path) -> None:
    import numpy as np

    registry = stela.create_registry([write(weighting(called="sys.exit(0)"))])
    watermark = stela.load(profile, registry=registry)
    logits = np.zeros((1, watermark.profile.vocab_size), np.float32)
    for mark in (
        lambda: watermark.marker()([[1, 2, 3]], logits),
        lambda: watermark.detect_ids([[1, 2] * 40]),
    ):
        with pytest.raises(stela.StelaError, match="would have ended"):
            mark()


READER = """
import sys
import stela_core as stela
from stela_cli.documents.reader import Reader, Text

class Bad(Reader):
    name = format = called = "bad"
    suffixes = (".bad",)
    @classmethod
    def texts(cls, stream, name, column, note):
        yield Text(name, "The city lies on a river. " * 20)
        sys.exit(0)

@stela.hookimpl
def stela_register_readers():
    return Bad
"""


def test_a_reader_that_exits_fails_its_file_alone(
    write: Callable[..., Path], profile: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STELA_PLUGINS", os.pathsep.join(map(str, (write(weighting()), write(READER, "r")))))
    folder = profile.parent
    (folder / "x.bad").write_text("x")
    finished = run_cli("detect", "--json", "--profile", profile, folder / "x.bad", folder / "text.txt")
    assert finished.status == 2
    assert [Path(json.loads(line)["source"]).name for line in finished.out.splitlines()] == [
        "x.bad",
        "text.txt",
    ]
    assert "would have ended" in finished.err


@pytest.mark.slow
def test_a_status_that_exits_is_listed(write: Callable[..., Path]) -> None:
    finished = run_cli("plugins", "--json", "--plugin", write(weighting(asked="print(1); sys.exit(0)")))
    assert finished.status == 0
    [row] = [row for row in json.loads(finished.out) if row["name"] == "half"]
    assert row["status"] == "unavailable"
    assert "would have ended" in row["hint"]


COMMANDS = """
import sys
import click
import stela_core as stela

@click.command("hello")
@click.pass_context
def hello(context):
    {}

@stela.hookimpl
def stela_commands(cli):
    {}
    cli.add_command(hello)
"""


def test_commands_that_exit(write: Callable[..., Path]) -> None:
    """click's own way is open to a command; a hook is only to add it."""
    assert_refused(run_cli("hello", "--plugin", write(COMMANDS.format("sys.exit(0)", "pass"))), "mine.py")
    assert run_cli("hello", "--plugin", write(COMMANDS.format("context.exit(5)", "pass"))).status == 5
    assert_refused(run_cli("plugins", "--plugin", write(COMMANDS.format("pass", "sys.exit(0)"))), "mine.py")


LOUD = """
import os
print("printed")
os.write(1, b"written")
os.system("echo echoed")
"""


@pytest.mark.slow
def test_results_alone_are_on_standard_output(
    write: Callable[..., Path], profile: Path, tmp_path: Path
) -> None:
    """In processes of their own, where plugins are loaded in workers, too."""
    site = tmp_path / "site"
    (site / "stela_bad-1.0.dist-info").mkdir(parents=True)
    (site / "stela_bad-1.0.dist-info" / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: stela-bad\nVersion: 1.0"
    )
    (site / "stela_bad-1.0.dist-info" / "entry_points.txt").write_text("[stela]\nbad = stela_bad\n")
    (site / "stela_bad.py").write_text(f"{LOUD}\nimport sys\nsys.exit(0)")
    file = write(LOUD + weighting(hook="print(2)"))
    command = [sys.executable, "-m", "stela_cli", "--plugin", file, "detect", "--json", "--workers", "2"]
    finished = subprocess.run(
        [*command, "--profile", profile, tmp_path / "text.txt"],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(site)},
    )
    assert finished.returncode == 0, finished.stderr
    assert json.loads(finished.stdout)["verdict"]
    for word in ("printed", "written", "echoed"):
        assert word in finished.stderr


PARTS = """
import sys
import stela_core as stela
import stela_run

class Flees(stela_run.Attack):
    name = "flees"
    def __init__(self, *given):
        super().__init__(*given)
        {attack_made}
    def check(self, preflight):
        {attack_checked}
    def apply(self, texts, circumstances):
        return list(texts)

class Counted(stela_run.Metric):
    name = "counted"
    def __init__(self, *given):
        super().__init__(*given)
        {metric_made}
    def check(self, preflight):
        {metric_checked}
    def measure(self, sample):
        return [stela_run.Value("count", 1.0)]

@stela.hookimpl
def stela_register_attacks():
    return Flees

@stela.hookimpl
def stela_register_metrics():
    return Counted
"""
EXPERIMENT = """
model = "tiny-small"
lengths = [8]
attacks = ["flees"]
metrics = ["counted"]
schemes = [{ name = "kgw" }]
[languages.en]
tagger = "none"
"""
PLACES = ("attack_made", "attack_checked", "metric_made", "metric_checked")


@pytest.mark.parametrize("place", PLACES)
def test_an_attack_or_metric_that_exits_is_a_mistake_of_its_experiment(
    write: Callable[..., Path], tmp_path: Path, place: str
) -> None:
    (tmp_path / "x.toml").write_text(EXPERIMENT)
    ends = dict.fromkeys(PLACES, "pass") | {place: "sys.exit(0)"}
    bad = write(PARTS.format(**ends))
    options = ["--plugin", bad, "run", tmp_path / "x.toml", "-o", tmp_path / "out", "--dry-run"]
    assert_refused(run_cli(*options), f'"{bad}", line ', "would have ended")
