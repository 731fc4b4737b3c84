"""Insertion: bias the logits of green tokens at each step. vLLM and the like plug in at ``marker.py``."""
