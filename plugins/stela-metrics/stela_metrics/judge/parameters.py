"""What a user can choose of a judge: criteria and wording."""

from __future__ import annotations

from string import Formatter

from pydantic import Field, field_validator

from stela_metrics.judge.endpoint_parameters import EndpointParameters

FIELDS = frozenset({"criteria", "prompt", "first", "second"})
"""What a template may name; the two texts it has to."""

CRITERIA = "fluency, coherence, relevance to the beginning, and freedom from errors and repetition"

TEMPLATE = """Below is the beginning of a text, and two continuations of it, A and B. Both were cut off at \
the same length: do not hold the missing end against either. Which is better written? Judge by {criteria}. \
The order of the two means nothing, and nor does which is longer.

[Beginning]
{prompt}

[Continuation A]
{first}

[Continuation B]
{second}

[End of the continuations]

Answer with [[A]] if A is better, [[B]] if B is better, or [[C]] for a tie, and nothing else."""
"""The three verdicts are those of MT-Bench (Zheng et al., NeurIPS 2023, figure 5)."""


class JudgeParameters(EndpointParameters):
    """Parameters of the metric ``judge``."""

    criteria: str = CRITERIA
    prompt_template: str = TEMPLATE
    """Template of the one message sent; names ``{first}`` and ``{second}``, and may name ``{prompt}`` and
    ``{criteria}``. Braces are doubled to stand for themselves."""

    most: int | None = Field(default=None, ge=1)
    """Pairs judged, from the first prompt on; by default all. Each costs two requests."""

    @field_validator("prompt_template")
    @classmethod
    def _known_fields(cls, template: str) -> str:
        named = {name for _, name, _, _ in Formatter().parse(template) if name is not None}
        if named - FIELDS:
            raise ValueError(f"names {{{min(named - FIELDS)}}}, and may name {', '.join(sorted(FIELDS))}")
        if not named >= {"first", "second"}:
            raise ValueError("must name {first} and {second}")
        return template
