"""A profile cannot accuse a text that nobody marked without saying who chose its key and table."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest
from stela_tables.file import parse_any_table
from stela_testing import assert_refused

import stela_core as stela
from stela_core.profile.archive import Archive
from tests.commands import Stela
from tests.strangers.accusing import KEY, profile_with, table_of, tried_keys
from tests.strangers.conftest import Accusing

ONE = 1000
"""Thousandths of the largest weight that a table may give."""


@pytest.fixture
def text(declaration: str, tmp_path: Path) -> Path:
    file = tmp_path / "declaration.txt"
    file.write_text(declaration, encoding="utf-8")
    return file


@pytest.mark.slow
def test_a_table_that_weighs_green_tokens_by_a_thousand_is_refused(
    stela_: Stela, accusing: Accusing, text: Path, tmp_path: Path
) -> None:
    profile = accusing(1000 * ONE)
    assert_refused(stela_("detect", "--profile", profile, text), "a value is above 1")
    table = tmp_path / "table.json"
    with zipfile.ZipFile(profile) as archive:
        table.write_bytes(archive.read("table.json"))
    new = ("profile", "new", "--scheme", "learned-text", "--lambda", table, "--model", "tiny", "--public-key")
    assert_refused(stela_(*new, "-o", tmp_path / "p.stela"), "a value is above 1")


@pytest.mark.parametrize("mean", [0, ONE + 1, 10**9])
def test_a_mean_that_no_weights_have_is_refused(mean: int) -> None:
    """Strength is divided by it."""
    content = json.loads(table_of({})) | {"mean": mean}
    with pytest.raises(stela.StelaError, match="its mean is not"):
        parse_any_table(json.dumps(content).encode(), "the table")


@pytest.mark.slow
def test_a_table_within_the_bounds_accuses_nobody(
    stela_: Stela, accusing: Accusing, text: Path, declaration: str, registry: stela.Registry
) -> None:
    """Weights of 1 for the green tokens and next to none for the others: only their ratio counts."""
    profile = accusing(ONE)
    found = stela.load(profile, registry=registry).detect(declaration)
    assert found.p_value < 1e-30
    assert found.p_unweighted is not None
    assert found.p_unweighted > 0.01
    assert found.verdict == "no watermark found"
    assert "key and table of this profile were chosen by someone else" in (found.caveat or "")
    assert f"with every token counted alike it is {found.p_unweighted:.2g}" in (found.caveat or "")
    [shown] = stela_("detect", "--profile", profile, text, "--json").json
    assert (shown["verdict"], shown["caveat"]) == (found.verdict, found.caveat)
    [passage] = stela_("detect", "--profile", profile, text, "--json", "--windows").json
    assert passage["window"]["p_value"] > 0.01
    assert passage["verdict"] == "no watermark found"
    printed = stela_("detect", "--profile", profile, text).out
    assert "table: not shipped with any installed plugin" in printed
    assert "caveat: key and table of this profile were chosen by someone else" in printed
    assert "not shipped with any installed plugin, sha256" in stela_("profile", "show", profile).out


@pytest.mark.slow
def test_with_the_user_s_key_the_table_alone_is_a_stranger_s(
    accusing: Accusing, declaration: str, registry: stela.Registry
) -> None:
    found = stela.load(accusing(ONE, public=False), KEY, registry).detect(declaration)
    assert found.verdict == "no watermark found"
    assert "by someone who did not know the key" in (found.caveat or "")


@pytest.mark.slow
def test_tried_keys_accuse_with_a_caveat(
    stela_: Stela, declaration: str, text: Path, registry: stela.Registry, tmp_path: Path
) -> None:
    """Some key finds a mark in any text: no table is needed, and every parameter is an honest one."""
    archive = tried_keys(registry, declaration, enough=1e-3)
    profile = tmp_path / "tried.stela"
    archive.write(profile)
    [found] = stela_("detect", "--profile", profile, text, "--json").json
    assert found["verdict"] == "watermarked"
    assert found["caveat"].startswith("the key of this profile was chosen by someone else")
    assert "\ncaveat: the key of this profile" in stela_("detect", "--profile", profile, text).out
    # The user may know better.
    assert stela_("profile", "trust", profile).out.endswith("no caveat on this machine\n")
    assert stela_("detect", "--profile", profile, text, "--json").json[0]["caveat"] is None
    assert "caveat" not in stela_("detect", "--profile", profile, text).out
    assert stela_("profile", "trust", "--undo", profile).status == 0
    assert stela_("detect", "--profile", profile, text, "--json").json[0]["caveat"] == found["caveat"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("settings", "message"), [({"alpha": 0.9999}, "100% of texts"), ({"min_tokens": 2}, "so little text")]
)
def test_lenient_profiles_are_refused_unless_the_user_wants_them(
    stela_: Stela,
    registry: stela.Registry,
    text: Path,
    tmp_path: Path,
    settings: dict[str, float],
    message: str,
) -> None:
    plain = profile_with(registry, None, scheme="kgw")
    profile = tmp_path / "lenient.stela"
    Archive(plain.profile.model_copy(update=settings), plain.tokenizer, None).write(profile)
    assert_refused(stela_("detect", "--profile", profile, text), message, "--allow-lenient")
    with pytest.raises(stela.StelaError, match=message):
        stela.load(profile, registry=registry)
    assert stela.load(profile, registry=registry, allow_lenient=True).provenance.caveat
    assert stela_("detect", "--profile", profile, text, "--allow-lenient").status == 0
    assert stela_("profile", "show", profile).status == 0


@pytest.mark.slow
def test_lenient_profiles_of_one_s_own(stela_: Stela, text: Path, tmp_path: Path) -> None:
    profile = tmp_path / "p.stela"
    new = (
        "profile",
        "new",
        "--scheme",
        "kgw",
        "--model",
        "tiny",
        "--public-key",
        "--alpha",
        0.2,
        "-o",
        profile,
    )
    assert_refused(stela_(*new), "alpha = 0.2: 20% of texts", "--allow-lenient")
    assert not profile.exists()
    assert stela_(*new, "--allow-lenient").status == 0
    [found] = stela_("detect", "--profile", profile, text, "--json").json
    assert (found["threshold"], found["caveat"]) == (0.2, None)
