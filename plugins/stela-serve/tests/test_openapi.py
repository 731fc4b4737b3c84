"""What the service says of itself is so: schemathesis makes requests of it and judges the answers."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from stela_serve.limits import Limits
from stela_serve.openapi import ERRORS, openapi
from stela_sign.signing_key import new_signing_key

from .conftest import Running, Start

EXAMPLES = "60"
REFUSING = """
[checks]
negative_data_rejection.expected-statuses = [400, 403, 404, 405, 413, 415, 421, 422, 429, "5xx"]
"""
"""A body that is too large is refused before it is read: schemathesis leaves 413 out of its own list."""


def test_description_names_limits_and_profiles() -> None:
    described = openapi(Limits(characters=7, texts=3), ["b.stela", "a.stela"])
    detect = described["paths"]["/v1/detect"]["post"]
    [named] = detect["requestBody"]["content"]["application/json"]["schema"].values()
    fields = described["components"]["schemas"][named.rpartition("/")[2]]["properties"]
    assert fields["text"]["maxLength"] == 7
    assert fields["texts"]["maxItems"] == 3
    assert fields["profile"]["enum"] == ["a.stela", "b.stela"]
    assert set(detect["responses"]) == {"200", *map(str, ERRORS)}


@pytest.mark.deep(stand_in="plugins/stela-serve/tests/test_hostile.py::test_any_value_of_any_field")
@pytest.mark.slow
def test_schemathesis_finds_nothing(start: Start, tmp_path: Path) -> None:
    new_signing_key(tmp_path / "key.pem")
    (tmp_path / "schemathesis.toml").write_text(REFUSING, encoding="utf-8")
    with start("--workers", "1", "--signing-key", str(tmp_path / "key.pem")) as service:
        done = subprocess.run(
            [
                str(Path(sys.executable).with_name("schemathesis")),
                *("run", f"{service.url}/openapi.json", "--checks", "all", "--no-color"),
                *("--max-examples", EXAMPLES, "--seed", "1"),
            ],
            cwd=tmp_path,
            capture_output=True,
            text=True,
        )
        shown = re.sub(r"(.)\1{200,}", r"\1...", done.stdout)
        assert done.returncode == 0, shown[-4000:]
        assert "No issues found" in shown, shown[-4000:]


@pytest.mark.slow
def test_all_places_are_described(running: Running) -> None:
    for path, methods in running.client.get("/openapi.json").json()["paths"].items():
        for method in ("get", "post", "put"):
            answered = running.client.request(method, path, json={}).status_code
            assert (answered != 405) == (method in methods), (method, path)
