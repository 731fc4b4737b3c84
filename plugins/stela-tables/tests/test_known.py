"""Tables that an installed plugin ships are known by their bytes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from stela_cli.profile_show import name_of_table

import stela_core as stela
from stela_core.files.fingerprint import sha256
from stela_core.interfaces import Component, Weighting
from stela_core.registry.components import Entry
from stela_core.registry.manager import Origin, create_plugins
from stela_core.registry.tagger_spec import make_tagger

from .test_shipped import SPECS


@pytest.mark.slow
@pytest.mark.parametrize("spec", SPECS)
def test_tables_of_the_shipped_taggers_are_known(registry: stela.Registry, spec: str) -> None:
    tagger = make_tagger(registry, spec)
    distribution = f"stela-{spec.partition('-')[0].partition(':')[0]}"
    assert tagger.tables()
    for path in tagger.tables().values():
        assert path in tagger.shipped_tables()
        found = registry.shipper_of(sha256(path.read_bytes()))
        assert found is not None
        assert found.distribution == distribution
        assert (
            name_of_table(registry, sha256(path.read_bytes()))
            == f"shipped with {distribution} {found.version}"
        )


@pytest.mark.parametrize("language", ["en", "zh", "ko"])
def test_own_tables_of_the_shipped_weightings_are_known(registry: stela.Registry, language: str) -> None:
    """By the bytes that stand in a profile, not by those of the compressed file."""
    weighting = registry.get(Weighting, "learned-text")
    table = weighting.own_table(language, None, None)
    assert table is not None
    assert name_of_table(registry, sha256(table)).startswith("shipped with stela-learned ")


def test_other_tables_are_not_known(registry: stela.Registry) -> None:
    path = make_tagger(registry, "penn").tables()[2]
    assert registry.shipper_of(sha256(path.read_bytes() + b"\n")) is None
    assert name_of_table(registry, "0" * 64) == "not shipped with any installed plugin"


class Shipping(Component):
    name = "shipping"
    files: list[Path] = []  # noqa: RUF012

    @classmethod
    def shipped_tables(cls) -> list[Path]:
        return cls.files


def test_files_that_cannot_be_read_are_no_tables(tmp_path: Path) -> None:
    good, torn = tmp_path / "good.json", tmp_path / "torn.json.xz"
    good.write_bytes(b"{}")
    torn.write_bytes(b"\xfd7zXZ\x00 torn")

    class Broken(Shipping):
        files = [tmp_path / "missing.json", torn]  # noqa: RUF012

    class Whole(Shipping):
        files = [good]  # noqa: RUF012

    origin = Origin("stela-whole", "1")
    entries = [
        Entry("tagger", Broken, "broken", Origin("stela-broken", "1")),
        Entry("tagger", Whole, "w", origin),
    ]

    class OfTwo(stela.Registry):
        def __iter__(self) -> Iterator[Entry]:
            yield from entries

    registry = OfTwo(create_plugins(installed=[]))
    assert registry.shipper_of(sha256(b"{}")) == origin
    assert registry.shipper_of(sha256(b"other")) is None
