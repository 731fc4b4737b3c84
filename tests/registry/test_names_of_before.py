"""A plugin that uses a name of before is told in one line what to write."""

from __future__ import annotations

from pathlib import Path

import pytest

import stela_core as stela


@pytest.mark.parametrize(
    ("before", "now"),
    [("Mark", "Hasher"), ("Choice", "SamplingHasher"), ("ContextParameters", "HasherParameters")],
)
def test_a_class_that_derives_from_it_is_refused_with_the_name_of_today(
    tmp_path: Path, before: str, now: str
) -> None:
    file = tmp_path / "theirs.py"
    file.write_text(
        f"import stela_core as stela\nclass Odd(stela.{before}): name = 'odd'\n", encoding="utf-8"
    )
    with pytest.raises(stela.StelaError, match=f"{before} is {now} now: write stela.{now}"):
        stela.create_registry([file])
    assert hasattr(stela, now)


def test_a_name_of_the_api_says_where_it_is() -> None:
    import stela_core.api

    with pytest.raises(ImportError, match=r"from stela_kernels\.philox"):
        stela_core.api.exponential_draws  # noqa: B018
