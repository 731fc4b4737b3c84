"""Texts from prompts."""
