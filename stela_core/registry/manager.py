"""Find plugins and load each on its own: one that fails is reported and leaves the others working.

Importing all that is installed takes half a second, and a command needs two or three of them. So the plugins
of this project, of which ``published.json`` says what each brings, wait until they are needed.
"""

from __future__ import annotations

import hashlib
import importlib.util
import logging
import os
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from importlib.metadata import EntryPoint
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import pluggy

from stela_core import hookspecs
from stela_core.builtin import plugin
from stela_core.catalogue import ENVIRONMENT, published
from stela_core.errors import StelaError, reason_of
from stela_core.interfaces import Component
from stela_core.libraries import core_version
from stela_core.logs import timed
from stela_core.registry.guard import plugin_code

log = logging.getLogger(__name__)

CORE = "stela-core"
BRINGS_HOOKS = "stela_add_hooks"
"""The hook of a plugin that specifies further hooks."""
LOCAL = "local"
"""Version of a plugin that is a local file; its distribution is the file's path."""


class Origin(NamedTuple):
    """The distribution and version that a plugin came from."""

    distribution: str
    version: str


class BrokenPlugin(NamedTuple):
    """A plugin that could not be loaded, and why."""

    name: str
    distribution: str
    version: str
    reason: str


@dataclass
class Plugins:
    """A pluggy manager with what is known about each of its plugins."""

    manager: pluggy.PluginManager
    origins: dict[str, Origin] = field(default_factory=dict)
    broken: list[BrokenPlugin] = field(default_factory=list)
    interfaces: list[type[Component]] = field(default_factory=list)
    """What the known hooks register."""
    waiting: dict[str, EntryPoint] = field(default_factory=dict)
    """Plugins of this project that nobody has asked for yet, by name."""

    def add_hookspecs(self, module: ModuleType) -> None:
        """Make known the hooks that a module specifies, and the interfaces of what they register."""
        self.manager.add_hookspecs(module)
        self.interfaces += module.INTERFACES

    def add(self, name: str, plugin: object, origin: Origin) -> None:
        """Register a module or object under a plugin name.

        Raises:
            pluggy.PluginValidationError: a hook implementation does not fit its specification.
        """
        self.manager.register(plugin, name)
        unknown = [caller.name for caller in self.manager.get_hookcallers(plugin) or [] if not caller.spec]
        self.load(published().hooks.get(hook) for hook in unknown)
        for implementation in self.manager.hook.stela_add_hooks.get_hookimpls():
            if implementation.plugin_name == name:
                module: ModuleType = implementation.function()  # type: ignore[assignment]
                self.add_hookspecs(module)
        self.manager.check_pending()
        self.origins[name] = origin

    def add_guarded(self, name: str, plugin: object, origin: Origin) -> None:
        """Like :meth:`add`, but a plugin that does not fit is reported as broken."""
        taken = self.origins.get(name) or (origin_of(self.waiting[name]) if name in self.waiting else None)
        if taken is not None:
            self.report(name, origin, f'the name "{name}" is taken by {taken.distribution}')
            return
        try:
            with plugin_code():
                self.add(name, plugin, origin)
        except Exception as error:
            if self.manager.get_plugin(name) is not None:
                self.manager.unregister(name=name)
            self.report(name, origin, reason_of(error))

    def load(self, names: Iterable[str | None]) -> None:
        """Import those of these plugins that wait; one that fails is reported as broken."""
        self.import_guarded([self.waiting.pop(name) for name in [*names] if name and name in self.waiting])

    def import_guarded(self, entries: Iterable[EntryPoint]) -> None:
        """Import plugins and add them; one that fails is reported as broken."""
        loaded: list[tuple[bool, EntryPoint, object]] = []
        for entry in entries:
            try:
                with timed(log, "plugin %s loaded", entry.name), plugin_code():
                    module: object = entry.load()
                    loaded.append((hasattr(module, BRINGS_HOOKS), entry, module))
            except Exception as error:
                log.info("plugin %s cannot be loaded: %s", entry.name, reason_of(error))
                self.report(entry.name, origin_of(entry), reason_of(error))
        # Those that bring hooks first: others implement them.
        for _, entry, module in sorted(loaded, key=lambda each: not each[0]):
            self.add_guarded(entry.name, module, origin_of(entry))

    def ask(self, name: str, hook: str, use: Callable[[Callable[..., object]], object]) -> None:
        """Do something with each implementation of a hook by one plugin; one that fails is reported.

        Raises:
            StelaError: as for :meth:`blame`.
        """
        for implementation in getattr(self.manager.hook, hook).get_hookimpls():
            if implementation.plugin_name == name:
                try:
                    with plugin_code():
                        use(implementation.function)
                except Exception as error:
                    self.blame(name, error)

    def blame(self, name: str, error: Exception) -> None:
        """Report an installed plugin whose hook failed as broken; the others go on working.

        Raises:
            StelaError: the plugin is a local file: its user named it and wants to know.
        """
        origin = self.origins[name]
        if origin.version == LOCAL:
            raise file_fails(origin.distribution, error) from error
        self.report(name, origin, reason_of(error))

    def report(self, name: str, origin: Origin, reason: str) -> None:
        """Add a plugin to those that are broken."""
        self.broken.append(BrokenPlugin(name, *origin, reason))


