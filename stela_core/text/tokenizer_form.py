"""The form of a ``tokenizer.json``: what the library is given holds nothing that ends, hangs or floods it.

The library is written in Rust and believes its input: a bad prefix or character map ends in a panic, an id
of 10^8 in a table of as many entries, a normalizer that doubles thirty times in none at all. Here are the
kinds that language models use; whatever else is refused by name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import chain
from typing import Any

from stela_core.text.known_patterns import why_unsafe
from stela_core.text.precompiled import check_precompiled

MAX_TOKENS = 400_000
"""Half as many again as the largest vocabulary of a model in use, Gemma's; so the merges."""
MAX_MERGES = 800_000
MAX_ADDED = 1 << 14
MAX_TOKEN = 1024
"""Characters of a token."""
MAX_ADDED_TOKEN = 128
MAX_PATTERN = 2000
"""Characters of a step's pattern. The longest of a model in use, o200k's, has about 500."""
MAX_STEPS = 16
"""Steps of one sequence."""
RANDOM = ("dropout", "alpha", "nbest_size")
"""Parameters of models that draw how a word is cut: BPE's, and those of sampling from a Unigram model."""
SPARE_IDS = 1 << 16
"""Ids that no token has, besides as many as there are tokens."""

ONCE = frozenset({"ByteLevel", "NFD", "NFKD", "NFKC", "Nmt", "Precompiled", "Prepend", "Metaspace"})
"""What may make a text longer: two in a row would multiply."""

NORMALIZERS = ONCE - {"Metaspace"} | {
    "NFC",
    "Lowercase",
    "Strip",
    "StripAccents",
    "BertNormalizer",
    "Replace",
}
PRE_TOKENIZERS = frozenset(
    {
        "ByteLevel",
        "Metaspace",
        "Split",
        "Digits",
        "Punctuation",
        "Whitespace",
        "WhitespaceSplit",
        "BertPreTokenizer",
        "CharDelimiterSplit",
        "UnicodeScripts",
    }
)
POST_PROCESSORS = frozenset({"ByteLevel", "TemplateProcessing", "BertProcessing", "RobertaProcessing"})
DECODERS = frozenset(
    {"ByteLevel", "Metaspace", "Replace", "ByteFallback", "Fuse", "Strip", "WordPiece", "BPEDecoder", "CTC"}
)
PARTS = {
    "normalizer": (NORMALIZERS, "normalizers"),
    "pre_tokenizer": (PRE_TOKENIZERS, "pretokenizers"),
    "post_processor": (POST_PROCESSORS, "processors"),
    "decoder": (DECODERS, "decoders"),
}
"""Kinds of each part, and the key under which its sequence holds its steps."""


REPORT = "please report it if it is a model's own"


class FormError(ValueError):
    """Says what is wrong with a tokenizer, and what to do."""

    def __init__(self, message: str, hint: str = REPORT) -> None:
        super().__init__(message)
        self.hint = hint


def check_form(content: Any) -> None:
    """Refuse what a tokenizer must not hold.

    Args:
        content: of the file.

    Raises:
        FormError: saying what.
    """
    require(isinstance(content, dict), "it is not an object")
    highest, tokens = check_model(content.get("model"))
    added = check_added(content.get("added_tokens") or [])
    highest = max(highest, max((token["id"] for token in added), default=0))
    bound = 2 * (tokens + len(added)) + SPARE_IDS
    require(highest < bound, f"id {highest} is too high for {tokens + len(added)} tokens")
    longer: list[str] = []
    for part in PARTS:
        steps = check_part(part, content.get(part))
        longer += [kind for kind in steps if kind in ONCE and part in ("normalizer", "pre_tokenizer")]
    twice = sorted(kind for kind in set(longer) if longer.count(kind) > 1)
    require(not twice, f"{''.join(twice[:1])} comes twice, and makes the text longer each time")


