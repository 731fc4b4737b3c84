"""Marking in transformers: what ``model.generate`` takes as a processor or as a ``watermarking_config``."""
