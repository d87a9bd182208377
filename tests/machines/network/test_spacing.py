"""Frames on a line and the gaps between them, in ps: 1 Gbit/s, where a byte takes 8 ns, and others."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from simio.machines.door import call
from simio.machines.network import spacing

BASE = 2
GAP = 96_000


def line(byte: Fraction = Fraction(8000)) -> np.ndarray:
    """A line of Ethernet, behind other words: packets are padded to 46 bytes, and 26 are beside them."""
    words = spacing.initial(GAP, 46, 26, byte.numerator, byte.denominator)
    return np.array([9] * BASE + words, dtype=np.int64)


def begin(state: np.ndarray, now: int, length: int) -> int:
    return int(call(spacing.begin, state, BASE, now, length))


def test_a_frame_waits_for_the_rest_of_the_gap() -> None:
    state = line()
    # 1500 + 26 bytes, and then silence until 12,304 ns.
    assert begin(state, 0, 1500) == 1526 * 8000
    # 100 ns after the end of the first, all of the gap is over but 96 - 100 ns: nothing is left to wait for.
    assert begin(state, 1526 * 8000 + 100_000, 40) == 72 * 8000
    # The next comes at the very end of that, and waits for the whole gap.
    assert begin(state, 1526 * 8000 + 100_000 + 72 * 8000, 46) == GAP + 72 * 8000


@pytest.mark.parametrize("length", [1, 45, 46, 47, 1500, 9000])
@pytest.mark.parametrize("byte", [Fraction(8000), Fraction(320), Fraction(227_820_625, 26_112), Fraction(8, 10)])
def test_the_time_of_a_frame_is_rounded_up_once(length: int, byte: Fraction) -> None:
    exact = (max(length, 46) + 26) * byte
    assert begin(line(byte), 10**6, length) == -(-exact.numerator // exact.denominator)


def test_what_would_not_fit_is_refused() -> None:
    state = line(Fraction(10**14))
    most = 2**62 // 10**14 - 26
    assert begin(state, 0, most) == (most + 26) * 10**14
    assert begin(line(Fraction(10**14)), 0, most + 1) == -1
