"""Tables of records, made up: what offices, shops and instruments write. Drawn by chance with fixed seeds."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta

from genre_files import Table

ROWS = 240

FIRST = ["Anna", "Ben", "Clara", "David", "Eva", "Felix", "Grace", "Henry", "Ida", "Jonas", "Kate"]
LAST = ["Adams", "Baker", "Clark", "Diaz", "Evans", "Fischer", "Garcia", "Hill", "Ito", "Jones", "Kim"]
GOODS = ["apples", "paper", "coffee", "pencils", "tea", "lamp", "notebook", "chair", "cable", "soap", "honey"]
TOWNS = ["London", "Paris", "Berlin", "Madrid", "Rome", "Vienna", "Oslo", "Dublin", "Lisbon", "Seoul", "Lima"]
DEPARTMENTS = ["Sales", "Finance", "Research", "Support", "Legal", "Marketing", "Operations"]
SPECIES = ["oak", "beech", "pine", "birch", "maple", "ash", "willow", "spruce"]

Row = Callable[[random.Random, int], list[object]]


def _day(number: int, start: str = "2021-03-01") -> datetime:
    return datetime.fromisoformat(start) + timedelta(days=number)


def _name(rng: random.Random) -> str:
    return f"{rng.choice(FIRST)} {rng.choice(LAST)}"


def _order(rng: random.Random, n: int) -> list[object]:
    count, price = rng.randint(1, 40), rng.randint(50, 5000) / 100
    day = f"{_day(n // 3):%Y-%m-%d}"
    return [10_000 + n, day, rng.choice(GOODS), count, f"{price:.2f}", f"{count * price:.2f}"]


def _reading(rng: random.Random, n: int) -> list[object]:
    time = datetime(2022, 6, 1) + timedelta(minutes=15 * n)
    return [
        f"{time:%Y-%m-%dT%H:%M:%SZ}",
        f"{rng.gauss(18, 4):.1f}",
        f"{rng.gauss(60, 9):.0f}",
        f"{rng.gauss(1013, 6):.1f}",
    ]


def _employee(rng: random.Random, n: int) -> list[object]:
    first, last = rng.choice(FIRST), rng.choice(LAST)
    salary = rng.randrange(24_000, 98_000, 500)
    return [n + 1, last, first, f"{first}.{last}@example.com".lower(), rng.choice(DEPARTMENTS), salary]


def _grade(rng: random.Random, n: int) -> list[object]:
    marks = [rng.randint(35, 100) for _ in range(4)]
    return [f"S{n:04}", _name(rng), *marks, f"{sum(marks) / 4:.2f}"]


def _booking(rng: random.Random, n: int) -> list[object]:
    amount = round(rng.lognormvariate(4, 1), 2)
    kind = rng.choice(["card payment", "transfer", "standing order", "cash withdrawal"])
    return [f"{_day(n):%d.%m.%Y}", kind, rng.choice(TOWNS), f"{-amount:.2f}", "EUR"]


def _result(rng: random.Random, n: int) -> list[object]:
    seconds = 7200 + n * 19 + rng.randint(0, 18)
    time = f"{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    return [n + 1, rng.randint(1, 999), _name(rng), rng.choice(TOWNS), time]


def _tree(rng: random.Random, n: int) -> list[object]:
    girth = rng.randint(20, 310)
    place = [f"{47 + rng.random():.5f}", f"{8 + rng.random():.5f}"]
    return [n, rng.choice(SPECIES), girth, f"{girth / 12 + rng.random() * 6:.1f}", *place]


def _flight(rng: random.Random, n: int) -> list[object]:
    start, end = rng.sample(TOWNS, 2)
    time = datetime(2023, 5, 4, 5) + timedelta(minutes=5 * n)
    return [
        f"{time:%H:%M}",
        f"XY{rng.randint(100, 999)}",
        start,
        end,
        rng.choice(["on time", "delayed", "boarding"]),
    ]


def _share(rng: random.Random, n: int) -> list[object]:
    price = 80 + 15 * rng.random()
    low, high = price - 2 * rng.random(), price + 2 * rng.random()
    return [
        f"{_day(n):%Y/%m/%d}",
        *(f"{v:.2f}" for v in (price, high, low, price + rng.random())),
        rng.randint(10**5, 10**7),
    ]


def _answer(rng: random.Random, n: int) -> list[object]:
    return [
        n + 1,
        rng.randint(18, 79),
        rng.choice("mfd"),
        *(rng.randint(1, 5) for _ in range(8)),
        rng.choice(["yes", "no"]),
    ]


def _stock(rng: random.Random, n: int) -> list[object]:
    return [
        f"{rng.choice('ABCD')}-{n:03}-{rng.randint(10, 99)}",
        rng.choice(GOODS),
        rng.choice(TOWNS),
        rng.randint(0, 900),
        rng.choice(["TRUE", "FALSE"]),
    ]


def _request(rng: random.Random, n: int) -> list[object]:
    time = datetime(2024, 1, 9, 8) + timedelta(seconds=37 * n)
    address = f"192.0.2.{rng.randint(1, 254)}"
    return [
        f"{time:%H:%M:%S}",
        address,
        rng.choice(["GET", "POST"]),
        f"/{rng.choice(GOODS)}/{rng.randint(1, 99)}",
        rng.choice([200, 200, 200, 304, 404]),
        rng.randint(180, 90_000),
    ]


KINDS: dict[str, tuple[str, Row]] = {
    "orders": ("order_id,date,item,quantity,unit_price,total", _order),
    "weather": ("timestamp,temperature,humidity,pressure", _reading),
    "staff": ("id,last_name,first_name,email,department,salary", _employee),
    "grades": ("Student,Name,Maths,Physics,History,English,Mean", _grade),
    "bookings": ("Date,Kind,Place,Amount,Currency", _booking),
    "race": ("rank,number,name,town,time", _result),
    "trees": ("tree,species,girth_cm,height_m,latitude,longitude", _tree),
    "departures": ("Time,Flight,From,To,Status", _flight),
    "prices": ("date,open,high,low,close,volume", _share),
    "survey": ("respondent,age,gender,q1,q2,q3,q4,q5,q6,q7,q8,again", _answer),
    "inventory": ("sku,description,warehouse,stock,active", _stock),
    "requests": ("time,client,method,path,status,bytes", _request),
}


def records() -> Iterator[Table]:
    """Each kind of table, with its rows."""
    for number, (kind, (header, row)) in enumerate(KINDS.items()):
        rng = random.Random(number)
        yield Table(header.split(","), [row(rng, n) for n in range(ROWS)], f"made up, {kind}")
