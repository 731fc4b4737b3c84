"""The engines that the project is tested on, and in which versions: a table of docs/serving.md."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

from scripts.serving.vllm_server import VLLM
from scripts.test_engines import PACKAGES

ROOT = Path(__file__).parents[1]
BEGIN, END = "<!-- engines -->\n", "<!-- end of engines -->\n"


class Tested(NamedTuple):
    """A row of the table."""

    engine: str
    pin: str
    """The requirement that the command installs, such as ``sglang==0.5.23``."""
    command: str
    unseen: str
    """What the command does not show."""


def pins() -> list[Tested]:
    """What each command installs."""
    constraints = (ROOT / "constraints.txt").read_text(encoding="utf-8")
    [transformers] = re.findall(r"^transformers==.+$", constraints, re.MULTILINE)
    engines = {one.partition("==")[0]: one for packages in PACKAGES.values() for one in packages}
    of_vllm = "asynchronous scheduling, second runner"
    return [
        Tested("transformers", transformers, "make test", ""),
        Tested("vLLM, 64 clients", VLLM, "make test-vllm", of_vllm),
        Tested(
            "SGLang's classes",
            engines["sglang"],
            "make test-sglang",
            "servers, pipelines, tensor parallelism",
        ),
        Tested("ik-llama-cpp-python", engines["ik-llama-cpp-python"], "make test-llamacpp", ""),
        Tested("mlx-lm", engines["mlx-lm"], "make test-mlx", ""),
    ]


def table() -> str:
    """The rows in Markdown, with the version that each pin names."""
    head = "| engine | version | command | not tested |\n|---|---|---|---|\n"
    return head + "".join(
        f"| {engine} | {pin.partition('==')[2]} | `{command}` | {unseen} |\n"
        for engine, pin, command, unseen in pins()
    )


def serving_page() -> str:
    """docs/serving.md with its table made anew."""
    page = (ROOT / "docs" / "serving.md").read_text(encoding="utf-8")
    before, rest = page.split(BEGIN)
    return f"{before}{BEGIN}{table()}{END}{rest.split(END)[1]}"
