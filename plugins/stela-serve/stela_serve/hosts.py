"""Names that a request may call the service by: a page elsewhere must not reach it under another name.

Another's page can let a name that it controls point to this machine (DNS rebinding) and then read what the
service answers; its ``Host`` is still that name. Starlette's ``TrustedHostMiddleware`` cuts addresses of IPv6
at their first colon, lets no path out, and answers in plain text.
"""

from __future__ import annotations

from collections.abc import Iterable

from stela_serve.refused import RefusedError

LOCAL = ("localhost", "127.0.0.1", "::1")
ALL = ("0.0.0.0", "::", "")
"""Addresses to listen at that are not names."""
ANY = "*"


class Hosts:
    """The names.

    Args:
        listened: the address that it listens at, which is one of them unless it stands for all.
        further: names or addresses, without a port; ``*`` for any.
    """

    def __init__(self, listened: str, further: Iterable[str] = ()) -> None:
        own = () if listened in ALL else (listened,)
        self._names = {plain(name) for name in (*LOCAL, *own, *further)}

    def check(self, headers: Iterable[tuple[bytes, bytes]]) -> None:
        """Refuse a request for another name.

        Raises:
            RefusedError: its ``Host`` is not among the names.
        """
        if ANY in self._names:
            return
        said = [value.decode("latin-1") for name, value in headers if name == b"host"]
        if len(said) != 1 or plain(said[0]) not in self._names:
            raise RefusedError(
                421, "this service does not answer to that host name.", "start it with --allow-host NAME"
            )


def plain(host: str) -> str:
    """A name or an address as it is compared: without port, brackets and a last dot, in lower case."""
    host = host.strip().lower()
    if host.startswith("["):
        return host[1:].partition("]")[0]
    if host.count(":") == 1:
        host = host.partition(":")[0]
    return host.removesuffix(".")
