"""The texts of a sample by kind, each after its prompt."""

from __future__ import annotations

from typing import NamedTuple

import stela_run

import stela_core as stela


class Pair(NamedTuple):
    """A text and what it was written after; the prompt is empty where it is not known."""

    prompt: str
    text: str


def marked_of(sample: stela_run.Sample) -> list[Pair]:
    """The marked texts as tested: cut, and attacked where there is an attack.

    Raises:
        StelaError: there is none.
    """
    if not sample.marked:
        raise stela.StelaError(
            f"no marked text has {sample.length} tokens.", "use more texts, or a smaller length"
        )
    return [Pair(one.generated.prompt, one.text) for one in sample.marked]


def others_of(sample: stela_run.Sample) -> dict[str, list[Pair]]:
    """Unmarked texts by kind, ``unmarked`` (the same model's) and ``human``; kinds without any left out."""
    kinds = {"unmarked": sample.model_text, "human": sample.human}
    return {kind: [Pair(one.prompt, one.text) for one in texts] for kind, texts in kinds.items() if texts}