def check_model(model: Any) -> tuple[int, int]:
    """The highest id of a model and its number of tokens."""
    require(isinstance(model, dict), "it has no model")
    kind = model.get("type")
    if kind is None and {"vocab", "merges"} <= set(model):
        kind = "BPE"  # files of old did not say
    for name in RANDOM:
        if drawn := model.get(name):
            said = f"its {name} ({drawn}) cuts a text in another way each time".replace("\n", " ")[:120]
            hint = f'take "{name}" out of tokenizer.json, or set it to null: no token changes'
            raise FormError(said, hint)
    if kind == "Unigram":
        return _check_unigram(model)
    require(kind == "BPE", f"its model ({named(kind)}) is of a kind not supported: BPE and Unigram are")
    vocabulary = model.get("vocab")
    require(isinstance(vocabulary, dict) and len(vocabulary) > 0, "its model has no vocabulary")
    assert isinstance(vocabulary, dict)
    ids = vocabulary.values()
    require(set(map(type, ids)) == {int} and min(ids) >= 0, "an id is not a whole number from 0")
    require(len(set(ids)) == len(ids), "two tokens have the same id")
    _check_tokens(vocabulary)
    merges = a_list(model.get("merges"), "it has no merges")
    require(len(merges) <= MAX_MERGES, f"it has more than {MAX_MERGES:,} merges")
    _check_merges(merges, vocabulary)
    for name in ("continuing_subword_prefix", "end_of_word_suffix"):
        require(not model.get(name), f"its {name} is not supported")
    return max(ids), len(vocabulary)


def _check_merges(merges: list[Any], vocabulary: dict[str, Any]) -> None:
    """Each joins two parts, written ``[a, b]`` or ``a b``, to a token.

    The library joins them in a buffer as long as the longest token, before it looks for what they make.
    """
    if _are_pairs(merges) and all(map(vocabulary.__contains__, map("".join, merges))):
        return
    for merge in merges:
        parts = merge.split(" ") if isinstance(merge, str) else merge
        pair = isinstance(parts, list) and len(parts) == 2 and type(parts[0]) is type(parts[1]) is str
        if pair and parts[0] + parts[1] in vocabulary:
            continue
        # The first line of a merges.txt, which the library passes over.
        require(isinstance(merge, str) and merge.startswith("#version"), "a merge makes no token")


def _are_pairs(merges: list[Any]) -> bool:
    """Whether each is ``[a, b]``, as the library writes them: told in one go, for half a million of them."""
    if not {*map(type, merges)} <= {list} or not {*map(len, merges)} <= {2}:
        return False
    return {*map(type, chain.from_iterable(merges))} <= {str}


def _check_unigram(model: dict[str, Any]) -> tuple[int, int]:
    pieces = a_list(model.get("vocab"), "its model has no vocabulary")
    require(len(pieces) > 0, "its model has no vocabulary")
    right = all(isinstance(p, list) and len(p) == 2 and type(p[1]) in (float, int) for p in pieces)
    require(right and {str} == {type(p[0]) for p in pieces}, "a token is not a string with a number")
    require(all(abs(p[1]) < 1e9 for p in pieces), "the score of a token is not an honest number")
    unknown = model.get("unk_id")
    require(
        unknown is None or (type(unknown) is int and 0 <= unknown < len(pieces)), "its unk_id is not an id"
    )
    _check_tokens([p[0] for p in pieces])
    return len(pieces) - 1, len(pieces)


def _check_tokens(tokens: Any) -> None:
    require(len(tokens) <= MAX_TOKENS, f"it has more than {MAX_TOKENS:,} tokens")
    require(max(map(len, tokens)) <= MAX_TOKEN, f"a token has more than {MAX_TOKEN} characters")


def check_added(added: Any) -> list[dict[str, Any]]:
    """The added tokens."""
    tokens = a_list(added, "its added tokens are not a list")
    require(len(tokens) <= MAX_ADDED, f"it has over {MAX_ADDED:,} added tokens")
    for token in tokens:
        numbered = isinstance(token, dict) and type(token.get("id")) is int and token["id"] >= 0
        require(numbered, "an added token has no id")
        text = token.get("content")
        short = isinstance(text, str) and len(text) <= MAX_ADDED_TOKEN
        require(short, "an added token is not a short string")
    return tokens


