"""Many questions to a chat endpoint at once."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor

from stela_metrics.judge.endpoint import ChatEndpoint
from stela_metrics.judge.endpoint_parameters import EndpointParameters


def answers_to(questions: Sequence[str], parameters: EndpointParameters, role: str) -> list[str]:
    """The answers, in the order of the questions.

    Args:
        questions: one message each.
        parameters: of the endpoint.
        role: what errors call it.

    Raises:
        StelaError: the endpoint cannot be reached, refuses, or does not answer.
    """
    return _run(_answers(questions, parameters, role))


def reach(parameters: EndpointParameters, role: str) -> None:
    """Find out before a run that the endpoint is there and takes the key; nothing is asked.

    Raises:
        StelaError: it cannot be reached, or refuses the key.
    """

    async def ask() -> list[str]:
        async with ChatEndpoint(parameters, role) as endpoint:
            await endpoint.reach()
        return []

    _run(ask())


async def _answers(questions: Sequence[str], parameters: EndpointParameters, role: str) -> list[str]:
    """Answers in the order of the questions: the first error in it is raised, and ends the others."""
    async with ChatEndpoint(parameters, role) as endpoint:
        asked = [asyncio.create_task(endpoint.ask(question)) for question in questions]
        try:
            return [await one for one in asked]
        finally:
            for one in asked:
                one.cancel()
            await asyncio.gather(*asked, return_exceptions=True)


def _run(answers: Coroutine[None, None, list[str]]) -> list[str]:
    """Run the coroutine to its end, also where a loop runs already, as in a notebook."""
    if _loop_is_running():
        with ThreadPoolExecutor(1) as thread:
            return thread.submit(asyncio.run, answers).result()
    return asyncio.run(answers)


def _loop_is_running() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True
