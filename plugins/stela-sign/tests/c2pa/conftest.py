"""A certificate of a test's own, such as C2PA asks of signers (specification 2.2, section 14.5)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID


@pytest.fixture(scope="module")
def certificate() -> tuple[bytes, bytes]:
    """A chain of two and the private key of the first, as PEM; ES256, signed by a root that nobody trusts."""
    root_key, key = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
    root = _signed("a root", root_key.public_key(), root_key, is_root=True)
    own = _signed("a signer", key.public_key(), root_key, is_root=False)
    private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    return own.public_bytes(Encoding.PEM) + root.public_bytes(Encoding.PEM), private


def _signed(
    name: str, key: ec.EllipticCurvePublicKey, by: ec.EllipticCurvePrivateKey, is_root: bool
) -> x509.Certificate:
    now = datetime.now(UTC)
    usage = {
        "digital_signature": not is_root,
        "key_cert_sign": is_root,
        "crl_sign": is_root,
        **dict.fromkeys(
            (
                "content_commitment",
                "key_encipherment",
                "data_encipherment",
                "key_agreement",
                "encipher_only",
                "decipher_only",
            ),
            False,
        ),
    }
    builder = (
        x509.CertificateBuilder()
        .subject_name(_name(name))
        .issuer_name(_name("a root"))
        .public_key(key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.BasicConstraints(ca=is_root, path_length=None), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key), critical=False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(by.public_key()), critical=False)
        .add_extension(x509.KeyUsage(**usage), critical=True)
    )
    if not is_root:
        extended = x509.ExtendedKeyUsage([ExtendedKeyUsageOID.EMAIL_PROTECTION])
        builder = builder.add_extension(extended, critical=False)
    return builder.sign(by, hashes.SHA256())


def _name(name: str) -> x509.Name:
    pairs = ((NameOID.ORGANIZATION_NAME, "A test"), (NameOID.COMMON_NAME, name))
    return x509.Name([x509.NameAttribute(*pair) for pair in pairs])
