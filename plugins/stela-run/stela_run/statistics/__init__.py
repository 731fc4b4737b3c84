"""Statistics over texts."""
