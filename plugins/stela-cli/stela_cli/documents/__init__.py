"""Texts out of files, folders and pipes."""
