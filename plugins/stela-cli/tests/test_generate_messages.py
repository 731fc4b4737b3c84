"""``stela generate --message``, and a message for each prompt of a file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from stela_testing import assert_refused
from stela_transformers.round_trip.cut_again import read

import stela_core as stela
from tests.commands import Stela

pytestmark = pytest.mark.slow

KEY = 0x5EED


@pytest.fixture(scope="module")
def marked(tmp_path_factory: pytest.TempPathFactory) -> tuple[object, ...]:
    """The options that mark with 16 bits."""
    folder = tmp_path_factory.mktemp("bits")
    profile, key = folder / "p.stela", folder / "key.txt"
    key.write_text(f"{KEY:016x}\n")
    key.chmod(0o600)
    stela.create("gumbel", model="tiny", bits=16, key=KEY).save(profile)
    return "--profile", profile, "--key-file", key, "--model", "tiny"


def test_each_text_carries_what_was_asked(stela_: Stela, marked: tuple[object, ...], tmp_path: Path) -> None:
    """A line's own message goes before the option; what the texts say is what the records say.

    With ``--round-trip`` each text is cut into the tokens that were drawn, unless it ends within a character.
    """
    prompts = tmp_path / "prompts.jsonl"
    lines = [{"prompt": "The city", "message": "0x1F"}, {"prompt": "One day"}, {"text": "A", "message": None}]
    prompts.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    out = tmp_path / "out.jsonl"
    length = ("--max-new-tokens", 90, "--min-new-tokens", 90, "--temperature", 1, "--round-trip")
    common = ("generate", *marked, *length)
    made = stela_(*common, "--prompts", prompts, "--message", "beef", "-o", out, "--batch-size", 2)
    assert made.status == 0, made.err
    records = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert [record["message"] for record in records] == ["001f", "beef", "beef"]
    mark, texts = stela.load(str(marked[1]), KEY), [record["text"] for record in records]
    for record, ids in zip(records, mark.detector.ids_of(texts), strict=True):
        assert ids == record["token_ids"] or read(b"".join(mark.tokens[n] for n in record["token_ids"]))[1]
    found = mark.detect_many(texts)
    assert [one.message and one.message.text for one in found] == ["001f", "beef", "beef"]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ('{"prompt": "a", "message": "12345"}', "prompts.jsonl:2: message 12345 is not one of 16 bits."),
        ('{"prompt": "a", "message": "xyz"}', "prompts.jsonl:2: message 'xyz' is not a number."),
        ('{"prompt": "a", "message": 31}', 'prompts.jsonl:2 has a "message" that is not a string.'),
        ('{"prompt": "a"}', "this profile's marks carry a message of 16 bits, and there is none."),
    ],
)
def test_bad_messages_are_named(
    stela_: Stela, marked: tuple[object, ...], tmp_path: Path, line: str, expected: str
) -> None:
    prompts = tmp_path / "prompts.jsonl"
    prompts.write_text(f'{{"prompt": "a", "message": "1"}}\n{line}\n', encoding="utf-8")
    assert_refused(stela_("generate", *marked, "--prompts", prompts), expected)


def test_profiles_without_bits_take_no_message(
    stela_: Stela, profiles: dict[str, Path], tmp_path: Path
) -> None:
    common = ("generate", "--profile", profiles["kgw"], "--model", "tiny", "--max-new-tokens", 3)
    refused = stela_(*common, "--prompt", "a", "--message", "1f")
    assert_refused(refused, "this profile's marks carry no message.", "--bits 32")
    prompts = tmp_path / "prompts.jsonl"
    prompts.write_text('{"prompt": "a"}\n{"prompt": "b", "message": "1f"}\n')
    assert_refused(stela_(*common, "--prompts", prompts), f"{prompts}:2: this profile's marks carry no")
    [record] = stela_(*common, "--prompt", "a", "--json").json
    assert "message" not in record
