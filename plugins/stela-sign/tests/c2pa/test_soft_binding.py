"""The message of a text as a soft binding, and manifest definitions looked up by it."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from stela_sign.c2pa.lookup import LARGEST, definitions_of
from stela_sign.c2pa.manifest import manifest_of
from stela_sign.c2pa.soft_binding import ALGORITHM, bindings_of
from stela_testing import assert_refused, run_cli

import stela_core as stela
from tests.marked import golden

pytest.importorskip("stela_payload")

WORDS = "The history of the city began in the early nineteenth century."


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A profile ``p.stela``, a text with message 00fe in ``text.txt``, and its definition ``d/m.json``."""
    folder = tmp_path_factory.mktemp("bound")
    golden("gumbel-16-bits").write_profile(folder / "p.stela")
    (folder / "text.txt").write_text(golden("gumbel-16-bits").text("00fe"), encoding="utf-8")
    (folder / "d").mkdir()
    written(folder, "d/m.json")
    return folder


def written(folder: Path, name: str, *options: str, text: str = "text.txt") -> dict[str, Any]:
    file, profile = str(folder / text), str(folder / "p.stela")
    done = run_cli(
        "c2pa", file, "--profile", profile, "--model", "A\x1b[2J", "-o", str(folder / name), *options
    )
    assert done.status == 0, done.err
    content: dict[str, Any] = json.loads((folder / name).read_text())
    return content


def test_a_sure_message_is_a_soft_binding(folder: Path) -> None:
    definition = json.loads((folder / "d/m.json").read_text())
    actions, mark, binding = definition["assertions"]
    assert actions["data"]["actions"][1]["action"] == "c2pa.watermarked.bound"
    watermark = stela.load(folder / "p.stela")
    detection = watermark.detect((folder / "text.txt").read_text())
    assert detection.message is not None
    assert mark["data"]["message"] == detection.message.to_dict()
    assert binding == {
        "label": "c2pa.soft-binding",
        "data": {
            "alg": "org.stela.payload.1",
            "alg-params": watermark.profile.hasher.key_id,
            "blocks": [{"scope": {}, "value": "00fe"}],
        },
    }


def test_c2pa_reads_it_back(folder: Path, certificate: tuple[bytes, bytes]) -> None:
    c2pa = pytest.importorskip("c2pa")
    pytest.importorskip("docx")
    from .test_c2pa import DOCX, document_of, problems

    definition = json.loads((folder / "d/m.json").read_text())
    signer = c2pa.Signer.from_info(c2pa.C2paSignerInfo("es256", *certificate, None))
    out = io.BytesIO()
    document = document_of((folder / "text.txt").read_text())
    c2pa.Builder(json.dumps(definition)).sign(signer, DOCX, io.BytesIO(document), out)
    read = json.loads(c2pa.Reader(DOCX, io.BytesIO(out.getvalue())).json())
    # A reader that knows C2PA's list also says that the algorithm is not on it.
    assert problems(read) - {"algorithm.unsupported"} == {"signingCredential.untrusted"}
    told = {one["label"]: one["data"] for one in read["manifests"][read["active_manifest"]]["assertions"]}
    assert told["c2pa.soft-binding"] == definition["assertions"][2]["data"]
    # Without the assertion, the action is refused: the two go together.
    definition["assertions"].pop()
    with pytest.raises(c2pa.C2paError, match="softBindingMissing"):
        c2pa.Builder(json.dumps(definition)).sign(signer, DOCX, io.BytesIO(document), io.BytesIO())


def test_what_is_not_sure_or_not_wanted_is_unbound(folder: Path) -> None:
    none = written(folder, "none.json", "--soft-binding", "none")
    assert [one["label"] for one in none["assertions"]] == ["c2pa.actions.v2", "org.stela.watermark"]
    assert none["assertions"][0]["data"]["actions"][1]["action"] == "c2pa.watermarked.unbound"
    own = written(folder, "own.json", "--soft-binding", "com.example.mark.1")
    assert own["assertions"][2]["data"]["alg"] == "com.example.mark.1"
    # In a shorter text the mark is found, and the message is not sure.
    watermark, words = stela.load(folder / "p.stela"), (folder / "text.txt").read_text().split(" ")
    for count in range(min(len(words), 30), 0, -1):
        detection = watermark.detect(" ".join(words[:count]))
        if detection.message is not None and not detection.message.is_sure:
            break
    assert detection.watermarked
    assert detection.message is not None
    (folder / "short.txt").write_text(" ".join(words[:count]))
    profile, out = str(folder / "p.stela"), folder / "short.json"
    done = run_cli("c2pa", str(folder / "short.txt"), "--profile", profile, "-o", str(out))
    assert (
        done.err == f"note: message {detection.message.text} is not wholly sure: no soft binding is written\n"
    )
    unbound = json.loads(out.read_text())
    assert [one["label"] for one in unbound["assertions"]] == ["c2pa.actions.v2", "org.stela.watermark"]
    assert "message" not in unbound["assertions"][1]["data"]
    done = run_cli("c2pa", "find", str(folder), str(folder / "short.txt"), "--profile", profile)
    assert_refused(done, "no message is wholly sure")
    assert_refused(
        run_cli("c2pa", str(out), "--profile", profile, "-o", "x", "--soft-binding", "a"), "not a name"
    )


