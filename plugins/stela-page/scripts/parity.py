"""Compare the browser's detector with ``stela detect``: ids, p-values, z, verdicts, passages, messages.

    python plugins/stela-page/scripts/parity.py [--data FOLDER] [--tokenizer NAME=FILE ...] [--texts 2000]

It needs node (20 or newer) and ``npm ci`` in plugins/stela-page. Exit status 1: something differs.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import zipfile
from collections import Counter
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))
from bundled import bundled
from parity_profiles import SCHEMES, marked_text, profiles_of, tokenizers_of
from parity_texts import SURROGATES, cut, documents, sent_of, texts_of
from stela_page.expected import expected_of
from stela_page.holding import tagger_of

import stela_core as stela

CLOSE = 1e-9
"""Relative difference of p-values that are equal."""
SAME = 1e-12
"""Relative difference of one p-value taken in two ways."""
IN_LANGUAGE = 6
"""Texts in the language of a scheme that has one."""
MARKED = 6
"""Marked texts of each profile."""
FIELDS = ("verdict", "scored_tokens", "unique_pairs", "reading", "readings", "threshold")
"""What has to be the same."""
ALIKE = re.compile(r"counted alike it is [^,]+,")
"""A p-value in a caveat, in two digits, of which the last one may turn on the last bit."""
WHAT = (
    "texts",
    "watermarked",
    "ids",
    "p",
    "z",
    "fields",
    "passages",
    "refused",
    "power",
    "ties",
    "windows",
    "token texts",
)
"""Texts, those that are marked, and in how many of them each thing differs.

The last three need not be equal. Of two readings that have one p-value, the last bit decides in Python which
is shown, its z and its tokens; of several windows around one passage that show as much, which one's p-value
the passage has. And Python leaves special tokens out of the text.
"""


class Tally:
    """What was compared, and how often it differed."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.largest = 0.0
        """Relative difference of two p-values."""

    def add(self, ours: dict[str, Any], theirs: dict[str, Any], ids: Sequence[int]) -> list[str]:
        """Compare the detection by Python with the one by JavaScript; the names of what differs."""
        wrong = [name for name in ("ids",) if list(ids) != theirs["ids"]]
        apart = abs(ours["p_value"] - theirs["p_value"]) / ours["p_value"]
        for name in ("p_alike", "p_chosen"):
            if (name in ours) != (name in theirs):
                apart = 1.0
            elif name in ours:
                apart = max(apart, abs(ours[name] - theirs[name]) / ours[name])
        said, read = (each.get("message") for each in (ours, theirs))
        if said is not None and read is not None:
            apart = max(apart, *(abs(a - b) / a for a, b in zip(bounds(said), bounds(read), strict=True)))
        self.largest = max(self.largest, apart)
        self.counts.update(["texts"], watermarked=ours["verdict"] == "watermarked")
        if apart < SAME and ours["reading"] != theirs["reading"]:
            self.counts.update(["ties", *wrong])
            return wrong
        wrong += ["p"] if apart > CLOSE else []
        wrong += (
            ["z"]
            if any(abs(ours[n] - theirs[n]) > 1e-9 * (1 + abs(ours[n])) for n in ("z", "z_plain"))
            else []
        )
        same = (
            all(ours[n] == theirs[n] for n in FIELDS)
            and (said and said["hex"]) == (read and read["hex"])
            and abs(ours["green_fraction"] - theirs["green_fraction"]) < 1e-12
        )
        wrong += [] if same else ["fields"]
        # Of weights that are not alike the page tells none.
        own = -1.0 if ours["power"] is None else ours["power"]
        wrong += ["power"] if abs(own - theirs.get("power", own)) >= CLOSE else []
        if "window" in ours:
            apart_p = [
                abs(one[2] - other[2]) / one[2]
                for one, other in zip(ours["passages"], theirs["passages"], strict=False)
            ]
            window = abs(ours["window"] - theirs["window"]["p_value"]) / ours["window"]
            places = [[list(one[:2]) for one in said["passages"]] for said in (ours, theirs)]
            same = places[0] == places[1] or ours["passage_texts"] == theirs["passage_texts"]
            if not same or window > CLOSE:
                wrong.append("passages")
            self.counts["windows"] += max(apart_p, default=0) > CLOSE
        self.counts["token texts"] += ours["tokens"] != theirs["tokens"]
        self.counts.update(wrong)
        return wrong


