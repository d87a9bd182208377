"""Quantities: what is read, what is refused and in which words, and that writing and reading agree."""

import pickle
import re
from fractions import Fraction

import pydantic
import pytest
from hypothesis import assume, given, settings
from hypothesis import example as with_example
from hypothesis import strategies as st

from simio import units
from simio.units import LIMIT, UnitError, convert, format_quantity, parse
from simio.units.refusals import AMBIGUOUS
from simio.units.table import DIMENSION_OF

ALL = sorted(units.DIMENSIONS)


def refusal(text, dimension):
    with pytest.raises(UnitError) as caught:
        parse(text, dimension)
    return str(caught.value)


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


# ---------------------------------------------------------------- refusing


@pytest.mark.parametrize(
    ("text", "dimension", "message"),
    [
        ("10", "time", "found the number 10 without a unit; expected a time such as '10 us'"),
        ("0", "rate", "found the number 0 without a unit; expected a rate such as '50 MB/s'"),
        (10, "size", "found the number 10 without a unit; expected a size such as '64 KiB'"),
        (0.5, "time", "found the number 0.5 without a unit; expected a time such as '10 us'"),
        (2**63, "time", "found the number given without a unit; expected a time such as '10 us'"),
        (True, "time", "found true; expected a time such as '10 us'"),
        (None, "time", "found nothing; expected a time such as '10 us'"),
        ({"a": 1}, "time", "found a mapping; expected a time such as '10 us'"),
        (["10 us"], "time", "found a list; expected a time such as '10 us'"),
        ("", "time", "found an empty text; expected a time such as '10 us'"),
        (
            "10 parsecs",
            "length",
            "found the unknown unit 'parsecs' in '10 parsecs'; expected a length such as '10 m'; "
            "its units are mm, cm, m, km",
        ),
        (
            "-5 us",
            "time",
            "found '-5 us', which is negative; expected a time such as '10 us'; a time cannot be less than zero",
        ),
        (
            "64 KB",
            "size",
            "found the ambiguous unit 'KB' in '64 KB'; expected a size such as '64 KiB'; "
            "write 'kB' (1000 bytes) or 'KiB' (1024 bytes)",
        ),
        (
            "10 M",
            "size",
            "found the ambiguous unit 'M' in '10 M'; expected a size such as '64 KiB'; "
            "write 'MB' (10^6 bytes) or 'MiB' (2^20 bytes)",
        ),
        (
            "1 G",
            "frequency",
            "found the ambiguous unit 'G' in '1 G'; expected a frequency such as '33 MHz'; write 'GHz'",
        ),
        (
            "100 Mbps",
            "rate",
            "found the ambiguous unit 'Mbps' in '100 Mbps'; expected a rate such as '50 MB/s'; "
            "write 'Mbit/s' (10^6 bits/s) or 'MB/s' (10^6 bytes/s)",
        ),
        (
            "100 MBps",
            "rate",
            "found the ambiguous unit 'MBps' in '100 MBps'; expected a rate such as '50 MB/s'; "
            "write 'MB/s' (10^6 bytes/s) or 'Mbit/s' (10^6 bits/s)",
        ),
        (
            "50 MB",
            "rate",
            "found '50 MB', a size; expected a rate such as '50 MB/s'; did you mean 'MB/s'?",
        ),
        (
            "50 KB",
            "rate",
            "found '50 KB', a size; expected a rate such as '50 MB/s'; did you mean 'kB/s' or 'KiB/s'?",
        ),
        (
            "2 Gbit/s",
            "signalling",
            "found '2 Gbit/s', a rate; expected a signalling rate such as '1.0625 Gbaud'; did you mean 'Gbaud'?",
        ),
        (
            "5 m",
            "time",
            "found '5 m', a length; expected a time such as '10 us'; "
            "write 'min' for minutes or 'ms' for milliseconds",
        ),
        (
            "12 bit",
            "size",
            "found '12 bit', which is not a whole number of bytes; expected a size in whole bytes; "
            "the nearest are '1 B' and '2 B'",
        ),
        (
            "1.5 ps",
            "time",
            "found '1.5 ps', which is not a whole number of picoseconds; "
            "expected a time in whole picoseconds; the nearest are '1 ps' and '2 ps'",
        ),
        ("1e30 s", "time", "found '1e30 s'; expected a time of at most about '1281 h'"),
        ("1e100 s", "time", "found '1e100 s'; expected an exponent between -99 and 99"),
        (
            "9e99999999999 Hz",
            "frequency",
            "found '9e99999999999 Hz'; expected an exponent between -99 and 99",
        ),
        (
            "1.0000000000000000000001 MB/s",
            "rate",
            "found '1.0000000000000000000001 MB/s'; expected a rate with fewer digits; about 15 are kept exactly",
        ),
        (
            "1,000 us",
            "time",
            "found '1,000 us'; expected a time such as '10 us'; "
            "write thousands without commas or spaces, as 1000 or 1_000",
        ),
        (
            "0,5 ms",
            "time",
            "found '0,5 ms'; expected a time such as '10 us'; the decimal sign is a point, not a comma: '0.5 ms'",
        ),
        (
            "us 10",
            "time",
            "found 'us 10'; expected a time such as '10 us'; the number comes first, then the unit",
        ),
        ("0x10 us", "time", "found '0x10 us'; expected a time such as '10 us'; write the number in decimal"),
        (
            "1 h 30 min",
            "time",
            "found the unknown unit 'h 30 min' in '1 h 30 min'; expected a time such as '10 us'; "
            "write one number and one unit",
        ),
    ],
)
def test_refusals_word_for_word(text, dimension, message):
    assert refusal(text, dimension) == message


