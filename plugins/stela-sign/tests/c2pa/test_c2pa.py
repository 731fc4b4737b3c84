"""``stela c2pa``, and what C2PA's own library makes of it."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from stela_testing import assert_refused, run_cli

import stela_core as stela

c2pa = pytest.importorskip("c2pa")
docx = pytest.importorskip("docx")

DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"


@pytest.fixture(scope="module")
def marked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A profile ``p.stela``, a text that it marked and one that it did not."""
    folder = tmp_path_factory.mktemp("c2pa")
    watermark = stela.create("unigram", model="tiny", key="public", parameters={"delta": 20.0})
    watermark.save(folder / "p.stela")
    # Green words of one split for all contexts: marked, and no model need be run.
    hasher, tokens = watermark.parts.hasher, watermark.tokens
    candidates = [i for i in range(500, 3000) if tokens.decode([i]).strip().isalpha()]
    green = [i for i in candidates if _is_green(hasher, i)]
    text = " ".join(dict.fromkeys(tokens.decode([i]).strip() for i in green[:400]))
    (folder / "text.txt").write_text(text)
    (folder / "docx.docx").write_bytes(document_of(text))
    (folder / "plain.txt").write_text("People wrote this, word by word, and no model was asked. " * 9)
    return folder


def _is_green(hasher: Any, token: int) -> bool:
    import numpy as np

    seeds = hasher.seeds(np.zeros((1, hasher.context_width), dtype=np.int64))
    return bool(hasher.green(seeds, np.array([token]))[0])


def document_of(text: str) -> bytes:
    out = io.BytesIO()
    made = docx.Document()
    made.add_paragraph(text)
    made.save(out)
    with zipfile.ZipFile(out) as source:
        return stored({name: source.read(name) for name in source.namelist()})


def stored(members: dict[str, bytes]) -> bytes:
    """A zip without compression: c2pa-python 0.38 reads no other (its library is built without deflate)."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as target:
        for name, data in members.items():
            target.writestr(name, data)
    return out.getvalue()


@pytest.fixture(scope="module")
def manifest(marked: Path) -> dict[str, Any]:
    done = run_cli(
        "c2pa", str(marked / "docx.docx"), "--profile", str(marked / "p.stela"),
        "--model", "Example 1", "-o", str(marked / "m.json"),
    )  # fmt: skip
    assert done.status == 0, done.err
    content: dict[str, Any] = json.loads((marked / "m.json").read_text())
    return content


Signed = Callable[[dict[str, Any], bytes], tuple[dict[str, Any], bytes]]


@pytest.fixture(scope="module")
def signed(certificate: tuple[bytes, bytes]) -> Signed:
    """What C2PA's reader says of a document that its builder signed, and that document."""

    def made(manifest: dict[str, Any], document: bytes) -> tuple[dict[str, Any], bytes]:
        signer = c2pa.Signer.from_info(c2pa.C2paSignerInfo("es256", *certificate, None))
        out = io.BytesIO()
        c2pa.Builder(json.dumps(manifest)).sign(signer, DOCX, io.BytesIO(document), out)
        return json.loads(c2pa.Reader(DOCX, io.BytesIO(out.getvalue())).json()), out.getvalue()

    return made


def problems(read: dict[str, Any]) -> set[str]:
    return {one["code"] for one in read.get("validation_status", [])}


def test_the_manifest_is_read_back_by_c2pa(manifest: dict[str, Any], marked: Path, signed: Signed) -> None:
    read, document = signed(manifest, (marked / "docx.docx").read_bytes())
    assert problems(read) == {"signingCredential.untrusted"}, "the test's root, and nothing else"
    active = read["manifests"][read["active_manifest"]]
    assert active["claim_generator_info"][0]["name"] == "stela-sign"
    told = {one["label"]: dict(one["data"]) for one in active["assertions"]}
    written = {one["label"]: dict(one["data"]) for one in manifest["assertions"]}
    # C2PA's library keeps 15 digits of a number: 11 of 60 came back with another last bit.
    read_p = told["org.stela.watermark"].pop("p_value")
    assert read_p == pytest.approx(written["org.stela.watermark"].pop("p_value"), rel=1e-15, abs=0)
    assert told == written
    # The signed document is the same text: tested again, it says what the manifest says.
    (marked / "signed.docx").write_bytes(document)
    done = run_cli("detect", "--profile", str(marked / "p.stela"), str(marked / "signed.docx"), "--json")
    mark = manifest["assertions"][1]["data"]
    assert done.json[0]["p_value"] == mark["p_value"]


def test_a_changed_document_and_a_soft_binding_that_is_none_are_told(
    manifest: dict[str, Any], marked: Path, signed: Signed
) -> None:
    """The reader can fail: what the test above does not see is not there."""
    _, document = signed(manifest, (marked / "docx.docx").read_bytes())
    with zipfile.ZipFile(io.BytesIO(document)) as source:
        members = {name: source.read(name) for name in source.namelist()}
    changed = stored({name: data.replace(b"</w:t>", b" more</w:t>") for name, data in members.items()})
    read = json.loads(c2pa.Reader(DOCX, io.BytesIO(changed)).json())
    assert any("mismatch" in code.lower() for code in problems(read))
    old = json.loads(json.dumps(manifest).replace("c2pa.watermarked.unbound", "c2pa.watermarked"))
    with pytest.raises(c2pa.C2paError, match="softBindingMissing"):
        signed(old, (marked / "docx.docx").read_bytes())


def test_the_manifest_says_what_is_found_and_of_which_text(manifest: dict[str, Any], marked: Path) -> None:
    created, watermarked = manifest["assertions"][0]["data"]["actions"]
    assert created["digitalSourceType"].endswith("/trainedAlgorithmicMedia")
    assert created["softwareAgent"] == {"name": "Example 1"}
    assert watermarked["action"] == "c2pa.watermarked.unbound"
    mark = manifest["assertions"][1]
    assert (mark["label"], mark["kind"]) == ("org.stela.watermark", "Json")
    text = (marked / "text.txt").read_text()
    assert mark["data"]["text_sha256"] == hashlib.sha256(text.encode()).hexdigest()
    watermark = stela.load(marked / "p.stela")
    assert mark["data"]["p_value"] == watermark.detect(text).p_value
    with zipfile.ZipFile(marked / "p.stela") as profile:
        digest = hashlib.sha256(profile.read("profile.json")).hexdigest()
    assert mark["data"]["profile_sha256"] == digest
    assert mark["data"]["key_id"] == watermark.profile.hasher.key_id


@pytest.mark.parametrize("label", ["mark", "c2pa.soft-binding", "com.example.a mark", "a.b"])
def test_what_is_no_label_and_what_is_not_marked_is_refused(label: str, marked: Path, tmp_path: Path) -> None:
    profile, out = str(marked / "p.stela"), str(tmp_path / "m.json")
    done = run_cli("c2pa", str(marked / "text.txt"), "--profile", profile, "--label", label, "-o", out)
    assert_refused(done, "is not a label of one's own")
    done = run_cli("c2pa", str(marked / "plain.txt"), "--profile", profile, "-o", out)
    assert_refused(done, "no watermark found in this text")
    assert not Path(out).exists()
