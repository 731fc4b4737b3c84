"""What surrounds a detection: other readings, passages, candidate keys, expected power, fast starts."""
