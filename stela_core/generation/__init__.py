"""Texts with a mark, from prompts and a model."""
