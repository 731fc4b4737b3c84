"""Profiles that look odd and are none the worse for it: taken by ``stela detect`` and by the page."""

from __future__ import annotations

import json

from hostile import DRAWN, GONE, KEY, MESSAGE, PARAMETERS, Case, check, key_id, key_part, named

WRONG = [{"key_id": f"{n:08x}", "key": key_part(n)["key"]} for n in range(15)]
"""Keys that are not those that they are called."""
SALT = "5a" * 16

VALID: dict[str, Case] = {
    "fifteen keys with wrong ids": Case("kgw", ((("hasher", "earlier_keys"), json.dumps(WRONG)),)),
    "fifteen keys with right ids": Case(
        "kgw", ((("hasher", "earlier_keys"), json.dumps([key_part(n) for n in range(15)])),)
    ),
    "right, wrong, secret, and of another length": Case(
        "gumbel",
        (
            (
                ("hasher", "earlier_keys"),
                json.dumps(
                    [key_part(1), WRONG[2], {"key_id": "01234567"}, {"key_id": "01234567", "key": KEY * 2}]
                ),
            ),
        ),
    ),
    "a wrong current key, and one that was published": Case(
        "kgw",
        (
            (("hasher", "key_id"), '"01234567"'),
            (("hasher", "earlier_keys"), json.dumps([key_part(1, published="2026-01-01")])),
        ),
    ),
    "a secret current key, and one before it with its days": Case(
        "kgw",
        (
            (("hasher", "key"), "null"),
            (("hasher", "since"), '"2026-02-01"'),
            (("hasher", "earlier_keys"), json.dumps([key_part(1, until="2026-02-01")])),
        ),
    ),
    "a published key, by its slow name": Case(
        "kgw",
        (
            (("hasher", "salt"), json.dumps(SALT)),
            (("hasher", "key_id"), json.dumps(key_id(KEY, SALT))),
            (("hasher", "published"), '"2026-01-01"'),
        ),
    ),
    **named("kgw", ("hasher", "key_id"), "null"),
    **named("kgw", ("hasher", "since"), '"2000-02-29"', '"2999-12-31"', "null"),
    "gamma among the hasher's own": Case("kgw", ((("hasher", "gamma"), "null"), ((*DRAWN, "gamma"), "0.25"))),
    "gamma in two places": Case("kgw", (((*DRAWN, "gamma"), "0.25"),)),
    "the width in two places": Case("kgw", (((*DRAWN, "context_width"), "3"),)),
    **named("gumbel", ("hasher", "context_width"), "0", "1.0", "16", "2e0"),
    **named("pf", ("hasher", "context_width"), "0", "16"),
    **named("textgrain", (*DRAWN, "columns"), "2", "256", "16.0"),
    **named("coupling", (*DRAWN, "lowering"), "2", "10.0", "0"),
    **named("kgw", ("vocab_size",), "2", "1e2", "100.0"),
    **named("kgw", ("min_tokens",), "8.0", "9007199254740991", GONE),
    **named("kgw", ("alpha",), "5e-324", "0.05", GONE),
    "the last of two": Case("kgw", ((("alpha",), '0.02, "alpha": 0.01'),)),
    **named("kgw", (*PARAMETERS, "delta"), "0", "1e308", GONE),
    **named("kgw", PARAMETERS, "{}", GONE),
    **named("kgw", ("null_check",), check(), "null"),
    **named("kgw", ("further_null_checks",), f"[{check()}, {check(documents=7)}]"),
    **named("gumbel, 16 bits", ("message", "bits"), "1", "8.0"),
    **named("kgw, 8 bits", ("message", "bits"), "16"),
    **{
        f"{bits} bits, {n} symbols": Case(
            kind, ((("message", "bits"), bits), ((*MESSAGE, "n"), n), ((*MESSAGE, "k"), k))
        )
        for kind, bits, n, k in (
            ("gumbel, 16 bits", "64", "10.0", "4"),
            ("gumbel, 16 bits", "64", "16", "4"),
            ("kgw, 8 bits", "24", "8", "2"),
            ("kgw, 8 bits", "32", "4", "2.0"),
        )
    },
    **named("kgw, 8 bits", (*MESSAGE, "most_error"), "1e-9", "1e-3", GONE),
    **named("kgw, 8 bits", (*MESSAGE, "bits"), "17"),
    **named("kgw, 8 bits", MESSAGE, '{"permutation": "keyed"}', '{"permutation": "keyed", "n": 1, "k": 1}'),
    **named("kgw, 8 bits", ("message",), "null", GONE),
    **named("kgw", ("requires",), '["a", "stela-kgw"]', "[]"),
    **named("kgw", ("format",), GONE),
    **named("kgw", ("language",), '"en"', '"\\u202e"', '""'),
    **named("kgw", ("created_with",), '""', '"x"'),
    **named("kgw", ("calibration",), '"types"'),
    **named("kgw", ("scheme", "name"), '"uniform"', '"kgw+kgw"', '"kgw+uniform"', '"unigram"'),
    **named("kgw", ("scheme", "name"), '"uniform+morphmark"'),
    **named("learned-text", ("scheme", "name"), '"kgw+learned-text"', '"learned-text+kgw"', '"kgw"'),
}
"""All of them are taken."""