@pytest.mark.parametrize("text", ["nan", "nan us", "inf s", "-inf s", ".inf", ".nan", "Infinity us"])
def test_numbers_that_are_not_finite(text):
    assert refusal(text, "time").endswith("; only finite numbers can be used")


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_floats_that_are_not_finite(value):
    assert refusal(value, "time").endswith("; only finite numbers can be used")


@pytest.mark.parametrize(
    ("text", "dimension", "near"),
    [
        ("10 \u00b5s", "time", "us"),
        ("10 \u03bcs", "time", "us"),
        ("10 seconds", "time", "s"),
        ("10 sec", "time", "s"),
        ("10 NS", "time", "ns"),
        ("10 ghz", "frequency", "GHz"),
        ("10 Mhz", "frequency", "MHz"),
        ("10 RPM", "rotation", "rpm"),
        ("10 Mbytes/sec", "rate", "MB/s"),
        ("10 MB per second", "rate", "MB/s"),
        ("10 MB / s", "rate", "MB/s"),
        ("10 kibs", "size", "KiB"),
        ("10 metres", "length", "m"),
        ("1 GBd", "signalling", "Gbaud"),
        ("5 us / km", "delay_per_length", "us/km"),
    ],
)
def test_near_misses_are_answered_with_the_unit_meant(text, dimension, near):
    assert refusal(text, dimension).endswith(f"; did you mean '{near}'?")


@pytest.mark.parametrize(
    "text", ["K", "k", "M", "G", "T", "KB", "Kb", "kb", "Mb", "mb", "gb", "b", "Kbit", "megabytes"]
)
def test_ambiguous_sizes_name_two_meanings(text):
    message = refusal(f"10 {text}", "size")
    assert f"found the ambiguous unit '{text}'" in message
    meanings = re.findall("'([^']+)'", message.partition("write ")[2])
    assert len(meanings) == 2
    assert all(units.dimension_of(unit) == "size" for unit in meanings)


@pytest.mark.parametrize(
    "text", ["Mbps", "Mb/s", "MBps", "kbps", "KB/s", "KBps", "Gb/s", "bps", "Bps", "b/s", "K", "M"]
)
def test_ambiguous_rates_name_two_meanings(text):
    message = refusal(f"10 {text}", "rate")
    assert f"found the ambiguous unit '{text}'" in message
    meanings = re.findall("'([^']+)'", message.partition("write ")[2])
    assert len(meanings) == 2
    assert all(units.dimension_of(unit) == "rate" for unit in meanings)


def test_a_unit_of_another_dimension_is_named_as_such():
    for actual in ALL:
        for wanted in ALL:
            if actual != wanted:
                text = units.example(actual)
                assert refusal(text, wanted).startswith(f"found '{text}', {units.DIMENSIONS[actual].noun}; ")


def test_the_bound_itself_is_accepted_and_one_more_is_not():
    assert parse(f"{LIMIT} ps", "time") == LIMIT
    assert parse(f"{LIMIT} B", "size") == LIMIT
    refusal(f"{LIMIT + 1} ps", "time")
    refusal(f"{LIMIT + 1} B/s", "rate")


