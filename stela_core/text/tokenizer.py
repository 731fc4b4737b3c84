"""Tokenizers: read with care, written in one way, and compared with a model's."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from tokenizers import AddedToken, Encoding, Tokenizer, decoders

from stela_core.errors import StelaError
from stela_core.files.bounded import parse_json
from stela_core.files.json_shape import Limits
from stela_core.text.tokenizer_form import PARTS, REPORT, check_form, check_part

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase


LIMITS = Limits(elements=5_000_000, depth=16, string=4 << 20)
"""Gemma's has three and a half million elements in 33 MB."""


class LazyTokenizer(Protocol):
    """What stands for a tokenizer that is read when it is needed: its methods are the library's."""

    @property
    def whole(self) -> Tokenizer:
        """The tokenizer itself."""
        ...

    @property
    def decoder(self) -> decoders.Decoder | None:
        """The library's property."""
        ...

    def get_added_tokens_decoder(self) -> dict[int, AddedToken]:
        """The library's method, as all below."""
        ...

    def id_to_token(self, index: int) -> str | None: ...  # noqa: D102

    def encode(self, text: str, *, add_special_tokens: bool) -> Encoding: ...  # noqa: D102

    def encode_batch_fast(  # noqa: D102
        self, texts: Sequence[str], *, add_special_tokens: bool
    ) -> list[Encoding]: ...


AnyTokenizer = Tokenizer | LazyTokenizer


def whole_of(tokenizer: AnyTokenizer) -> Tokenizer:
    """The tokenizer itself."""
    return tokenizer if isinstance(tokenizer, Tokenizer) else tokenizer.whole


@contextmanager
def tokenizer_errors(what: str, hint: str) -> Iterator[None]:
    """Turn whatever the code within raises, panics included, into one line.

    Args:
        what: the beginning of the line, such as ``the tokenizer cannot be read``.
        hint: what to do.

    Raises:
        StelaError: in place of anything but an interrupt or an exit.
    """
    try:
        yield
    except (StelaError, KeyboardInterrupt, SystemExit, GeneratorExit, MemoryError):
        raise
    except BaseException as error:  # pyo3_runtime.PanicException is a BaseException, no Exception
        raise StelaError(f"{what}: {str(error)[:200]}.", hint) from None


def canonical(tokenizer: Tokenizer) -> bytes:
    """``tokenizer.json`` without padding and truncation, which a call may change; keys sorted."""
    return canonical_with_content(tokenizer)[0]


def canonical_with_content(tokenizer: Tokenizer) -> tuple[bytes, dict[str, Any]]:
    """:func:`canonical`, and what these bytes hold."""
    content: dict[str, Any] = json.loads(tokenizer.to_str())
    content["padding"] = None
    content["truncation"] = None
    return json.dumps(content, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode(), content


def backend_of(tokenizer: PreTrainedTokenizerBase | Tokenizer | Path) -> Tokenizer:
    """The ``tokenizers.Tokenizer`` behind a transformers tokenizer, or in a file ``tokenizer.json``.

    Raises:
        StelaError: it has none (a slow, pure-Python tokenizer), or as for :func:`parse_tokenizer`.
    """
    if isinstance(tokenizer, Path):
        return parse_tokenizer(tokenizer.read_bytes(), str(tokenizer))
    if isinstance(tokenizer, Tokenizer):
        return tokenizer
    backend = getattr(tokenizer, "backend_tokenizer", None)
    if not isinstance(backend, Tokenizer):
        raise StelaError(
            f"{type(tokenizer).__name__} has no fast tokenizer behind it.",
            "take a model with a tokenizer.json; some kinds of tokenizers, as ByT5's, cannot have one",
        )
    return backend


def parse_tokenizer(data: bytes, source: str, content: Any = None) -> Tokenizer:
    """A tokenizer from the bytes of a ``tokenizer.json``; padding and truncation are dropped.

    Args:
        data: of the file.
        source: where it is from, for errors.
        content: of these bytes, where this process wrote them.

    Raises:
        StelaError: it is not a tokenizer, or of a kind that is not known to be safe (:mod:`.tokenizer_form`).
    """
    what = f"the tokenizer in {source}"
    hint = "get the file again, or make the profile again"
    if content is None:
        content = parse_json(data, what, hint, limits=LIMITS)
    elif too_much := LIMITS.excess(data):
        raise StelaError(f"{what} is {too_much}.", hint)
    try:
        check_form(content)
    except ValueError as error:
        raise StelaError(f"{what} is refused: {error}.", getattr(error, "hint", REPORT)) from None
    if content.get("padding") is not None or content.get("truncation") is not None:
        data = json.dumps(content | {"padding": None, "truncation": None}, ensure_ascii=False).encode()
    del content
    tokenizer = _read(data, what, hint)
    if tokenizer.padding is not None or tokenizer.truncation is not None:
        raise StelaError(f"{what} cannot be read: it pads or truncates.", hint)
    return tokenizer


def read_checked(data: bytes, source: str) -> Tokenizer:
    """The same from bytes in which :func:`parse_tokenizer` saw nothing wrong before.

    Raises:
        StelaError: as for :func:`parse_tokenizer`.
    """
    tokenizer = _read(data, f"the tokenizer in {source}", "get the file again, or make the profile again")
    if tokenizer.padding is None and tokenizer.truncation is None:
        return tokenizer
    return parse_tokenizer(data, source)  # drops them


def _read(data: bytes, what: str, hint: str) -> Tokenizer:
    with tokenizer_errors(f"{what} cannot be read", hint):
        tokenizer = Tokenizer.from_buffer(data)
        _check_again(tokenizer)
    return tokenizer


def _check_again(tokenizer: Tokenizer) -> None:
    """What the library made of the file, where its parser may have read other than ours (a key twice).

    Raises:
        ValueError: saying what is wrong.
    """
    if getattr(tokenizer.model, "dropout", None):
        raise ValueError("its dropout cuts a text in another way each time")
    for part in PARTS:
        made = getattr(tokenizer, part)
        check_part(part, None if made is None else json.loads(made.__getstate__()))


def check_same_vocabulary(ours: Tokenizer, theirs: Tokenizer) -> None:
    """Refuse a model whose tokenizer gives ids another meaning than the profile's.

    Tokens that were added to the model's at the end are accepted: their ids are never marked and never
    scored, in text that is generated as in text that is tested.

    Raises:
        StelaError: says what differs: the size, or the first id whose token differs.
    """
    mine, other = (t.get_vocab(with_added_tokens=True) for t in (ours, theirs))
    if mine == other:
        return
    hint = "use the model the profile was made for, or make a profile for this one"
    if len(mine) > len(other):
        raise StelaError(
            f"wrong tokenizer: the profile's has {len(mine)} tokens, the model's has {len(other)}.", hint
        )
    end = max(mine.values(), default=-1)
    known, given = ({index: token for token, index in v.items() if index <= end} for v in (mine, other))
    different = [index for index in known.keys() | given.keys() if known.get(index) != given.get(index)]
    if different:
        index = min(different)
        here, there = (_shown(v.get(index)) for v in (known, given))
        raise StelaError(
            f"wrong tokenizer: id {index} is {here} in the profile and {there} in the model.", hint
        )


def _shown(token: str | None) -> str:
    return "nothing" if token is None else ascii(token) if len(token) < 40 else ascii(token[:40]) + "..."
