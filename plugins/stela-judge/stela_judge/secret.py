"""The API key: from the environment, and into nothing but the header of a request."""

from __future__ import annotations

import os
from ipaddress import ip_address
from urllib.parse import urlsplit

from stela_core.errors import StelaError

OWN = "STELA_JUDGE_KEY"
OPENAI = "OPENAI_API_KEY"
OPENAI_HOST = "api.openai.com"


def find_key(base_url: str) -> str | None:
    """The key for an endpoint; ``None`` where there is none, as servers of one's own need none.

    ``STELA_JUDGE_KEY`` goes to any endpoint, for it was set for this. ``OPENAI_API_KEY`` goes to OpenAI
    and to this machine alone: an experiment file from elsewhere could otherwise name a host that collects it.

    Raises:
        StelaError: it holds characters that no header can.
    """
    for variable in (OWN, OPENAI):
        key = os.environ.get(variable, "").strip()
        if key and (variable == OWN or _may_see_openai_key(base_url)):
            if not (key.isascii() and key.isprintable()) or " " in key:
                raise StelaError(
                    f"the key in {variable} holds white space or a character that is not ASCII.",
                    "set it to the key alone",
                )
            return key
    return None


def _may_see_openai_key(base_url: str) -> bool:
    parts = urlsplit(base_url)
    host = parts.hostname or ""
    if host == OPENAI_HOST:
        return parts.scheme == "https"
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def scrub(text: str, key: str | None) -> str:
    """The text with the key taken out: servers repeat it in their complaints."""
    return text.replace(key, "[key]") if key else text
