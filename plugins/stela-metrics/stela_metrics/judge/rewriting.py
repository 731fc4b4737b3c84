"""The attack ``judge-rewrite``: a language model behind a chat endpoint rewrites the texts."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from string import Formatter

import stela_run
from pydantic import field_validator

import stela_core as stela
from stela_metrics.judge.asking import answers_to, reach
from stela_metrics.judge.endpoint import PIP
from stela_metrics.judge.endpoint_parameters import EndpointParameters

INSTRUCTION = """Paraphrase the following text. Keep its meaning, its language and about its length. \
Answer with the paraphrase and nothing else.

{text}"""


class RewriteParameters(EndpointParameters):
    """Parameters of the attack ``judge-rewrite``."""

    instruction: str = INSTRUCTION
    """Template of the one message sent for a text; it names ``{text}``. Literal braces are doubled."""

    @field_validator("instruction")
    @classmethod
    def _names_the_text(cls, instruction: str) -> str:
        named = {name for _, name, _, _ in Formatter().parse(instruction) if name is not None}
        if named != {"text"}:
            raise ValueError("must name {text}, and no other field")
        return instruction


class Rewrite(stela_run.Attack[RewriteParameters]):
    """Ask for another wording of each text: a paraphrase, a summary or a translation, by the instruction."""

    name = "judge-rewrite"

    @classmethod
    def status(cls) -> stela.Status:
        """Whether httpx is installed; the endpoint is not asked."""
        return stela.Status() if find_spec("httpx") else stela.Status(False, f"pip install {PIP}")

    def check(self, preflight: stela_run.Preflight) -> None:
        """Find out that the endpoint is there and takes the key.

        Raises:
            StelaError: it cannot be reached, or refuses the key.
        """
        reach(self.parameters, "rewriter")

    def apply(self, texts: Sequence[str], circumstances: stela_run.Circumstances) -> list[str]:
        """What the model answers; a text of only white space is kept, and the same text is asked about once.

        Raises:
            StelaError: the endpoint cannot be reached, refuses or is silent, or a text is not well-formed.
        """
        stela.require_well_formed(texts)
        distinct = [text for text in dict.fromkeys(texts) if text.strip()]
        questions = [self.parameters.instruction.format(text=text) for text in distinct]
        answers = answers_to(questions, self.parameters, "rewriter") if questions else []
        rewritten = dict(zip(distinct, map(str.strip, answers), strict=True))
        return [rewritten.get(text, text) for text in texts]
