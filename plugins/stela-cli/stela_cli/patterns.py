r"""Which regular expressions of a tokenizer are linear in the text, told from their form.

The library behind tokenizers backtracks, so ``(a+)+$`` takes time that doubles with each letter. A pattern
is let through where no part of it is read again for long:

- no quantifier over a group that holds one without an upper bound, no back reference, no conditional;
- what has an upper bound is short, and can be matched in few ways: ``(a|aa){60}`` has 2^60;
- in each alternative, whatever follows the first unbounded quantifier can match nothing, so that it never
  has to give anything back. ``\s+(?!\S)``, ``\s*[\r\n]`` and ``\s*[\r\n]+`` are let through right before
  ``\s+``, which takes what they leave, and ``A*B+`` right before ``A+B*``.

All patterns of the byte-level models in use are of this form; the core knows those, and asks here for others.
"""

from __future__ import annotations

from math import prod
from typing import NamedTuple

MAX_PATTERN = 2000
"""Characters. The longest of a model in use, o200k's, has about 500."""
MAX_REPEATS = 64
"""Upper bound of a bounded quantifier."""
MAX_WAYS = 4096
"""Ways in which the bounded part of an alternative can be matched, and the characters it may have."""
UNBOUNDED = 1 << 20
LOOKS = ("?=", "?!", "?<=", "?<!")
KNOWN = {r"\s+$"}
"""DeepSeek's: quadratic, and only in a run of white space."""
BEFORE_SPACES = (r"\s+(?!\S)", r"\s*[\r\n]", r"\s*[\r\n]+", r"\s*[\n\r]+")
SPACES = (r"\s+",)


class Atom(NamedTuple):
    """One thing that is matched so often."""

    text: str
    least: int
    most: int
    nullable: bool
    """Whether it cannot fail."""
    empty: bool
    """Whether it can match no character."""
    ways: int
    """Number of ways in which its bounded parts can be matched."""
    length: int
    """Characters that its bounded parts have at most."""


class UnsafeError(ValueError):
    """Says why a pattern is refused."""


def why_unsafe(pattern: str, takes_something: bool = False) -> str | None:
    """What :func:`check_pattern` has against a pattern; ``None`` where it lets it through."""
    try:
        check_pattern(pattern, takes_something)
    except UnsafeError as error:
        return str(error)
    return None


def check_pattern(pattern: str, takes_something: bool = False) -> None:
    """Refuse a regular expression that may take more than linear time, or that cannot be told.

    Args:
        pattern: the expression.
        takes_something: refuse one that matches nothing, too.

    Raises:
        UnsafeError: saying why.
    """
    if len(pattern) > MAX_PATTERN:
        raise UnsafeError(f"it has more than {MAX_PATTERN} characters")
    if pattern in KNOWN:
        return
    branches = _Reader(pattern).whole()
    if takes_something and any(_is_empty(branch) for branch in branches):
        raise UnsafeError("it matches an empty text")
    texts = ["".join(map(_text, branch)) for branch in branches]
    for branch, after, text, text_after in zip(
        branches, [*branches[1:], []], texts, [*texts[1:], ""], strict=True
    ):
        taken = text in BEFORE_SPACES and text_after in (*BEFORE_SPACES, *SPACES)
        if not (taken or _gives_nothing_back(branch) or _is_sibling(branch, after)):
            raise UnsafeError(f'"{text[:60]}" may read the same text again and again')


def _gives_nothing_back(branch: list[Atom]) -> bool:
    first = next((n for n, atom in enumerate(branch) if atom.most >= UNBOUNDED), len(branch))
    return all(atom.nullable for atom in branch[first + 1 :])


def _is_sibling(branch: list[Atom], after: list[Atom]) -> bool:
    """Whether this is ``A*B+`` and the alternative after it is ``A+B*``, alike in all else."""
    first = next(n for n, atom in enumerate(branch) if atom.most >= UNBOUNDED)
    if branch[first].least or first + 1 == len(branch) or branch[first + 1].most < UNBOUNDED:
        return False
    if branch[first].text.startswith("(") or branch[first + 1].text.startswith("("):
        return False
    if not all(atom.nullable for atom in branch[first + 2 :]):
        return False
    taken = [branch[first]._replace(least=1), branch[first + 1]._replace(least=0)]
    wanted = [*branch[:first], *taken, *branch[first + 2 :]]
    return list(map(_key, after)) == list(map(_key, wanted))


def _is_empty(branch: list[Atom]) -> bool:
    return all(atom.empty for atom in branch)


def _ways(branch: list[Atom]) -> int:
    return prod(atom.ways for atom in branch)


def _length(branch: list[Atom]) -> int:
    return sum(atom.length for atom in branch)


def _key(atom: Atom) -> tuple[str, int, int]:
    return atom.text, atom.least, atom.most


def _text(atom: Atom) -> str:
    bounds = (atom.least, atom.most)
    if bounds == (1, 1):
        return atom.text
    short = {(0, UNBOUNDED): "*", (1, UNBOUNDED): "+", (0, 1): "?"}.get(bounds)
    return atom.text + (short or f"{{{atom.least},{atom.most}}}")