def bounds(message: dict[str, Any]) -> list[float]:
    """All that are said of a message."""
    return [message["error"], *message["errors"]]


def said_of(detection: stela.Detection) -> dict[str, Any]:
    """What is compared, of a detection by Python."""
    names = (*FIELDS, "p_value", "z", "z_plain", "green_fraction", "caveat")
    said = {name: getattr(detection, name) for name in names}
    others = {"p_alike": detection.p_unweighted, "p_chosen": detection.p_chosen}
    said |= {name: p for name, p in others.items() if p is not None}
    if detection.message is not None and detection.watermarked:
        said["message"] = {**detection.message.to_dict(), "errors": list(detection.message.errors)}
    if detection.window is not None:
        said["window"] = detection.window.p_value
        # SentencePiece's texts lose a space in front, and places are counted without it: the texts are alike.
        said["passage_texts"] = [one.text for one in detection.passages]
        said["passages"] = [(one.start, one.end, one.p_value) for one in detection.passages]
    said["power"] = detection.power
    said["tokens"] = [[one.text, one.green, one.weight] for one in detection.tokens]
    return said


def unpack(path: Path, watermark: stela.Watermark, folder: Path) -> dict[str, Any]:
    """A profile's files in a folder, by their names there, its tagger's among them."""
    names: dict[str, str | None] = dict.fromkeys(("profile", "tokenizer", "table"))
    written = tagger_of(watermark, str(path))
    tagger = None if written is None else f"{sha256(written).hexdigest()[:16]}.tagger"
    if tagger is not None and written is not None:
        (folder / tagger).write_bytes(written)
    with zipfile.ZipFile(path) as archive:
        for part in names:
            if f"{part}.json" in archive.namelist():
                name = "tokenizer.json" if part == "tokenizer" else f"{path.stem}.{part}.json"
                (folder / name).write_bytes(archive.read(f"{part}.json"))
                names[part] = name
    return {**names, "tagger": tagger, "expected": expected_of(watermark)}


def compare(
    tokenizer: Any,
    texts: Sequence[tuple[str, str]],
    folder: Path,
    program: Path,
    seed: int,
    first: int,
    data: Path | None = None,
) -> tuple[Tally, dict[str, Tally], list[float]]:
    """All texts under one tokenizer, each under one scheme in turn: tallies, and ms for 1,000 characters.

    A scheme for a language gets some texts in it, too.
    """
    rng = random.Random(seed)
    os.environ["STELA_STATE"] = str(folder / "maker")
    profiles = list(profiles_of(tokenizer, folder, seed))
    os.environ["STELA_STATE"] = str(folder / "reader")  # whoever opens a page did not make its profiles
    watermarks = [stela.load(path) for _, path in profiles]
    letters = {i for text in texts[20:60] for i in tokenizer.encode(text[1], add_special_tokens=False).ids}
    ids = sorted(i for i in letters if watermarks[0].tokens.is_text(i))
    asked: list[tuple[str, int]] = [(text, (n + first) % len(profiles)) for n, (_, text) in enumerate(texts)]
    for number, watermark in enumerate(watermarks):
        for n in range(MARKED):
            marked = marked_text(watermark, ids, rng.randrange(20, 300), rng.randrange(2, 6), rng)
            if n % 3 == 2:  # a passage within human text
                human = texts[21 + (7 * n + number) % (len(texts) - 21)][1]
                marked = f"{human}\n{marked}\n{human[::-1]}"
            asked.append((marked, number))
        if watermark.profile.language is not None:
            plain = documents(watermark.profile.language, data)
            asked += [(cut(rng, plain), number) for _ in range(IN_LANGUAGE)]
    asked += [(text, 0) for text in SURROGATES]
    job = {
        "profiles": [
            unpack(path, watermark, folder) for (_, path), watermark in zip(profiles, watermarks, strict=True)
        ],
        "texts": [text for text, _ in asked],
        "asked": [
            {"text": n, "profile": p, "passages": scanned(n, watermarks[p])} for n, (_, p) in enumerate(asked)
        ],
    }
    (folder / "job.json").write_text(json.dumps(job), encoding="utf-8")
    subprocess.run(["node", str(program), str(folder)], check=True)
    lines = (folder / "answers.jsonl").read_text(encoding="utf-8").split("\n")[:-1]
    whole, schemes, speed = Tally(), {name: Tally() for name in SCHEMES}, list[float]()
    for n, ((text, number), line) in enumerate(zip(asked, lines, strict=True)):
        theirs = json.loads(line)
        name, watermark = profiles[number][0], watermarks[number]
        try:
            detection = watermark.detect(text)
        except stela.StelaError:
            whole.counts["refused"] += "refused" not in theirs
            continue
        if scanned(n, watermark):
            detection = watermark.with_passage(detection)
        ours = said_of(detection)
        own = tokenizer.encode(text, add_special_tokens=False).ids
        wrong = whole.add(ours, theirs, own)
        schemes[name].add(ours, theirs, own)
        if len(text) > 1000:
            speed.append(1000 * theirs["ms"] / len(text))
        if wrong:
            shown = {key: (ours.get(key), theirs.get(key)) for key in ("p_value", "scored_tokens", "verdict")}
            if "passages" in wrong:
                shown["passages"] = ([list(one) for one in ours["passages"]], theirs["passages"])
            print(f"differs in {', '.join(wrong)}: {name}: {text[:60]!a}: {shown}", file=sys.stderr)
    return whole, schemes, speed


