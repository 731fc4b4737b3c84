"""Distribution ``stela-X``, module ``stela_X``, entry point ``X``; components are ``X`` or ``X-...``.

A distribution of several plugins has an entry point for each, ``Y``, in the module ``stela_X.Y``. A library
that plugins share has no entry point, and neither has what an engine loads.
"""

import ast
import re
import tomllib
from pathlib import Path

import stela_core as stela
from stela_core.catalogue import LENT, published
from tests.helpers import for_each

ROOT = Path(__file__).parents[1]
DISTRIBUTIONS = sorted(p.parent for p in (ROOT / "plugins").glob("stela-*/pyproject.toml"))
LIBRARIES = {
    *("stela-clusters", "stela-spacy", "stela-serving", "stela-causal"),
    *("stela-kernels", "stela-testing", "stela-transformers"),
}
OF_ENGINES = {"stela-serving": {"sglang.srt.plugins"}}
"""Groups of entry points that an engine looks at."""
PLUGIN_MODULES = {"stela_cli": "stela_cli.plugin"}
"""Where the hooks do not lie in the package itself: ``stela --help`` imports it, and needs no hook."""
PARTLY = {"stela-detection": ("canonical",)}
"""Plugins in a library whose other parts the core asks for by name."""
SEVERAL = {
    **PARTLY,
    "stela-attacks": ("edits", "paraphrase", "steal", "wordnet"),
    "stela-audit": ("audit", "radioactivity"),
    "stela-corpora": ("corpora", "sample"),
    "stela-metrics": ("fidelity", "judge", "quality", "reference", "roc"),
    "stela-sign": ("c2pa", "rotation", "sign"),
}
"""The plugins of distributions that hold more than one."""
SILENT = LIBRARIES
"""They register nothing with the core."""
PLUGINS = [folder for folder in DISTRIBUTIONS if folder.name not in SILENT]
TEMPLATE = ROOT / "plugins" / "_template"


def names_of(folder: Path) -> tuple[str, ...]:
    """Entry points of a distribution."""
    return SEVERAL.get(folder.name, (folder.name.removeprefix("stela-").removeprefix("_"),))


@for_each("folder", [*DISTRIBUTIONS, TEMPLATE])
def test_distribution_module_and_entry_point(folder: Path) -> None:
    project = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    short = folder.name.removeprefix("stela-").removeprefix("_")
    assert project["name"] == f"stela-{short}"
    module = f"stela_{short.replace('-', '_')}"
    modules = {
        name: PLUGIN_MODULES.get(module, module) if name == short else f"{module}.{name.replace('-', '_')}"
        for name in names_of(folder)
    }
    announced = {} if folder.name in SILENT else {"stela": modules}
    others = OF_ENGINES.get(folder.name, set()) | {LENT}
    own = {group: names for group, names in project.get("entry-points", {}).items() if group not in others}
    assert own == announced
    assert (folder / module).is_dir()
    assert folder.name in SILENT or {published().distributions.get(name) for name in modules} <= {
        None if folder == TEMPLATE else folder.name
    }


def test_component_names(registry: stela.Registry) -> None:
    wrong = [
        entry.component.name
        for entry in registry
        if entry.plugin != "core"
        and (entry.plugin, entry.component.name) != ("cli", "local")  # what --executor takes
        and entry.component.name != entry.plugin
        and not entry.component.name.startswith(f"{entry.plugin}-")
    ]
    assert wrong == []
    bring = {entry.plugin for entry in registry} | {
        *published().commands.values(),
        *published().hooks.values(),
    }
    assert bring >= {name for folder in PLUGINS for name in names_of(folder)}


def test_files_stay_small() -> None:
    files = [*ROOT.glob("stela_core/**/*.py"), *ROOT.glob("plugins/**/*.py")]
    assert len(files) > 400
    lines = {str(file): len(file.read_text(encoding="utf-8").splitlines()) for file in files}
    assert {file: count for file, count in lines.items() if count > 300} == {}


NAMED = (
    *(ROOT / "stela_core").glob("**/*.py"),
    *(
        file
        for folder in (*DISTRIBUTIONS, TEMPLATE)
        for part in ("stela_*", "scripts")
        for file in folder.glob(f"{part}/**/*.py")
    ),
    *(ROOT / "benchmarks").glob("**/*.py"),
    *(ROOT / "scripts").glob("**/*.py"),
)
"""Where every local name says what it holds."""


def bindings(source: str, name: str) -> list[int]:
    """Lines where a variable or parameter has the name; what lacks the word is not parsed."""
    if re.search(rf"\b{name}\b", source) is None:
        return []
    nodes = list(ast.walk(ast.parse(source)))
    lines = [node.lineno for node in nodes if isinstance(node, ast.Name) and node.id == name]
    return sorted(lines + [node.lineno for node in nodes if isinstance(node, ast.arg) and node.arg == name])


def test_names_say_what_they_hold() -> None:
    """``found`` may be a list, a number or an error: what it is has a name of its own."""
    assert bindings("it = found = 1\ndef f(found): 'found'\nx.found", "found") == [1, 2]
    assert len(NAMED) > 400
    wrong = [
        f"{file.relative_to(ROOT)}:{line}"
        for file in NAMED
        for line in bindings(file.read_text(encoding="utf-8"), "found")
    ]
    assert wrong == []
