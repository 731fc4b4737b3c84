"""The page at ``/``: one function that gives its HTML, and the policy that lets it run nothing else."""

from __future__ import annotations

import base64
import hashlib
import re
from functools import cache
from pathlib import Path


@cache
def page_html() -> str:
    """The whole page, with its script and style in it; another page takes its place by replacing this."""
    return Path(__file__).with_name("page.html").read_text(encoding="utf-8")


def policy_of(html: str) -> str:
    """A Content-Security-Policy that allows the page's own inline blocks, by their hashes, and requests to
    this service, and nothing else.
    """
    return "; ".join(
        (
            "default-src 'none'",
            f"script-src {hashes(html, 'script')}",
            f"style-src {hashes(html, 'style')}",
            "connect-src 'self'",
            "base-uri 'none'",
            "form-action 'none'",
            "frame-ancestors 'none'",
        )
    )


def hashes(html: str, tag: str) -> str:
    """The blocks of a kind as a policy names them."""
    blocks = re.findall(rf"<{tag}>(.*?)</{tag}>", html, re.DOTALL)
    digests = (hashlib.sha256(block.encode()).digest() for block in blocks)
    return " ".join(f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests) or "'none'"
