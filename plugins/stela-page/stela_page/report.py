"""``stela detect --html``: verdicts as one HTML file for people, with the page's look and words.

The file holds no script, refers to nothing outside itself, and a browser is told so by its policy. Texts and
names are strangers': the template escapes all of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from importlib.metadata import version
from importlib.resources import files
from typing import TYPE_CHECKING, BinaryIO

import stela_core as stela
from stela_core.api import one_line
from stela_page.page import source_hash
from stela_page.said import (
    at_most,
    filled,
    in_digits,
    language_name,
    odds_cell,
    odds_of_none,
    one_in,
    share_of,
    words,
)
from stela_page.shading import Part, parts_of, visible

if TYPE_CHECKING:
    import jinja2

POLICY = "default-src 'none'; style-src '{style}'; base-uri 'none'; form-action 'none'"

ROWS = 5_000
"""Texts of the table: a browser stops at much longer ones."""

CARDS = 500
"""Texts that have a part of the report each: the first ones. The others are in the table."""

TOKENS = 4_000
"""Tokens of a text that are shaded."""

ALL_TOKENS = 200_000
"""Tokens of all texts that are shaded."""

CHARACTERS = 20_000
"""Characters of a text that is shown without shades."""

BY_CHANCE = 10
"""Most texts marked by chance that the sentence on them names."""

KINDS = {"watermarked": "found", "no watermark found": "none", "insufficient text": "short"}

CELLS = {"found": "foundCell", "none": "noneCell", "short": "shortCell"}


@dataclass(frozen=True, slots=True)
class Shown:
    """One text."""

    number: int
    source: str
    kind: str
    """``found``, ``none`` or ``short``."""
    verdict: str
    sentences: list[str]
    caution: str
    facts: list[tuple[str, str]]
    marks: list[tuple[str, str, str]]
    """Name, verdict and odds of each mark, where several were tested."""
    parts: list[Part]
    """Shaded; empty where no mark was found, or colours are not shown."""
    more: int
    """Tokens that are not shown."""
    secret: bool
    """Whether colours are not shown since the key is secret."""
    plain: str
    """The text where it is not shaded."""


class DetectionReport:
    """A report of texts that are added one after the other.

    Args:
        file: to write to, in UTF-8.
        watermarks: those that texts are tested for, by the names of their profiles.
        tokens: show colours of tokens even where a key is secret: who has many can imitate the mark.
        made: when texts were tested; by default now.
    """

    def __init__(
        self,
        file: BinaryIO,
        watermarks: Mapping[str, stela.Watermark],
        tokens: bool = False,
        made: datetime | None = None,
    ) -> None:
        self._file = file
        self._watermarks = dict(watermarks)
        self._tokens = tokens
        self._made = made or datetime.now(UTC)
        self._verdicts: Counter[str] = Counter()
        self._rows: list[tuple[int | None, str, str, str, str]] = []
        self._cards: list[Shown] = []
        self._left = ALL_TOKENS

    def add(self, source: str, result: stela.Detection | stela.Attribution) -> None:
        """One text was tested; a detection holds its evidence."""
        kind = KINDS[result.verdict]
        self._verdicts[kind] += 1
        detection = result.detection if isinstance(result, stela.Attribution) else result
        card = len(self._cards) < CARDS
        if len(self._rows) < ROWS:
            p = min(1.0, detection.deciding_p)
            odds = "–" if kind == "short" else odds_cell(p)
            number = len(self._cards) + 1 if card else None
            self._rows.append((number, one_line(source), kind, words()[CELLS[kind]], odds))
        if card:
            self._cards.append(self._shown(source, kind, detection, result))

    def end(self) -> None:
        """Write the report."""
        self._file.write(self._render().encode("utf-8", "backslashreplace"))

    def _shown(
        self,
        source: str,
        kind: str,
        detection: stela.Detection,
        result: stela.Detection | stela.Attribution,
    ) -> Shown:
        name = result.name if isinstance(result, stela.Attribution) else next(iter(self._watermarks))
        watermark = self._watermarks[name]
        p = min(1.0, detection.deciding_p)
        sentences = {
            "found": lambda: [filled("foundOdds", odds=one_in(p))],
            "none": lambda: [odds_of_none(p)],
            "short": lambda: [filled("shortOdds")],
        }[kind]()
        share = share_of(detection.power) if kind == "none" and detection.power is not None else ""
        if share:
            sentences += [filled("shortNone"), filled("expected", share=share)]
        many = round(BY_CHANCE / detection.threshold)
        caution = filled("baseRate", many=f"{many:,}", n=BY_CHANCE) if kind == "found" else filled("noProof")
        marked, text = kind == "found", detection.evidence.reading.given
        secret = marked and not self._tokens and is_secret(watermark)
        most = min(TOKENS, self._left) if marked and not secret else 0
        parts = parts_of(detection, most) if most else []
        if most:
            self._left -= min(most, len(detection.tokens))
        return Shown(
            number=len(self._cards) + 1,
            source=one_line(source),
            kind=kind,
            verdict=words()["noneShort" if share else kind],
            sentences=sentences,
            caution=caution,
            facts=list(_facts(detection, watermark, result, marked)),
            marks=self._marks(result),
            parts=parts,
            more=max(0, len(detection.tokens) - most) if parts else 0,
            secret=secret,
            plain="" if parts else visible(text[:CHARACTERS]) + ("…" if len(text) > CHARACTERS else ""),
        )

    def _marks(self, result: stela.Detection | stela.Attribution) -> list[tuple[str, str, str]]:
        if not isinstance(result, stela.Attribution):
            return []
        marks = []
        for tested in result.tested:
            kind = KINDS[tested.verdict]
            odds = "–" if kind == "short" else odds_cell(min(1.0, tested.p))
            called = mark_name(self._watermarks[tested.name], tested.key_id)
            marks.append((called, words()[CELLS[kind]], odds))
        return marks

    def _render(self) -> str:
        here = files("stela_page")
        style = "".join(
            (here / name).read_text(encoding="utf-8") for name in ("built/page.css", "templates/report.css")
        )
        return (
            _environment()
            .get_template("report.html")
            .render(
                policy=POLICY.format(style=source_hash(style)),
                style=style,
                words=words(),
                made=self._made.strftime("%Y-%m-%d %H:%M UTC"),
                version=version("stela-core"),
                total=self._verdicts.total(),
                verdicts={kind: self._verdicts[kind] for kind in KINDS.values()},
                rows=self._rows,
                cards=self._cards,
                marks=[
                    (mark_name(watermark), list(_facts_of_profile(name, watermark)))
                    for name, watermark in self._watermarks.items()
                ],
            )
        )


def is_secret(watermark: stela.Watermark) -> bool:
    """Whether a key of the profile is not in the profile."""
    return any(key.key is None for key in watermark.profile.hasher.keys)


def mark_name(watermark: stela.Watermark, key_id: str | None = None) -> str:
    """Name of a mark, such as ``learned-text for English, key 4ee66c0d``."""
    profile = watermark.profile
    named = {"scheme": one_line(profile.scheme.name), "key": one_line(key_id or profile.hasher.key_id or "–")}
    if profile.language is None:
        return filled("markNameAny", **named)
    return filled("markName", **named, language=one_line(language_name(profile.language)))


def _facts(
    detection: stela.Detection,
    watermark: stela.Watermark,
    result: stela.Detection | stela.Attribution,
    marked: bool,
) -> list[tuple[str, str]]:
    said, hasher = words(), watermark.profile.hasher
    tests = len(result.tested) if isinstance(result, stela.Attribution) else detection.tests
    rows = []
    if marked:
        rows.append((said["which"], mark_name(watermark, detection.key_id)))
        if detection.message is not None:
            rows.append((said["message"], _said_of_message(detection.message)))
    counts = (
        f"{detection.scored_tokens:,} pieces of words (tokens); "
        f"counting each only once with the pieces before it, {detection.unique_pairs:,}"
    )
    rows.append((said["looked"], counts))
    if hasher.gamma is not None and (marked or tests == 1):
        share, expected = f"{detection.green_fraction:.0%}", f"{hasher.gamma:.0%}"
        rows.append((said["greens"], filled("greensOf", share=share, expected=expected)))
    rows.append((said["pValue"], in_digits(min(1.0, detection.deciding_p))))
    rows.append(("z", f"{detection.z:.2f}"))
    rule = filled("threshold", odds=one_in(detection.threshold))
    rows.append((said["rule"], rule if tests == 1 else f"{rule} {filled('corrected', n=tests)}"))
    if detection.reading != "as it is":
        rows.append(
            (said["reading"], said["canonical" if detection.reading == "canonical" else "sentenceCase"])
        )
    if detection.caveat is not None:
        rows.append(("Caveat", one_line(detection.caveat)))
    digest = sha256(detection.evidence.reading.given.encode()).hexdigest()
    rows.append((said["textDigest"], digest))
    return rows


def _said_of_message(message: stela.Message) -> str:
    """The message's digits, and how sure one may be of them."""
    if message.mixed:
        return f"{message.text} – {filled('messageMixed')}"
    if message.is_sure:
        return f"{message.text} – {filled('messageSure', error=at_most(message.error))}"
    shown = [error for digit, error in zip(message.text, message.errors, strict=True) if digit != "?"]
    if not shown:
        return f"{message.text} – {filled('messageNone')}"
    wrong = filled("messageShown", error=at_most(max(shown)))
    return f"{message.text} – {filled('messagePart')} {wrong}"


def _facts_of_profile(name: str, watermark: stela.Watermark) -> list[tuple[str, str]]:
    said, profile = words(), watermark.profile
    language = said["anyLanguage"] if profile.language is None else language_name(profile.language)
    keys = ", ".join(key.key_id or "–" for key in profile.hasher.keys)
    return [
        (said["scheme"], one_line(profile.scheme.name)),
        (said["textLanguage"], one_line(language)),
        (said["key"], one_line(keys) + (" (secret)" if is_secret(watermark) else "")),
        (said["file"], profile.digest),
        (said["fileName"], one_line(name)),
    ]


def _environment() -> jinja2.Environment:
    import jinja2  # here: commands are made whenever stela starts

    return jinja2.Environment(
        loader=jinja2.PackageLoader("stela_page"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
