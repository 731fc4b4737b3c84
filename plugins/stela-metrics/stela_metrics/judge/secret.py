"""The API key: from the environment, into nothing but the header of a request, to hosts the user named."""

from __future__ import annotations

import os

import stela_core as stela
from stela_metrics.judge.address import Address

OWN = "STELA_JUDGE_KEY"
HOSTS = "STELA_JUDGE_HOST"
OPENAI = "OPENAI_API_KEY"
OPENAI_HOST = "api.openai.com"


def find_key(base_url: str) -> str | None:
    """The key for an endpoint; ``None`` where there is none, as local servers need none.

    ``STELA_JUDGE_KEY`` goes to the hosts that ``STELA_JUDGE_HOST`` names (by default OpenAI's), and
    ``OPENAI_API_KEY`` to OpenAI; both to this machine. ``base_url`` stands in the experiment file, which may
    be someone else's: it never decides by itself where a key goes.

    Raises:
        StelaError: the key holds characters that no header can, or ``STELA_JUDGE_KEY`` is set and is not for
            this host.
    """
    address = Address.of(base_url)
    here = address.is_this_machine
    own = os.environ.get(OWN, "").strip()
    openai = os.environ.get(OPENAI, "").strip()
    if own and (here or _is_named(address)):
        return _checked(own, OWN)
    if openai and (here or (address.scheme == "https" and address.host == OPENAI_HOST)):
        return _checked(openai, OPENAI)
    if own:
        raise stela.StelaError(
            f"{OWN} is not for {address.host}.",
            f"{HOSTS}={address.host} sends it there; unset {OWN} for an endpoint that needs no key",
        )
    return None


def _is_named(address: Address) -> bool:
    named = os.environ.get(HOSTS, "").lower().replace(",", " ").split() or [OPENAI_HOST]
    return address.scheme == "https" and (address.host in named or address.host_and_port in named)


def _checked(key: str, variable: str) -> str:
    if not (key.isascii() and key.isprintable()) or " " in key:
        raise stela.StelaError(
            f"the key in {variable} holds white space or a character that is not ASCII.",
            "set it to the key and nothing else",
        )
    return key


def scrub(text: str, key: str | None) -> str:
    """The text with the key taken out: servers repeat it in their complaints."""
    return text.replace(key, "[key]") if key else text
