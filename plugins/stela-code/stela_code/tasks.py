"""Tasks of writing code, in the form of HumanEval (Chen et al., 2021), and what of a text is the answer."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from stela_corpora.lines import LineFile

from stela_core import StelaError
from stela_core.api import describe, parse_json

SHIPPED = Path(__file__).parent / "tasks.jsonl"
MOST = 10_000
"""Tasks of a file."""

STOP = re.compile(r"\n(?=class |def |#|if |print|@|import |from |assert )")
"""End of an answer: a line that begins something else (Chen et al., section 2.2, and two more)."""


class Row(BaseModel):
    """A line of the file; other fields are not read."""

    model_config = ConfigDict(frozen=True, extra="ignore", strict=True)

    prompt: str = Field(min_length=1, max_length=100_000)
    test: str = Field(max_length=100_000)
    entry_point: str = Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]{0,200}$")


class Task(NamedTuple):
    """What a function has to do."""

    prompt: str
    test: str
    """Defines ``check(candidate)``, which raises where the function is wrong."""
    entry_point: str
    """Name of the function."""

    def program(self, text: str) -> str:
        """Prompt, answer and test as a program."""
        return f"{self.prompt}{answer_of(text)}\n\n{self.test}\n\ncheck({self.entry_point})\n"


def answer_of(text: str) -> str:
    """What of a text goes on with the function: all before a line that begins something else."""
    return STOP.split(text, maxsplit=1)[0]


def read_tasks(path: Path) -> dict[str, Task]:
    """Tasks by their prompts.

    Raises:
        StelaError: the file is missing, too long, or a line is not a task.
    """
    tasks: dict[str, Task] = {}
    hint = 'each line is an object with "prompt", "test" and "entry_point", as in HumanEval'
    for number, line in enumerate(LineFile(path, "task file", "give JSON lines in HumanEval's form"), 1):
        if not line.strip():
            continue
        where = f"{path}:{number}"
        try:
            row = Row.model_validate(parse_json(line, where, hint))
        except ValidationError as error:
            raise StelaError(f"{where}: {describe(error)}.", hint) from None
        tasks[row.prompt] = Task(row.prompt, row.test, row.entry_point)
        if len(tasks) > MOST:
            raise StelaError(f'"{path}" has more than {MOST} tasks.', "give fewer")
    if not tasks:
        raise StelaError(f'"{path}" has no task.', hint)
    return tasks
