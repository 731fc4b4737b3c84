"""Read within bounds, write at once or not at all, hash."""