def test_definitions_are_looked_up(folder: Path) -> None:
    d, profile = folder / "d", str(folder / "p.stela")
    digest = json.loads((d / "m.json").read_text())["assertions"][1]["data"]["text_sha256"]
    line = f"{d / 'm.json'}: made by A\\x1b[2J, text SHA-256 {digest}\n"
    for asked in (["--message", "0x00FE"], [str(folder / "text.txt"), "--profile", profile]):
        done = run_cli("c2pa", "find", str(d), *asked)
        assert (done.status, done.out, done.err) == (0, line, "")
    done = run_cli("c2pa", "find", str(d), "--message", "00ff")
    assert (done.status, done.out) == (1, "")
    assert done.err.endswith("has message ff\n")
    assert run_cli("c2pa", "find", str(d), "--message", "fe", "--soft-binding", "com.b").status == 1
    assert_refused(run_cli("c2pa", "find", str(d)), "one of the two")
    assert_refused(run_cli("c2pa", "find", str(d), str(folder / "text.txt")), "read with a profile")
    assert_refused(run_cli("c2pa", "find", str(d / "no"), "--message", "fe"), "cannot read folder")


def test_other_keys_and_further_bindings_do_not_match(folder: Path, tmp_path: Path) -> None:
    definition = json.loads((folder / "d/m.json").read_text())
    [(value, key_id)] = bindings_of(definition, ALGORITHM)
    definition["assertions"][2]["data"]["blocks"].append({"scope": {}, "value": "0001"})
    (tmp_path / "two.json").write_text(json.dumps(definition))
    assert not list(definitions_of(tmp_path, value, key_id, ALGORITHM, pytest.fail))
    definition["assertions"][2]["data"]["blocks"].pop()
    (tmp_path / "two.json").write_text(json.dumps(definition))
    for asked, count in ((key_id, 1), (None, 1), ("00000000", 0)):
        assert len(list(definitions_of(tmp_path, value, asked, ALGORITHM, pytest.fail))) == count


def test_hostile_files_are_skipped_in_a_line_each(folder: Path, tmp_path: Path) -> None:
    binding = {"label": "c2pa.soft-binding", "data": {"alg": ALGORITHM, "blocks": [{"value": "?"}]}}
    hostile = {
        "deep.json": b"[" * 100_000,
        "large.json": b" " * (LARGEST + 1),
        "none.json": b"\xff",
        "value.json": json.dumps({"assertions": [binding]}).encode(),
        "block.json": json.dumps({"assertions": [{**binding, "data": {"alg": ALGORITHM}}]}).encode(),
    }
    harmless = {
        "list.json": b"[1]",
        "odd.json": b'{"assertions": [1, {"data": 2, "label": []}]}',
        "n.txt": b"x",
    }
    for name, data in {**hostile, **harmless, "m.json": (folder / "d/m.json").read_bytes()}.items():
        (tmp_path / name).write_bytes(data)
    (tmp_path / "folder.json").mkdir()
    done = run_cli("c2pa", "find", str(tmp_path), "--message", "fe")
    assert done.status == 0
    assert done.out.count("\n") == 1
    notes = done.err.splitlines()
    assert len(notes) == len(hostile) + 1
    assert all(note.startswith("note: skipped: ") for note in notes)


def test_a_mark_without_a_message_is_as_before(folder: Path) -> None:
    """Byte for byte, but for the mark's own numbers."""
    watermark = stela.load(folder / "p.stela")
    detection = watermark.detect((folder / "text.txt").read_text())
    plain = stela.Detection(**{**vars_of(detection), "message": None})
    definition = manifest_of(plain, watermark, "a text")
    assert json.dumps(definition) == json.dumps(manifest_of(plain, watermark, "a text", algorithm=None))
    assert "soft-binding" not in json.dumps(definition)


def vars_of(detection: stela.Detection) -> dict[str, Any]:
    return {name: getattr(detection, name) for name in type(detection).__dataclass_fields__}


def test_a_text_of_two_messages_has_no_soft_binding(folder: Path) -> None:
    profile, other = str(folder / "p.stela"), golden("gumbel-16-bits").text("0109")
    spliced, made = folder / "spliced.txt", folder / "spliced.json"
    spliced.write_text(f"{(folder / 'text.txt').read_text()} {other}")
    done = run_cli("c2pa", str(spliced), "--profile", profile, "-o", str(made))
    assert done.err == "note: parts of the text name different messages: no soft binding is written\n"
    unbound = json.loads(made.read_text())
    assert [one["label"] for one in unbound["assertions"]] == ["c2pa.actions.v2", "org.stela.watermark"]
    assert "message" not in unbound["assertions"][1]["data"]
    found = run_cli("c2pa", "find", str(folder), str(spliced), "--profile", profile)
    assert_refused(found, "message ????: no message is wholly sure")


def test_a_message_of_64_bits_is_a_soft_binding(tmp_path: Path) -> None:
    """Of a Reed-Solomon code: as one of 16 bits is."""
    golden("gumbel-64-bits").write_profile(tmp_path / "p.stela")
    (tmp_path / "text.txt").write_text(golden("gumbel-64-bits").text("0123456789abcdef"), encoding="utf-8")
    *_, binding = written(tmp_path, "m.json")["assertions"]
    assert binding["data"]["blocks"] == [{"scope": {}, "value": "0123456789abcdef"}]
