"""The report as one page of HTML."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from stela_core.api import Profile
from stela_run.null.shift import Share
from stela_run.reliability.measure import LIKELY, Human, Reliability
from stela_run.report.clean import clean
from stela_run.report.draw import SOFT, Panel, panel, style_of
from stela_run.report.environment import page_environment

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LEVEL = 0.01
"""Level whose rate is drawn: at smaller ones, this number of texts shows nothing."""


def render(profile: Profile, digest: str, measured: Reliability, caveat: str | None, about: str) -> str:
    """The HTML of the page.

    Args:
        profile: that was measured.
        digest: SHA-256 of its ``profile.json``.
        measured: the numbers.
        caveat: what its verdicts carry on this machine.
        about: which keys were tested.

    Raises:
        MissingLibraryError: jinja2 or matplotlib is not installed.
    """
    environment = page_environment("stela_run.reliability", "stela_run.report")
    environment.filters.update(rate=_rate, share=_share)
    corpora = list(dict.fromkeys(row.corpus for row in measured.human))
    return environment.get_template("reliability.html").render(
        profile=profile,
        digest=digest,
        measured=measured,
        caveat=caveat,
        about=about,
        likely=LIKELY,
        suspicious=suspicious(measured),
        tables=[(name, [row for row in measured.human if row.corpus == name]) for name in corpora],
        panels=[one for one in (_alarms(measured, corpora), _found(measured, corpora)) if one],
    )


def suspicious(measured: Reliability) -> list[Human]:
    """Rows with more false alarms at some level than it claims, interval and all.

    One in forty intervals lies above by chance: the page says so next to them.
    """
    return [row for row in measured.human if any(share.low > share.level for share in row.shares)]


def _rate(value: float) -> str:
    return f"{value:.2g}"


def _share(share: Share) -> str:
    return f"{share.observed:.2g} [{share.low:.2g}, {share.high:.2g}]"


def _alarms(measured: Reliability, corpora: Sequence[str]) -> Panel:
    def paint(axes: Axes) -> None:
        axes.axhline(LEVEL, color=SOFT, linestyle=":", label=f"claimed, {LEVEL:g}")
        for index, name in enumerate(corpora):
            rows = [row for row in measured.human if row.corpus == name]
            points = [(row.tokens, share) for row in rows for share in row.shares if share.level == LEVEL]
            # Side by side, as intervals at one length would hide each other.
            x = [tokens * 1.03 ** (index - (len(corpora) - 1) / 2) for tokens, _ in points]
            y = [share.observed for _, share in points]
            errors = [
                [share.observed - share.low for _, share in points],
                [share.high - share.observed for _, share in points],
            ]
            axes.errorbar(x, y, yerr=errors, label=clean(name), elinewidth=0.8, **style_of(index))
        _lengths(axes, measured)
        axes.set(ylabel=f"share with p ≤ {LEVEL:g}")
        axes.set_ylim(bottom=0)

    about = "; ".join(
        f"{row.corpus}, {row.tokens} tokens: {_share(share)}"
        for row in measured.human
        for share in row.shares
        if share.level == LEVEL
    )
    return panel("alarms", "False alarms on people's text", about, paint)


def _found(measured: Reliability, corpora: Sequence[str]) -> Panel | None:
    expected = {
        name: [
            (row.tokens, row.expected_power)
            for row in measured.human
            if row.corpus == name and row.expected_power is not None
        ]
        for name in corpora
    }
    sources = list(dict.fromkeys(row.source for row in measured.marked))
    if not sources and not any(expected.values()):
        return None

    def paint(axes: Axes) -> None:
        for index, (name, points) in enumerate(expected.items()):
            style = {**style_of(index), "linestyle": ":"}
            if points:
                axes.plot(*zip(*points, strict=True), label=clean(f"{name}, expected"), **style)
        for number, source in enumerate(sources, len(expected)):
            rows = [row for row in measured.marked if row.source == source]
            y = [row.rate.observed for row in rows]
            errors = [
                [row.rate.observed - row.rate.low for row in rows],
                [row.rate.high - row.rate.observed for row in rows],
            ]
            tokens = [row.tokens for row in rows]
            axes.errorbar(tokens, y, yerr=errors, label=clean(source), elinewidth=0.8, **style_of(number))
        _lengths(axes, measured)
        axes.set(ylabel=f"share with p ≤ {measured.alpha:g}", ylim=(-0.03, 1.03))

    about = "; ".join(
        [f"{name}, {x} tokens: {y:.2f} expected" for name, points in expected.items() for x, y in points]
        + [f"{row.source}, {row.tokens} tokens: {_share(row.rate)}" for row in measured.marked]
    )
    return panel("found", "Marked text that is found", about, paint)


def _lengths(axes: Axes, measured: Reliability) -> None:
    lengths = sorted({row.tokens for row in measured.human} | {row.tokens for row in measured.marked})
    axes.set_xscale("log")
    axes.set_xticks(lengths, [str(length) for length in lengths])
    axes.set_xticks([], minor=True)
    axes.set(xlabel="tokens")
