"""Each load reads its file: no test here takes what another watermark has open."""

from __future__ import annotations

from weakref import WeakValueDictionary

import pytest

from stela_core import loading


class _Empty(WeakValueDictionary[object, object]):
    def __setitem__(self, key: object, value: object) -> None:
        """Keep nothing."""


@pytest.fixture(autouse=True)
def nothing_in_use(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loading, "IN_USE", _Empty())
