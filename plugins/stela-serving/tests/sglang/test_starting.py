"""What is refused before the first request."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from stela_serving.settings import ServerSettings
from stela_sglang.starting import Start, require_right_start

import stela_core as stela

RIGHT = Start(
    has_processors=True,
    marks=False,
    drafts=False,
    overlaps=True,
    delays=True,
    is_one_server=True,
    is_autoregressive=True,
    backend="flashinfer",
    warms_up=True,
    has_tokenizer=True,
)


def settings_of(folder: Path, name: str = "kgw", policy: str = "required") -> ServerSettings:
    path = folder / f"{name}.stela" if name else folder
    return ServerSettings.read({"STELA_PROFILE": str(path), "STELA_POLICY": policy})


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"has_processors": False}, "add --enable-custom-logit-processor"),
        ({"marks": True}, "leave --enable-watermark out, or STELA_PROFILE"),
        ({"drafts": True}, "leave --speculative-algorithm out"),
        ({"delays": False}, "before the last token is known here"),
        ({"is_one_server": False}, "leave --disaggregation-mode out"),
        ({"is_autoregressive": False}, "diffusion"),
        ({"backend": "mine"}, 'the sampling backend "mine"'),
        ({"has_tokenizer": False}, "leave --skip-tokenizer-init out"),
    ],
)
def test_what_would_leave_texts_unmarked(changed: dict[str, Any], said: str, folder: Path) -> None:
    with pytest.raises(stela.StelaError) as raised:
        require_right_start(RIGHT._replace(**changed), settings_of(folder))
    assert said in str(raised.value)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("changed", [{}, {"overlaps": False, "delays": False}, {"backend": None}])
def test_right_starts(changed: dict[str, Any], folder: Path) -> None:
    require_right_start(RIGHT._replace(**changed), settings_of(folder))


@pytest.mark.parametrize("name", ["gumbel", "", "bits"])
def test_a_warm_up_that_would_be_refused(name: str, folder: Path, carrying: Path) -> None:
    folder = carrying if name == "bits" else folder
    with pytest.raises(stela.StelaError, match="add --skip-server-warmup"):
        require_right_start(RIGHT, settings_of(folder, name))
    require_right_start(RIGHT, settings_of(folder, name, "opt-in"))
    require_right_start(RIGHT._replace(warms_up=False), settings_of(folder, name))
