from __future__ import annotations

from pathlib import Path

import pytest
from stela_cli.main import run
from stela_testing.texts import little_english, marked_text

import stela_core as stela
from tests.commands import stela_
from tests.helpers import new_keys_are

__all__ = ["stela_"]


@pytest.fixture(scope="session")
def marked_texts(profiles: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One text marked under kgw, one under the secret key, one of nobody."""
    folder = tmp_path_factory.mktemp("texts")
    secret = stela.load(profiles["secret"], profiles["key"])
    (folder / "kgw.txt").write_text(marked_text(stela.load(profiles["kgw"])), encoding="utf-8")
    (folder / "secret.txt").write_text(marked_text(secret), encoding="utf-8")
    (folder / "human.txt").write_text(little_english()[2000:4000], encoding="utf-8")
    return folder


@pytest.fixture(scope="session")
def profiles(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Profiles of both schemes, made by the command line: stela (sejong), kgw, and one with a secret key."""
    folder = tmp_path_factory.mktemp("profiles")
    (folder / "key.txt").write_text("0123456789abcdef\n")
    (folder / "key.txt").chmod(0o600)
    found = {name: folder / f"{name}.stela" for name in ("stela", "kgw", "secret")}
    common = ["profile", "new", "--model", "tiny"]
    # The draw of a public key is fixed: what is generated below is then the same in every run.
    with pytest.MonkeyPatch.context() as patch:
        new_keys_are(patch, 0x5EED)
        return make_profiles(folder, found, common)


def make_profiles(folder: Path, found: dict[str, Path], common: list[str]) -> dict[str, Path]:
    """The three profiles and the key file."""
    assert (
        run([*common, "--scheme", "stela", "--tagger", "sejong", "--public-key", "-o", str(found["stela"])])
        == 0
    )
    assert run([*common, "--scheme", "kgw", "--public-key", "-o", str(found["kgw"])]) == 0
    key = ["--key-file", str(folder / "key.txt")]
    assert run([*common, "--scheme", "kgw", *key, "-o", str(found["secret"])]) == 0
    return {**found, "key": folder / "key.txt"}
