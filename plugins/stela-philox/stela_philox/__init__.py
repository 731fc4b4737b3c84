"""Philox4x32-10 in numpy, and what vLLM's watermarks make of it: shared by the marks that rest on it."""
