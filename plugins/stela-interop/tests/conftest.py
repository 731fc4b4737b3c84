from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from stela_models.load import load_model
from stela_testing import run_cli

import stela_core as stela
from stela_core.api import LanguageModel

Import = Callable[..., Path]


@pytest.fixture(scope="session")
def tiny(registry: stela.Registry) -> LanguageModel:
    return load_model(registry, "tiny", device="cpu")


@pytest.fixture
def kgw(tmp_path: Path) -> Path:
    """MarkLLM's config/KGW.json."""
    settings = {
        "algorithm_name": "KGW",
        "gamma": 0.5,
        "delta": 2.0,
        "hash_key": 15485863,
        "prefix_length": 1,
        "z_threshold": 4.0,
        "f_scheme": "time",
        "window_scheme": "left",
    }
    file = tmp_path / "KGW.json"
    file.write_text(json.dumps(settings), encoding="utf-8")
    return file


@pytest.fixture
def import_profile(tmp_path: Path) -> Import:
    """``stela profile import`` of a toolkit's settings; gives the profile's path."""

    def call(toolkit: str, settings: dict[str, Any] | Path, *options: str) -> Path:
        file = tmp_path / "config.json"
        if isinstance(settings, Path):
            file = settings
        else:
            file.write_text(json.dumps(settings), encoding="utf-8")
        out = tmp_path / "p.stela"
        command = ["profile", "import", f"--{toolkit}", str(file), "--model", "tiny", "--public-key"]
        assert run_cli(*command, "-o", str(out), "--force", *options).status == 0
        return out

    return call
