"""The metric ``code-pass``: the share of texts that are programs which pass their tests."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import stela_run
from pydantic import Field
from stela_run.intervals import mean_value

import stela_core as stela
from stela_code.sandbox import passes, require_sandbox
from stela_code.tasks import SHIPPED, Task, read_tasks

TOGETHER = 2
"""Programs that run at once."""


class CodePassParameters(stela.Parameters):
    """Parameters of ``code-pass``."""

    run_code: bool = False
    """Whether what a model wrote is run: it has to be asked for."""

    tasks: str | None = None
    """File of tasks in HumanEval's form; by default those of the text source ``code-tasks``."""

    seconds: float = Field(3.0, gt=0, le=60)
    """Seconds that a program may take."""


class CodePass(stela_run.Metric[CodePassParameters]):
    """pass@1 with one answer a task (Chen et al., 2021): the share that passes the task's tests.

    ``pass@1`` of marked texts, ``pass@1:unmarked`` of the model's own, and ``pass@1:human`` of the
    continuations that come with the tasks, with 95 % bootstrap intervals over texts. Texts after another
    prompt than a task's are left out. Each program is one process in bubblewrap, without network or files,
    within 512 MiB.
    """

    name = "code-pass"
    Parameters = CodePassParameters

    def check(self, preflight: stela_run.Preflight) -> None:
        """Look for the tasks and the sandbox before a run.

        Raises:
            StelaError: code was not allowed to run, or there is no sandbox.
        """
        if self.parameters.tasks is not None:
            preflight.path(self.parameters.tasks)
        self._require_allowed()
        require_sandbox()

    def measure(self, sample: stela_run.Sample) -> Sequence[stela_run.Value]:
        """The three shares; a kind without texts is left out.

        Raises:
            StelaError: code was not allowed to run, there is no sandbox, or no text is after a task's prompt.
        """
        self._require_allowed()
        bwrap = require_sandbox()
        given = self.parameters.tasks
        tasks = read_tasks(SHIPPED if given is None else Path(given))
        kinds = {
            "": [(one.generated.prompt, one.text) for one in sample.marked],
            ":unmarked": [(one.prompt, one.text) for one in sample.model_text],
            ":human": [(one.prompt, one.text) for one in sample.human],
        }
        values = []
        for suffix, texts in kinds.items():
            pairs = [(tasks[prompt], text) for prompt, text in texts if prompt in tasks]
            if not suffix and not pairs:
                raise stela.StelaError(
                    f"no marked text of {sample.length} tokens is after the prompt of a task.",
                    'give the tasks as prompts: prompts = "code-tasks", or the file that tasks names',
                )
            if pairs:
                values.append(mean_value(f"pass@1{suffix}", self._passed(bwrap, pairs), sample.seed))
        return values

    def _passed(self, bwrap: str, pairs: Sequence[tuple[Task, str]]) -> list[float]:
        def one(pair: tuple[Task, str]) -> float:
            task, text = pair
            return float(passes(bwrap, task.program(text), self.parameters.seconds))

        with ThreadPoolExecutor(TOGETHER) as pool:
            return list(pool.map(one, pairs))

    def _require_allowed(self) -> None:
        if not self.parameters.run_code:
            raise stela.StelaError(
                "code that a model wrote is run, and that was not allowed.",
                'allow it: { name = "code-pass", run_code = true }',
            )
