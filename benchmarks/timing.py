"""Times that hold on a machine with other work: the median of repeated runs."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable


def median_ms(step: Callable[[], object], repeats: int) -> float:
    """Median milliseconds of one call, after one call to warm up."""
    step()
    times = []
    for _ in range(repeats):
        began = time.perf_counter()
        step()
        times.append(time.perf_counter() - began)
    return 1e3 * statistics.median(times)
