"""Whether a browser gives a profile's p-values exactly: decided from its files, without a browser.

The detector of a page is written anew in TypeScript (``web/detector``). What it takes is what
``scripts/parity.py`` has shown to be equal; all else is refused here, before a page is made, and there.
``tests/test_reproducible.py`` holds both to the same list.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any

import stela_core as stela

Json = Mapping[str, Any]

UNIFORM = (
    "uniform",
    "kgw",
    "morphmark",
    "unigram",
    "gumbel",
    "gumbel-vllm",
    "gumbel-vllm-dual",
    "gumbel-sglang",
    "synthid",
    "pf",
    "coupling",
    "textgrain",
)
"""Schemes whose evidence counts every token alike."""

BY_TEXT = ("learned-text",)
"""Schemes that look weights up by the text before a token."""

BY_TOKEN = ("learned-likelihood",)
"""Weightings of evidence that look at the token itself, and at the text before it."""

BY_TAGS = ("stela",)
"""Schemes that look weights up by the tags before a token."""

LANGUAGES = ("ar", "de", "es", "fr", "hi", "id", "ja", "pt", "ru", "tr", "vi")
TAGGERS = (
    *((name, "causal") for name in ("penn", "ctb", "sejong")),
    *((language, "shipped") for language in LANGUAGES),
)
"""Taggers, by name and model, whose tags a browser gives exactly: those of the library stela-causal."""

HASHERS = (
    "keyed",
    "unigram",
    "gumbel",
    "gumbel-vllm",
    "gumbel-vllm-dual",
    "gumbel-sglang",
    "synthid",
    "pf",
    "coupling",
    "textgrain",
)

CODES = ("payload",)
"""Encoders whose messages a browser reads exactly."""

MIXING = ("keyed", "gumbel")
"""Hashers in whose marks it reads them."""

LARGEST_WHOLE = (1 << 53) - 1
"""Largest number that JavaScript reads exactly, as all whole numbers below it."""

GPT_2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
TIKTOKEN = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
_ENDINGS = "(?i:'s|'t|'re|'ve|'m|'ll|'d)"
_UPPER, _LOWER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
_REST = r"|\s*[\r\n]+|\s+(?!\S)|\s+"
LLAMA_3 = (
    _ENDINGS + r"|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*" + _REST
)  # and cl100k_base
QWEN = LLAMA_3.replace(r"\p{N}{1,3}", r"\p{N}")
O200K = (
    rf"[^\r\n\p{{L}}\p{{N}}]?{_UPPER}*{_LOWER}+{_ENDINGS}?|[^\r\n\p{{L}}\p{{N}}]?{_UPPER}+{_LOWER}*{_ENDINGS}?"
    r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*" + _REST
)
PATTERNS = (GPT_2, TIKTOKEN, LLAMA_3, QWEN, O200K)
"""Regular expressions that text is cut by."""

SERVICE = "stela detect tests texts for it, and so does the service stela serve"


def require_reproducible(profile: Json, tokenizer: Json, source: str) -> None:
    """Refuse a profile that a browser would not test exactly as ``stela detect`` does.

    Args:
        profile: content of its profile.json.
        tokenizer: content of its tokenizer.json.
        source: names it in errors.

    Raises:
        StelaError: saying what a browser does not have.
    """
    reason = refusal(profile, tokenizer)
    if reason is not None:
        raise stela.StelaError(f"{source} does not run in a browser: {reason}.", SERVICE)


def refusal(profile: Json, tokenizer: Json) -> str | None:
    """Why a browser cannot test for a profile's mark exactly; ``None`` where it can."""
    return next(chain(reasons_of_profile(profile), reasons_of_tokenizer(tokenizer)), None)


