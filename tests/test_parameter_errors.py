"""An error about a parameter names the page that lists the parameters of that kind of component."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import Field

import stela_core as stela
from stela_core.parameters import parse_parameters

DOCS = Path(__file__).parents[1] / "docs"


class Times(stela.Parameters):
    """Of anything."""

    times: int = Field(1, ge=1)


@pytest.mark.parametrize(
    ("owner", "page"),
    [
        ('scheme "kgw"', "schemes.md"),
        ('hasher "kgw"', "schemes.md"),
        ('metric "detect"', "metrics.md"),
        ('attack "shout"', "attacks.md"),
        ('tagger "penn"', "languages.md"),
        ('executor "local"', "experiments.md"),
        ('encoder "bits"', "payload.md"),
    ],
)
def test_the_page_is_that_of_the_component(owner: str, page: str) -> None:
    with pytest.raises(stela.StelaError, match=f"see docs/{page} for the parameters"):
        parse_parameters(Times, {"times": 0}, owner)
    assert (DOCS / page).exists()