def check_part(part: str, content: Any) -> list[str]:
    """The kinds of the steps of a part; a part that is left out has none."""
    kinds, steps_key = PARTS[part]
    steps = list(_flat(part, content, steps_key))
    require(len(steps) <= MAX_STEPS, f"its {part} has more than {MAX_STEPS} steps")
    for step in steps:
        kind = step["type"]
        require(kind in kinds, f"its {part} ({named(kind)}) is of a kind not supported")
        check = CHECKS.get(kind)
        if check is not None:
            check(step)
    return [step["type"] for step in steps]


def _flat(part: str, content: Any, steps_key: str) -> Iterable[dict[str, Any]]:
    if content is None:
        return
    require(isinstance(content, dict) and isinstance(content.get("type"), str), f"its {part} has no type")
    if content["type"] != "Sequence":
        yield content
        return
    for step in a_list(content.get(steps_key), f"its {part} is a sequence of nothing"):
        yield from _flat(part, step, steps_key)


def _check_split(step: dict[str, Any]) -> None:
    _pattern(step)


def _check_replace(step: dict[str, Any]) -> None:
    content = step.get("content")
    least = _pattern(step)
    require(isinstance(content, str) and len(content) <= least, "a Replace makes the text longer")


def _pattern(step: dict[str, Any]) -> int:
    """Checks the pattern of a step; the least characters that it matches, of a regular expression 1."""
    pattern = step.get("pattern")
    kind, text = next(iter(pattern.items())) if isinstance(pattern, dict) and len(pattern) == 1 else ("", "")
    require(kind in ("String", "Regex") and isinstance(text, str), f"a {step['type']} has no pattern")
    require(len(text) <= MAX_PATTERN, f"the pattern of a {step['type']} is too long")
    if kind == "String":
        require(text != "", f"the pattern of a {step['type']} is empty")
        return len(text)
    why = why_unsafe(text, takes_something=step["type"] == "Replace")
    require(why is None, f"the pattern of a {step['type']} is refused: {why}")
    return 1


def _check_prepend(step: dict[str, Any]) -> None:
    text = step.get("prepend")
    # In front of nothing the library panics.
    require(isinstance(text, str) and 0 < len(text) <= 16, "a Prepend is not a short string, or an empty one")


def _check_metaspace(step: dict[str, Any]) -> None:
    text = step.get("replacement")
    require(isinstance(text, str) and len(text) == 1, "the replacement of a Metaspace is not a character")


def _check_template(step: dict[str, Any]) -> None:
    special = step.get("special_tokens")
    names = special if isinstance(special, dict) else {}
    for side in ("single", "pair"):
        pieces = a_list(step.get(side), "a template has no pieces")
        require(len(pieces) <= 64, "a template has more than 64 pieces")
        texts = []
        for piece in pieces:
            kind, content = (
                next(iter(piece.items())) if isinstance(piece, dict) and len(piece) == 1 else ("", {})
            )
            require(
                kind in ("Sequence", "SpecialToken") and isinstance(content, dict),
                "a piece of a template is neither a text nor a special token",
            )
            if kind == "Sequence":
                texts.append(str(content.get("id")))
            else:
                require(str(content.get("id")) in names, "a special token of a template is unknown")
        require(len(texts) == len(set(texts)), "a template repeats the text")


CHECKS: dict[str, Callable[[dict[str, Any]], None]] = {
    "Split": _check_split,
    "Replace": _check_replace,
    "Prepend": _check_prepend,
    "Metaspace": _check_metaspace,
    "TemplateProcessing": _check_template,
    "Precompiled": lambda step: check_precompiled(step.get("precompiled_charsmap")),
}


def named(kind: Any) -> str:
    """A kind as errors call it."""
    return f"{kind}"[:40] if isinstance(kind, str) else "none"


def a_list(value: Any, otherwise: str) -> list[Any]:
    """The value, which has to be a list."""
    if not isinstance(value, list):
        raise FormError(otherwise)
    return value


def require(condition: bool, otherwise: str) -> None:
    """Raise a :class:`FormError` unless a condition holds."""
    if not condition:
        raise FormError(otherwise)
