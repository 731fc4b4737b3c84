"""A text copied into a template, such as a letter."""

from __future__ import annotations

from typing import Annotated

import numpy as np
import stela_run
from pydantic import AfterValidator, Field
from pydantic_core import PydanticCustomError

import stela_core as stela
from stela_attacks.edits.each import EachText

LETTER = """Dear all,

please find below what we agreed on last week. Let me know by Friday if anything is missing.

{text}

Best regards,
the editors
"""


def _with_a_place(template: str) -> str:
    if template.count("{text}") != 1:
        raise PydanticCustomError("place", "does not have {place} in one place", {"place": "{text}"})
    return template


class TemplateParameters(stela.Parameters):
    """What stands around the text."""

    template: Annotated[str, Field(max_length=10_000), AfterValidator(_with_a_place)] = LETTER
    """Template with ``{text}`` where the text is put."""


class Template(EachText[TemplateParameters]):
    """Put the text into a template; what stands around it is tested with it."""

    name = "edits-template"

    def change(self, text: str, draws: np.random.Generator, circumstances: stela_run.Circumstances) -> str:
        """One text; nothing is drawn."""
        return self.parameters.template.replace("{text}", text)
