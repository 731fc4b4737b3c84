"""What a process takes of memory at most while it does something (Linux: proc(5))."""

from __future__ import annotations

from pathlib import Path

_STATUS, _CLEAR = Path("/proc/self/status"), Path("/proc/self/clear_refs")


class Peak:
    """Resident memory beyond what the process had when this was made."""

    def __init__(self) -> None:
        self._before: int | None = None
        try:
            _CLEAR.write_text("5")  # the high-water mark falls to what is resident now
            self._before = _resident("VmRSS")
        except OSError:
            pass

    def mib(self) -> float:
        """MiB that it had more at most since; 0 where the system does not tell."""
        return 0.0 if self._before is None else max(0, _resident("VmHWM") - self._before) / 1024


def resident_mib() -> float:
    """MiB that the process has now; 0 where the system does not tell."""
    try:
        return _resident("VmRSS") / 1024
    except OSError:
        return 0.0


def _resident(name: str) -> int:
    """KiB."""
    for line in _STATUS.read_text().splitlines():
        if line.startswith(f"{name}:"):
            return int(line.split()[1])
    raise OSError(f"no {name} in {_STATUS}")
