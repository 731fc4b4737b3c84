"""Tables of numbers and dates that anyone can compute."""

from __future__ import annotations

import math
from collections.abc import Iterator
from datetime import date, timedelta
from statistics import NormalDist

from genre_files import Table

COMPUTED = "computed"


def numbers() -> Iterator[Table]:
    """Powers, angles, factors, bases, units, interest, probabilities; calendars and hours of daylight."""
    for header, rows in (*_arithmetic(), *_quantities(), *_calendars()):
        yield Table(header, rows, COMPUTED)


Headed = tuple[list[str], list[list[object]]]


def _arithmetic() -> Iterator[Headed]:
    yield (
        ["n", "square", "cube", "square root", "ln"],
        [[n, n**2, n**3, f"{n**0.5:.4f}", f"{math.log(n):.4f}"] for n in range(1, 500)],
    )
    yield (
        ["degrees", "sin", "cos", "tan"],
        [
            [d, *(f"{f(math.radians(d)):.5f}" for f in (math.sin, math.cos, math.tan))]
            for d in range(360)
            if d % 180 != 90
        ],
    )
    yield ["number", "factors", "divisors"], [[n, _factors(n), _divisors(n)] for n in range(2, 900)]
    yield (
        ["decimal", "binary", "octal", "hexadecimal"],
        [[n, f"{n:b}", f"{n:o}", f"{n:X}"] for n in range(1024)],
    )
    yield ["arabic", "roman"], [[n, _roman(n)] for n in range(1, 1200)]
    yield ["n", "k", "C(n;k)"], [[n, k, math.comb(n, k)] for n in range(5, 40) for k in range(n // 2 + 1)]
    yield (
        ["a", "b", "product", "remainder"],
        [[a, b, a * b, b % a] for a in range(2, 20) for b in range(20, 45)],
    )
    # The logistic map and the Fibonacci numbers modulo a thousand.
    rows: list[list[object]] = []
    x, a, b = 0.2, 0, 1
    for n in range(500):
        rows.append([n, f"{x:.6f}", a])
        x, a, b = 3.7 * x * (1 - x), b, (a + b) % 1000
    yield ["step", "x", "fibonacci mod 1000"], rows


def _quantities() -> Iterator[Headed]:
    yield (
        ["Celsius", "Fahrenheit", "Kelvin"],
        [[c / 2, f"{c * 0.9 + 32:.1f}", f"{c / 2 + 273.15:.2f}"] for c in range(-100, 300)],
    )
    yield (
        ["miles", "kilometres", "nautical miles"],
        [[m, f"{m * 1.609344:.3f}", f"{m * 0.868976:.3f}"] for m in range(1, 500)],
    )
    yield (
        ["pounds", "ounces", "kg"],
        [[p, p * 16, f"{p * 0.45359237:.3f}"] for p in range(1, 500)],
    )
    for rate in (0.02, 0.035, 0.05, 0.07):
        rows: list[list[object]] = []
        for start in (1000, 2500, 5000, 10_000):
            balance = float(start)
            for year in range(2005, 2025):
                rows.append([year, f"{balance:.2f}", f"{balance * rate:.2f}", f"{balance * (1 + rate):.2f}"])
                balance *= 1 + rate
        yield ["Year", "Opening balance", "Interest", "Closing balance"], rows
    normal = NormalDist()
    yield (
        ["z", "density", "P(Z <= z)"],
        [[f"{z / 100:.2f}", f"{normal.pdf(z / 100):.4f}", f"{normal.cdf(z / 100):.5f}"] for z in range(400)],
    )


def _calendars() -> Iterator[Headed]:
    for year in (1999, 2016, 2024):
        days = [date(year, 1, 1) + timedelta(n) for n in range(365)]
        yield (
            ["Date", "Weekday", "ISO week", "Day of year"],
            [[d.isoformat(), f"{d:%A}", d.isocalendar().week, d.timetuple().tm_yday] for d in days],
        )
    easters = [(year, _easter(year)) for year in range(1800, 2100)]
    yield (
        ["Year", "Easter", "Ash Wednesday", "Pentecost"],
        [[y, f"{e:%d %B}", f"{e - timedelta(46):%d %B}", f"{e + timedelta(49):%d %B}"] for y, e in easters],
    )
    for latitude in (15, 35, 48, 60):
        rows: list[list[object]] = []
        for n in range(0, 365, 2):
            hours = _daylight(latitude, n)
            rows.append(
                [
                    f"{date(2023, 1, 1) + timedelta(n):%d/%m/%Y}",
                    *map(_clock, (12 - hours / 2, 12 + hours / 2, hours)),
                ]
            )
        yield ["date", "sunrise", "sunset", "daylight"], rows


def _daylight(latitude: float, day: int) -> float:
    """Hours, from the sun's declination (Cooper, Solar Energy 12, 1969)."""
    declination = math.radians(23.45) * math.sin(2 * math.pi * (284 + day + 1) / 365)
    cosine = -math.tan(math.radians(latitude)) * math.tan(declination)
    return 24 / math.pi * math.acos(max(-1.0, min(1.0, cosine)))


def _clock(hours: float) -> str:
    minutes = round(hours * 60)
    return f"{minutes // 60:02}:{minutes % 60:02}"


def _factors(n: int) -> str:
    parts, divisor = [], 2
    while n > 1:
        while n % divisor == 0:
            parts.append(str(divisor))
            n //= divisor
        divisor += 1
    return " x ".join(parts)


def _divisors(n: int) -> int:
    return sum(n % d == 0 for d in range(1, n + 1))


def _roman(n: int) -> str:
    text = ""
    for value, sign in (
        (1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"), (50, "L"), (40, "XL"),
        (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I"),
    ):  # fmt: skip
        text += sign * (n // value)
        n %= value
    return text


def _easter(year: int) -> date:
    """Gregorian Easter (Meeus, Astronomical Algorithms, chapter 8)."""
    a, (b, c) = year % 19, divmod(year, 100)
    (d, e), f = divmod(b, 4), (b + 8) // 25
    h = (19 * a + b - d - (b - f + 1) // 3 + 15) % 30
    i, k = divmod(c, 4)
    m = (32 + 2 * e + 2 * i - h - k) % 7
    n = (a + 11 * h + 22 * m) // 451
    month, day = divmod(h + m - 7 * n + 114, 31)
    return date(year, month, day + 1)