def scanned(number: int, watermark: stela.Watermark) -> bool:
    """Whether passages are compared: every third; of messages the page reads only whole texts."""
    return number % 3 == 0 and watermark.parts.encoder is None


def main() -> int:
    """Print a table for tokenizers and one for schemes."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, help="folder with corpora/LANGUAGE/*.jsonl.gz and tokenizers/")
    parser.add_argument(
        "--tokenizer", action="append", default=[], metavar="NAME=FILE", help="a further tokenizer.json"
    )
    parser.add_argument("--only", action="append", metavar="NAME", help="of these tokenizers alone")
    parser.add_argument("--scheme", action="append", choices=[*SCHEMES], help="of these schemes alone")
    parser.add_argument("--texts", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", type=Path, help="write the tallies there, too")
    options = parser.parse_args()
    further = {name: Path(file) for name, file in (one.split("=", 1) for one in options.tokenizer)}
    texts = texts_of(options.texts, options.data, options.seed)
    texts += sent_of(options.texts // 5, options.data, options.seed)
    rows: dict[str, Tally] = {}
    for name in {*SCHEMES} - {*(options.scheme or SCHEMES)}:
        del SCHEMES[name]
    by_scheme = {name: Tally() for name in SCHEMES}
    with tempfile.TemporaryDirectory() as folder:
        program = bundled("answers", Path(folder))
        for number, (name, read) in enumerate(tokenizers_of(options.data, further).items()):
            if options.only and name not in options.only:
                continue
            own = Path(folder) / f"{number}"
            own.mkdir()
            rows[name], schemes, speed = compare(
                read(), texts, own, program, options.seed + number, number, options.data
            )
            for scheme, tally in schemes.items():
                by_scheme[scheme].counts += tally.counts
                by_scheme[scheme].largest = max(by_scheme[scheme].largest, tally.largest)
            middle = sorted(speed)[len(speed) // 2] if speed else 0.0
            print(f"{name}: {middle:.1f} ms for 1,000 characters (median)", file=sys.stderr, flush=True)
            print(f"{dict(rows[name].counts)}, largest {rows[name].largest:.1e}", file=sys.stderr, flush=True)
    show("tokenizer", rows)
    show("scheme", by_scheme)
    if options.json:
        all_rows = (*rows.items(), *by_scheme.items())
        said = {name: {**tally.counts, "largest": tally.largest} for name, tally in all_rows}
        options.json.write_text(json.dumps(said, indent=1), encoding="utf-8")
    return int(any(tally.counts[name] for tally in rows.values() for name in WHAT[2:-3]))


def show(what: str, rows: dict[str, Tally]) -> None:
    """A table in Markdown: texts, and in how many of them each thing differs."""
    print(f"| {what} | " + " | ".join(WHAT) + " | largest relative difference of p |")
    print("|---" * (len(WHAT) + 2) + "|")
    for name, tally in rows.items():
        print(
            f"| {name} | " + " | ".join(str(tally.counts[one]) for one in WHAT) + f" | {tally.largest:.1e} |"
        )
    print()


if __name__ == "__main__":
    sys.exit(main())
