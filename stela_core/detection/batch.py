"""What is tested, validated once: texts or token ids, their prompts, the model's distributions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from stela_core.detection.readings import AS_IT_IS, Reader, as_it_is
from stela_core.errors import StelaError
from stela_core.interfaces import Reading
from stela_core.interfaces.logits import TextLogits
from stela_core.interfaces.tagger import require_well_formed

HINTS = {"bytes": 'decode it first: text.decode("utf-8")', "NoneType": "leave it out, or give an empty str"}

LARGEST = np.iinfo(np.int64).max


@dataclass(frozen=True, eq=False)
class Batch:
    """Texts that are tested together. What it holds was looked at when it was made; nobody looks again.

    Raises:
        StelaError: prompts are not one a text.
    """

    readings: Sequence[Sequence[Reading]]
    """Readings of each text, at least one each."""
    prompts: Sequence[str] | None = None
    """What each text was generated after, for the model to read and for hash contexts; not tested."""
    logits: TextLogits | None = None
    """The model's distributions, where the evidence is weighed by them."""

    def __post_init__(self) -> None:
        prompts, texts = self.prompts, len(self.readings)
        if prompts is not None and len(prompts) != texts:
            raise StelaError(
                f"{len(prompts)} prompts for {texts} texts.",
                "give one prompt for each text, in the same order",
            )

    @classmethod
    def of_texts(
        cls,
        texts: Iterable[str],
        prompts: Iterable[str] | None = None,
        logits: TextLogits | None = None,
        reader: Reader = as_it_is,
    ) -> Batch:
        """Texts in all readings that the reader gives; by default each as it is.

        Raises:
            StelaError: a text or prompt is not a str of well-formed unicode (named by its number, from 1).
        """
        listed = checked_texts(texts)
        before = None if prompts is None else checked_texts(prompts, "prompt")
        return cls([reader(text) for text in listed], before, logits)

    @classmethod
    def of_ids(
        cls,
        texts: Sequence[Sequence[int]],
        prompts: Iterable[str] | None = None,
        logits: TextLogits | None = None,
    ) -> Batch:
        """Texts given as token ids (generated ones, say), prompt left out.

        Raises:
            StelaError: a text (named by its number from 1) is not a list of integers, or a prompt not a str.
        """
        rows = checked_ids(texts)
        before = None if prompts is None else checked_texts(prompts, "prompt")
        return cls([[Reading(AS_IT_IS, "", "", ids=row.tolist())] for row in rows], before, logits)


def checked_texts(texts: Iterable[str], what: str = "text") -> list[str]:
    """The texts as a list, each a str of well-formed unicode; an empty one is a text, too.

    Args:
        texts: any iterable of str but a str itself.
        what: names one of them in errors.

    Raises:
        StelaError: it is not an iterable, or a single str; or one of the texts is not a str or holds a lone
            surrogate, and is named by its number, from 1.
    """
    kind = type(texts).__name__
    if isinstance(texts, str | bytes):
        raise StelaError(f"{what}s is one {kind}, not a list of them.", f"give a list: [{what}]")
    try:
        listed = list(texts)
    except TypeError:
        raise StelaError(f"{what}s is a {kind}, not a list of str.", f"give a list: [{what}]") from None
    for number, text in enumerate(listed, start=1):
        name = f"{what} {number}" if len(listed) > 1 else f"the {what}"
        if not isinstance(text, str):
            kind = type(text).__name__
            ids = "; detect_ids tests lists of token ids" if what == "text" else ""
            hint = HINTS.get(kind, f"give each {what} as a str{ids}")
            raise StelaError(f"{name} is a {kind}, not a str.", hint)
        require_well_formed([text], name)
    return listed


def checked_ids(texts: Sequence[Sequence[int]]) -> list[npt.NDArray[np.int64]]:
    """Token ids of each text, (tokens,) each, as int64.

    Raises:
        StelaError: a text, named by its number from 1, is not a list of integers.
    """
    rows = []
    for number, ids in enumerate(texts, start=1):
        try:
            row = np.asarray(ids)
        except (TypeError, ValueError, RuntimeError):  # ragged, or a tensor on another device
            row = np.empty((), dtype=object)
        if row.size == 0:
            row = np.empty(0, dtype=np.int64)
        if row.dtype.kind not in "iu" or int(row.max(initial=0)) > LARGEST:
            raise StelaError(
                f"text {number} is a {type(ids).__name__} that holds something else than token ids.",
                "give a list of integers for each text; detect_many takes strings",
            )
        rows.append(row.astype(np.int64, copy=False).reshape(-1))
    return rows
