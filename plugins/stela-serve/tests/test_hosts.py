"""Names that the service goes by; a page of a stranger's, whose name points here, is refused."""

from __future__ import annotations

import httpx
import pytest
from stela_serve.hosts import Hosts
from stela_serve.refused import RefusedError

from .conftest import Running, Start


def admitted(hosts: Hosts, *said: str) -> bool:
    try:
        hosts.check([(b"x", b"y"), *((b"host", one.encode("latin-1")) for one in said)])
    except RefusedError:
        return False
    return True


def test_refusal_says_nothing_of_the_name() -> None:
    with pytest.raises(RefusedError) as refused:
        Hosts("127.0.0.1").check([(b"host", b"evil.example")])
    assert refused.value.status == 421
    assert "evil" not in refused.value.error + refused.value.hint


@pytest.mark.parametrize(
    "name",
    [
        "localhost",
        "localhost:8765",
        "LocalHost.",
        "127.0.0.1:1",
        "[::1]",
        "[::1]:8765",
        "::1",
        "localhost.:80",
    ],
)
def test_names_of_this_machine(name: str) -> None:
    for listened in ("127.0.0.1", "::", "0.0.0.0", "192.0.2.7"):
        assert admitted(Hosts(listened), name)


@pytest.mark.parametrize(
    "name",
    ["", "evil.example", "localhost.evil.example", "evil.example:8765", "127.0.0.1.evil.example", "0.0.0.0",
     "192.0.2.7", "localhost:80:80", "[::1", "[::2]:80", "*", "localhost@evil", "\xe9"],
)  # fmt: skip
def test_names_of_others(name: str) -> None:
    for listened in ("127.0.0.1", "::", "0.0.0.0"):
        assert admitted(Hosts(listened), name) == (name == "[::1")  # a bracket that is left open says no less


def test_further_names() -> None:
    hosts = Hosts("192.0.2.7", ["marks.example.org", "2001:db8::1"])
    assert admitted(hosts, "192.0.2.7:8765")
    assert admitted(hosts, "Marks.Example.ORG:443")
    assert admitted(hosts, "[2001:db8::1]:8765")
    assert not admitted(hosts, "example.org")
    assert not admitted(hosts)
    assert not admitted(hosts, "localhost", "localhost")
    assert admitted(Hosts("127.0.0.1", ["*"]), "anything")
    assert admitted(Hosts("127.0.0.1", ["*"]))


@pytest.mark.deep(stand_in="test_names_of_this_machine")
@pytest.mark.slow
def test_service_goes_by_its_names(running: Running, start: Start) -> None:
    client = running.client
    assert client.get("/", headers={"Host": "localhost:1"}).status_code == 200
    for path in ("/", "/v1/profiles", "/metrics", "/openapi.json", "/nowhere"):
        answer = client.get(path, headers={"Host": "evil.example"})
        assert answer.status_code == 421
        assert set(answer.json()) == {"error", "hint"}
        assert answer.text.count("\n") == 1
        assert "--allow-host" in answer.json()["hint"]
    refused = client.post("/v1/detect", json={"text": "a"}, headers={"Host": "evil.example"})
    assert refused.status_code == 421
    assert client.get("/healthz", headers={"Host": "10.0.0.9:8765"}).status_code == 200
    with start(
        "--workers", "1", "--allow-host", "a.example", environment={"STELA_HOSTS": "b.example"}
    ) as one:
        for name, status in (("a.example", 200), ("b.example", 421), ("127.0.0.1", 200)):
            assert httpx.get(f"{one.url}/v1/profiles", headers={"Host": name}).status_code == status
    with start("--workers", "1", environment={"STELA_HOSTS": "b.example c.example"}) as one:
        for name, status in (("a.example", 421), ("b.example", 200), ("c.example:80", 200)):
            assert httpx.get(f"{one.url}/v1/profiles", headers={"Host": name}).status_code == status
