"""Columns against pyarrow's own arrays of the same values."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pyarrow
import pytest
from hypothesis import given
from hypothesis import strategies as st
from stela_run.report.columns import column, numbers_of

VALUES = st.one_of(
    st.lists(st.none() | st.text(st.characters(exclude_categories=["Cs"]))),
    st.lists(st.none() | st.booleans()),
    st.lists(st.none() | st.integers(-(2**62), 2**62)),
    st.lists(st.none() | st.floats(allow_nan=False)),
    st.lists(st.none() | st.integers(-1000, 1000) | st.floats(-9, 9)),
)


@given(VALUES)
def test_values_are_as_pyarrow_has_them(values: list[Any]) -> None:
    own, theirs = column(values), pyarrow.array(values)
    assert (own.type, own.to_pylist()) == (theirs.type, theirs.to_pylist())
    assert own.null_count == theirs.null_count
    own.validate(full=True)


def test_a_kind_that_is_given() -> None:
    assert column([None, None], "str").type == pyarrow.string()
    assert column([1, 2], "float").to_pylist() == [1.0, 2.0]
    assert column(["a\ud800"]).to_pylist() == ["a\\ud800"]
    assert np.array_equal(numbers_of(column([1, None, 3])), [1.0, np.nan, 3.0], equal_nan=True)
    for wrong in ([1, "1"], [True, 1], [[1]]):
        with pytest.raises(TypeError, match="a column holds"):
            column(wrong)


def test_pandas_is_not_imported() -> None:
    code = (
        "import sys; from stela_run.report.columns import column, numbers_of; "
        "numbers_of(column([1.5, None])); "
        "column(['a', 'b']).dictionary_encode().indices.__dlpack__(); sys.exit('pandas' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