def reasons_of_profile(profile: Json) -> Iterator[str]:
    """What its scheme and hasher need."""
    scheme, hasher = profile["scheme"], profile["hasher"]
    name = scheme["name"]
    inserted, _, weighed = name.partition("+")
    known = {*UNIFORM, *BY_TEXT, *BY_TAGS}
    if inserted not in known or (weighed or inserted) not in {*known, *BY_TOKEN}:
        yield f'scheme "{name}" was not carried over'
    tagger = profile.get("tagger")
    if (weighed or inserted) in BY_TAGS and (
        tagger is None or (tagger["name"], tagger["model"]) not in TAGGERS
    ):
        said = "no tagger" if tagger is None else f'the tagger "{tagger["name"]}" ({tagger["model"]})'
        yield f'scheme "{name}" weighs tokens by {said}, which was not carried over'
    if hasher["name"] not in HASHERS:
        yield f'hasher "{hasher["name"]}" was not carried over'
    message = profile.get("message")
    if message is not None and message["code"] not in CODES:
        yield f'its messages are of code "{message["code"]}", which was not carried over'
    if message is not None and hasher["name"] not in MIXING:
        yield f'its messages are in marks of hasher "{hasher["name"]}", where none was carried over'
    if hasher.get("device") is not None:
        yield "its green lists are drawn by a device"
    if (hasher.get("parameters") or {}).get("table_seed", 0) > LARGEST_WHOLE:
        yield "the seed of its table is a larger number than a browser's"
    parameters = scheme.get("parameters", {})
    if parameters.get("repeats", "sum") not in ("sum", "root", "fourth-root", "mean"):
        yield "its rule for repeats is not known"
    if parameters.get("ties", "whole") not in ("split", "whole"):
        yield "its rule for ties is not known"


def reasons_of_tokenizer(tokenizer: Json) -> Iterator[str]:
    """What of a tokenizer is not known to be cut alike."""
    model = tokenizer["model"]
    if model.get("type", "BPE") != "BPE":
        yield f"its tokenizer's model ({model['type']}) is not known to be exact there: BPE is"
        return
    if model.get("dropout"):
        yield "its tokenizer has a dropout (take it out of tokenizer.json and make the profile again)"
    if any(model.get(one) for one in ("continuing_subword_prefix", "end_of_word_suffix")):
        yield "its tokenizer's BPE has a prefix or a suffix"
    steps = list(steps_of(tokenizer.get("pre_tokenizer"), "pretokenizers"))
    for step in steps_of(tokenizer.get("normalizer"), "normalizers"):
        if not known_normalizer(step):
            yield f"its tokenizer's normalizer {step['type']} is not known to be exact there"
    for number, step in enumerate(steps):
        if not known_pre_tokenizer(step) or (step["type"] == "ByteLevel" and number + 1 < len(steps)):
            yield f"its tokenizer's pre-tokenizer {step['type']} is not known to be exact there"
    in_bytes = any(step["type"] == "ByteLevel" for step in steps)
    every_byte = all(f"<0x{byte:02X}>" in model["vocab"] for byte in range(256))
    if not in_bytes and not (model.get("byte_fallback") and every_byte):
        yield "its tokenizer knows texts that it has no tokens for"
    if in_bytes and (model.get("byte_fallback") or model.get("unk_token") is not None):
        yield "its tokenizer has both bytes and a token for what is unknown"
    for token in tokenizer.get("added_tokens") or []:
        if token["lstrip"] or token["rstrip"] or token["single_word"]:
            yield f"its tokenizer's token {token['content']!a} takes in spaces or wants to be a word"
            return


def known_normalizer(step: Json) -> bool:
    """NFC, or SentencePiece's sign for a space."""
    if step["type"] == "Replace":
        return step.get("pattern") == {"String": " "} and step.get("content") == "\u2581"
    return bool(step["type"] == "NFC")


def known_pre_tokenizer(step: Json) -> bool:
    """Bytes as GPT-2 writes them, single digits, and splits by a pattern that is known."""
    kind = step["type"]
    if kind == "ByteLevel":
        return not step.get("add_prefix_space")
    if kind == "Digits":
        return bool(step.get("individual_digits"))
    if kind != "Split" or step.get("invert"):
        return False
    if step["behavior"] == "Isolated":
        return step["pattern"].get("Regex") in PATTERNS
    return bool(step["behavior"] == "MergedWithPrevious" and step["pattern"] == {"String": " "})


def steps_of(part: Any, key: str) -> Iterator[Json]:
    """The steps of a part of a tokenizer.json, sequences within sequences laid out."""
    if part is None:
        return
    if part["type"] != "Sequence":
        yield part
        return
    for inner in part[key]:
        yield from steps_of(inner, key)
