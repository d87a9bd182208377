"""Values of keys as users write them, and the configurations that are made of them."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simio import units
from simio.errors import SimioError
from simio.sweeps.space import Space
from simio.sweeps.values import axis, number_of, paired


def values(text: str) -> list[str]:
    return [point[0] for point in axis(f"key={text}", "--set").points]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a, b ,c", ["a", "b", "c"]),
        ("1..5", ["1", "2", "3", "4", "5"]),
        ("1..10:+3", ["1", "4", "7", "10"]),
        ("1..11:+3", ["1", "4", "7", "10"]),
        ("64KiB..2MiB:x2", ["64 KiB", "128 KiB", "256 KiB", "512 KiB", "1 MiB", "2 MiB"]),
        ("10 us..1ms:x10", ["10 us", "100 us", "1 ms"]),
        ("0.1..0.3:+0.1", ["0.1", "0.2", "0.3"]),
        ("1,2,4..16:x2", ["1", "2", "4", "8", "16"]),
        ("5", ["5"]),
        ("[a, b],{c: d, e: f}", ["[a, b]", "{c: d, e: f}"]),
        ("'x, y',z", ["'x, y'", "z"]),
        ("./../disk.yaml", ["./../disk.yaml"]),
        ("1B..10B:x1.5", ["1 B", "2 B", "3 B", "5 B", "8 B"]),
        ("10%..30%:+10%", ["10 %", "20 %", "30 %"]),
    ],
)
def test_lists_and_ranges(text, expected):
    assert values(text) == expected


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("5..1", "expected the lower end first"),
        ("1KiB..2MiB", "without a step; expected one such as ':x2' or ':+64 KiB'"),
        ("1..2MiB:x2", "both ends in units of the same kind"),
        ("1KiB..1s:x2", "both ends in units of the same kind"),
        ("1KB..2KB:x2", "found '1KB' in '1KB..2KB:x2'; expected a number"),
        ("1..4:x1", "the step 'x1'"),
        ("1..4:+0", "the step '+0'"),
        ("1KiB..4KiB:+1", "the step '+1'"),
        ("1,2,1", "found '1' again"),
        ("1..1e9", "1000000000 values"),
        ("1..1e999999999", "found '1e999999999' in '1..1e999999999'; expected a number"),
        ("1..2:x1e999999999", "the step 'x1e999999999'"),
        ("1..10:x1.000001", "too many values"),
        ("0..8:x2", "expected a lower end above zero for 'x2'"),
        (",", "expected at least one value"),
    ],
)
def test_what_is_no_range(text, told):
    with pytest.raises(SimioError, match="^--set key: ") as error:
        values(text)
    assert told in str(error.value)


@given(low=st.integers(1, 10**6), factor=st.integers(2, 9), steps=st.integers(0, 12))
def test_a_ladder_has_its_ends_and_equal_ratios(low, factor, steps):
    found = [units.parse(text, "size") for text in values(f"{low}B..{low * factor**steps} B:x{factor}")]
    assert found == [low * factor**step for step in range(steps + 1)]


def test_pairs_are_one_axis():
    both = paired([axis("a=1,2,3", "--pair"), axis("b=x,y,z", "--pair")])
    found = Space((both, axis("c=0,1", "--set"))).configurations()
    assert found[:3] == [
        {"a": "1", "b": "x", "c": "0"},
        {"a": "1", "b": "x", "c": "1"},
        {"a": "2", "b": "y", "c": "0"},
    ]
    assert len(found) == 6


SAMPLED = ("size=16KiB..4MiB:log", "share=0.5..2.5", "count=1..9", "model=u,v,w")


def sample(number: int, seed: int = 0, lhs: bool = True, axes: tuple[str, ...] = SAMPLED):
    return Space(tuple(axis(text, "--set", intervals=True) for text in axes), number, lhs, seed)


def test_a_hypercube_meets_each_slice_of_each_axis_once():
    found = sample(9).configurations()
    assert sorted(each["count"] for each in found) == [str(n) for n in range(1, 10)]
    assert sorted(each["model"] for each in found) == [*"uuuvvvwww"]
    slices = [int((float(each["share"]) - 0.5) / 2 * 9) for each in found]
    assert sorted(slices) == list(range(9))


def test_sampled_sizes_are_whole_blocks_within_their_ends():
    for lhs in (True, False):
        for each in sample(200, lhs=lhs).configurations():
            size = units.parse(each["size"], "size")
            assert size % 16384 == 0
            assert 16384 <= size <= 4 * 2**20


def test_a_sample_is_that_of_its_seed_and_of_each_key_alone():
    assert sample(7, 3).configurations() == sample(7, 3).configurations()
    assert sample(7, 3).configurations() != sample(7, 4).configurations()
    assert sample(7, 3).configurations() != sample(7, 3, lhs=False).configurations()
    fewer = sample(7, 3, axes=SAMPLED[1:]).configurations()
    assert [each["count"] for each in fewer] == [each["count"] for each in sample(7, 3).configurations()]


def test_too_many_and_twice_the_same():
    with pytest.raises(SimioError, match="found 1000000 configurations"):
        Space((axis("a=1..1000", "--set"), axis("b=1..1000", "--set"))).configurations()
    with pytest.raises(SimioError, match="values for a twice"):
        Space((axis("a=1,2", "--set"), axis("a=3", "--pair"))).configurations()


def test_a_key_twice_in_a_pair_is_told_with_both_numbers():
    with pytest.raises(SimioError, match="found 1 for a, 2 for a; expected as many values for each"):
        paired([axis("a=1", "--pair"), axis("a=1,2", "--pair")])


def test_a_sample_of_nothing_is_refused():
    with pytest.raises(SimioError, match="--sample: found no values"):
        Space((), 5).configurations()


def test_numbers_of_values():
    assert number_of("64 KiB") == (Fraction(65536), "size")
    assert number_of("1_000") == (Fraction(1000), None)
    for word in ("true", "hosts/x", "1 KB", "", "e", "1e"):
        assert number_of(word) is None
