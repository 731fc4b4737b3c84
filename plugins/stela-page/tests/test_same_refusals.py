"""The page refuses the profiles that ``stela detect`` refuses, and says of all others what it says."""

from __future__ import annotations

import importlib.util
import io
import json
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from stela_models.cli.demo_texts import HUMAN
from tokenizers import Tokenizer

import stela_core as stela
from tests.tiers import examples

PLUGIN = Path(__file__).resolve().parents[1]


def beside(name: str) -> ModuleType:
    """A module of this folder, which is not a package."""
    spec = importlib.util.spec_from_file_location(name, Path(__file__).with_name(f"{name}.py"))
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


hostile = beside("hostile")
HOSTILE, LENIENT, VALID = hostile.HOSTILE, hostile.LENIENT, beside("harmless").VALID
KEY, key_id, key_part = hostile.KEY, hostile.key_id, hostile.key_part
TINY = PLUGIN.parent / "stela-tiny" / "stela_tiny" / "small" / "tokenizer.json"
ESBUILD = PLUGIN / "node_modules" / ".bin" / "esbuild"
NODE = shutil.which("node")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(NODE is None, reason="needs node"),
    pytest.mark.skipif(not ESBUILD.exists(), reason="needs npm ci in plugins/stela-page"),
]
TEXT = HUMAN["en"] * 3

KINDS: dict[str, dict[str, Any]] = {
    "kgw": {"scheme": "kgw"},
    "unigram": {"scheme": "unigram"},
    "morphmark": {"scheme": "morphmark"},
    "gumbel": {"scheme": "gumbel"},
    "kgw, 8 bits": {"scheme": "kgw", "bits": 8},
    "gumbel, 16 bits": {"scheme": "gumbel", "bits": 16},
    "gumbel-vllm": {"scheme": "gumbel-vllm"},
    "gumbel-vllm-dual": {"scheme": "gumbel-vllm-dual"},
    "gumbel-sglang": {"scheme": "gumbel-sglang"},
    "gumbel-sglang, two keys": {"scheme": "gumbel-sglang", "parameters": {"mixing_probability": 0.3}},
    "learned-text": {"scheme": "learned-text", "language": "en"},
    "gumbel+learned-likelihood": {"scheme": "gumbel+learned-likelihood", "language": "en"},
    "synthid": {"scheme": "synthid"},
    "pf": {"scheme": "pf"},
    "coupling": {"scheme": "coupling"},
    "textgrain": {"scheme": "textgrain"},
    "synthid, keys of its own": {"scheme": "synthid", "parameters": {"derived": False, "depth": 3}},
}
"""Arguments of ``stela.create``."""


class Both:
    """Profiles of each kind, and what is said of changed ones here and by the page's program."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.members: dict[str, dict[str, bytes]] = {}
        self.program = folder / "reader.mjs"
        source = PLUGIN / "web" / "tests" / "reader.ts"
        bundle = ["--bundle", "--platform=node", "--format=esm", "--log-level=warning"]
        subprocess.run([str(ESBUILD), str(source), *bundle, f"--outfile={self.program}"], check=True)
        tokenizer = Tokenizer.from_file(str(TINY))
        for number, (kind, settings_of) in enumerate(KINDS.items()):
            path = folder / f"{number}.stela"
            stela.create(**settings_of, tokenizer=tokenizer, key="public").save(path)
            with zipfile.ZipFile(path) as archive:
                self.members[kind] = {name: archive.read(name) for name in archive.namelist()}
            for name, data in self.members[kind].items():
                (folder / f"{number}-{name}").write_bytes(data)

    def profile(self, kind: str) -> dict[str, Any]:
        """The unchanged profile.json of a kind; its key is ``KEY``, as often as it has words."""
        profile: dict[str, Any] = json.loads(self.members[kind]["profile.json"])
        key = KEY * (len(profile["hasher"]["key"]) // len(KEY))
        profile["hasher"] |= {"key": key, "key_id": key_id(key)}
        return profile

    def here(self, kind: str, content: str) -> dict[str, Any]:
        """What ``stela detect`` makes of it."""
        path = self.folder / "changed.stela"
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w") as archive:
            for name, data in (self.members[kind] | {"profile.json": content.encode()}).items():
                archive.writestr(name, data)
        path.write_bytes(buffer.getvalue())
        try:
            watermark = stela.load(path)
        except stela.StelaError as error:
            return {"refused": error.message}
        return {"detection": watermark.detect(TEXT)}

    def there(self, cases: Sequence[tuple[str, str]]) -> list[dict[str, Any]]:
        """What the page's program makes of (kind, content)."""
        files: dict[str, str] = {}
        asked = []
        for kind, content in cases:
            number = list(KINDS).index(kind)
            beside: dict[str, str | None] = dict.fromkeys(("tokenizer", "table", "tagger"))
            for part in beside:
                path = self.folder / f"{number}-{part}.json"
                if path.exists():
                    beside[part] = path.name
                    files[path.name] = str(path)
            asked.append({"content": content, **beside})
        job = self.folder / "job.json"
        job.write_text(json.dumps({"files": files, "cases": asked, "text": TEXT}), encoding="utf-8")
        done = subprocess.run(
            [str(NODE), str(self.program), str(job)], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr[-2000:]
        said: list[dict[str, Any]] = json.loads(done.stdout)
        return said


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Both]:
    folder = tmp_path_factory.mktemp("both")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("STELA_STATE", str(folder / "maker"))
        made = Both(folder)
        patch.setenv("STELA_STATE", str(folder / "reader"))
        yield made


