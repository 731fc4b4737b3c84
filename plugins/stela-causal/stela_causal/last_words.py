"""Words and their tags from scores, from the end of a window on, compiled; importing this needs numba."""

from __future__ import annotations

from stela_causal.convolution import compiled
from stela_causal.walk import walked

last_words = compiled(walked)
