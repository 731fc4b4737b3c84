"""The service's answers as signed verdicts (docs/signing.md)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from stela_sign.signing_key import read_signing_key, word_of
from stela_sign.verdict import Tested, sign_verdict


class Signer:
    """Who vouches for the answers.

    Args:
        path: of the private key's file.

    Raises:
        StelaError: it holds none.
    """

    def __init__(self, path: str | Path) -> None:
        self._key = read_signing_key(path)
        self.public_key = word_of(self._key.public_key())
        """Public key in the form in which people hand it on."""

    def sign(
        self,
        texts: Sequence[str],
        results: Sequence[Mapping[str, Any]],
        profiles: Sequence[Mapping[str, Any]],
        asked: Mapping[str, bool],
    ) -> list[dict[str, Any]]:
        """A signed verdict for each text.

        Args:
            texts: as they were given.
            results: of each.
            profiles: name, key_id and fingerprint of each that was tested for.
            asked: how, such as ``windows``.
        """
        tested = [Tested(one["name"], one["key_id"], one["fingerprint"]) for one in profiles]
        pairs = zip(texts, results, strict=True)
        return [json.loads(sign_verdict(result, text, tested, self._key, asked)) for text, result in pairs]
