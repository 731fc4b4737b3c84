"""The hook of encoders comes with this plugin: it is loaded for others, and missed by name."""

from __future__ import annotations

from importlib.metadata import entry_points
from pathlib import Path

import pytest
from stela_payload.interface import SeedEncoder

import stela_core as stela
from stela_core.registry.components import Registry
from stela_core.registry.manager import create_plugins


def registry_of(*names: str) -> Registry:
    return Registry(create_plugins(installed=[e for e in entry_points(group="stela") if e.name in names]))


def test_another_plugin_s_encoder_brings_it() -> None:
    registry = registry_of("multibit", "payload")
    encoder = registry.get(stela.Encoder, "multibit-mpac")
    assert issubclass(encoder, SeedEncoder)
    assert "payload" in registry.plugins.origins


def test_without_it_it_is_said_what_to_install(tmp_path: Path) -> None:
    path = tmp_path / "p.stela"
    stela.create("kgw", model="tiny", key=1, language="en", bits=16).save(path, key_file=tmp_path / "key")
    registry = registry_of("kgw", "tiny", "models")
    with pytest.raises(stela.StelaError, match='needs encoder "payload"') as caught:
        stela.load(path, key=1, registry=registry)
    assert caught.value.hint == "pip install stela-payload"
    with pytest.raises(stela.StelaError, match='encoder "payload" is not installed') as caught:
        stela.create("kgw", model="tiny", key=1, language="en", bits=16, registry=registry)
    assert caught.value.hint == "pip install stela-payload"


@pytest.mark.parametrize("bits", [-1, 0, 65])
def test_bits_have_bounds(bits: int) -> None:
    with pytest.raises(stela.StelaError, match=f"^{bits} bits are not a message"):
        stela.create("kgw", model="tiny", key=1, language="en", bits=bits)
