r"""Regular expressions of the tokenizers of models in use.

The library behind tokenizers backtracks, so ``(a+)+$`` takes time that doubles with each letter. These are
linear in the text, and each of them matches something. Others are examined by what is lent as ``why_unsafe``.
"""

from __future__ import annotations

from stela_core.catalogue import lent

SPACES = r"\s*[\r\n]+|\s+(?!\S)|\s+"
ENDINGS = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)"
UPPER, LOWER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
BEFORE = r"[^\r\n\p{L}\p{N}]?"

KNOWN_PATTERNS = {
    "GPT-2": r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
    "Llama 3": ENDINGS + r"|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|" + SPACES,
    "Qwen": ENDINGS + r"|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|" + SPACES,
    "cl100k": r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]++[\r\n]*"
    r"|\s*[\r\n]|\s+(?!\S)|\s+",
    "o200k": f"{BEFORE}{UPPER}*{LOWER}+{ENDINGS}?|{BEFORE}{UPPER}+{LOWER}*{ENDINGS}?"
    r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|" + SPACES,
    "Tekken": f"{BEFORE}{UPPER}*{LOWER}+|{BEFORE}{UPPER}+{LOWER}*"
    r"|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|" + SPACES,
    "DeepSeek V3": r"[!\"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+"
    r"| ?[\p{P}\p{S}]+[\r\n]*|" + SPACES,
    "DeepSeek's Chinese": "[一-龥぀-ゟ゠-ヿ]+",
    "DeepSeek's spaces": r"\s+$",
    "BLOOM": r" ?[^(\s|[.,!?…。，、।۔،])]+",
    "Falcon": "[0-9][0-9][0-9]",
    "T5's spaces": " {2,}",
}
"""Patterns by a model that has each; ``\\s+$`` is quadratic, and only in a run of white space."""

SAFE = frozenset(KNOWN_PATTERNS.values())


def why_unsafe(pattern: str, takes_something: bool) -> str | None:
    """Why a pattern may run away, or cannot be told not to; ``None`` where it is safe.

    Args:
        pattern: the expression.
        takes_something: refuse one that matches nothing, too.
    """
    if pattern in SAFE:
        return None
    examine = lent("why_unsafe")
    if examine is None:
        return "no known model has it, and the command stela, which examines others, is not installed"
    why: str | None = examine(pattern, takes_something)
    return why
