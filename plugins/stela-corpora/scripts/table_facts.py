"""Tables of facts that Python's standard library and the time zone database hold."""

from __future__ import annotations

import codecs
import html.entities
import http
import locale
import mimetypes
import zoneinfo
from collections.abc import Iterator
from datetime import UTC, datetime
from encodings.aliases import aliases
from importlib.resources import files

from genre_files import Table

PYTHON = "Python standard library"
ZONES = "time zone database"


def facts() -> Iterator[Table]:
    """Countries, time zones, entities, aliases, media types, status codes and languages."""
    yield from _zone_tables()
    rows: list[list[object]] = [[name, n, f"&#{n};"] for name, n in html.entities.name2codepoint.items()]
    yield Table(["entity", "codepoint", "reference"], rows, f"{PYTHON}, html.entities")
    rows = [[alias, name, codecs.lookup(name).name] for alias, name in aliases.items() if _known(name)]
    yield Table(["Alias", "Codec", "Canonical name"], rows, f"{PYTHON}, encodings.aliases")
    rows = [[ending, *kind.split("/")] for ending, kind in mimetypes.MimeTypes().types_map[1].items()]
    yield Table(["extension", "type", "subtype"], rows, f"{PYTHON}, mimetypes")
    rows = [[s.value, s.phrase, s.description] for s in http.HTTPStatus]
    yield Table(["Status", "Phrase", "Description"], rows, f"{PYTHON}, http.HTTPStatus")
    rows = [[name, *full.split(".")] for name, full in locale.locale_alias.items() if full.count(".") == 1]
    yield Table(["alias", "locale", "encoding"], rows, f"{PYTHON}, locale")
    rows = [[f"0x{n:04x}", name] for n, name in locale.windows_locale.items()]
    yield Table(["LCID", "Locale"], rows, f"{PYTHON}, locale")


def countries() -> dict[str, str]:
    """Names of countries and territories by their code of two letters."""
    lines = (files("tzdata") / "zoneinfo" / "iso3166.tab").read_text(encoding="utf-8").splitlines()
    return dict(line.split("\t") for line in lines if not line.startswith("#"))


def _known(codec: str) -> bool:
    try:
        codecs.lookup(codec)
    except LookupError:
        return False
    return True


def _zone_tables() -> Iterator[Table]:
    names = countries()
    yield Table(["Code", "Country"], [[a, b] for a, b in names.items()], f"{ZONES}, iso3166.tab")
    lines = (files("tzdata") / "zoneinfo" / "zone.tab").read_text(encoding="utf-8").splitlines()
    places = [line.split("\t") for line in lines if not line.startswith("#")]
    rows: list[list[object]] = [[names[row[0]], *row[1:3]] for row in places]
    yield Table(["country", "coordinates", "zone"], rows, f"{ZONES}, zone.tab")
    days = [datetime(2024, month, 1, 12, tzinfo=UTC) for month in (1, 7)]
    rows = []
    for zone in sorted(zoneinfo.available_timezones()):
        if "/" in zone and not zone.startswith("Etc"):
            own = [f"{day.astimezone(zoneinfo.ZoneInfo(zone)):%z}" for day in days]
            rows.append([zone.rpartition("/")[2].replace("_", " "), *own])
    yield Table(["City", "January", "July"], rows, f"{ZONES}, offsets")
