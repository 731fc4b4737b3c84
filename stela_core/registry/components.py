"""Registry: the classes plugins registered, by kind and name."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache, partial
from importlib.metadata import EntryPoint
from itertools import chain
from pathlib import Path
from threading import RLock
from typing import NamedTuple, TypeVar, get_args

from pydantic import BaseModel

from stela_core.catalogue import belongs, digest_of_table, published
from stela_core.errors import StelaError, did_you_mean, reason_of
from stela_core.interfaces import (
    Component,
    GreenList,
    Hasher,
    Need,
    SamplingHasher,
    Scheme,
    Status,
    Weighting,
)
from stela_core.registry.guard import plugin_code
from stela_core.registry.manager import (
    LOCAL,
    BrokenPlugin,
    Origin,
    Plugins,
    create_plugins,
    origin_of,
)

C = TypeVar("C", bound=Component)


class Entry(NamedTuple):
    """One registered class."""

    kind: str
    component: type[Component]
    plugin: str
    origin: Origin

    def status(self) -> Status:
        """Whether it can run here; one that fails to say so cannot."""
        try:
            with plugin_code():
                return self.component.status()
        except Exception as error:
            return Status(False, reason_of(error))


class Registry:
    """All components. Those of a plugin that waits are collected when one of them is asked for.

    Looking up one that is here is a dictionary access. Threads may share a registry.
    """

    def __init__(self, plugins: Plugins) -> None:
        self.plugins = plugins
        self._entries: dict[str, dict[str, Entry]] = {interface.kind: {} for interface in plugins.interfaces}
        self._collected: set[str] = set()
        self._lock = RLock()
        self.load(())

    def load(self, names: Iterable[str]) -> None:
        """Import these plugins, if they wait, and collect what they register."""
        with self._lock:
            self.plugins.load(names)
            for plugin in list(self.plugins.origins):
                self._collect_plugin(plugin)

    def load_all(self) -> None:
        """Import every plugin that waits."""
        self.load(list(self.plugins.waiting))

    def _collect_plugin(self, plugin: str) -> None:
        if plugin not in self._collected:
            self._collected.add(plugin)
            for interface in list(self.plugins.interfaces):
                take = partial(self._collect, interface, plugin)
                self.plugins.ask(plugin, interface.hook, take)

    def _collect(self, interface: type[Component], plugin: str, hook: Callable[[], object]) -> None:
        kind, result = interface.kind, hook()
        classes = list(result) if isinstance(result, Iterable) else [result]
        if not classes and self.plugins.origins[plugin].version == LOCAL:
            raise TypeError(f"the {kind} hook returned no class")
        entries = self._entries.setdefault(kind, {})
        for given in classes:
            component = require_component(given, interface)
            # A name that is taken shows at once, though who took it waits.
            for owner in published().owners_of(component.name):
                if owner in self.plugins.waiting:
                    self.plugins.load([owner])
                    self._collect_plugin(owner)
            taken = entries.get(component.name)
            if taken is not None:
                raise ValueError(
                    f'two {kind}s are named "{component.name}": {_class_path(taken.component)} '
                    f"and {_class_path(component)}"
                )
            entries[component.name] = Entry(kind, component, plugin, self.plugins.origins[plugin])

    @property
    def broken(self) -> list[BrokenPlugin]:
        """Plugins that were asked for and could not be loaded, or registered something wrong."""
        return self.plugins.broken

    def __iter__(self) -> Iterator[Entry]:
        self.load_all()
        for entries in self._entries.values():
            yield from (entries[name] for name in sorted(entries))

    def of_plugin(self, plugin: str) -> list[Entry]:
        """What one plugin registered."""
        self.load([plugin])
        return [
            entry
            for entries in self._entries.values()
            for entry in entries.values()
            if entry.plugin == plugin
        ]

    def _entry(self, interface: type[Component], name: str) -> Entry | None:
        """What has this name, if anything; none where no plugin here brings the kind."""
        entry = self._entries.get(interface.kind, {}).get(name)
        if entry is None:
            # Who brings the kind may call a part of it by a plain word, as the core does.
            bringer = published().hooks.get(interface.hook)
            self.load([*published().owners_of(name), *([bringer] if bringer else [])])
            entry = self._entries.get(interface.kind, {}).get(name)
        return entry

    def names(self, interface: type[Component]) -> list[str]:
        """Names of all components of a kind."""
        kinds = published().components
        self.load([name for name in list(self.plugins.waiting) if interface.kind in kinds[name]])
        return sorted(self._entries.get(interface.kind, {}))

    def get(self, interface: type[C], name: str) -> type[C]:
        """The class registered under ``name``.

        Raises:
            StelaError: nothing has this name; the hint holds the closest one, or says that a plugin
                of this name is broken.
        """
        entry = self._entry(interface, name)
        if entry is None:
            kind = interface.kind
            for broken in self.broken:
                if belongs(name, broken.name):
                    raise StelaError(
                        f'{kind} "{name}" is not available: plugin "{broken.name}" failed to load.',
                        broken.reason,
                    )
            missing = published().distribution_of(kind, name)
            if missing is not None and missing not in self.distributions():
                raise StelaError(f'{kind} "{name}" is not installed.', f"pip install {missing}")
            raise StelaError(f'unknown {kind} "{name}".', did_you_mean(name, self.names(interface)))
        return entry.component  # type: ignore[return-value]

    def has(self, interface: type[Component], name: str) -> bool:
        """Whether a component of this kind and name is registered."""
        return self._entry(interface, name) is not None

    def is_broken(self, name: str) -> bool:
        """Whether a plugin that would bring a component of this name could not be loaded."""
        self.load(published().owners_of(name))
        return any(belongs(name, broken.name) for broken in self.broken)

    def distribution(self, interface: type[Component], name: str) -> str | None:
        """The installed distribution that a component came with; ``None`` from a local file."""
        entry = self._entry(interface, name)
        return None if entry is None or entry.origin.version == LOCAL else entry.origin.distribution

    def distributions(self) -> set[str]:
        """The distributions whose plugins are here, and did not fail."""
        waiting = [origin_of(entry) for entry in list(self.plugins.waiting.values())]
        return {origin.distribution for origin in [*self.plugins.origins.values(), *waiting]}

    def shipper_of(self, table: str) -> Origin | None:
        """The distribution that ships the table of this SHA-256, or ``None``.

        One of this project is found by its published digest, and read; any other by reading all tables. Files
        that cannot be read, as of a plugin that is being updated, are not a table.
        """
        plugin = published().shipped_tables.get(table)
        for entry in chain([] if plugin is None else self.of_plugin(plugin), self):
            try:
                if any(digest_of_table(path) == table for path in entry.component.shipped_tables()):
                    return entry.origin
            except OSError:
                continue
        return None


def create_registry(
    files: Iterable[str | Path] = (), installed: Iterable[EntryPoint] | None = None
) -> Registry:
    """A registry of the core's parts, plugins and local plugin files.

    Args:
        files: local plugin files, in addition to those that ``STELA_PLUGINS`` names.
        installed: entry points of the plugins; by default all that are installed.

    Raises:
        StelaError: a local file is missing or fails.
    """
    return Registry(create_plugins(files, installed))


@cache
def default_registry() -> Registry:
    """The registry that :func:`stela_core.load` uses: made once, on first use."""
    return create_registry()


def _class_path(component: type[Component]) -> str:
    return f"{component.__module__}.{component.__qualname__}"


NAME = re.compile(r"\w[\w.-]*")
"""Letters of any script, digits, ``_``, ``-`` and ``.``; ``+`` and ``:`` mean something to the commands."""


def require_component(component: object, interface: type[Component]) -> type[Component]:
    """The class, if it is one that can be made and named.

    Raises:
        TypeError: says what is wrong with it, in one line.
    """
    if not (isinstance(component, type) and issubclass(component, interface)):
        what = (
            f"an object of {type(component).__name__}"
            if isinstance(component, interface)
            else ascii(component)
        )
        raise TypeError(f"the {interface.kind} hook returned {what[:100]}, not a {interface.__name__} class")
    title = component.__qualname__
    name = getattr(component, "name", None)
    if name is None:
        raise TypeError(f'{title} has no name: write name = "..." in it')
    if not isinstance(name, str):
        raise TypeError(f"the name of {title} is {ascii(name)[:60]}, not a string")
    if not NAME.fullmatch(name):
        raise TypeError(f"the name of {title}, {ascii(name)[:60]}, has more than letters, digits, _, - and .")
    # Interfaces are plain classes: nothing but this looks at their abstract methods.
    members = {member: inspect.getattr_static(component, member) for member in dir(component)}
    missing = [member for member, value in members.items() if getattr(value, "__isabstractmethod__", False)]
    if missing:
        asks = next(base for base in component.__mro__ if missing[0] in vars(base)).__name__
        raise TypeError(f"{title} lacks {', '.join(missing)}, which every {asks} defines")
    base = interface.Parameters
    given = component.Parameters
    if not (isinstance(given, type) and issubclass(given, BaseModel)):
        raise TypeError(
            f"{title}.Parameters is not a class of parameters: derive it from stela.{base.__name__}"
        )
    if issubclass(component, Hasher):
        if not issubclass(component, GreenList | SamplingHasher):
            raise TypeError(
                f"{title} raises no logits and chooses no token: derive it from stela.SamplingHasher"
            )
        chooses = issubclass(component, SamplingHasher)
        base, lacks = (
            (SamplingHasher.Parameters, "context_width") if chooses else (GreenList.Parameters, "gamma")
        )
        if not issubclass(given, base):
            raise TypeError(f"{title}.Parameters has no {lacks}: derive it from stela.{base.__name__}")
    if issubclass(component, Weighting) and (strange := {*component.needs}.difference(get_args(Need))):
        raise TypeError(f"{title}.needs has {min(strange)!a}, which is not {' or '.join(get_args(Need))}")
    if issubclass(component, Scheme) and not component.weights_are_biases and not issubclass(given, base):
        raise TypeError(f"{title}.Parameters has no delta: derive it from stela.{base.__name__}")
    return component
