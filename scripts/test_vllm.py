"""stela-serving on a real vLLM: ``python -m scripts.test_vllm [FOLDER]``, or ``make test-vllm``.

The embedded model is served over HTTP to 64 clients at once, in three languages, with a profile of each kind
of mark; the key-value cache is so small that requests are preempted and come back. Then ``stela detect``, in
this environment, has to find each text, and weights at detection have to be those that the server applied.
Other servers are asked for what they must refuse. ``--only-vllm`` makes the environment and nothing else.
"""

from __future__ import annotations

import json
import os
import runpy
import subprocess
import sys
import tempfile
import time
from dataclasses import fields
from pathlib import Path
from typing import Any

from stela_models import ModelSource

import stela_core as stela
from scripts.serving.checks import command, compare_weights, detect, require_marked
from scripts.serving.clients import Text, all_at_once, clients
from scripts.serving.vllm_server import ENVIRONMENT, ROOT, Answer, install_vllm, prepare, refuses, serving

PROFILES = {
    "kgw": ["--scheme", "kgw"],
    "gumbel": ["--scheme", "gumbel"],
    "synthid": ["--scheme", "synthid"],
    "learned-en": ["--scheme", "learned-text", "--language", "en"],
    "learned-zh": ["--scheme", "learned-text", "--language", "zh"],
    "learned-ko": ["--scheme", "learned-text", "--language", "ko"],
}
CLIENTS = 64
AFTER, LONG = ".", 60
"""The delimiter that answers follow, and tokens of one that has to be found."""
SMALL = ["--max-model-len", "512", "--max-num-batched-tokens", "512", "--enforce-eager", "--dtype", "float32"]
"""A prompt of several hundred tokens then comes in chunks."""


def main(arguments: list[str]) -> int:
    began = time.monotonic()
    only_vllm, folders = "--only-vllm" in arguments, [one for one in arguments if one != "--only-vllm"]
    folder = Path(folders[0] if folders else ".venv-vllm").absolute()
    if only_vllm:
        install_vllm(folder)
        return 0
    programs = prepare(folder)
    print(f"environment: {time.monotonic() - began:.0f} s", flush=True)
    with tempfile.TemporaryDirectory(prefix="stela-vllm-") as name:
        folder = Path(name)
        os.environ["STELA_STATE"] = str(folder / "state")
        model = stela.create_registry().get(ModelSource, "tiny").location()
        compare_shapes(programs)
        many_profiles(programs, model, folder)
        who_decides(programs, model, folder)
        answers_alone(programs, model, folder)
        what_is_refused_at_the_start(programs, model, folder)
    print(f"all of it: {time.monotonic() - began:.0f} s")
    return 0


def compare_shapes(programs: Path) -> None:
    """The stand-ins of the plugin's tests have the fields of vLLM's own, and both runners take the class."""
    done = subprocess.run(
        [str(programs / "python"), str(ROOT / "scripts" / "serving" / "vllm_shapes.py")],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **ENVIRONMENT},
    )
    if done.returncode:
        raise SystemExit(done.stderr[-3000:])
    theirs = json.loads(done.stdout.splitlines()[-1])
    ours = runpy.run_path(str(ROOT / "plugins" / "stela-serving" / "tests" / "vllm" / "stand_in.py"))
    for name in ("BatchUpdate", "LogitsContext"):
        require_same(name, [field.name for field in fields(ours[name])], theirs[name])
    require_same("moves", [one.name for one in ours["MoveDirectionality"]], theirs["MoveDirectionality"])
    require_same("states", sorted(set(vars(ours["states"](1, 1))) - set(theirs["states"])), [])
    params = vars(ours["SamplingParams"]())
    require_same(
        "SamplingParams", params, {name: theirs["SamplingParams"].get(name, "none") for name in params}
    )
    require_same("runners that take the class", theirs["loaded"], [["Processor"], ["Processor"]])
    print("stand-ins have the fields of vLLM's own, and both runners take the class", flush=True)


def require_same(what: str, ours: object, theirs: object) -> None:
    if ours != theirs:
        raise SystemExit(f"{what}: {ours}, and vLLM has {theirs}")


def many_profiles(programs: Path, model: str, folder: Path) -> None:
    """64 clients at once, each with a profile of its choice, on a server that marks all."""
    profiles, record = folder / "profiles", folder / "weights.jsonl"
    profiles.mkdir()
    for name, options in PROFILES.items():
        command(
            "profile",
            "new",
            *options,
            "--model",
            "tiny",
            "--public-key",
            "-o",
            str(profiles / f"{name}.stela"),
        )
    names = [name for name in PROFILES if not name.startswith("learned")]
    asked = clients(CLIENTS, (*names, "learned-{language}"))
    options = [*SMALL, "--num-gpu-blocks-override", "40", "--max-num-seqs", "48"]
    variables = {"STELA_PROFILE": str(profiles), "STELA_RECORD": str(record)}
    with serving(programs, model, options, folder / "many.log", **variables) as server:
        texts = all_at_once(server, model, asked)
        preempted = server.counted("vllm:num_preemptions_total")
        cached = server.counted("vllm:prefix_cache_hits_total")
        one = asked[0].body(model) | {"stream": False}
        refused: dict[str, dict[str, Any]] = {
            "no mark": {"vllm_xargs": {"stela": "off"}},
            "no name": {"vllm_xargs": {}},
            "another name": {"vllm_xargs": {"stela": "kwg"}},
            "another argument": {"vllm_xargs": {"stela_profile": "kgw"}},
            "no drawing": {"vllm_xargs": {"stela": "gumbel"}, "temperature": 0},
            "penalties": {"vllm_xargs": {"stela": "gumbel"}, "presence_penalty": 1},
        }
        for what, change in refused.items():
            require_400(what, server.ask("/v1/completions", one | change))
    print(
        f"{len(texts)} texts at once; {preempted:.0f} preemptions, {cached:.0f} prompt tokens from the cache"
    )
    if not preempted or not cached:
        raise SystemExit("nothing was preempted, or nothing came from the cache")
    for name in PROFILES:
        own = [text for text in texts if text.asked.profile == name]
        require_marked(profiles / f"{name}.stela", own, folder)
    compare_weights({name: stela.load(profiles / f"{name}.stela") for name in PROFILES}, texts, record)


