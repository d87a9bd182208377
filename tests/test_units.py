"""Quantities: what is read, what is refused and in which words, and that writing and reading agree."""

import re
from fractions import Fraction

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from unit_texts import read, refusal

from simio import units
from simio.units import LIMIT, UnitError, convert, format_quantity, parse
from simio.units.refusals import AMBIGUOUS
from simio.units.table import DIMENSION_OF

ALL = sorted(units.DIMENSIONS)


# ---------------------------------------------------------------- reading


@pytest.mark.parametrize(
    ("text", "dimension", "value"),
    [
        ("1 ps", "time", 1),
        ("10 us", "time", 10_000_000),
        ("10us", "time", 10_000_000),
        ("4 s", "time", 4 * 10**12),
        ("1.5 min", "time", 90 * 10**12),
        ("1 h", "time", 3600 * 10**12),
        ("0 s", "time", 0),
        ("1e3 ns", "time", 10**6),
        ("2.5E-3 ns", "time", None),
        (".5 ns", "time", 500),
        ("+3 ms", "time", 3 * 10**9),
        ("1_000_000 ps", "time", 10**6),
        ("64 KiB", "size", 65536),
        ("64 kB", "size", 64000),
        ("2112 B", "size", 2112),
        ("8 bit", "size", 1),
        ("32 kbit", "size", 4000),
        ("1 Kibit", "size", 128),
        ("1 MiB", "size", 2**20),
        ("1 GiB", "size", 2**30),
        ("1 TiB", "size", 2**40),
        ("1 TB", "size", 10**12),
        ("81.2 MB/s", "rate", 81_200_000),
        ("800 Mbit/s", "rate", 100_000_000),
        ("1 MiB/s", "rate", 2**20),
        ("1 bit/s", "rate", Fraction(1, 8)),
        ("0.1 B/s", "rate", Fraction(1, 10)),
        ("33.333 MHz", "frequency", 33_333_000),
        ("15000 rpm", "rotation", 250),
        ("10033 rpm", "rotation", Fraction(10033, 60)),
        ("1.0625 Gbaud", "signalling", 1_062_500_000),
        ("10 m", "length", 10),
        ("25 cm", "length", Fraction(1, 4)),
        ("2 km", "length", 2000),
        ("5 ns/m", "delay_per_length", 5000),
        ("5 us/km", "delay_per_length", 5000),
        ("  10 us ", "time", 10_000_000),
    ],
)
def test_values_in_base_units(text, dimension, value):
    if value is None:
        assert "not a whole number" in refusal(text, dimension)
    else:
        assert parse(text, dimension) == value


@pytest.mark.parametrize("dimension", ALL)
def test_times_and_sizes_are_ints_and_the_rest_fractions(dimension):
    value = parse(units.example(dimension), dimension)
    assert type(value) is (int if dimension in ("time", "size") else Fraction)


def test_the_same_quantity_in_bits_and_bytes_is_equal():
    assert parse("1 Gbit/s", "rate") == parse("125 MB/s", "rate")
    assert parse("1 Mibit", "size") == parse("128 KiB", "size")


# ---------------------------------------------------------------- table and pattern


@pytest.mark.parametrize("dimension", ALL)
def test_every_unit_is_read_and_written(dimension):
    for unit in units.units_of(dimension):
        assert units.dimension_of(unit) == dimension
        text = f"24 {unit}"
        value = parse(text, dimension)
        assert format_quantity(value, dimension, unit) == text
        assert convert(value, dimension, unit) == 24
        assert re.search(units.regex(dimension), text)


def test_a_unit_belongs_to_one_dimension():
    every = [unit for dimension in ALL for unit in units.units_of(dimension)]
    assert len(every) == len(set(every))
    assert units.dimension_of("KB") is None


def test_no_spelling_that_is_refused_as_ambiguous_is_a_unit():
    assert not set(AMBIGUOUS) & set(DIMENSION_OF)
    assert {unit for meanings in AMBIGUOUS.values() for unit in meanings} <= set(DIMENSION_OF)


@pytest.mark.parametrize("dimension", ALL)
def test_an_editor_accepts_examples_and_refuses_nonsense(dimension):
    pattern = units.regex(dimension)
    assert re.search(pattern, units.example(dimension))
    for text in (
        "10 parsecs",
        "10",
        "",
        "-" + units.example(dimension),
        "x" + units.example(dimension),
        "10 KB",
    ):
        assert not re.search(pattern, text)


# ---------------------------------------------------------------- writing


