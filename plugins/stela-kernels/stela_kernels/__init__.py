"""Fast ways to mark logits, and to try many keys: numba, torch, Triton."""

import logging

logging.getLogger(__name__).addHandler(logging.NullHandler())
