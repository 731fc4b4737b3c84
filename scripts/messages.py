"""Print what the project says to users, errors with their hints: ``python -m scripts.messages``."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCES = ("stela_core/**/*.py", "plugins/stela-*/stela_*/**/*.py")
SAYING = ("say", "note", "fail", "complain")
"""Functions that print a message."""


def messages(source: str) -> Iterator[tuple[int, list[str]]]:
    """The line of each error or note of a module, and its texts; a value in one is ``…``."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call):
            name = ast.unparse(node.func).rpartition(".")[2]
            if name.endswith(("Error", "BadParameter", "ClickException")) or name in SAYING:
                said = [text for each in node.args if (text := "".join(texts(each)))]
                if said:
                    yield node.lineno, said


def texts(node: ast.expr) -> Iterator[str]:
    """What an expression says."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.JoinedStr):
        for part in node.values:
            yield str(part.value) if isinstance(part, ast.Constant) else "…"
    elif isinstance(node, ast.BinOp):
        yield from texts(node.left)
        yield from texts(node.right)
    elif isinstance(node, ast.IfExp):
        yield f"({''.join(texts(node.body))}|{''.join(texts(node.orelse))})"


def main() -> None:
    """Print one line for each, with its place."""
    for pattern in SOURCES:
        for file in sorted(ROOT.glob(pattern)):
            for line, said in messages(file.read_text(encoding="utf-8")):
                print(f"{file.relative_to(ROOT)}:{line}: {' || '.join(said)}")


if __name__ == "__main__":
    main()
