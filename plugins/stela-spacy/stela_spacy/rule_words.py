"""What spaCy's patterns cut a piece without white space into, step by step as its tokenizer does it.

It makes a word of vocabulary of each substring that it meets, with some twenty attributes, and keeps them.
Here is only the cutting, for pieces in which no special case is seen.
"""

from __future__ import annotations

from typing import Any

from stela_spacy.letters import ONLY_LETTERS, needs_another

MOST = 6
"""Words of a piece: beyond that, spaCy cuts it."""


class RuleWords:
    """Cut pieces by a tokenizer's patterns."""

    def __init__(self, rules: Any) -> None:
        """``rules``: spaCy's rule-based tokenizer."""
        self._rules, self._cases = rules, frozenset(rules.rules)
        searches = (rules.prefix_search, rules.suffix_search, rules.infix_finditer)
        self._letters_are_words = all(one is None or needs_another(one) for one in searches)

    def words_of(self, piece: str) -> list[str] | None:
        """The words of a piece that is not empty; ``None`` where spaCy itself has to tell."""
        cases = self._cases
        if piece in cases:
            return None
        if self._letters_are_words and ONLY_LETTERS(piece):
            return [piece]
        words = self._cut(piece)
        if words is None or len(words) > MOST:
            return None
        # Special cases are looked for in the words, too.
        for first in range(len(words)):
            run = ""
            for word in words[first:]:
                run += word
                if run in cases:
                    return None
        return words

    def _cut(self, piece: str) -> list[str] | None:
        """Words of a piece, as of ``_split_affixes`` and ``_attach_tokens`` (spaCy 3.8, tokenizer.pyx)."""
        rules, cases = self._rules, self._cases
        if rules.token_match is not None:
            return None
        before: list[str] = []
        behind: list[str] = []
        rest, size = piece, 0
        while rest and len(rest) != size:
            if self._letters_are_words and ONLY_LETTERS(rest):
                return [*before, rest, *reversed(behind)]
            size = len(rest)
            prefix = rules.find_prefix(rest)
            suffix = rules.find_suffix(rest[prefix:])
            if (prefix and rest[prefix:] in cases) or (suffix and rest[:-suffix] in cases):
                return None
            both = prefix and suffix and prefix + suffix <= size
            if both or prefix:
                before.append(rest[:prefix])
            if both or (suffix and not prefix):
                behind.append(rest[-suffix:])
                rest = rest[:-suffix]
            if len(before) + len(behind) > MOST:
                return None
            rest = rest[prefix:]
            if rest in cases:
                return None
        inside = [rest] if rest else []
        if rest and not (rules.url_match is not None and rules.url_match(rest)):
            inside = self._parts(rest)
        return [*before, *inside, *reversed(behind)]

    def _parts(self, rest: str) -> list[str]:
        """What infixes part, and they themselves."""
        parts: list[str] = []
        start = 0
        for match in self._rules.find_infix(rest) or ():
            first, last = match.span()
            if first == 0:
                continue
            parts += [part for part in (rest[start:first], rest[first:last]) if part]
            start = last
        if rest[start:]:
            parts.append(rest[start:])
        return parts
