"""A finished run in one file, for others to compare with."""
