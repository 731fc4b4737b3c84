"""The process that takes one document apart: ``sandbox_child.py KIND SECONDS BYTES``, the document on stdin.

It prints one JSON object, with ``text`` or ``error``. It imports nothing of this package: the modules
``extract_KIND`` next to it need only their library.
"""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path

MOST = 1 << 24
"""Characters of a text."""


def main(kind: str, seconds: int, memory: int) -> None:
    """Read, limit, extract, print."""
    limit(seconds, memory)
    data = sys.stdin.buffer.read()
    path = Path(__file__).with_name(f"extract_{kind}.py")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    answer: dict[str, str]
    try:
        text = module.text_of(data)
        answer = {"text": text}
        if len(text) > MOST:
            answer = {"error": "holds a text of more than 16 million characters"}
    except MemoryError:
        sys.exit(1)
    except ValueError as error:  # what the extracting modules raise themselves, and many parsers
        answer = {"error": f"cannot be read: {str(error)[:200]}"}
    except Exception as error:
        # A library that meets a broken document may raise anything.
        answer = {"error": f"cannot be read: {type(error).__name__}: {str(error)[:200]}"}
    print(json.dumps(answer))


def limit(seconds: int, memory: int) -> None:
    """End this process when it has used so much, where the system can."""
    try:
        import resource
    except ImportError:  # Windows: the parent's clock is all there is
        return
    for which, value in ((resource.RLIMIT_CPU, seconds), (resource.RLIMIT_AS, memory)):
        try:
            resource.setrlimit(which, (value, value))
        except (ValueError, OSError):  # a limit below this one is set already, or macOS
            continue


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
