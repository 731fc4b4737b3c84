"""Plugins: find, check, look up by name."""
