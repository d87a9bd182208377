"""Numbers that grow from period to period, against plain ones in each period, and how far they are told."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simio.engines.affine import Affine, Horizon, NotAffine, parts

LOOKED_AT = 80
"""Periods that are compared one by one."""

values = st.integers(-300, 300)
steps = st.integers(-30, 30)
numbers = st.tuples(values, steps)

COMPARISONS = [operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne]
Operation = Callable[..., Any]


def made(number: tuple[int, int], horizon: Horizon) -> Any:
    return horizon.number(*number)


def at(number: tuple[int, int], period: int) -> int:
    return number[0] + period * number[1]


def told(horizon: Horizon) -> int:
    """Periods within the horizon that are looked at."""
    return LOOKED_AT if horizon.periods is None else min(horizon.periods, LOOKED_AT)


def ends(horizon: Horizon) -> bool:
    return horizon.periods is not None and horizon.periods < LOOKED_AT


@settings(max_examples=300)
@given(numbers, numbers, st.sampled_from([operator.add, operator.sub]))
def test_sums_and_differences_hold_for_ever(a: tuple, b: tuple, operation: Operation) -> None:
    horizon = Horizon()
    result = parts(operation(made(a, horizon), made(b, horizon)))
    assert horizon.periods is None
    assert [at(result, k) for k in range(5)] == [operation(at(a, k), at(b, k)) for k in range(5)]


@settings(max_examples=200)
@given(numbers, values, st.sampled_from([operator.mul, operator.add, operator.sub]))
def test_plain_numbers_may_stand_on_either_side(a: tuple, plain: int, operation: Operation) -> None:
    horizon = Horizon()
    number = made(a, horizon)
    for result, expected in (
        (operation(number, plain), lambda k: operation(at(a, k), plain)),
        (operation(plain, number), lambda k: operation(plain, at(a, k))),
        (-number, lambda k: -at(a, k)),
    ):
        assert [at(parts(result), k) for k in range(5)] == [expected(k) for k in range(5)]
    assert horizon.periods is None


@settings(max_examples=600)
@given(numbers, numbers, st.sampled_from(COMPARISONS))
def test_a_comparison_comes_out_alike_up_to_the_horizon_and_not_at_it(
    a: tuple, b: tuple, operation: Operation
) -> None:
    horizon = Horizon()
    result = operation(made(a, horizon), made(b, horizon))
    assert [operation(at(a, k), at(b, k)) for k in range(told(horizon))] == [result] * told(horizon)
    if ends(horizon):
        last = horizon.periods or 0
        assert operation(at(a, last), at(b, last)) != result


@settings(max_examples=300)
@given(numbers)
def test_whether_a_number_is_zero(a: tuple) -> None:
    horizon = Horizon()
    result = bool(made(a, horizon))
    assert [bool(at(a, k)) for k in range(told(horizon))] == [result] * told(horizon)
    if ends(horizon):
        assert bool(at(a, horizon.periods or 0)) != result


@pytest.mark.parametrize(
    ("number", "size", "periods"),
    [
        ((7, 3), (7, 3), None),
        ((-7, -3), (7, 3), None),
        ((-7, 3), (7, -3), 3),
        ((7, -3), (7, -3), 3),
        ((0, 2), (0, 2), None),
    ],
)
def test_a_size_grows_evenly_until_the_sign_changes(
    number: tuple[int, int], size: tuple[int, int], periods: int | None
) -> None:
    horizon = Horizon()
    assert parts(abs(Affine(*number, horizon))) == size
    assert horizon.periods == periods


@settings(max_examples=600)
@given(numbers, st.integers(1, 40))
def test_a_division_grows_evenly_up_to_the_horizon_and_not_at_it(a: tuple, divisor: int) -> None:
    for operation in (operator.floordiv, operator.mod):
        horizon = Horizon()
        result = parts(operation(made(a, horizon), divisor))
        found = [operation(at(a, k), divisor) for k in range(told(horizon))]
        assert [at(result, k) for k in range(told(horizon))] == found
        if ends(horizon):
            last = horizon.periods or 0
            assert at(result, last) != operation(at(a, last), divisor)


@settings(max_examples=300)
@given(numbers, st.integers(0, 6))
def test_shifts_and_masks_are_multiples_and_rests(a: tuple, bits: int) -> None:
    horizon = Horizon()
    number = made(a, horizon)
    results = [number << bits, number >> bits]
    plain: list[Operation] = [lambda n: n << bits, lambda n: n >> bits]
    if bits:
        mask = 2**bits - 1
        results += [number & mask, mask & number]
        plain += [lambda n: n & mask] * 2
    for result, operation in zip(results, plain, strict=True):
        assert [at(parts(result), k) for k in range(told(horizon))] == [
            operation(at(a, k)) for k in range(told(horizon))
        ]


@settings(max_examples=400)
@given(st.tuples(st.integers(0, 20), st.integers(0, 3)), st.tuples(st.integers(0, 200), st.integers(-9, 9)))
def test_words_are_packed_as_long_as_they_share_no_bit(high: tuple, low: tuple) -> None:
    horizon = Horizon()
    upper = (high[0] << 6, high[1] << 6)
    try:
        results = [made(upper, horizon) | made(low, horizon), made(low, horizon) | made(upper, horizon)]
    except NotAffine:
        assert low[0] >= 64 or upper == (0, 0) or low == (0, 0)
        return
    for result in map(parts, results):
        assert [at(result, k) for k in range(told(horizon))] == [
            at(upper, k) | at(low, k) for k in range(told(horizon))
        ]


def test_the_rest_of_a_packed_word_ends_where_it_fills_its_bits() -> None:
    # 16 * n | 9 + 2 k: 15 is the last below 16.
    horizon = Horizon()
    assert parts(Affine(32, 16, horizon) | Affine(9, 2, horizon)) == (41, 18)
    assert horizon.periods == 4
    # 9 - 2 k: 1 is the last that is not negative.
    horizon = Horizon()
    assert parts(Affine(9, -2, horizon) | Affine(32, 16, horizon)) == (41, 14)
    assert horizon.periods == 5
    # A part that is constant does not end; one that is as large as the room does not fit.
    horizon = Horizon()
    assert parts(Affine(32, 16, horizon) | 15) == (47, 16)
    assert horizon.periods is None
    with pytest.raises(NotAffine):
        _ = Affine(32, 16, horizon) | 16
    with pytest.raises(NotAffine):
        _ = Affine(32, 16, horizon) | -1


@pytest.mark.parametrize(
    ("step", "divisor", "quotients", "rests"),
    [(7, 8, 1, -1), (3, 8, 0, 3), (4, 8, 1, -4), (-3, 8, 0, -3), (-5, 8, -1, 3), (16, 8, 2, 0), (1, 1, 1, 0)],
)
def test_a_rest_grows_by_as_little_as_it_can(step: int, divisor: int, quotients: int, rests: int) -> None:
    # So that it stays within the divisor for long.
    number = Affine(80, step, Horizon())
    assert (parts(number // divisor), parts(number % divisor)) == (
        (80 // divisor, quotients),
        (80 % divisor, rests),
    )


def test_the_instant_of_no_event_is_later_for_ever() -> None:
    horizon = Horizon()
    number, never = Affine(-5, 10**12, horizon), float("inf")
    assert number < never
    assert not number > never
    assert horizon.periods is None


def test_a_number_that_does_not_grow_is_plain() -> None:
    horizon = Horizon()
    assert type(horizon.number(5, 0)) is int
    assert type(Affine(9, 4, horizon) - Affine(4, 4, horizon)) is int
    assert type(Affine(9, 4, horizon) + Affine(1, -4, horizon)) is int
    assert type(Affine(9, 4, horizon) * 0) is int
    assert type(Affine(9, 8, horizon) % 8) is int


@pytest.mark.parametrize(
    "operation",
    [
        lambda n: n * n,
        lambda n: n // n,
        lambda n: n % n,
        lambda n: n // 0,
        lambda n: n // -3,
        lambda n: n % 0,
        lambda n: 90 // n,
        lambda n: 90 % n,
        lambda n: n << n,
        lambda n: n >> n,
        lambda n: n & n,
        lambda n: n & 0,
        lambda n: n & 6,
        lambda n: n & -1,
        lambda n: n | n,
        int,
        lambda n: range(9)[n],
    ],
)
def test_what_leaves_the_form_is_refused(operation: Operation) -> None:
    with pytest.raises(NotAffine):
        operation(Affine(10, 3, Horizon()))


def test_the_horizon_is_the_nearest_of_all() -> None:
    horizon = Horizon(least=2)
    assert horizon.periods is None
    horizon.limit(7)
    horizon.limit(9)
    assert horizon.periods == 7
    horizon.limit(2)
    assert horizon.periods == 2
    with pytest.raises(NotAffine):
        horizon.limit(1)


def test_no_number_is_equal_to_what_is_none() -> None:
    assert Affine(10, 3, Horizon()) != "10"
