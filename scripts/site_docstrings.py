# mypy: disable-error-code="import-not-found,misc,assignment"
"""Extension of griffe: docstrings' references as links of the site, and the parameters of ``stela.create``.

``:class:`stela_core.Scheme` `` becomes a link to its place in the reference, ``:meth:`detect` `` code, and
``docs/statistics.md`` a link to that page. The parameters of ``create`` are the fields of a dataclass, read
from its source, as the site is built without the core's libraries.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Any, NamedTuple

try:
    from griffe import Extension, Function, Object, Parameter, ParameterKind, Parameters
except ImportError:  # Where the tests run.
    Extension = object

CORE = Path(__file__).parents[1] / "stela_core"
ROLE = re.compile(r":\w+:`[~.]?(?P<name>[\w.]+)`")
PAGE = re.compile(r"\bdocs/(?P<page>[\w-]+)\.md\b")
LITERAL = re.compile(r"::$", re.MULTILINE)
"""Before code."""

EACH = "    new: each field."
"""Where the docstring of ``create`` has its parameters."""

CLASSES = {"profile/settings.py": "Choices", "creation.py": "NewProfile"}
"""The dataclass, and before it its base."""


class Field(NamedTuple):
    """A parameter of ``create``."""

    name: str
    annotation: str
    default: str | None
    line: str
    """What it is, and in brackets what holds where it is not given."""
    by_name: bool


def with_links(text: str) -> str:
    """A docstring as Markdown for a page of the reference; mkdocs checks where its links lead."""

    def role(match: re.Match[str]) -> str:
        name = match["name"]
        return f"[`{name}`][{name}]" if name.startswith("stela_core.") else f"`{name}`"

    text = LITERAL.sub(":", ROLE.sub(role, text))
    return PAGE.sub(r"[\g<page>](../\g<page>.md)", text)


def fields() -> list[Field]:
    """The parameters of ``create``, in the order of its signature."""
    parameters: list[Field] = []
    for file, name in CLASSES.items():
        tree = ast.parse((CORE / file).read_text(encoding="utf-8"))
        [body] = [node.body for node in tree.body if isinstance(node, ast.ClassDef) and node.name == name]
        by_name = False
        for node in body:
            if not isinstance(node, ast.AnnAssign):
                continue
            if ast.unparse(node.annotation) == "KW_ONLY":
                by_name = True
                continue
            assert isinstance(node.value, ast.Call)
            given = {keyword.arg: keyword.value for keyword in node.value.keywords}
            about = given["metadata"]
            assert isinstance(about, ast.Call)
            line, *unset = map(ast.literal_eval, about.args)
            parameters.append(
                Field(
                    ast.unparse(node.target),
                    ast.unparse(node.annotation),
                    ast.unparse(given["default"]) if "default" in given else None,
                    f"{line} [{unset[0]}]" if unset else line,
                    by_name,
                )
            )
    return sorted(parameters, key=lambda field: field.by_name)


class Site(Extension):
    """What mkdocs.yml names."""

    def on_function(self, *, func: Function, **kwargs: Any) -> None:
        """Give ``create`` its parameters."""
        if not any(str(decorator.value).startswith("_taking(") for decorator in func.decorators):
            return
        kinds = ParameterKind.positional_or_keyword, ParameterKind.keyword_only
        func.parameters = Parameters(
            *(
                Parameter(
                    field.name,
                    annotation=field.annotation,
                    default=field.default,
                    kind=kinds[field.by_name],
                )
                for field in fields()
            )
        )
        lines = "\n".join(f"    {field.name}: {field.line}" for field in fields())
        text = func.docstring.value
        if EACH not in text:
            raise ValueError(f"the docstring of create has no line {EACH!r}")
        func.docstring.value = text.replace(EACH, lines)

    def on_object(self, *, obj: Object, **kwargs: Any) -> None:
        """Write one docstring's references as links."""
        if obj.docstring is not None:
            obj.docstring.value = with_links(obj.docstring.value)
