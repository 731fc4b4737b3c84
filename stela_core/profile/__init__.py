"""Profiles: one file that names every parameter a detector needs."""
