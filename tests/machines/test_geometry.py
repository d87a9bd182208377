"""Integer arithmetic of the disk's geometry."""

from __future__ import annotations

from math import isqrt

from simio.machines.disk.geometry import square_root


def test_square_roots_are_whole_and_exact() -> None:
    # Zero is what a seek of a single cylinder asks for.
    values = [*range(2000), *(10**n + d for n in range(4, 18) for d in (-1, 0, 1)), (2**31 - 1) ** 2]
    assert [square_root(value) for value in values] == [isqrt(value) for value in values]
