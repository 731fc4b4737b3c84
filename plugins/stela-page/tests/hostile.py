"""Profiles that nobody should believe: one list, for the reader of ``stela detect`` and for the page's.

Each is a profile of some kind in which values are replaced by the JSON text that is to stand for them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import blake2b, scrypt
from typing import Any, NamedTuple

Path = tuple[str | int, ...]
KEY = "0123456789abcdef"
PARAMETERS, DRAWN = ("scheme", "parameters"), ("hasher", "parameters")
MESSAGE = ("message", "parameters")
WRITTEN = '{"code": "payload", "bits": 8, "parameters": {"permutation": "keyed", "n": 1, "k": 1}}'
GONE = ""
"""Stands for a field that is left out."""


class Case(NamedTuple):
    """A changed profile."""

    kind: str
    changes: tuple[tuple[Path, str], ...]
    """Where, and the JSON text that is put there."""
    alike: bool = True
    """Whether both say the same of it; else each refuses it in words of its own."""


def written(profile: Mapping[str, Any], case: Case) -> str:
    """The text of a changed profile.json."""
    changed: Any = json.loads(json.dumps(profile))
    texts: dict[str, str] = {}
    for number, (path, text) in enumerate(case.changes):
        if not path:
            return text
        inside = changed
        for name in path[:-1]:
            inside = inside.setdefault(name, {}) if isinstance(inside, dict) else inside[name]
        if text == GONE:
            del inside[path[-1]]
        else:
            inside[path[-1]] = f"@{number}@"
            texts[f'"@{number}@"'] = text
    whole = json.dumps(changed, indent=2)
    for mark, text in texts.items():
        whole = whole.replace(mark, text)
    return whole


def key_id(key: str, salt: str | None = None) -> str:
    """The name of a key, by docs/hashing.md."""
    data = bytes.fromhex(key)[::-1]
    if salt is None:
        return blake2b(data, digest_size=4, person=b"stela/key-id/1").hexdigest()
    salted = b"stela/key-id/2" + bytes.fromhex(salt)
    return scrypt(data, salt=salted, n=1 << 15, r=8, p=1, maxmem=1 << 26, dklen=4).hex()


def key_part(number: int, **fields: Any) -> dict[str, Any]:
    """A key with its right name, and what else is said of it."""
    key = blake2b(b"%d" % number, digest_size=8).hexdigest()
    return {"key_id": key_id(key, fields.get("salt")), "key": key, **fields}


def named(kind: str, path: Path, *texts: str, alike: bool = True) -> dict[str, Case]:
    """A case for each text in one place."""
    where = ".".join(map(str, path))
    return {f"{kind}, {where} = {text[:60] or 'gone'}": Case(kind, ((path, text),), alike) for text in texts}


def own_keys(*keys: int) -> Case:
    """SynthID's layers with these keys."""
    key = "".join(f"{one:016x}" for one in keys)
    changes = ((("hasher", "key"), f'"{key}"'), (("hasher", "key_id"), f'"{key_id(key)}"'))
    return Case("synthid, keys of its own", changes)


def nested(depth: int) -> str:
    return "[" * depth + "]" * depth


STRANGE = ("toString", "constructor", "__proto__", "hasOwnProperty", "valueOf")
"""What every object of JavaScript has."""

CHECK = {
    "corpus": "c.txt",
    "corpus_sha256": "a" * 64,
    "documents": 1,
    "tests": 4,
    "keys_drawn": 1,
    "mean_z": 0.1,
    "sd_z": 1,
    "shares": [{"level": 0.001, "observed": 0, "low": 0, "high": 0.1}],
}


def check(**fields: Any) -> str:
    """A null check with something about it changed."""
    return json.dumps({**CHECK, **fields})


def numbers(path: Path, kind: str = "kgw") -> dict[str, Case]:
    """What is not a number anywhere."""
    return named(kind, path, '"1"', '"x"', "true", "[]", "{}", "1e400", "-1e400")


