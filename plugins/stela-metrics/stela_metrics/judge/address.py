"""Where an endpoint is. One strict reading, so that what is checked is what is connected to."""

from __future__ import annotations

import re
from ipaddress import ip_address
from typing import NamedTuple

# Parsers of URLs differ on everything beyond this: backslashes, users, escapes and other alphabets in hosts.
URL = re.compile(
    r"(?P<scheme>https?)://(?P<host>[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::(?P<port>[0-9]{1,5}))?(?:/[!-\[\]-~]*)?",
    re.IGNORECASE | re.ASCII,
)


class Address(NamedTuple):
    """Scheme, host (lower case; IPv6 in brackets) and port of a URL."""

    scheme: str
    host: str
    port: int | None

    @classmethod
    def of(cls, url: str) -> Address:
        """Read a URL.

        Raises:
            ValueError: it is not a plain ``http`` or ``https`` URL, or holds a user, password or query.
        """
        if re.search(r"[@?#]", url):
            # Records hold the parameters: no secret may stand in one.
            raise ValueError("must hold no user, password or query: the key goes into STELA_JUDGE_KEY")
        match = URL.fullmatch(url)
        if match is None:
            raise ValueError("must begin with http:// or https:// and name a host")
        port = int(match["port"]) if match["port"] else None
        if port is not None and not 0 < port < 1 << 16:
            raise ValueError(f"names port {port}")
        return cls(match["scheme"].lower(), match["host"].lower(), port)

    @property
    def host_and_port(self) -> str:
        """Host and port as ``STELA_JUDGE_HOST`` may name them."""
        return f"{self.host}:{self.port or (443 if self.scheme == 'https' else 80)}"

    @property
    def is_this_machine(self) -> bool:
        """``localhost`` or a loopback address, as it is written: no name is looked up."""
        if self.host == "localhost":
            return True
        try:
            return ip_address(self.host.strip("[]")).is_loopback
        except ValueError:
            return False
