"""The watermark in SGLang: a custom logit processor that the server itself gives each request.

    STELA_PROFILE=p.stela sglang serve --model-path MODEL --enable-custom-logit-processor

SGLang loads :func:`stela_sglang.plugin.load` by its entry point. Without ``STELA_PROFILE`` that does nothing.
SGLang itself is imported by ``processor.py``, and by ``plugin.py`` when it is called.
"""

from __future__ import annotations

_NAME = b"cstela_sglang.processor\nProcessor\n."

PROCESSOR = f'{{"callable": "{_NAME.hex()}"}}'
"""The processor as SGLang sends it: the pickled name of a class that the server has, and no code."""
