"""Texts that are no quantity: what was found, what was expected, and what may have been meant."""

import pickle
import re

import pydantic
import pytest
from hypothesis import example as with_example
from hypothesis import given
from hypothesis import strategies as st
from unit_texts import read, refusal

from simio import units
from simio.units import LIMIT, UnitError, parse
from simio.units.table import DIMENSION_OF

ALL = sorted(units.DIMENSIONS)


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
        # A line that an editor lets pass is refused for its value only.
        assert not spelt_well or re.search("in whole|at most|digits|exponent", error.expected)


def test_an_int_too_long_to_print_is_refused_too():
    assert "without a unit" in refusal(10**5000, "time")


@given(st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.lists(st.text()), st.binary()))
def test_anything_but_text_is_refused(value):
    assert refusal(value, "rate").startswith("found ")
