"""Pairs of a marked and an unmarked text, each shown to the judge in both orders."""

from __future__ import annotations

import asyncio
from collections import defaultdict, deque
from collections.abc import Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import stela_run

from stela_judge.endpoint import ChatEndpoint
from stela_judge.parameters import JudgeParameters
from stela_judge.verdicts import Verdict, verdict_of


class Pair(NamedTuple):
    """Two continuations of one prompt."""

    prompt: str
    marked: str
    unmarked: str


class Answers(NamedTuple):
    """The verdicts on one pair; ``None`` where an answer held none."""

    marked_first: Verdict | None
    unmarked_first: Verdict | None


def pairs_of(sample: stela_run.Sample, most: int | None) -> list[Pair]:
    """The prompts that have both texts, in their order, up to ``most``."""
    unmarked: defaultdict[str, deque[str]] = defaultdict(deque)
    for one in sample.model_text:
        unmarked[one.prompt].append(one.text)
    pairs = []
    for marked in sample.marked:
        prompt = marked.generated.prompt
        if unmarked[prompt]:
            pairs.append(Pair(prompt, marked.text, unmarked[prompt].popleft()))
    return pairs[:most]


def judge_pairs(pairs: Sequence[Pair], parameters: JudgeParameters) -> list[Answers]:
    """Ask about each pair in both orders; a question that comes twice is asked once.

    Raises:
        StelaError: the endpoint cannot be reached, refuses, or stays silent.
    """
    questions = [
        (_question(parameters, pair.prompt, pair.marked, pair.unmarked),
         _question(parameters, pair.prompt, pair.unmarked, pair.marked))
        for pair in pairs
    ]  # fmt: skip
    distinct = list(dict.fromkeys(question for both in questions for question in both))
    verdicts = dict(zip(distinct, map(verdict_of, _run(_answers(parameters, distinct))), strict=True))
    return [Answers(verdicts[one], verdicts[other]) for one, other in questions]


async def _answers(parameters: JudgeParameters, questions: Sequence[str]) -> list[str]:
    """In the order of the questions: the first error there is the one that is told, and ends the others."""
    async with ChatEndpoint(parameters) as endpoint:
        asked = [asyncio.create_task(endpoint.ask(question)) for question in questions]
        try:
            return [await one for one in asked]
        finally:
            for one in asked:
                one.cancel()
            await asyncio.gather(*asked, return_exceptions=True)


def _run(answers: Coroutine[None, None, list[str]]) -> list[str]:
    """To its end, also where a loop runs already, as in a notebook."""
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


def _question(parameters: JudgeParameters, prompt: str, first: str, second: str) -> str:
    return parameters.prompt_template.format(
        criteria=parameters.criteria, prompt=prompt, first=first.strip(), second=second.strip()
    )
