"""Philox4x32-10 in numpy, what vLLM's watermarks make of it, and TextSeal's hash: shared by several marks."""
