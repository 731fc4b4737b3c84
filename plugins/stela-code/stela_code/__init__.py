"""pass@1: marked programs are run against the tests of their tasks, in a sandbox."""

from pathlib import Path

import stela_run
from stela_corpora import TextSource

import stela_core as stela
from stela_code.metric import CodePass, CodePassParameters
from stela_code.tasks import SHIPPED

__all__ = ["CodePass", "CodePassParameters", "stela_register_corpora", "stela_register_metrics"]


class CodeTasks(TextSource):
    """Twenty small functions in Python, with a solution and tests each. The same for every language."""

    name = "code-tasks"

    @classmethod
    def location(cls, language: str) -> Path:
        """The tasks."""
        return SHIPPED


@stela.hookimpl
def stela_register_metrics() -> type[stela_run.Metric]:
    """Register the metric."""
    return CodePass


@stela.hookimpl
def stela_register_corpora() -> type[TextSource]:
    """Register the tasks."""
    return CodeTasks