def test_an_unknown_dimension_is_a_mistake_of_the_caller():
    with pytest.raises(ValueError, match="no dimension 'mass'; there are time, size, ") as caught:
        parse("1 kg", "mass")
    assert not isinstance(caught.value, UnitError)


def test_a_unit_error_becomes_a_fault_and_passes_between_processes():
    with pytest.raises(UnitError) as caught:
        parse("64 KB", "size")
    error = pickle.loads(pickle.dumps(caught.value))
    assert str(error) == str(caught.value)
    problem = error.problem("disks.d.buffer")
    assert (problem.path, problem.expected) == ("disks.d.buffer", "a size such as '64 KiB'")
    assert problem.hint == "write 'kB' (1000 bytes) or 'KiB' (1024 bytes)"


def test_pydantic_collects_a_unit_error_with_its_parts():
    class Sheet(pydantic.BaseModel):
        buffer: int

        @pydantic.field_validator("buffer", mode="before")
        @classmethod
        def read(cls, value: object) -> object:
            return parse(value, "size")

    assert Sheet.model_validate({"buffer": "2 kB"}).buffer == 2000
    with pytest.raises(pydantic.ValidationError) as caught:
        Sheet.model_validate({"buffer": "2 KB"})
    error = caught.value.errors()[0]["ctx"]["error"]
    assert error.found == "the ambiguous unit 'KB' in '2 KB'"


NEAR_QUANTITIES = st.one_of(
    st.text(max_size=30),
    st.from_regex(r"\A[-+.0-9_eE,x ]{0,12}[a-zA-Z/ ]{0,6}\Z"),
    st.builds(
        "{} {}".format,
        st.text("0123456789.eE-+_, ", max_size=12),
        st.sampled_from([*DIMENSION_OF, "KB", "Mbps", "K"]),
    ),
)


@settings(deadline=None)
@given(NEAR_QUANTITIES, st.sampled_from(ALL))
@with_example("1e", "time")
@with_example("\u0661 us", "time")
@with_example("9" * 101, "size")
def test_any_text_is_read_within_bounds_or_refused_in_one_line(text, dimension):
    value, error = read(text, dimension)
    spelt_well = re.search(units.regex(dimension), text.strip())
    if error is None:
        assert 0 <= value <= LIMIT
        assert spelt_well
    else:
        assert error.found
        assert str(error).isprintable()
        # What an editor lets pass is refused for its value only.
        assert not spelt_well or re.search("in whole|at most|digits|exponent", error.expected)


def read(text, dimension):
    try:
        return parse(text, dimension), None
    except UnitError as error:
        return None, error


def test_an_int_too_long_to_print_is_refused_too():
    assert "without a unit" in refusal(10**5000, "time")


@settings(deadline=None)
@given(st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.lists(st.text()), st.binary()))
def test_anything_but_text_is_refused(value):
    assert refusal(value, "rate").startswith("found ")


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


@settings(deadline=None)
@given(st.integers(0, LIMIT), st.sampled_from(["time", "size"]))
def test_exact_texts_of_times_and_sizes_read_back(value, dimension):
    assert parse(format_quantity(value, dimension, digits=None), dimension) == value


@settings(deadline=None)
@given(st.integers(0, 10**9), st.integers(0, 6), st.sampled_from(ALL), st.data())
def test_what_is_written_exactly_is_what_was_read(figures, places, dimension, data):
    unit = data.draw(st.sampled_from(units.units_of(dimension)))
    value, error = read(f"{figures}e-{places} {unit}", dimension)
    assume(error is None)
    assert parse(format_quantity(value, dimension, unit, digits=None), dimension) == value
    assert parse(format_quantity(value, dimension, digits=None), dimension) == value


@settings(deadline=None)
@given(st.fractions(min_value=0, max_value=LIMIT), st.sampled_from(ALL), st.integers(1, 9))
def test_rounding_keeps_the_digits_asked_for(value, dimension, digits):
    number, unit = format_quantity(value, dimension, digits=digits).split(" ")
    shown = Fraction(number) * units.DIMENSIONS[dimension].units[unit]
    assert abs(shown - value) * 2 * 10 ** (digits - 1) <= max(value, shown)


@settings(deadline=None)
@given(st.fractions() | st.integers() | st.floats(), st.sampled_from(ALL), st.none() | st.integers(1, 30))
def test_any_number_can_be_written(value, dimension, digits):
    assert format_quantity(value, dimension, digits=digits)
