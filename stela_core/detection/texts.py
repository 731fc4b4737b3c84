"""What is given to be tested: strings, or rows of token ids. What is neither is refused by its number."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from stela_core.errors import StelaError
from stela_core.text.well_formed import (
    require_well_formed,
)

HINTS = {"bytes": 'decode it first: text.decode("utf-8")', "NoneType": "leave it out, or give an empty str"}

LARGEST = np.iinfo(np.int64).max


def checked_texts(texts: Iterable[str], what: str = "text") -> list[str]:
    """The texts as a list, each a str of well-formed unicode; an empty one is a text, too.

    Args:
        texts: any iterable of str but a str itself.
        what: names one of them in errors.

    Raises:
        StelaError: it is no iterable, or a single str; or one of the texts is no str or holds a lone
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
            raise StelaError(f"{name} is a {kind}, not a str.", HINTS.get(kind, f"give each {what} as a str"))
        require_well_formed([text], name)
    return listed


def checked_ids(texts: Sequence[Sequence[int]]) -> list[npt.NDArray[np.int64]]:
    """Token ids of each text, (tokens,) each, as int64.

    Raises:
        StelaError: a text, named by its number from 1, is no list of integers.
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


def require_one_each(prompts: Sequence[str] | None, texts: int) -> None:
    """Find out whether there are as many prompts as texts, where there are any.

    Raises:
        StelaError: there are more or fewer.
    """
    if prompts is not None and len(prompts) != texts:
        raise StelaError(
            f"{len(prompts)} prompts for {texts} texts.", "give one prompt for each text, in the same order"
        )
