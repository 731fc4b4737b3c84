"""Every hook works, has a test, and has a heading in docs/hooks.md (checked by reflection)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import click
import numpy as np
import pluggy
import pytest
import stela_run
from click.testing import CliRunner
from stela_cli import hookspecs as reader_hookspecs
from stela_cli.documents.read import texts_of
from stela_cli.documents.reader import Note, Reader, Text
from stela_cli.documents.sources import Readers, sources_of
from stela_cli.documents.stream import Stream, whole
from stela_cli.jobs.executor import Executor, Job, Workers
from stela_cli.jobs.workers import make_executor
from stela_cli.main import build_cli
from stela_corpora import TextSource
from stela_corpora import hookspecs as text_hookspecs
from stela_models import ModelSource
from stela_models import hookspecs as model_hookspecs
from stela_payload import hookspecs as encoder_hookspecs
from stela_payload.interface import Message, SeedEncoder
from stela_run import hookspecs as runner_hookspecs

import stela_core as stela
from stela_core import hookspecs
from stela_core.detection.readings import reader_of
from stela_core.registry.components import Registry
from stela_core.registry.manager import LOCAL, Origin, Plugins, create_plugins
from tests.helpers import LengthTagger

SPECIFICATIONS = (
    hookspecs,
    encoder_hookspecs,
    reader_hookspecs,
    model_hookspecs,
    text_hookspecs,
    runner_hookspecs,
)
HOOKS = sorted(name for module in SPECIFICATIONS for name in vars(module) if name.startswith("stela_"))
INTERFACES = [interface for module in SPECIFICATIONS for interface in module.INTERFACES]
DOCS = Path(__file__).parents[1] / "docs" / "hooks.md"


class Modulo(stela.GreenList):
    name = "modulo"

    def seeds(self, contexts: np.ndarray) -> np.ndarray:
        return contexts[:, -1].astype(np.uint64)

    def green(self, seeds: np.ndarray, tokens: np.ndarray) -> np.ndarray:
        return (seeds + tokens.astype(np.uint64)) % np.uint64(2) == 0


class Twice(stela.Weighting):
    name = "twice"

    def weights(self, positions: stela.Positions) -> np.ndarray:
        return np.full(positions.count, 2.0)


class Sure(stela.Scorer):
    name = "sure"

    def score(self, green: np.ndarray, weights: np.ndarray, groups: np.ndarray, gamma: float) -> stela.Score:
        return stela.Score(z=1.0, z_plain=1.0, p_value=1.0)


class Mixed(stela.Scheme):
    name = "mixed"
    strength = "twice"
    scorer = "sure"


class Here(Workers[int, int]):
    def __init__(self, job: Job[int, int]) -> None:
        job.start()
        self.job = job

    def map(self, items: Iterable[int]) -> Iterator[int]:
        return map(self.job.run, items)

    def close(self) -> None: ...


class Plain(Executor):
    name = "plain"

    def start(self, job: Job[int, int]) -> Here:  # type: ignore[override]
        return Here(job)


class Somewhere(ModelSource):
    name = "somewhere"

    @classmethod
    def location(cls) -> str:
        return "organisation/model"


class Shout(stela_run.Attack):
    name = "shout"

    def apply(self, texts: Sequence[str], circumstances: stela_run.Circumstances) -> list[str]:
        return [text.upper() for text in texts]


class Longest(stela_run.Metric):
    name = "longest"

    def measure(self, sample: stela_run.Sample) -> list[stela_run.Value]:
        return [stela_run.Value("longest", max(len(marked.text) for marked in sample.marked))]


class Blank(SeedEncoder):
    name = "blank"

    def seeds(self, seeds: Any, message: int, key: int) -> Any:
        return seeds ^ np.uint64(message)

    def read(self, mark: Any, seeds: Any, tokens: Any, weights: Any, groups: Any, scorer: Any) -> Message:
        return Message(0, self.bits, (1.0,), 1.0)


class Shouted(Reader):
    name = "mine-shout"
    format = "shout"
    called = "a shout"
    suffixes = (".shout",)

    @classmethod
    def texts(cls, stream: Stream, name: str, column: str, note: Note) -> Iterator[Text]:
        yield Text(name, whole(stream, name).decode().upper())


class Shelf(TextSource):
    name = "shelf"

    @classmethod
    def location(cls, language: str) -> Path:
        return Path(language)


def with_all_hooks() -> Plugins:
    plugins = create_plugins(installed=[])
    for module in SPECIFICATIONS[1:]:
        plugins.add_hookspecs(module)
    return plugins


def register(hook: str, result: object) -> Registry:
    """A registry with one plugin that implements one hook."""

    def implementation() -> object:
        return result

    implementation.__name__ = hook
    plugin = type("Plugin", (), {hook: staticmethod(stela.hookimpl(implementation))})()
    plugins = with_all_hooks()
    plugins.add("mine", plugin, Origin("stela-mine", "1.0"))
    return Registry(plugins)


def check_kind(hook: str, component: type[stela.Component]) -> Registry:
    registry = register(hook, component)
    [interface] = [i for i in INTERFACES if i.hook == hook]
    assert registry.get(interface, component.name) is component
    [entry] = [e for e in registry if e.component is component]
    assert entry.origin == Origin("stela-mine", "1.0")
    assert register(hook, [component]).get(interface, component.name) is component
    return registry


def test_stela_register_taggers() -> None:
    check_kind("stela_register_taggers", LengthTagger)


def test_stela_register_hashers() -> None:
    check_kind("stela_register_hashers", Modulo)


def test_stela_register_weightings() -> None:
    check_kind("stela_register_weightings", Twice)


def test_stela_register_scorers() -> None:
    check_kind("stela_register_scorers", Sure)


def test_stela_register_schemes() -> None:
    check_kind("stela_register_schemes", Mixed)


def test_stela_register_models() -> None:
    check_kind("stela_register_models", Somewhere)


def test_stela_register_encoders() -> None:
    registry = check_kind("stela_register_encoders", Blank)
    encoder = registry.get(SeedEncoder, "blank")(Blank.Parameters(bits=4))
    assert encoder.seeds(np.array([5], dtype=np.uint64), 3, 0).tolist() == [6]


def test_stela_register_executors() -> None:
    class Double(Job[int, int]):
        def run(self, item: int) -> int:
            return 2 * item

    registry = check_kind("stela_register_executors", Plain)
    with make_executor(registry, "plain").start(Double()) as workers:
        assert list(workers.map([1, 2])) == [2, 4]


def test_stela_register_attacks() -> None:
    check_kind("stela_register_attacks", Shout)


def test_stela_register_metrics() -> None:
    check_kind("stela_register_metrics", Longest)


def test_stela_register_corpora() -> None:
    check_kind("stela_register_corpora", Shelf)


def check_call(hook: str) -> None:
    """What a run calls it with is in plugins/stela-run/tests/test_run.py."""
    seen = []

    def implementation(folder: Path) -> None:
        seen.append(folder)

    implementation.__name__ = hook
    plugins = with_all_hooks()
    plugin = type("Plugin", (), {hook: staticmethod(stela.hookimpl(implementation))})()
    plugins.add("mine", plugin, Origin("stela-mine", "1.0"))
    getattr(plugins.manager.hook, hook)(plan=None, folder=Path("here"))
    assert seen == [Path("here")]


def test_stela_before_run() -> None:
    check_call("stela_before_run")


def test_stela_after_run() -> None:
    check_call("stela_after_run")


def test_stela_register_readers(tmp_path: Path) -> None:
    registry = check_kind("stela_register_readers", Shouted)
    (tmp_path / "a.shout").write_text("hey")
    readers = Readers(registry)
    sources = sources_of([str(tmp_path)], None, print, readers)
    assert [text.text for text in texts_of(sources, "text", print, readers)] == ["HEY"]  # type: ignore[union-attr]
    # A plugin's reader of one of stela-cli's formats takes its place.
    Shouted.format = "text"
    try:
        assert Readers(register("stela_register_readers", Shouted)).get("text") is Shouted
    finally:
        Shouted.format = "shout"


def test_stela_register_readings() -> None:
    class Lowered(stela.Readings):
        name = "lowered"

        @classmethod
        def of(cls, text: str) -> list[stela.Reading]:
            return [stela.Reading("in lower case", text.lower(), text)]

    registry = check_kind("stela_register_readings", Lowered)
    read = reader_of(registry)
    assert [one.name for one in read("Hey")][-1:] == ["in lower case"]
    assert [one.name for one in read("hey")] == ["as it is"], "no text is tested twice"


def test_stela_commands() -> None:
    class Plugin:
        @staticmethod
        @stela.hookimpl
        def stela_commands(cli: click.Group) -> None:
            @cli.command("hello")
            def hello() -> None:
                click.echo("hello from a plugin")

    plugins = with_all_hooks()
    plugins.add("mine", Plugin(), Origin("stela-mine", "1.0"))
    result = CliRunner().invoke(build_cli(Registry(plugins)), ["hello"])
    assert result.output == "hello from a plugin\n"


@pytest.mark.parametrize("version", ["1.0", LOCAL])
def test_commands_that_fail_leave_the_others(version: str) -> None:
    class Plugin:
        @staticmethod
        @stela.hookimpl
        def stela_commands(cli: click.Group) -> None:
            raise KeyError("no such group")

    plugins = with_all_hooks()
    plugins.add("mine", Plugin(), Origin("mine.py", version))
    registry = Registry(plugins)
    if version == LOCAL:
        with pytest.raises(stela.StelaError, match=r'plugin file "mine\.py" fails: KeyError'):
            build_cli(registry)
        return
    listed = CliRunner().invoke(build_cli(registry), ["plugins", "--json"])
    [row] = [row for row in json.loads(listed.output) if row["status"] == "broken"]
    assert (row["name"], row["hint"]) == ("mine", "KeyError: 'no such group'")


def test_stela_add_hooks() -> None:
    class Judge(stela.Component):
        kind = "judge"
        hook = "stela_register_judges"

    class Stern(Judge):
        name = "stern"

    specifications = ModuleType("specifications")
    specifications.INTERFACES = (Judge,)  # type: ignore[attr-defined]
    exec(
        "@hookspec\ndef stela_register_judges(): ...", {"hookspec": hookspecs.hookspec}, vars(specifications)
    )

    class Courts:
        @staticmethod
        @stela.hookimpl
        def stela_add_hooks() -> ModuleType:
            return specifications

    class Mine:
        @staticmethod
        @stela.hookimpl
        def stela_register_judges() -> type[Judge]:
            return Stern

    plugins = with_all_hooks()
    plugins.add("courts", Courts(), Origin("stela-courts", "1.0"))
    plugins.add("mine", Mine(), Origin("stela-mine", "1.0"))
    registry = Registry(plugins)
    assert registry.get(Judge, "stern") is Stern
    assert registry.names(stela_run.Metric) == []


def test_hook_with_a_misspelt_name_is_reported() -> None:
    class Plugin:
        @staticmethod
        @stela.hookimpl
        def stela_register_tagger() -> None: ...

    plugins = with_all_hooks()
    with pytest.raises(pluggy.PluginValidationError, match="stela_register_tagger"):
        plugins.add("mine", Plugin(), Origin("stela-mine", "1.0"))
    plugins.add_guarded("other", Plugin(), Origin("stela-mine", "1.0"))


@pytest.mark.parametrize("hook", HOOKS)
def test_every_hook_has_a_test_and_a_heading(hook: str) -> None:
    assert f"test_{hook}" in globals()
    headings = re.findall(r"^## `(\w+)`", DOCS.read_text(encoding="utf-8"), re.MULTILINE)
    assert hook in headings


def test_every_heading_is_a_hook() -> None:
    headings = re.findall(r"^## `(\w+)`", DOCS.read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(headings) == HOOKS