def who_decides(programs: Path, model: str, folder: Path) -> None:
    """A secret profile whose mark clients ask for: half of them do."""
    profile, key = folder / "secret.stela", folder / "secret.txt"
    command("key", "new", "-o", str(key))
    command(
        "profile", "new", "--scheme", "kgw", "--model", "tiny", "--key-file", str(key), "-o", str(profile)
    )
    asked = clients(CLIENTS, ("on", None))
    variables = {"STELA_PROFILE": str(profile), "STELA_POLICY": "opt-in", "STELA_KEY_FILE": str(key)}
    with serving(programs, model, SMALL, folder / "secret.log", **variables) as server:
        texts = all_at_once(server, model, asked)
        one = asked[0].body(model) | {"stream": False}
        require_400(
            "beams", server.ask("/v1/completions", one | {"use_beam_search": True, "n": 2, "max_tokens": 4})
        )
    require_marked(profile, [text for text in texts if text.asked.profile], folder, key)
    unmarked = [text for text in texts if not text.asked.profile]
    marked = sum(one["verdict"] == "watermarked" for one in detect(profile, unmarked, folder, key))
    print(f"{len(unmarked)} texts without a mark: {marked} called marked")
    if marked > 1:  # of 32, at alpha 0.001, with probability 5e-4
        raise SystemExit("too many")


def answers_alone(programs: Path, model: str, folder: Path) -> None:
    """Marks that begin after a delimiter, here the first full stop; and the record for auditors."""
    profile, audit, record = folder / "answers.stela", folder / "audit.jsonl", folder / "answers.jsonl"
    command("profile", "new", "--scheme", "kgw", "--model", "tiny", "--public-key", "-o", str(profile))
    variables = {"STELA_PROFILE": str(profile), "STELA_MARK": AFTER}
    variables |= {"STELA_AUDIT": str(audit), "STELA_RECORD": str(record)}
    asked = [one for one in clients(CLIENTS, (None,)) if one.language == "en"]
    with serving(programs, model, SMALL, folder / "answers.log", **variables) as server:
        texts = all_at_once(server, model, asked)
        await_lines(audit, len(texts))
    mark = stela.load(profile)
    answers = [answer_of(mark, text) for text in texts]
    long = [answer for answer in answers if len(answer.ids) >= LONG]
    print(f"{len(long)} of {len(texts)} texts go on for {LONG} tokens after the first full stop")
    require_marked(profile, long, folder)
    compare_weights({"answers": mark}, [answer for answer in answers if answer.ids], record)
    lines = [json.loads(line) for line in audit.read_text(encoding="utf-8").splitlines()]
    marked = sum(line["marked"] for line in lines)
    print(f"the audit record has {len(lines)} lines for {len(texts)} requests, {marked} of them marked")
    if len(lines) != len(texts) or marked < len(long):
        raise SystemExit("lines are missing")


def await_lines(file: Path, count: int) -> None:
    """The engine takes its last texts out after their answers are sent: a signal to end may come first."""
    end = time.monotonic() + 30
    while len(file.read_text(encoding="utf-8").splitlines()) < count and time.monotonic() < end:
        time.sleep(0.1)


def answer_of(mark: stela.Watermark, text: Text) -> Text:
    """What follows the first token with the delimiter, as a text by itself."""
    pieces = [mark.tokenizer.decode([token]) for token in text.ids]
    begins = next((number + 1 for number, piece in enumerate(pieces) if AFTER in piece), len(pieces))
    asked, ids = text.asked._replace(profile="answers"), text.ids[begins:]
    return Text(asked, mark.tokenizer.decode(ids), ids)


def what_is_refused_at_the_start(programs: Path, model: str, folder: Path) -> None:
    """Servers that would leave texts unmarked."""
    profile = folder / "profiles" / "kgw.stela"
    other = stela.create_registry().get(ModelSource, "tiny-small").location()
    drafting = [
        "--speculative-config",
        '{"method": "ngram", "num_speculative_tokens": 3, "prompt_lookup_max": 3}',
    ]
    for what, served, options, variables, said in (
        ("another tokenizer", other, [], {"STELA_PROFILE": str(profile)}, "wrong tokenizer"),
        ("drafts", model, drafting, {"STELA_PROFILE": str(profile)}, "speculative decoding"),
        ("no profile", model, [], {}, "STELA_PROFILE is not set"),
    ):
        log = refuses(programs, served, [*SMALL, *options], folder / "refused.log", **variables)
        lines = [line for line in log.splitlines() if said in line]
        if not lines:
            raise SystemExit(f"{what}: no word of it\n{log[-3000:]}")
        print(f"refused at the start, {what}: {lines[-1].split(')')[-1].split('Error: ')[-1].strip()[:160]}")


def require_400(what: str, answer: Answer) -> None:
    if answer.status != 400:
        raise SystemExit(f"{what}: HTTP {answer.status}: {answer.body}")
    print(f"HTTP 400, {what}: {answer.json['error']['message']}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