def create_plugins(
    files: Iterable[str | Path] = (), installed: Iterable[EntryPoint] | None = None
) -> Plugins:
    """A fresh manager with the core's own parts, the installed plugins and local files.

    Plugins of this project wait (:attr:`Plugins.waiting`); all others are imported here.

    Args:
        files: local plugin files, besides those in ``STELA_PLUGINS`` (parted by ``os.pathsep``).
        installed: entry points to load; by default all of the group ``stela``.

    Raises:
        StelaError: a local file is missing or fails: the user named it and wants to know.
    """
    plugins = Plugins(pluggy.PluginManager(hookspecs.PROJECT))
    plugins.add_hookspecs(hookspecs)
    plugins.add("core", plugin, Origin(CORE, core_version()))
    plugins.waiting, others = published().installed(installed)
    plugins.import_guarded(others)
    from_environment = [f for f in os.environ.get(ENVIRONMENT, "").split(os.pathsep) if f]
    for file in dict.fromkeys(Path(f) for f in [*from_environment, *files]):
        load_file(plugins, file)
    return plugins


def origin_of(entry: EntryPoint) -> Origin:
    """The distribution and version that an installed plugin came from."""
    return Origin(entry.dist.name, entry.dist.version) if entry.dist else Origin("?", "?")


def load_file(plugins: Plugins, file: Path) -> None:
    """Import a local plugin file under a separate module name."""
    if not file.is_file():
        raise StelaError(f'plugin file "{file}" does not exist.', "give the path of a .py file")
    try:
        with timed(log, "plugin file %s loaded", file), plugin_code():
            module = import_file(file)
            plugins.add(file.stem, module, Origin(str(file), LOCAL))
    except Exception as error:
        raise file_fails(file, error) from error
    if not plugins.manager.get_hookcallers(module):
        raise StelaError(f'plugin file "{file}" registers nothing.', what_is_missing(module))


def file_fails(file: str | Path, error: BaseException) -> StelaError:
    """What is raised where a local plugin file is broken: its user named it and wants to know."""
    return StelaError(f'plugin file "{file}" fails: {reason_of(error)}', "correct the file")


def what_is_missing(module: ModuleType) -> str:
    """Why a module without a hook implementation has none."""
    plain = [name for name, value in vars(module).items() if name.startswith("stela_") and callable(value)]
    if plain:
        return f"write @stela.hookimpl above def {plain[0]}()"
    return "give it a function such as stela_register_weightings, marked @stela.hookimpl: see docs/hooks.md"


def import_file(file: Path) -> ModuleType:
    """Import a ``.py`` file by path; the same path gives the same module."""
    resolved = file.resolve()
    name = f"stela_local_{hashlib.blake2b(str(resolved).encode(), digest_size=4).hexdigest()}_{file.stem}"
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, resolved)
    if spec is None or spec.loader is None:
        raise ImportError("not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module
