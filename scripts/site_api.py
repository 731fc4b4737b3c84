# mypy: disable-error-code="import-not-found"
"""Hook of mkdocs: the API reference, one page a part, out of what the core makes public.

The names are read off ``__all__`` and the hook specifications; mkdocstrings writes what their docstrings say.
"""

from __future__ import annotations

import ast
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from mkdocs.structure.files import Files

ROOT = Path(__file__).parents[1]
CORE = ROOT / "stela_core"


class Part(NamedTuple):
    """A page of the reference."""

    page: str
    title: str
    purpose: str
    names: tuple[str, ...]
    """With their module."""

    @property
    def markdown(self) -> str:
        """What mkdocstrings fills."""
        blocks = "".join(f"\n::: {name}\n" for name in self.names)
        return f"# {self.title}\n\n{self.purpose}\n{blocks}"


def imported(package: str) -> dict[str, str]:
    """The public names of a package, and the module of each, as its stub or ``__init__`` says.

    A name that is set there, and not imported, is left out: it is another name for one of the others.
    """
    folder = CORE if package == "stela_core" else ROOT / "plugins" / package.replace("_", "-") / package
    stub = folder / "__init__.pyi"
    tree = ast.parse((stub if stub.exists() else folder / "__init__.py").read_text(encoding="utf-8"))
    modules: dict[str, str] = {}
    public: list[str] = []
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and node.module:
            module = f"{package}.{node.module}" if node.level else node.module
            modules.update({alias.name: module for alias in node.names})
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "__all__":
            public = ast.literal_eval(node.value)
    return {name: modules[name] for name in public or modules if name in modules}


def hooks() -> list[str]:
    """The functions that plugins can implement, in the order of the file."""
    tree = ast.parse((CORE / "hookspecs.py").read_text(encoding="utf-8"))
    return [node.name for node in tree.body if isinstance(node, ast.FunctionDef)]


def parts() -> list[Part]:
    """The pages, in the order of the navigation."""
    core = imported("stela_core")
    del core["hookimpl"]  # With the hooks.
    inner = tuple(f"stela_core.{part}" for part in ("interfaces", "parameters", "registry"))
    interfaces = [name for name, module in core.items() if module.startswith(inner)]
    usage = [name for name in core if name not in interfaces]
    usage.sort(key=lambda name: (name[0].isupper(), name))
    contracts = imported("stela_testing")
    return [
        Part(
            "api/stela_core.md",
            "Mark and detect",
            "What `import stela_core as stela` gives for marking and testing texts. For examples see "
            "[generating](../generating.md) and [detecting](../detecting.md).",
            tuple(f"stela_core.{name}" for name in usage),
        ),
        Part(
            "api/interfaces.md",
            "Interfaces",
            "The classes that plugins subclass, and what their methods take and return. For examples see "
            "[writing a scheme](../writing-a-scheme.md), [a tagger](../writing-a-tagger.md) and "
            "[a mark](../writing-a-mark.md).",
            tuple(f"stela_core.{name}" for name in interfaces),
        ),
        Part(
            "api/hooks.md",
            "Hook specifications",
            "The functions by which a plugin registers its classes and commands, each decorated with "
            "`stela_core.hookimpl`. For examples see [hooks](../hooks.md).",
            ("stela_core.hookimpl", *(f"stela_core.hookspecs.{name}" for name in hooks())),
        ),
        Part(
            "api/testing.md",
            "Contracts",
            "Test classes that a plugin's tests subclass, and helpers to test its commands. For examples see "
            "[the contracts](../hooks.md).",
            tuple(f"stela_testing.{name}" for name in contracts),
        ),
    ]


def on_files(files: Files, config: Any) -> Files:
    """Add the pages."""
    from mkdocs.structure.files import File

    for part in parts():
        files.append(File.generated(config, part.page, content=part.markdown))
    return files
