"""Green lists drawn by a random generator belong to that generator's device."""

from __future__ import annotations

from stela_core.errors import StelaError


def require_reproducible(device: str | None) -> None:
    """Refuse green lists that this machine cannot draw.

    Args:
        device: of the generator; ``None`` where the lists are the same on every device.

    Raises:
        StelaError: it is neither ``None`` nor ``cpu``.
    """
    if device not in (None, "cpu"):
        raise StelaError(
            f'green lists made on "{device}" cannot be reproduced: PyTorch draws other numbers there than '
            "on a CPU, by a generator that no other device has.",
            "mark text with the generator on the CPU, or with a profile of stela profile new, whose green "
            "lists are the same everywhere",
        )
