"""``stela profile link``: what is in a link, and what no link holds."""

from __future__ import annotations

import json
import re
import zipfile
import zlib
from base64 import urlsafe_b64decode
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from stela_page.holding import held_of
from stela_page.link import end_of
from stela_testing import assert_refused, run_cli

import stela_core as stela

New = Callable[..., Path]


def test_a_link_is_short_and_leads_to_the_page(new: New, tmp_path: Path) -> None:
    path = new("语 <b>.stela")
    done = run_cli("profile", "link", path, "--page", "https://example.org/verify.html#old")
    assert done.status == 0
    link = done.out.strip()
    address, _, letters = link.partition("#profile=")
    assert address == "https://example.org/verify.html"
    assert re.fullmatch(r"[A-Za-z0-9_-]{300,900}", letters)
    fields = json.loads(zlib.decompress(urlsafe_b64decode(letters + "=" * (-len(letters) % 4)), -15))
    with zipfile.ZipFile(path) as archive:
        content = archive.read("profile.json").decode()
    assert fields == {"format": "stela-link/1", "name": "语 <b>", "content": content, "statement": None}
    assert_refused(run_cli("profile", "link", path, "--page", "verify.html"), "begins with https://")
    noise = "".join(f"{number * number:x}" for number in range(9000))
    for content in (noise, " " * 70_000):
        with pytest.raises(stela.StelaError, match="makes a link of"):
            end_of(replace(held_of(path), content=content))


@pytest.mark.deep(stand_in="test_a_link_is_short_and_leads_to_the_page")
@pytest.mark.slow
def test_what_no_page_reads_from_a_link_goes_into_none(new: New, tmp_path: Path) -> None:
    tagged, dated = tmp_path / "tagged.stela", tmp_path / "dated.stela"
    stela.create("stela", model="tiny", language="de", key="public").save(tagged)
    rotate = ["profile", "rotate", str(new()), "--from", "2999-01-01", "-o", str(dated)]
    assert run_cli(*rotate).status == 0
    for path, what in ((tagged, "a tagger"), (dated, "keys with dates")):
        done = run_cli("profile", "link", path, "--page", "https://example.org/")
        assert_refused(done, f'profile "{path.stem}" has {what}: no link holds that.')
