"""Who made a profile: a signature that lies in the profile file, over the very bytes of its ``profile.json``.

Those name tokenizer and table by their SHA-256, so the signature is over all three. Versions that know no
signatures pass the member over; whatever writes the profile anew (``stela profile rotate``) leaves it out.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

import stela_core as stela
from stela_core.api import Archive
from stela_sign.statement import LARGEST, check, now, sign

SIGNATURE = "signature.json"
LONGEST_NAME = 200
"""Characters of a maker's name."""


@dataclass(frozen=True, slots=True)
class ProfileSignature:
    """A signature that holds."""

    key: str
    """The maker's public key."""
    maker: str | None
    """What the maker calls itself: nobody checked it."""
    time: str
    """Time at which it was signed, as the maker says."""


def sign_profile(path: str | Path, key: Ed25519PrivateKey, maker: str | None = None) -> bytes:
    """The bytes of the profile file with a signature, in place of one that it had.

    Raises:
        StelaError: it is not a profile, or the name is too long.
    """
    if maker is not None and not 0 < len(maker) <= LONGEST_NAME:
        raise stela.StelaError(
            f"a maker's name of {len(maker)} characters.", f"give one of at most {LONGEST_NAME}"
        )
    if maker is not None:
        stela.require_well_formed([maker])
    members = Archive.read(path).members  # nobody should sign what no detector takes
    says = {"profile_sha256": _hash(members), "maker": maker, "time": now()}
    return Archive.pack({**members, SIGNATURE: sign("profile", says, key)})


def signature_of(path: str | Path) -> ProfileSignature | None:
    """The signature in a profile file; ``None`` where there is none.

    Raises:
        StelaError: it is not a profile, or its signature does not hold or is another profile's.
    """
    members = Archive.read(path, {SIGNATURE: LARGEST}).members
    data = members.get(SIGNATURE)
    if data is None:
        return None
    what = f'the signature in profile "{path}"'
    statement = check(data, "profile", what)
    says = statement.says
    if says.get("profile_sha256") != _hash(members):
        raise stela.StelaError(
            f"{what} is that of another profile: this one was changed after it was signed.",
            "get the file again from its maker",
        )
    maker = says.get("maker")
    if not (maker is None or (isinstance(maker, str) and 0 < len(maker) <= LONGEST_NAME)):
        raise stela.StelaError(f"{what} names its maker wrongly.", "get the file again from its maker")
    return ProfileSignature(statement.key, maker, str(says.get("time"))[:40])


def _hash(members: Mapping[str, bytes]) -> str:
    return hashlib.sha256(members["profile.json"]).hexdigest()
