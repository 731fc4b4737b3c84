"""Indeterminacy tables: count tags in text, keep the counts in a file, look up lambda."""
