"""A hash of all in a tokenizer's file that decides how a text is cut and numbered."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterable
from hashlib import sha256
from typing import Any

SAYS_NOTHING = (None, "")
"""Values of an option that are as good as none; so is ``False``."""

OF_OFFSETS = {"add_prefix_space", "trim_offsets", "use_regex"}
"""Options of a ``ByteLevel`` decoder, which read none of them."""


def tokenizer_digest(data: bytes | str) -> str | None:
    """The SHA-256 of a tokenizer's ids, merges, added tokens and steps, 64 hex digits.

    Whitespace, the order of keys, how merges are written, options without effect, post-processor, padding and
    truncation change nothing. The same is worked out in the browser
    (``plugins/stela-page/web/detector/tokenizer/digest.ts``).

    Args:
        data: of a ``tokenizer.json`` that was found to be one (:func:`.parse_tokenizer`).

    Returns:
        ``None`` where a key stands twice in it: readers then differ in which one they take.
    """
    try:
        return digest_of_content(json.loads(data, object_pairs_hook=_once))
    except ValueError:
        return None


def digest_of_content(content: dict[str, Any]) -> str:
    """The same of what a file holds."""
    model = content["model"]
    added = content.get("added_tokens") or []
    canonical = {
        "added_tokens": sorted(map(_options, added), key=lambda token: token["id"]),
        "decoder": _step(content.get("decoder"), of_decoder=True),
        "model": {
            "merges": [_pair(merge) for merge in model.get("merges") or () if not _is_version(merge)],
            "options": _options(model, {"merges", "type", "vocab"}),
            "type": model.get("type") or "BPE",
            "vocab": _vocabulary(model["vocab"]),
        },
        "normalizer": _step(content.get("normalizer")),
        "pre_tokenizer": _step(content.get("pre_tokenizer")),
    }
    written = json.dumps(canonical, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return sha256(written.encode("utf-8", "surrogatepass")).hexdigest()


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        raise ValueError("it has a key twice")
    return made


def _vocabulary(vocabulary: Any) -> list[tuple[Any, Any]]:
    """(id, token) in the order of ids; or (token, bits of its score), whose place is its id."""
    if isinstance(vocabulary, dict):
        return sorted((index, token) for token, index in vocabulary.items())
    return [(token, struct.pack(">d", score).hex()) for token, score in vocabulary]


def _pair(merge: Any) -> Any:
    return merge.split(" ") if isinstance(merge, str) else merge


def _is_version(merge: Any) -> bool:
    return isinstance(merge, str) and merge.startswith("#version")


def _options(values: dict[str, Any], but: Iterable[str] = ()) -> dict[str, Any]:
    left = {name: value for name, value in values.items() if name not in but}
    return {n: value for n, value in left.items() if value is not False and value not in SAYS_NOTHING}


def _step(step: Any, of_decoder: bool = False) -> Any:
    """A step or a sequence of them; only where words end (``trim_offsets``) is left out."""
    if isinstance(step, list):
        return [_step(one, of_decoder) for one in step]
    if not isinstance(step, dict):
        return step
    ignored = OF_OFFSETS if of_decoder and step.get("type") == "ByteLevel" else {"trim_offsets"}
    return {name: _step(value, of_decoder) for name, value in step.items() if name not in ignored}