def told(both: Both, cases: Mapping[str, Any]) -> dict[str, tuple[dict[str, Any], dict[str, Any]]]:
    """What is said of each case, here and there."""
    contents = {
        name: (case.kind, hostile.written(both.profile(case.kind), case)) for name, case in cases.items()
    }
    there = both.there(list(contents.values()))
    return {name: (both.here(*contents[name]), said) for name, said in zip(contents, there, strict=True)}


def plain(message: str) -> str:
    """A refusal without the words for the profile that it begins with."""
    said = re.sub(r"^(?:profile \"[^\"]*\"|the profile) is (?:not a valid profile|not valid): ", "", message)
    said = re.sub(r'^profile "[^"]*"', "the profile", said)
    # 8.0 and 8 are one number there.
    number = re.compile(r"(?<=\(got )-?[\d.]+(?:e[-+]\d+)?(?=\))")
    return number.sub(lambda found: repr(float(found[0])), said).rstrip(".")


def require_equal(here: dict[str, Any], there: dict[str, Any]) -> None:
    """What is detected is the same."""
    assert "refused" not in here
    assert "refused" not in there
    ours, theirs = here["detection"], there["detection"]
    for name in ("verdict", "scored_tokens", "unique_pairs", "threshold", "reading", "readings"):
        assert getattr(ours, name) == theirs[name]
    for name in ("p_value", "z", "z_plain", "green_fraction"):
        assert theirs[name] == pytest.approx(getattr(ours, name), rel=1e-9, abs=1e-12)
    assert ours.to_dict().get("message", {}).get("hex") == theirs.get("message", {}).get("hex")
    if ours.key_id is None:
        assert "tests" not in theirs
    else:
        assert (ours.tests, ours.key_id) == (theirs["tests"], theirs["key_id"])


def test_hostile_profiles_are_refused_by_both_in_the_same_line(both: Both) -> None:
    said = told(both, HOSTILE)
    assert len(said) > 250
    assert [name for name, (here, _) in said.items() if "refused" not in here] == []
    assert [name for name, (_, there) in said.items() if "refused" not in there] == []
    other = {
        name: (plain(here["refused"]), plain(there["refused"]))
        for name, (here, there) in said.items()
        if HOSTILE[name].alike and plain(here["refused"]) != plain(there["refused"])
    }
    assert other == {}
    assert [name for name, (_, there) in said.items() if "\n" in there["refused"]] == []


def test_what_stela_detect_takes_the_page_takes_with_equal_results(both: Both) -> None:
    for here, there in told(both, VALID).values():
        require_equal(here, there)


def test_keys_with_wrong_names_are_not_tested(both: Both) -> None:
    plain_one = hostile.Case("kgw", ())
    names = ("fifteen keys with wrong ids", "fifteen keys with right ids")
    said = told(both, {"alone": plain_one, **{name: VALID[name] for name in names}})
    alone, wrong, right = (there["detection"] for _, there in said.values())
    assert wrong["p_value"] == alone["p_value"]
    assert (wrong["tests"], right["tests"]) == (1, 16)
    assert said[names[0]][1]["profile"]["secret_keys"] == 15


@pytest.mark.deep(stand_in="test_hostile_profiles_are_refused_by_both_in_the_same_line")
def test_a_link_brings_no_profile_whose_verdicts_say_next_to_nothing(both: Both) -> None:
    for name, (here, there) in told(both, LENIENT).items():
        assert "refused" in here, name
        assert there["linked"] is False, name
    [(_, there)] = told(both, {"as it is": hostile.Case("kgw", ())}).values()
    assert there["linked"] is True


