"""What the hooks of the site do; ``make site`` builds it, and fails where a link leads nowhere."""

from __future__ import annotations

import ast
import importlib.util
import inspect
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
import stela_testing
import yaml

import stela_core as stela
from stela_core import hookspecs
from tests.helpers import for_each

ROOT = Path(__file__).parents[1]
CONFIG = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
WAYS = CONFIG["extra"]["ways"]


def loaded(name: str) -> ModuleType:
    """A script as mkdocs loads it: by its path."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "scripts" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


site_api, site_docstrings, site_pages, site_ways = map(
    loaded, ("site_api", "site_docstrings", "site_pages", "site_ways")
)


def entries(nav: object) -> Iterator[str]:
    """All pages of the navigation."""
    if isinstance(nav, str):
        yield nav
    elif isinstance(nav, (list, dict)):
        for each in nav.values() if isinstance(nav, dict) else nav:
            yield from entries(each)


def in_site(text: str, source: str, page: str, url: str) -> str:
    return site_pages.with_links_of_the_site(text, source, page, url)


def test_pictures_are_found_from_every_page() -> None:
    readme = '<img alt="a" src="docs/page.png" width="420">\n\n![b](docs/page.png)\n'
    found = in_site(readme, "README.md", "index.md", "./")
    assert found == '<img alt="a" src="page.png" width="420">\n\n![b](page.png)\n'
    plugin = "<img src='../../docs/page.png'> ![b](../../docs/page.png)"
    found = in_site(plugin, "plugins/stela-kgw/README.md", "plugins/stela-kgw.md", "plugins/stela-kgw/")
    assert found == "<img src='../../page.png'> ![b](../page.png)"
    assert in_site("![b](results/detection.svg)", "docs/results.md", "results.md", "results/") == (
        "![b](results/detection.svg)"
    )


@pytest.mark.parametrize(
    "text",
    ['<img src="docs/none.png">', "![b](docs/none.png)", '<p><img\n alt="" src="docs/none.png"></p>'],
)
def test_a_picture_that_is_missing_fails(text: str) -> None:
    with pytest.raises(ValueError, match=r"none\.png leads nowhere"):
        in_site(text, "README.md", "index.md", "./")


def test_a_picture_that_is_not_in_the_site_fails() -> None:
    with pytest.raises(ValueError, match="is not in docs/"):
        in_site('<img src="LICENSE">', "README.md", "index.md", "./")


def test_links_are_written_for_the_site_and_code_is_left_as_it_is() -> None:
    text = "[a](docs/trust.md#x) [b](plugins/stela-kgw/README.md) [`c`](scripts/site_api.py) [d](https://a.example)"
    assert in_site(text, "README.md", "index.md", "./") == (
        "[a](trust.md#x) [b](plugins/stela-kgw.md) `c` [d](https://a.example)"
    )
    code = '`x[0](none)`\n\n```\nx[0](none)\n<img src="none.png">\n```\n'
    assert in_site(code, "README.md", "index.md", "./") == code
    with pytest.raises(ValueError, match="leads nowhere"):
        in_site(f"{code}[a](none.md)", "README.md", "index.md", "./")


@for_each("page", [ROOT / "README.md", *(ROOT / "docs").glob("*.md")])
def test_every_page_is_written_for_the_site(page: Path) -> None:
    source = page.relative_to(ROOT).as_posix()
    site = "index.md" if source == "README.md" else page.name
    text = page.read_text(encoding="utf-8")
    assert in_site(text, source, site, "") or not text


def test_short_code_is_kept_on_one_line() -> None:
    html = "<p><code>--top-p</code> <code>stela detect --profile p.stela</code></p>"
    shown = site_pages.on_page_content(html, None, None, None)
    assert shown == html.replace("<code>--top-p", '<code class="short">--top-p')


def test_every_plugin_has_a_page() -> None:
    pages = site_pages.outside()
    for file in ROOT.glob("plugins/*/pyproject.toml"):
        assert f"{file.parent.relative_to(ROOT)}/README.md" in pages
        readme = (file.parent / "README.md").read_text(encoding="utf-8")
        assert readme.startswith(f"# stela-{file.parent.name.removeprefix('stela-').removeprefix('_')}\n")


def test_repository_is_the_projects_own_or_the_one_that_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    own = site_pages.repository()
    monkeypatch.setenv("STELA_REPOSITORY", "https://git.example/a/stela")
    assert site_pages.repository() == (own or "https://git.example/a/stela")


def test_four_ways_of_three_pages_each() -> None:
    assert len(WAYS) == 4
    listed = [page for way in WAYS for page in way["pages"]]
    assert len(set(listed)) == 12
    assert set(listed) <= set(entries(CONFIG["nav"]))
    for way in WAYS:
        assert set(way) == {"reader", "wants", "pages"}
        assert len(way["pages"]) == 3


def test_each_page_of_a_way_leads_to_the_next() -> None:
    for way in WAYS:
        first, second, third = way["pages"]
        assert site_ways.next_line(first, WAYS) == (
            f"**{way['reader']}**, page 1 of 3. Next: [{site_ways.title_of(second)}]({second})"
        )
        assert f"]({third})" in str(site_ways.next_line(second, WAYS))
        assert f"](index.md#{site_ways.ANCHOR})" in str(site_ways.next_line(third, WAYS))
    assert site_ways.next_line("kgw.md", WAYS) is None
    twice = [{**WAYS[0], "pages": ["trust.md"]}, {**WAYS[1], "pages": ["trust.md", "kgw.md"]}]
    assert str(site_ways.next_line("trust.md", twice)).count("Next: ") == 2


def test_front_page_has_the_ways_after_its_first_paragraph() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    front = site_ways.with_cards(readme, WAYS)
    assert front.index("\n## ") > front.index("</div>") > front.index('<div class="grid cards" id="ways"')
    for way in WAYS:
        assert f"**{way['reader']}**" in front
        for number, page in enumerate(way["pages"], 1):
            assert f"    {number}. [{site_ways.title_of(page)}]({page})\n" in front
    grid = front[front.index("<div") : front.index("</div>") + len("</div>")]
    assert front.replace(grid, "").split() == readme.split()
    with pytest.raises(ValueError, match="does not begin with"):
        site_ways.with_cards("no heading\n", WAYS)


def test_reference_has_each_public_name_once() -> None:
    told = [name for part in site_api.parts() for name in part.names]
    assert len(told) == len(set(told))
    assert {f"stela_core.{name}" for name in stela.__all__} <= set(told)
    hooks = [name for name, value in vars(hookspecs).items() if name.startswith("stela_") and callable(value)]
    assert {f"stela_core.hookspecs.{name}" for name in hooks} <= set(told)
    contracts = set(stela_testing.__all__)
    assert {f"stela_testing.{name}" for name in contracts} <= set(told)
    assert len(told) == len(stela.__all__) + len(hooks) + len(contracts)
    assert {part.page for part in site_api.parts()} <= set(entries(CONFIG["nav"]))


def test_reference_of_create_is_its_signature() -> None:
    """The site reads the source, where ``help()`` asks the function."""
    source = (ROOT / "stela_core" / "creation.py").read_text(encoding="utf-8")
    functions = (node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef))
    [create] = (function for function in functions if function.name == "create")
    args, parameters = create.args, inspect.signature(stela.create).parameters.values()
    written = [*args.args, *args.kwonlyargs]
    defaults = [*args.defaults, *args.kw_defaults]
    assert len(written) == len(defaults) == len(parameters)
    for arg, default, parameter in zip(written, defaults, parameters, strict=True):
        assert (arg.arg, ast.unparse(arg.annotation or arg)) == (parameter.name, parameter.annotation)
        assert default is not None
        assert ast.unparse(default) == repr(parameter.default)
        assert (arg in args.kwonlyargs) == (parameter.kind is parameter.KEYWORD_ONLY)
        assert f"\n        {arg.arg}: " in str(stela.create.__doc__)


def test_references_of_docstrings_are_links() -> None:
    text = "As :func:`stela_core.load`, :meth:`detect`, :func:`.compose` (docs/trust.md)::\n\n    x"
    assert site_docstrings.with_links(text) == (
        "As [`stela_core.load`][stela_core.load], `detect`, `compose` ([trust](../trust.md)):\n\n    x"
    )
