"""Targets of a replay: addresses, devices and volumes, and the columns that say so."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from replay_bench import FIVE, THREE, US, made

from simio.errors import RunError, ScenarioError
from simio.loading import load
from simio.running import run_case
from simio.workloads.replay.addresses import Placement

# --- addresses ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("place", "size", "capacity", "more", "expected"),
    [
        (10_000, 512, 4096, {"fit": "wrap"}, 10_000 // 512 % 8 * 512),
        (3584, 1024, 4096, {"fit": "wrap"}, 3072),
        (8192, 512, 4096, {"fit": "scale", "extent": 16384}, 2048),
        (8192, 512, 32768, {"fit": "scale", "extent": 16384}, 16384),
        (16384 - 512, 1024, 4096, {"fit": "scale", "extent": 16384}, 3072),
        (512, 512, 4096, {"fit": "exact", "shift": 1024}, 1536),
        (3584, 512, 4096, {"fit": "wrap", "shift": 1024}, 512),
        (2**50, 512, 2**45, {"fit": "scale", "extent": 2**51}, 2**44),
    ],
)
def test_addresses_are_brought_onto_the_target(place, size, capacity, more, expected) -> None:
    values = {"fit": "exact", "shift": 0, "extent": capacity, **more}
    fitted = Placement(target=0, grain=512, capacity=capacity, **values)
    assert fitted.of(np.array([place // 512 * 512]), np.array([size])).tolist() == [expected]


@given(
    st.lists(st.tuples(st.integers(0, 2**33), st.integers(1, 64)), min_size=1),
    st.integers(64, 2**31),
    st.sampled_from(["wrap", "scale"]),
    st.integers(0, 2**32),
)
def test_fitted_addresses_lie_on_the_target(requests, blocks, fit, shift) -> None:
    places, sizes = (np.array(each) * 512 for each in zip(*requests, strict=True))
    capacity = blocks * 512 + 100
    fitted = Placement(0, fit, 512, shift * 512, int((places + sizes).max()), capacity)
    found = fitted.of(places, sizes)
    assert (found >= 0).all()
    assert (found + sizes <= capacity).all()
    assert (found % 512 == 0).all()


def test_a_replay_wraps_around_a_smaller_disk(scenario) -> None:
    path = scenario("R Hit 99000000 8 5 6\nR Hit 0 8 5 6", more=", fit: wrap")
    capacity = 9_200_132_096
    assert [row["offset"] for row in made(path)] == [99_000_000 * 512 % capacity, 0]


# --- several devices and volumes ---------------------------------------------------------------------------


def test_a_group_has_a_disk_for_each_device(scenario) -> None:
    rows = made(scenario(FIVE, "disksim-ascii", ", mode: recorded", count=2))
    assert [row["device"] for row in rows] == ["d1", "d1", "d2", "d1", "d2"]


@pytest.mark.parametrize(
    ("more", "count", "message"),
    [
        (", storage: d", 1, "the trace of 2 devices ('0', '1') on 'd'; say which device goes where"),
        (", storage: d", 3, "the trace of 2 devices on 3 disks; make a volume of them"),
        (", devices: {'0': d1}", 2, "no target for '1' of the trace; others: NAME is for all others"),
        (", devices: {'0': d1, '1': d1, '7': d2}", 2, "no device '7' in the trace, which has '0', '1'"),
        (", devices: {others: none}", 2, "leaves out every device of the trace"),
        (", devices: {others: d}", 2, "'d' is a group of disks; name one of them"),
    ],
)
def test_it_has_to_be_clear_which_device_goes_where(scenario, more, count, message) -> None:
    path = scenario(FIVE, "disksim-ascii", f", mode: recorded{more}", count=count, no_storage=True)
    with pytest.raises(RunError) as caught:
        run_case(load(path).cases[0])
    assert message in str(caught.value)


def test_two_devices_may_go_to_one_disk(scenario) -> None:
    path = scenario(FIVE, "disksim-ascii", ", mode: recorded, devices: {others: d}", no_storage=True)
    assert {row["device"] for row in made(path)} == {"d"}


VOLUME = "volumes:\n  v: {kind: raid5, of: d, unit: 32 KiB}\n"


def test_a_volume_takes_the_sizes_that_there_are(scenario) -> None:
    path = scenario(FIVE.replace(" 1 ", " 0 ", 1), "disksim-ascii", ", mode: recorded, devices: {others: v}", 4, True)
    path.write_text(path.read_text() + VOLUME)
    rows = made(path)
    assert [row["size"] for row in rows] == [4096, 4096, 8192, 4096, 2048]
    assert rows == made(path, engine="simpy")


def test_too_many_sizes_for_a_volume_are_refused(scenario) -> None:
    text = "".join(f"{number} 0 {1000 * number} {number + 1} 1\n" for number in range(70))
    path = scenario(text, "disksim-ascii", ", mode: recorded, devices: {others: v}", 4, True)
    path.write_text(path.read_text() + VOLUME)
    with pytest.raises(RunError, match="more than 64 different sizes.*align: 64 KiB, say, leaves fewer"):
        run_case(load(path).cases[0])
    assert len(made(path, "workload.replay.align=16 KiB")) == 70


# --- columns -----------------------------------------------------------------------------------------------

OWN = """, mode: recorded, columns: {{header: 1, arrival: {{column: 2, unit: 1 ms}}, size: {{column: 4}},
      offset: {{column: 3, unit: 4 KiB}}, direction: {{column: 1, reads: [GET], writes: [PUT]}}{more}}}"""


@pytest.mark.parametrize("unit", ["1 ms", "ms"])
def test_a_scenario_describes_columns_of_its_own(scenario, unit: str) -> None:
    text = "verb,ms,page,bytes\nGET,5.5,1,4096\nPUT,7.25,3,8192\n"
    rows = made(scenario(text, None, OWN.format(more="").replace("1 ms", unit)))
    assert [(row["start"], row["offset"], row["size"], row["writes"]) for row in rows] == [
        (0, 4096, 4096, False), (1750 * US, 12288, 8192, True)
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (", clock: noon", "clock: found 'noon'; expected 'first' or 'zero'"),
        (", separator: '|'", "separator: found '|'"),
        (", pause: {column: 3}", "pause.unit: found nothing"),
        (", device: 0", "device"),
    ],
)
def test_mistakes_in_columns_are_told(scenario, more, message) -> None:
    with pytest.raises(ScenarioError) as caught:
        load(scenario("GET,1,1,4096\n", None, OWN.format(more=more)))
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("form", "message"),
    [
        ("{header: 1}", "found a mapping; expected the name of a format; columns of your own stand under 'columns'"),
        ("sbc", "expected 'alibaba', .* or 'spc'; did you mean 'spc'|'msr-cambridge', 'spc'"),
    ],
)
def test_a_format_has_a_name(scenario, form: str, message: str) -> None:
    with pytest.raises(ScenarioError, match=message) as caught:
        load(scenario(THREE, form))
    assert "None" not in str(caught.value)


def test_a_format_or_columns_are_needed(scenario) -> None:
    with pytest.raises(ScenarioError, match="format: found nothing; expected format, or else columns"):
        load(scenario(THREE, None))
