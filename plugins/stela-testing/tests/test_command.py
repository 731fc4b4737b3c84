"""The command in this process, and what a refusal has to be."""

from __future__ import annotations

import pytest
from stela_testing import Finished, assert_refused, run_cli


def test_a_command_gives_status_and_both_streams() -> None:
    done = run_cli("--version")
    assert (done.status, done.err) == (0, "")
    assert done.out.startswith("stela, version ")
    wrong = run_cli("no-such-command")
    assert (wrong.status, wrong.out) == (2, "")
    assert "no-such-command" in wrong.err


def test_json_lines_are_read() -> None:
    assert Finished(0, '{"a": 1}\n\n{"b": "\u2028"}\n', "").json == [{"a": 1}, {"b": "\u2028"}]


def test_a_refused_command_is_one_line_with_a_hint() -> None:
    assert_refused(run_cli("profile", "show", "none.stela"), "none.stela")


@pytest.mark.parametrize(
    "finished",
    [
        Finished(0, "", "error: no. hint: yes\n"),
        Finished(2, "half a table\n", "error: no. hint: yes\n"),
        Finished(2, "", "error: no.\n"),
        Finished(2, "", "error: not that. hint: yes\n"),
    ],
    ids=["status", "printed something", "no hint", "says other words"],
)
def test_what_is_no_refusal_fails(finished: Finished) -> None:
    with pytest.raises(AssertionError):
        assert_refused(finished, "no.")


def test_a_refusal_of_two_lines_fails() -> None:
    with pytest.raises(ValueError, match="unpack"):
        assert_refused(Finished(2, "", "warning: odd\nerror: no. hint: yes\n"))
