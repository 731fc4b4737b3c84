"""The largest of some logits in compiled functions, as SIMD code; importing this needs numba."""

from __future__ import annotations

from typing import Any

import numpy as np

from stela_kernels.passes import compile_kept


@compile_kept
def largest_logit(bits: Any) -> Any:
    """The largest of logits given by their bits (n,) int32; a positive NaN is larger than all.

    As integers, whose order is the floats' once the negative ones are turned over: a maximum of floats is
    no SIMD code, since it minds the order of its steps.
    """
    most = np.int32(-0x80000000)
    for j in range(bits.shape[0]):
        x = bits[j]
        x = np.int32(x ^ np.int32(np.int32(x >> np.int32(31)) & np.int32(0x7FFFFFFF)))
        most = x if x > most else most
    return np.int32(most ^ np.int32(np.int32(most >> np.int32(31)) & np.int32(0x7FFFFFFF)))