class _Reader:
    """Recursive descent over the part of Oniguruma's syntax that tokenizers use."""

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self.at = 0
        self.groups = 0

    def whole(self) -> list[list[Atom]]:
        tree = self.alternatives()
        if self.at < len(self.pattern):
            raise UnsafeError("a parenthesis is closed that was never opened")
        return tree

    def alternatives(self) -> list[list[Atom]]:
        branches: list[list[Atom]] = [[]]
        while self.at < len(self.pattern):
            character = self.pattern[self.at]
            if character == "|":
                self.at += 1
                branches.append([])
            elif character == ")":
                break
            else:
                branches[-1].append(self.quantified())
        for branch in branches:
            if _ways(branch) > MAX_WAYS or _length(branch) > MAX_WAYS:
                raise UnsafeError("it can match in too many ways")
        return branches

    def quantified(self) -> Atom:
        start = self.at
        nullable = unbounded = empty = False
        ways = length = 1
        character = self.take()
        if character == "\\":
            empty = self.pattern[self.at : self.at + 1] in tuple("bBAzZG")
            self.escape()
        elif character == "[":
            self.one_of()
        elif character == "(":
            looks = self.pattern.startswith(LOOKS, self.at)
            inner = self.group()
            nullable = not looks and any(all(atom.nullable for atom in branch) for branch in inner)
            empty = looks or any(map(_is_empty, inner))
            unbounded = any(atom.most >= UNBOUNDED for branch in inner for atom in branch)
            ways = sum(_ways(branch) for branch in inner)
            length = max(_length(branch) for branch in inner)
        elif character in "^$":
            empty = True
        elif character in "*+?":
            raise UnsafeError("a quantifier follows nothing")
        text = self.pattern[start : self.at]
        least, most = self.quantifier()
        if unbounded and most > 1:
            raise UnsafeError("a quantifier follows another one")
        if least > 1 and ways > 1:
            ways **= least  # at most 4096 to the power of 64
        if most < UNBOUNDED:
            length *= most
            ways = sum(ways**n for n in range(least, most + 1)) if least <= 1 else ways * (most - least + 1)
        most = UNBOUNDED if unbounded else most
        return Atom(text, least, most, least == 0 or nullable, least == 0 or empty, ways, length)

    def quantifier(self) -> tuple[int, int]:
        next_ = self.pattern[self.at : self.at + 1]
        bounds = {"*": (0, UNBOUNDED), "+": (1, UNBOUNDED), "?": (0, 1)}.get(next_)
        if bounds is not None:
            self.at += 1
        elif next_ == "{":
            bounds = self.braces()
        if bounds is None:
            return 1, 1
        if self.pattern[self.at : self.at + 1] in ("+", "?") and self.pattern[self.at :]:
            self.at += 1  # possessive or lazy
        if self.pattern[self.at : self.at + 1] in ("*", "+", "?", "{") and self.pattern[self.at :]:
            raise UnsafeError("a quantifier follows another one")
        return bounds

    def braces(self) -> tuple[int, int]:
        end = self.pattern.find("}", self.at)
        least, comma, most = self.pattern[self.at + 1 : max(end, 0)].partition(",")
        if (
            end < 0
            or not (least + most).isascii()
            or not all(p == "" or p.isdecimal() for p in (least, most))
        ):
            raise UnsafeError("a brace is not a quantifier")
        if len(least) > 3 or len(most) > 3 or not least + most:
            raise UnsafeError(f"a quantifier is above {MAX_REPEATS}")
        self.at = end + 1
        low = int(least or 0)
        high = (int(most) if most else UNBOUNDED) if comma else low
        if low > MAX_REPEATS or MAX_REPEATS < high < UNBOUNDED:
            raise UnsafeError(f"a quantifier is above {MAX_REPEATS}")
        return low, high

    def group(self) -> list[list[Atom]]:
        """What stands in parentheses, after the opening one."""
        self.groups += 1
        if self.groups > 64:
            raise UnsafeError("it has more than 64 groups")
        look = False
        if self.pattern.startswith("?", self.at):
            kind = next((k for k in (*LOOKS, "?:", "?i:", "?>") if self.pattern.startswith(k, self.at)), None)
            if kind is None:
                raise UnsafeError(f'"({self.pattern[self.at : self.at + 3]}" is not allowed')
            look = kind in LOOKS
            self.at += len(kind)
        inner = self.alternatives()
        if self.take() != ")":
            raise UnsafeError("a parenthesis is not closed")
        if look and any(atom.most >= UNBOUNDED for branch in inner for atom in branch):
            raise UnsafeError("it looks ahead or behind without an end")
        if any(not _gives_nothing_back(branch) for branch in inner):
            raise UnsafeError("a group may read the same text again and again")
        return inner

    def escape(self) -> None:
        r"""Read what follows a backslash: of ``\p{..}`` the braces, too."""
        kind = self.take()
        if kind.isdecimal() or kind in "kgKX":
            raise UnsafeError(f'"\\{kind}" is not allowed')
        if kind in "pPx" and self.pattern.startswith("{", self.at):
            end = self.pattern.find("}", self.at)
            if end < 0:
                raise UnsafeError("a brace is not closed")
            self.at = end + 1

    def one_of(self) -> None:
        """Read a set after its opening bracket, up to the closing one; others nest in it as in Oniguruma."""
        depth = 1
        first = True
        while depth:
            character = self.take()
            if character == "\\":
                self.take()
            elif character == "[":
                depth += 1
                first = True
                continue
            elif character == "]" and not first:
                depth -= 1
            first = first and character == "^"

    def take(self) -> str:
        if self.at >= len(self.pattern):
            raise UnsafeError("it ends too early")
        self.at += 1
        return self.pattern[self.at - 1]
