"""Insertion: bias the logits of green tokens at each step."""
