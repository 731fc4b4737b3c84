"""A C2PA manifest definition for a marked text: what C2PA's tools sign (c2patool, ``c2pa.Builder``).

Three or four things are said, after the C2PA specification:

- ``c2pa.created`` with IPTC's ``trainedAlgorithmicMedia`` as its source (2.2, section 18.14, actions v2);
- that there is an invisible watermark (from 2.3 on): ``c2pa.watermarked.bound`` asks for a
  ``c2pa.soft-binding`` assertion with it, ``c2pa.watermarked.unbound`` for none;
- an assertion of our own, labelled as 6.2.1 wants: by which profile and key the mark is found;
- where a message was read, and all its digits are sure, a soft binding (``soft_binding.py``).

A mark without a message says which key and not which text: no manifest can be looked up by it.
"""

from __future__ import annotations

import hashlib
import re
from importlib.metadata import version
from typing import Any

import stela_core as stela
from stela_sign.c2pa.soft_binding import ALGORITHM, soft_binding_of

SOURCE = "http://cv.iptc.org/newscodes/digitalsourcetype/trainedAlgorithmicMedia"
LABEL = "org.stela.watermark"
FORMAT = "stela-sign/1"

_LABEL = re.compile(r"[A-Za-z]{2,63}(?:\.[A-Za-z0-9][A-Za-z0-9_-]*)+")
"""Label of an entity's assertion (C2PA 2.2, 6.2.1, and the algorithm list's pattern for its domain)."""


def manifest_of(
    detection: stela.Detection,
    watermark: stela.Watermark,
    text: str,
    model: str | None = None,
    label: str = LABEL,
    algorithm: str | None = ALGORITHM,
) -> dict[str, Any]:
    """The definition of a manifest, for JSON.

    Args:
        detection: of the text, in which the mark was found.
        watermark: that it was found with.
        text: as it was tested; its hash is in the manifest, and not the text.
        model: what wrote it, as its owner calls it.
        label: of the assertion of our own.
        algorithm: name of the soft binding's; ``None`` for no soft binding.

    Raises:
        StelaError: the mark was not found, or the label is malformed.
    """
    if not detection.watermarked:
        raise stela.StelaError(
            f"{detection.verdict} in this text (p-value {detection.p_value:.2g}): there is nothing to say.",
            "give the text as it was generated, and the profile that marked it",
        )
    if not _LABEL.fullmatch(label) or label.startswith("c2pa."):
        raise stela.StelaError(
            f'"{label[:80]}" is not a label of one\'s own.',
            "begin it with a domain of yours, as com.example.mark",
        )
    creator = {} if model is None else {"softwareAgent": {"name": model}}
    core = {"name": "stela-core", "version": version("stela-core")}
    mark = mark_of(detection, watermark, text)
    message = detection.message
    bindings = []
    if algorithm is not None and message is not None and message.is_sure:
        bindings = [soft_binding_of(message, mark["key_id"], algorithm)]
    bound = "bound" if bindings else "unbound"
    actions = [
        {"action": "c2pa.created", "digitalSourceType": SOURCE, **creator},
        {"action": f"c2pa.watermarked.{bound}", "softwareAgent": core},
    ]
    return {
        "claim_generator_info": [{"name": "stela-sign", "version": version("stela-sign")}],
        "assertions": [
            {"label": "c2pa.actions.v2", "data": {"actions": actions}},
            {"label": label, "kind": "Json", "data": mark},
            *bindings,
        ],
    }


def mark_of(detection: stela.Detection, watermark: stela.Watermark, text: str) -> dict[str, Any]:
    """What the assertion of our own says."""
    profile, message = watermark.profile, detection.message
    read = {} if message is None or not message.is_sure else {"message": message.to_dict()}
    return {
        "format": FORMAT,
        "scheme": profile.scheme.name,
        "key_id": detection.key_id or profile.hasher.key_id,
        "profile_sha256": profile.digest,
        "text_sha256": hashlib.sha256(text.encode("utf-8")).hexdigest(),
        "characters": len(text),
        "p_value": detection.p_value,
        "threshold": detection.threshold,
        **read,
    }