SHARES = st.floats(0, 1, exclude_min=True, exclude_max=True).map(lambda one: min(max(one, 1e-6), 1 - 1e-6))
OWN: dict[str, st.SearchStrategy[dict[str, Any]]] = {
    "gumbel": st.fixed_dictionaries({}, optional={"once": st.booleans()}),
    "gumbel-vllm": st.fixed_dictionaries(
        {}, optional={"deduplicate_contexts": st.sampled_from(("none", "single_turn", "all"))}
    ),
    "gumbel-vllm-dual": st.fixed_dictionaries({}, optional={"alpha": SHARES}),
    "gumbel-sglang": st.fixed_dictionaries({}, optional={"max_probability": SHARES}),
    "gumbel-sglang, two keys": st.fixed_dictionaries({"mixing_probability": SHARES}),
    "synthid": st.fixed_dictionaries(
        {},
        optional={
            "depth": st.integers(1, 64),
            "layers": st.sampled_from(("weighted", "mean")),
            "leaves": st.integers(2, 64),
            "table_seed": st.integers(0, 2**53 - 1),
            "table_size": st.sampled_from((1 << 12, 1 << 16, 1 << 20)),
            "skip_first": st.booleans(),
        },
    ),
    "pf": st.fixed_dictionaries({}, optional={"once": st.booleans()}),
    "coupling": st.fixed_dictionaries({}, optional={"once": st.booleans(), "lowering": st.floats(0, 10)}),
    "textgrain": st.fixed_dictionaries(
        {},
        optional={"budget": st.floats(0, 1), "blocks": st.integers(2, 256), "columns": st.integers(2, 256)},
    ),
    "synthid, keys of its own": st.just({"derived": False, "depth": 3}),
}
"""Parameters of hashers."""
STRENGTHS = {"morphmark": st.fixed_dictionaries({}, optional={"p0": SHARES, "form": st.just("log")})}
"""Parameters of schemes without delta."""
SCORING = {
    "repeats": st.sampled_from(("sum", "root", "fourth-root", "mean")),
    "ties": st.sampled_from(("split", "whole")),
}


@st.composite
def profiles(draw: st.DrawFn) -> tuple[str, dict[str, Any]]:
    """A kind, and what a profile.json of it says otherwise: all of it within the rules."""
    kind = draw(st.sampled_from(list(KINDS)))
    samples = kind.startswith(("gumbel", "synthid", "pf", "coupling", "textgrain"))
    parameters = draw(st.fixed_dictionaries({}, optional=SCORING))
    if kind in STRENGTHS:
        parameters |= draw(STRENGTHS[kind])
    elif not samples:
        parameters |= draw(st.fixed_dictionaries({}, optional={"delta": st.floats(0, 50)}))
    words = {"gumbel-sglang, two keys": 2, "synthid, keys of its own": 3}.get(kind, 1)
    # Of SynthID's own keys the low ends may not be equal: here each word's first byte is its number.
    word = st.binary(min_size=7, max_size=7)
    key = "".join(f"{draw(word).hex()}{number:02x}" for number in range(words))
    hasher = {"key": key, "key_id": key_id(key), "parameters": draw(OWN.get(kind, st.just({})))}
    if not samples:
        hasher["gamma"] = draw(st.floats(0.05, 0.95))
    if kind != "unigram":
        hasher["context_width"] = draw(st.integers(1, 8))
    if words == 1 and draw(st.booleans()):
        hasher["earlier_keys"] = [key_part(n) for n in range(draw(st.integers(1, 3)))]
    return kind, {
        "scheme": {"parameters": parameters},
        "hasher": hasher,
        "alpha": draw(st.floats(1e-9, 0.05)),
        "min_tokens": draw(st.integers(8, 40)),
    }


@pytest.mark.deep(stand_in="test_what_stela_detect_takes_the_page_takes_with_equal_results")
@examples(6, suppress_health_check=list(HealthCheck))
@given(st.lists(profiles(), min_size=12, max_size=12))
def test_profiles_within_the_rules_are_taken_by_both_with_equal_results(
    both: Both, drawn: list[tuple[str, dict[str, Any]]]
) -> None:
    cases = []
    for kind, said in drawn:
        profile = both.profile(kind)
        for name, value in said.items():
            profile[name] = {**profile[name], **value} if isinstance(value, dict) else value
        cases.append((kind, json.dumps(profile)))
    for (kind, content), there in zip(cases, both.there(cases), strict=True):
        require_equal(both.here(kind, content), there)
