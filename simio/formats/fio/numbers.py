"""Numbers as fio writes them: whole numbers with suffixes, times, percentages (fio's HOWTO, "Parameter types")."""

from __future__ import annotations

import re
from fractions import Fraction

_PREFIXES = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4, "p": 5}
_NUMBER = re.compile(r"(0x[0-9a-f]+|\d+)([kmgtp]?)(i?)(b?)")
_TIMES = {
    "us": 10**6, "usec": 10**6, "ms": 10**9, "msec": 10**9, "s": 10**12, "sec": 10**12, "m": 60 * 10**12,
    "h": 3600 * 10**12, "d": 86400 * 10**12,
}  # fmt: skip
_TIME = re.compile(r"(\d+)([a-z]*)")


def whole(text: str, kb_base: int = 1024) -> int:
    """A number with a suffix such as 4k; with `kb_base` 1024, k is 1024 and ki is 1000, with 1000 the reverse.

    Raises ValueError with the expected form.
    """
    found = _NUMBER.fullmatch(text.strip().lower())
    if not found:
        raise ValueError("a whole number such as 4096, 4k or 1m")
    digits, prefix, other, _ = found.groups()
    if other and not prefix:
        raise ValueError("a whole number such as 4096, 4k or 1m")
    base = 2024 - kb_base if other else kb_base
    return int(digits, 16 if digits.startswith("0x") else 10) * base ** _PREFIXES[prefix]


def time(text: str, default: str = "s") -> int:
    """A time in ps; `default` is the unit of a number without one. Raises ValueError with the expected form."""
    found = _TIME.fullmatch(text.strip().lower())
    if not found or (found[2] or default) not in _TIMES:
        raise ValueError(f"a time such as 10 (in {default}), 500ms or 2m")
    return int(found[1]) * _TIMES[found[2] or default]


def percentage(text: str) -> Fraction | None:
    """The share that a text such as 20% stands for, from 0 to 1; None if it has no percent sign.

    Raises ValueError with the expected form.
    """
    written = text.strip()
    if not written.endswith("%"):
        return None
    number = written[:-1].strip()
    if not number.isdecimal() or not 1 <= int(number) <= 100:
        raise ValueError("a percentage from 1% to 100%")
    return Fraction(int(number), 100)


def decimal(text: str) -> Fraction:
    """A number with decimals, exactly. Raises ValueError with the expected form."""
    try:
        return Fraction(text.strip())
    except (ValueError, ZeroDivisionError):
        raise ValueError("a number such as 1.2") from None


def switch(text: str | None) -> bool:
    """A switch: 0 or 1; an option without a value is on. Raises ValueError with the expected form."""
    if text is None or text.strip() in ("", "1", "true"):
        return True
    if text.strip() in ("0", "false"):
        return False
    raise ValueError("0 or 1")