HOSTILE: dict[str, Case] = {
    # Parameters of the scheme.
    **named("kgw", (*PARAMETERS, "delta"), "-5", "-1e-300", "null"),
    **numbers((*PARAMETERS, "delta")),
    **named("kgw", (*PARAMETERS, "repeats"), '"cube-root"', '"__proto__"', "1", "null"),
    **named("kgw", (*PARAMETERS, "ties"), '"tossed"', '"toString"', "true"),
    **{n: c for one in STRANGE for n, c in named("kgw", (*PARAMETERS, one), "1", '{"delta": 1}').items()},
    **named("kgw", (*PARAMETERS, "dleta"), "2"),
    **named("gumbel", (*PARAMETERS, "delta"), "2"),
    **named("morphmark", (*PARAMETERS, "delta"), "2"),
    **named("morphmark", (*PARAMETERS, "p0"), "1.5", "-0.1"),
    **named("morphmark", (*PARAMETERS, "form"), '"tan"'),
    **named("kgw", PARAMETERS, "[]", "null", '"delta"', "7", "true"),
    **{
        n: c
        for one in STRANGE
        for n, c in named("kgw", ("scheme", "name"), f'"{one}"', f'"kgw+{one}"', alike=False).items()
    },
    **named("kgw", ("scheme", "name"), '""', '"+"', '"kgw+"', '"+kgw"', '"KGW"', '"kgw "', alike=False),
    **named("kgw", ("scheme", "name"), '"kgw+kgw+kgw"', alike=False),
    **named("kgw", ("scheme", "name"), "7", "null", "[]", GONE),
    **named("kgw", ("scheme",), "[]", "null", '"kgw"', GONE),
    **named("kgw", ("scheme", "more"), "1"),
    "a sampling scheme on a green list": Case("kgw", ((("scheme", "name"), '"gumbel"'), (PARAMETERS, "{}"))),
    "a green list's scheme on a sampling hasher": Case("gumbel", ((("scheme", "name"), '"kgw"'),)),
    "a table that is not there": Case("kgw", ((("scheme", "name"), '"learned-text"'),)),
    "a table for strength alone that is not there": Case("kgw", ((("scheme", "name"), '"stela+kgw"'),)),
    "a weighting of evidence for strength": Case(
        "gumbel+learned-likelihood", ((("scheme", "name"), '"learned-likelihood"'),)
    ),
    "surprisals in place of gains": Case(
        "gumbel+learned-likelihood", ((("scheme", "name"), '"gumbel+learned-text"'),), alike=False
    ),
    "a table of another kind": Case("learned-text", ((("scheme", "name"), '"stela+kgw"'),), alike=False),
    # Hashers.
    **{n: c for one in STRANGE for n, c in named("kgw", ("hasher", "name"), f'"{one}"', alike=False).items()},
    **named("kgw", ("hasher", "name"), "7", "null", GONE),
    **named("kgw", ("hasher", "gamma"), "0", "1", "-1", "1e-400"),
    **numbers(("hasher", "gamma")),
    **named("gumbel", ("hasher", "gamma"), "0.5"),
    **named("kgw", ("hasher", "context_width"), "0", "9", "-1", "1.5", "null", "1e300", GONE),
    **named("kgw", ("hasher", "context_width"), "9007199254740993"),
    **numbers(("hasher", "context_width")),
    **named("unigram", ("hasher", "context_width"), "1"),
    **named("gumbel", ("hasher", "context_width"), "65", "-1"),
    **named("gumbel-vllm", ("hasher", "context_width"), "65", "0"),
    **{n: c for one in STRANGE for n, c in named("gumbel", (*DRAWN, one), "1").items()},
    **named("gumbel", (*DRAWN, "twice"), "true"),
    **named("gumbel", (*DRAWN, "once"), "1", '"false"', "null", "0"),
    **named("pf", ("hasher", "context_width"), "65", "-1"),
    **named("pf", (*DRAWN, "once"), "1", "null"),
    **named("textgrain", (*DRAWN, "budget"), "-0.1", "1.1", '"0"', "null"),
    **named("textgrain", (*DRAWN, "blocks"), "1", "257", "2.5", "null"),
    **named("coupling", (*DRAWN, "lowering"), "-1", "11", '"0"', "null"),
    **named("coupling", ("hasher", "gamma"), "0.5"),
    **named("gumbel-vllm", (*DRAWN, "deduplicate_contexts"), '"never"', "false"),
    **named("gumbel-vllm-dual", (*DRAWN, "alpha"), "0", "1", '"0.1"', "null"),
    **named("gumbel-sglang", (*DRAWN, "mixing_probability"), "0", "1", '"0.3"', "0.3"),
    **named("gumbel-sglang, two keys", (*DRAWN, "mixing_probability"), "null"),
    **named("synthid", (*DRAWN, "depth"), "0", "65", "1.5", "null"),
    **named("synthid", (*DRAWN, "table_size"), "5000", "65537", "2048", "33554432", "null"),
    **named("synthid", (*DRAWN, "table_seed"), "-1", '"0"'),
    **named("synthid", (*DRAWN, "table_seed"), "9223372036854775808", alike=False),
    **named("synthid", (*DRAWN, "layers"), '"median"', '"toString"'),
    **named("synthid", (*DRAWN, "leaves"), "1", "65"),
    **named("synthid", (*DRAWN, "derived"), "1", "null", "false"),
    **named("synthid", (*DRAWN, "skip_first"), '"no"'),
    **named("synthid", ("hasher", "context_width"), "0", "32"),
    **named("synthid", ("hasher", "key"), f'"{KEY * 2}"'),
    "layers of one key": Case("synthid, keys of its own", ()),
    "layers of keys that are one modulo the table's size": own_keys(1, 2, 1 + (1 << 16)),
    **named("kgw", DRAWN, "[]", "null", "7"),
    **named("kgw", ("hasher", "device"), '"cuda"', '""', alike=False),
    **named("kgw", ("hasher", "device"), "7"),
    **named("kgw", ("hasher", "more"), "1"),
    **named("kgw", ("hasher",), "[]", "null", GONE),
    # Keys, and their names.
    **named("kgw", ("hasher", "key"), f'"{KEY * 2}"', f'"{KEY * 64}"', f'"{KEY * 65}"', f'"{KEY.upper()}"'),
    **named("kgw", ("hasher", "key"), '"0123"', '""', f'"{KEY}\\n"', f'" {KEY}"', "7", "[]", f'"{"f" * 16}"'),
    **named("kgw", ("hasher", "key"), "null", GONE, alike=False),
    **named("gumbel-sglang, two keys", ("hasher", "key"), f'"{KEY}"', f'"{KEY * 3}"'),
    **named("kgw", ("hasher", "key_id"), '"01234567"', '"0123456"', '"ABCDEF01"', "7", '""', GONE),
    **named("kgw", ("hasher", "salt"), f'"{"0" * 32}"', '"0"', "7", f'"{"0" * 31}g"'),
    **named("kgw", ("hasher", "earlier_keys"), "7", "null", "{}", "[7]", "[null]", "[[]]", "[{}]"),
    **named("kgw", ("hasher", "earlier_keys"), json.dumps([key_part(n) for n in range(16)])),
    **named("kgw", ("hasher", "earlier_keys"), json.dumps([key_part(1, more=1)]), '[{"key_id": null}]'),
    **named("kgw", ("hasher", "earlier_keys"), '[{"key_id": "01234567", "published": "2026-01-01"}]'),
    **named("kgw", ("hasher", "earlier_keys"), json.dumps([key_part(1, since=5)])),
    # Days.
    **named("kgw", ("hasher", "since"), '"2026-02-30"', '"2026-13-01"', '"2026-00-01"', '"2026-01-00"'),
    **named(
        "kgw", ("hasher", "since"), '"2100-02-29"', '"1999-12-31"', '"3000-01-01"', '"2026-1-1"', '"20260101"'
    ),
    **named("kgw", ("hasher", "since"), '"x"', "5", "[]"),
    **named("kgw", ("hasher", "until"), '"2026-01-01T00:00:00"', '" 2026-01-01"', '"２０２６-01-01"', "true"),
    "an epoch without a day": Case(
        "kgw", ((("hasher", "since"), '"2026-05-01"'), (("hasher", "until"), '"2026-05-01"'))
    ),
    "epochs that overlap": Case(
        "kgw",
        (
            (("hasher", "since"), '"2026-05-01"'),
            (("hasher", "earlier_keys"), json.dumps([key_part(1, until="2026-06-01")])),
        ),
    ),
    "a published key that is not there": Case(
        "kgw", ((("hasher", "key"), "null"), (("hasher", "published"), '"2026-01-01"'))
    ),
    # Sizes and thresholds.
    **named("kgw", ("vocab_size",), "9e15", "9007199254740991", "1", "0", "-1", "100.5", "null", GONE),
    **named("kgw", ("vocab_size",), "1" + "0" * 39, "1e300"),
    **numbers(("vocab_size",)),
    **named("kgw", ("min_tokens",), "0", "-8", "8.5", "1e300", "null"),
    **numbers(("min_tokens",)),
    **named("kgw", ("alpha",), "0", "1", "-1", "1e-400", "null"),
    **numbers(("alpha",)),
    # Messages.
    **named(
        "gumbel, 16 bits", ("message", "bits"), "0", "65", "17", "20", "-1", "8.5", "1e300", "null", GONE
    ),
    **numbers(("message", "bits"), "gumbel, 16 bits"),
    **named(
        "gumbel, 16 bits", ("message", "code"), '"whole"', '"__proto__"', '"toString"', '""', alike=False
    ),
    **named("gumbel, 16 bits", ("message", "code"), "7", "null", GONE),
    **named("gumbel, 16 bits", (*MESSAGE, "most_error"), "0", "1", "-1", "1e-400"),
    **numbers((*MESSAGE, "most_error"), "gumbel, 16 bits"),
    **{n: c for one in STRANGE for n, c in named("kgw, 8 bits", (*MESSAGE, one), "1").items()},
    **named("gumbel, 16 bits", MESSAGE, "[]", "null", "7"),
    **named("gumbel, 16 bits", ("message", "more"), "1"),
    **named("kgw", ("message",), "7", "[]", "{}", '"cafe"', "true"),
    **named("gumbel, 16 bits", ("hasher", "context_width"), "0"),
    **named("gumbel, 16 bits", (*MESSAGE, "permutation"), '"none"', '""', "1", "null", GONE),
    **named("kgw, 8 bits", MESSAGE, "{}", GONE, '{"permutation": "keyed", "k": 1}'),
    **named("gumbel, 16 bits", (*MESSAGE, "n"), "0", "2", "17", "-1", "1.5", '"1"', "true", "null", GONE),
    **named("gumbel, 16 bits", (*MESSAGE, "k"), "0", "2", "5", "-1", "0.5", '"1"', "true", "null", GONE),
    **named("kgw, 8 bits", ("message", "bits"), "24", "64"),
    **{
        f"{bits} bits, {n} symbols of {k}": Case(
            "kgw, 8 bits", ((("message", "bits"), bits), ((*MESSAGE, "n"), n), ((*MESSAGE, "k"), k))
        )
        for bits, n, k in (
            ("32", "3", "2"),
            ("32", "8", "1"),
            ("64", "7", "4"),
            ("64", "10", "2"),
            ("24", "8", "4"),
        )
    },
    **named("unigram", ("message",), WRITTEN),
    **named("gumbel-vllm", ("message",), WRITTEN, alike=False),
    # The rest.
    **named("kgw", ("null_check",), "7", "[]", "{}", '"x"', "true", check(more=1), check(shares=[7])),
    **named("kgw", ("null_check",), check(documents=0), check(tests=1.5), check(corpus_sha256="x")),
    **named("kgw", ("null_check",), check(shares={}), check(mean_z="0"), check(shares=[{"level": 0.1}])),
    **named("kgw", ("null_check",), check(keys_drawn=1e300)),
    **named("kgw", ("further_null_checks",), "7", "{}", "null", "[7]", '["x"]', f"[{check(corpus=7)}]"),
    **named("kgw", ("requires",), '"x"', "[1]", '["a b"]', '["-x"]', "null", json.dumps(["x"] * 33), "{}"),
    **named("kgw", ("tagger",), "7", "[]", "{}", '{"name": "penn"}'),
    **named("kgw", ("k",), "0", "9", "1.5", '"2"', "true"),
    **named("kgw", ("window",), "0", "129", '"6"'),
    **named("kgw", ("calibration",), '"x"', "7", "null", '"toString"'),
    **named("kgw", ("format",), '"stela-profile/2"', '""', "null", "1"),
    **named("kgw", ("created_with",), "7", "null", GONE),
    **named("kgw", ("language",), "7", "[]"),
    **named("kgw", ("tokenizer_sha256",), '"x"', "null", "7", f'"{"A" * 64}"', GONE),
    **named("kgw", ("table_sha256",), '"x"', "7"),
    **named("kgw", ("table_sha256",), f'"{"a" * 64}"', alike=False),
    **named("kgw", ("more",), "1", '"<b>\\u202e\\n\\u0000"'),
    **{n: c for one in STRANGE for n, c in named("kgw", (one,), "1", '{"alpha": 0.9}').items()},
    # The text itself.
    **named("kgw", (), "{", "{} x", "{'a': 1}", "\ufeff{}", '{"a": NaN}', " ", alike=False),
    **named("kgw", (), "[]", "null", "7", '"x"', "{}"),
    **named("kgw", ("more",), nested(17), "9" * 65, f"0.{'1' * 65}"),
    **named("kgw", ("more",), '"\\ud800"', '"\\udc00x"', alike=False),
    **named("kgw", ("more",), f"[{','.join('0' * 60_000)}]"),
    **named("kgw", ("more",), '"' + "x" * ((1 << 20) + 1) + '"', alike=False),
}
"""All of them are refused."""

LENIENT: dict[str, Case] = {
    **named("kgw", ("alpha",), "0.06", "0.9"),
    **named("kgw", ("min_tokens",), "7", "1"),
    **named("gumbel, 16 bits", (*MESSAGE, "most_error"), "0.5", "0.0011"),
}
"""A stranger's with thresholds at which verdicts say next to nothing: a link brings none of them."""
