"""A message as a nonce: answers to one prompt differ, and ``profile new`` says that they would not."""

from __future__ import annotations

import pytest
from message_texts import watermark
from stela_models.cli.prompts import RANDOM, Prompt, messages_of
from stela_testing import run_cli

import stela_core as stela


def test_random_draws_a_message_for_each_text() -> None:
    encoder = watermark("gumbel", 32).parts.encoder
    drawn = messages_of([Prompt("a", RANDOM)] * 4 + [Prompt("b", "1f")], encoder)
    assert drawn is not None
    assert len(set(drawn[:4])) == 4
    assert all(len(one) == 8 and int(one, 16) >= 0 for one in drawn)
    assert drawn[-1] == "0000001f"


def test_random_needs_a_profile_with_bits() -> None:
    with pytest.raises(stela.StelaError, match="carry no message"):
        messages_of([Prompt("a", RANDOM)], None)


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        (["--scheme", "gumbel"], "add --bits 8 and give each answer a random message"),
        (["--scheme", "gumbel+learned-text", "--language", "en"], "add --bits 8"),
        (["--scheme", "synthid"], "use several keys (stela key new --count 16)"),
        (["--scheme", "gumbel", "--bits", "8"], None),
        (["--scheme", "kgw"], None),
    ],
)
def test_a_new_profile_says_that_answers_are_alike(
    tmp_path: object, asked: list[str], says: str | None
) -> None:
    done = run_cli("profile", "new", *asked, "--model", "tiny", "--public-key", "-o", f"{tmp_path}/p.stela")
    assert done.status == 0
    notes = [line for line in done.err.splitlines() if "answers to one prompt" in line]
    assert len(notes) == (says is not None)
    assert says is None or says in notes[0]
    assert "note:" not in done.out