@pytest.mark.parametrize(
    ("value", "dimension", "text"),
    [
        (4194304, "size", "4 MiB"),
        (65536, "size", "64 KiB"),
        (64000, "size", "64 kB"),
        (10**8, "size", "100 MB"),
        (2112, "size", "2112 B"),
        (512, "size", "512 B"),
        (1536, "size", "1.5 KiB"),
        (0, "size", "0 B"),
        (123456789, "size", "123.5 MB"),
        (-4096, "size", "-4 KiB"),
        (Fraction(10, 3), "size", "3.333 B"),
        (12345678, "time", "12.35 us"),
        (999_999_999, "time", "1 ms"),
        (999_949_999, "time", "999.9 us"),
        (4 * 10**12, "time", "4 s"),
        (90 * 10**12, "time", "90 s"),
        (600 * 10**12, "time", "10 min"),
        (10 * 3600 * 10**12, "time", "10 h"),
        (1, "time", "1 ps"),
        (0, "time", "0 s"),
        (320_000, "rate", "0.32 MB/s"),
        (81_200_000, "rate", "81.2 MB/s"),
        (32_000, "rate", "32 kB/s"),
        (0, "rate", "0 MB/s"),
        (125_000_000_000, "rate", "125 GB/s"),
        (2_500_000_000.0, "rate", "2500 MB/s"),
        (Fraction(10**9, 3), "rate", "333.3 MB/s"),
        (33_333_333, "frequency", "33.33 MHz"),
        (Fraction(10033, 60), "rotation", "10033 rpm"),
        (1_062_500_000, "signalling", "1.062 Gbaud"),
        (Fraction(1, 2), "length", "50 cm"),
        (5000, "delay_per_length", "5 ns/m"),
        (float("inf"), "time", "inf"),
        (float("nan"), "rate", "nan"),
    ],
)
def test_a_unit_fit_for_reading(value, dimension, text):
    assert format_quantity(value, dimension) == text


def test_a_unit_and_digits_may_be_asked_for():
    assert format_quantity(81_234_567, "rate", "MB/s") == "81.23 MB/s"
    assert format_quantity(81_234_567, "rate", "MB/s", digits=2) == "81 MB/s"
    assert format_quantity(81_234_567, "rate", "Mbit/s") == "649.9 Mbit/s"
    assert format_quantity(1_234_567, "rate", "B/s", digits=2) == "1234567 B/s"
    assert format_quantity(1, "time", "h") == "2.778e-16 h"
    assert format_quantity(9_999_999, "time", "us", digits=3) == "10 us"
    assert format_quantity(12345678, "time", digits=None) == "12.345678 us"
    assert format_quantity(601 * 10**12, "time", digits=None) == "601 s"


def test_a_unit_of_another_dimension_cannot_be_written():
    with pytest.raises(UnitError) as caught:
        format_quantity(1, "size", "MB/s")
    assert str(caught.value) == "found the unit 'MB/s' of rate; expected a unit of size; did you mean 'MB'?"


def test_convert_is_exact():
    assert convert(10**8, "rate", "MiB/s") == Fraction(10**8, 2**20)
    assert convert(90 * 10**12, "time", "h") == Fraction(1, 40)


@given(st.integers(0, LIMIT), st.sampled_from(["time", "size"]))
def test_exact_texts_of_times_and_sizes_read_back(value, dimension):
    assert parse(format_quantity(value, dimension, digits=None), dimension) == value


@given(st.integers(0, 10**9), st.integers(0, 6), st.sampled_from(ALL), st.data())
def test_what_is_written_exactly_is_what_was_read(figures, places, dimension, data):
    unit = data.draw(st.sampled_from(units.units_of(dimension)))
    value, error = read(f"{figures}e-{places} {unit}", dimension)
    assume(error is None)
    assert parse(format_quantity(value, dimension, unit, digits=None), dimension) == value
    assert parse(format_quantity(value, dimension, digits=None), dimension) == value


@given(st.fractions(min_value=0, max_value=LIMIT), st.sampled_from(ALL), st.integers(1, 9))
def test_rounding_keeps_the_digits_asked_for(value, dimension, digits):
    number, unit = format_quantity(value, dimension, digits=digits).split(" ")
    shown = Fraction(number) * units.DIMENSIONS[dimension].units[unit]
    assert abs(shown - value) * 2 * 10 ** (digits - 1) <= max(value, shown)


@given(st.fractions() | st.integers() | st.floats(), st.sampled_from(ALL), st.none() | st.integers(1, 30))
def test_any_number_can_be_written(value, dimension, digits):
    assert format_quantity(value, dimension, digits=digits)
