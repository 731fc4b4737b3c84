"""Small arrays on a device: their values, shape and type, and no memory shared with what may change."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from stela_kernels.arrays import to_device


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.float32])
def test_values_that_may_change_afterwards(dtype: type) -> None:
    values = np.arange(12, dtype=dtype).reshape(3, 4)[:, ::2]
    wanted = values.copy()
    there = to_device(values, torch.device("cpu"))
    values[:] = 0
    assert there.numpy().dtype == dtype
    assert np.array_equal(there.numpy(), wanted)
    assert there.is_contiguous()


def test_another_device_is_taken_at_its_word() -> None:
    there = to_device(np.zeros((2, 3)), torch.device("meta"))
    assert (there.device.type, tuple(there.shape)) == ("meta", (2, 3))
