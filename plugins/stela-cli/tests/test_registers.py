"""``stela detect --messages``: the register of issued messages."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from stela_cli import registers
from stela_cli.registers import register_of_lines
from stela_testing import assert_refused

import stela_core as stela
from tests.commands import Stela
from tests.message_texts import BITS, KEY, MESSAGE, given, texts, watermark
from tests.tiers import Draws

__all__ = ["given", "texts", "watermark"]  # fixtures

ENTRY = {"message": "0x87F5E7", "for": "주문 7 \u2028", "issuer": {"name": "shop"}, "at": None}


def register(folder: Path, *lines: object) -> Path:
    file = folder / "issued.jsonl"
    written = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    file.write_text("".join(f"{line}\n" for line in written), encoding="utf-8")
    return file


def test_the_entry_is_told_and_no_other_message(
    stela_: Stela, given: tuple[object, ...], texts: dict[str, Path], tmp_path: Path, draws: Draws
) -> None:
    """Of one message the p-value is its own; a text with another is no longer found.

    Workers test as this process does; ``make test`` starts some for keys (``test_detect_keys.py``).
    """
    file = register(tmp_path, ENTRY)
    files = [texts[name] for name in (f"{MESSAGE:x}", "ffffffff", "human")]
    among = stela.load(str(given[1]), KEY).among([MESSAGE])
    wanted = among.detect_many([path.read_text(encoding="utf-8") for path in files])
    for workers in ((), ("--workers", 2))[: draws(2, 1)]:
        found = stela_("detect", *given, *files, "--json", "--messages", file, *workers).json
        assert [one["verdict"] == "watermarked" for one in found] == [True, False, False]
        assert found[0]["message"]["entry"] == ENTRY
        assert found[0]["message"]["hex"] == "0087f5e7"
        assert [one["p_value"] for one in found] == [one.p_value for one in wanted]
    [alone] = stela_("detect", *given, files[0], "--json").json
    assert alone["p_value"] == pytest.approx(found[0]["p_value"] * 2.0**BITS, rel=1e-6)
    assert "entry" not in alone["message"]
    several = register(tmp_path, ENTRY, {"message": "ffffffff"})
    printed = stela_("detect", *given, *files, "--messages", several).out.splitlines()
    assert [row.split()[-1] for row in printed[1:3]] == ["0087f5e7", "ffffffff"]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ({"message": "123456789"}, "issued.jsonl:3: message 123456789 is not one of 32 bits."),
        ({"message": "x"}, "issued.jsonl:3: message 'x' is not a number."),
        ({"message": 31}, 'issued.jsonl:3 has no "message" of hex digits.'),
        (["1f"], 'issued.jsonl:3 has no "message" of hex digits.'),
        ("1f\ufffe", "issued.jsonl:3 is not JSON"),
        ({"message": "0001"}, "issued.jsonl:3 has the message of line 1."),
        ({"message": "2", "for": "a" * 70_000}, "issued.jsonl:3 is a line of more than 64 KiB."),
    ],
)
def test_bad_lines_are_named(
    stela_: Stela,
    given: tuple[object, ...],
    texts: dict[str, Path],
    tmp_path: Path,
    line: object,
    expected: str,
) -> None:
    file = register(tmp_path, {"message": "1"}, "", line)
    assert_refused(stela_("detect", *given, texts["human"], "--messages", file), expected)


def test_what_does_not_go_with_a_register(
    stela_: Stela,
    given: tuple[object, ...],
    profiles: dict[str, Path],
    texts: dict[str, Path],
    tmp_path: Path,
) -> None:
    empty = register(tmp_path, "")
    assert_refused(stela_("detect", *given, texts["human"], "--messages", empty), "holds no message")
    refused = stela_("detect", *given, texts["human"], "--messages", tmp_path / "none.jsonl")
    assert_refused(refused, "none.jsonl", "does not exist")
    file = register(tmp_path, {"message": "1"})
    for option in (("--profile", profiles["kgw"]), ("--profiles", profiles["kgw"].parent)):
        refused = stela_("detect", *option, texts["human"], "--messages", file)
        assert_refused(refused, "carry no message" if option[0] == "--profile" else "--messages is for one")


def test_too_many_messages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = register(tmp_path, *({"message": f"{n:x}"} for n in range(3)))
    assert list(register_of_lines(str(file), 8).lines) == [0, 1, 2]
    for name, most in (("MOST_MESSAGES", 2), ("LARGEST", 40)):
        with monkeypatch.context() as patch:
            patch.setattr(registers, name, most)
            with pytest.raises(stela.StelaError, match="has more than"):
                register_of_lines(str(file), 8)
