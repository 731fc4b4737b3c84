"""Pairs of a marked and an unmarked text, each shown to the judge in both orders."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Sequence
from typing import NamedTuple

import stela_run

from stela_metrics.judge.asking import answers_to
from stela_metrics.judge.parameters import JudgeParameters
from stela_metrics.judge.verdicts import Verdict, verdict_of


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
        StelaError: the endpoint cannot be reached, refuses, or does not answer.
    """
    questions = [
        (_question(parameters, pair.prompt, pair.marked, pair.unmarked),
         _question(parameters, pair.prompt, pair.unmarked, pair.marked))
        for pair in pairs
    ]  # fmt: skip
    distinct = list(dict.fromkeys(question for both in questions for question in both))
    verdicts = dict(zip(distinct, map(verdict_of, answers_to(distinct, parameters, "judge")), strict=True))
    return [Answers(verdicts[one], verdicts[other]) for one, other in questions]


def _question(parameters: JudgeParameters, prompt: str, first: str, second: str) -> str:
    return parameters.prompt_template.format(
        criteria=parameters.criteria, prompt=prompt, first=first.strip(), second=second.strip()
    )
