"""Millions of packets: the line's rates, what limits them, and what a wrong scenario is told."""

from __future__ import annotations

import copy
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import yaml

from simio.errors import SimioError
from simio.loading import catalogue, load
from simio.result.model import CaseResult
from simio.running import RunOptions, run_scenario

GIVEN: dict[str, Any] = {
    "title": "packets",
    "hosts": {"dut": {"model": "hosts/xeon-e5-1650-v4"}, "tester": {"model": "hosts/linux-namespace"}},
    "links": [{"model": "links/ethernet-100g", "between": ["dut.nic", "tester.eth"], "length": "2 m"}],
    "workload": {"packets": {"host": "dut", "adapter": "nic"}},
    "run": {"until": "20 us", "warm_up": "5 us"},
}


@pytest.fixture(name="result")
def make_result(tmp_path: Path) -> Callable[..., CaseResult]:
    return partial(run, tmp_path / "packets.yaml")


def run(
    path: Path, engine: str = "simpy", link: str = "links/ethernet-100g", dut: Any = None, **params: Any
) -> CaseResult:
    given = copy.deepcopy(GIVEN)
    given["links"][0]["model"] = link
    given["hosts"]["dut"].update(dut or {})
    given["workload"]["packets"].update(params)
    if "packets" in params:
        given["run"] = {"warm_up": "0 s"}
    path.write_text(yaml.safe_dump(given), encoding="utf-8")
    (case,) = run_scenario(load(path), options=RunOptions(engine=engine)).cases
    return case


def counts(case: CaseResult) -> dict[str, int]:
    return {tally.what: tally.value for tally in case.tallies}


@pytest.mark.parametrize(
    ("link", "frame", "rate"),
    [
        ("links/ethernet-100g", "64 B", 148.81),
        ("links/ethernet-10g", "64 B", 14.881),
        ("links/ethernet-100g", "1518 B", 8.1274),
    ],
)
def test_the_line_carries_what_frames_preambles_and_gaps_leave(result, link: str, frame: str, rate: float) -> None:
    # RFC 2544, section 9.1 has these rates for 10 and 100 Mbit/s: 14880 and 148809 frames of 64 bytes a second.
    card = {"model": "adapters/connectx-5", "bus": "slot", "generation": 5}
    dut = {"buses": {"slot": {"model": "buses/pcie-5-x16"}}, "adapters": {"nic": card}}
    case = result(link=link, frame=frame, does="dpdk-drop", cores=6, dut=dut)
    assert float(case.requests) / 1e6 == pytest.approx(rate, rel=0.02)


def test_no_more_pass_than_the_link_to_the_host_can_take(result) -> None:
    case = result(does="dpdk-drop", cores=6)
    # A packet of 60 bytes and a completion of 64 with 24 each, and 16 bytes asked for, 32 at a time, at 15.754 GB/s.
    up = 60 + 24 + 64 + 24 + 24 / 32
    overhead = 0.95
    assert float(case.requests) / 1e6 == pytest.approx(15754 * overhead / up, rel=0.06)


def test_both_engines_agree_on_bursts(result) -> None:
    for counts_from in ("first", "last", "event"):
        dut = {"adapters": {"nic": {"model": "adapters/connectx-5", "bus": "slot", "coalesce_from": counts_from}}}
        params = {
            "does": "xdp-redirect",
            "rate": "5 Mpackets/s",
            "burst": 32,
            "sample": 3,
            "packets": 500,
            "dut": dut,
        }
        first, second = (result(engine, **params) for engine in ("simpy", "compiled"))
        assert first.end == second.end
        assert first.tallies == second.tallies
        assert first.observations == second.observations


def test_both_engines_agree_on_windows_and_times_of_a_generator(result) -> None:
    params = {"does": "xdp-redirect", "rate": "2 Mpackets/s", "window": "15 us", "stamps": "software", "sample": 2}
    first, second = (result(engine, **params, packets=200) for engine in ("simpy", "compiled"))
    assert (first.end, first.tallies, first.observations) == (second.end, second.tallies, second.observations)


def test_the_driver_moves_through_the_profiles_of_its_adapter(result) -> None:
    # Packets that come once a us: in steady state each interrupt serves 64 of them, or, with a delay of 256 us from
    # the interrupt before, 256.
    given = {"does": "raw-drop", "rate": "1 Mpackets/s", "packets": 100_000, "engine": "compiled"}
    found = {}
    for profiles, counts_from in (("last", "event"), ("event", "event")):
        nic = {"model": "adapters/connectx-5", "bus": "slot", "profiles": profiles, "coalesce_from": counts_from}
        found[profiles] = counts(result(**given, dut={"adapters": {"nic": nic}}))["interrupts"]
    assert 100_000 / 64 < found["last"] < 100_000 / 32
    assert 100_000 / 256 < found["event"] < 100_000 / 64


def test_both_engines_agree_on_profiles(result) -> None:
    nic = {"model": "adapters/connectx-5", "bus": "slot", "profiles": "event", "coalesce_from": "event"}
    params = {"does": "raw-drop", "rate": "1 Mpackets/s", "packets": 3000, "dut": {"adapters": {"nic": nic}}}
    first, second = (result(engine, **params) for engine in ("simpy", "compiled"))
    assert (first.end, first.tallies, first.observations) == (second.end, second.tallies, second.observations)


def test_bursts_keep_the_rate(result) -> None:
    even, bursts = (counts(result(does="dpdk-drop", rate="40 Mpackets/s", burst=burst))["came"] for burst in (1, 32))
    # 40 million a second for 20 us, less those on their way through the adapter, and a burst that is under way.
    assert even == pytest.approx(800, abs=10)
    assert bursts == pytest.approx(800, abs=34)


def test_a_generator_sends_together_what_is_due_within_its_window(result) -> None:
    # In 20 us 20 packets are due at even intervals of 1 us. Of a window of 15 us, the first 15 have come after 14
    # times 70 ns (a doorbell of 60 ns, and 10 ns of the driver); the next 15 come from 15 us on.
    given = {"does": "dpdk-forward", "rate": "1 Mpackets/s"}
    assert counts(result(**given))["came"] == 20
    assert counts(result(**given, window="15 us"))["came"] == 30
    assert counts(result(**given, window="15 us", packets=15))["came"] == 15
    # One packet at a time is never together with another.
    slow = {"does": "dpdk-forward", "rate": "50 kpackets/s", "packets": 2}
    assert result(**slow, window="15 us").end == result(**slow).end


def test_packets_of_a_window_are_one_doorbell_apart(result) -> None:
    # A packet is dropped, in 42.4 ns, before the next comes: one more packet is 70 ns more.
    given = {"does": "dpdk-drop", "rate": "1 Mpackets/s", "window": "15 us"}
    ends = [result(**given, packets=packets).end for packets in (2, 3, 15)]
    assert (ends[1] - ends[0], ends[2] - ends[0]) == (70_000, 13 * 70_000)


def test_times_by_a_generator_are_longer_by_its_own_way_out_and_in(result) -> None:
    params = {"does": "dpdk-forward", "rate": "1 Mpackets/s", "packets": 50, "sample": 1}
    line, software = (result(**params, stamps=where).observations for where in ("line", "software"))
    (line,), (software,) = ([each for each in found if each.name.endswith(": packet")] for found in (line, software))
    longer = {high - low for low, high in zip((line.least, line.most), (software.least, software.most), strict=True)}
    # Two ways through an adapter (150 ns), a doorbell and a look at memory (60, 20), two posted writes (60 each), a
    # read (354), 22 for a packet received, 6.72 on the line, the cable's code, and some ten ns of transfers.
    coding = catalogue.sheet("links/ethernet-100g").sheet.coding // 1000
    assert len(longer) == 1
    assert longer.pop() / 1000 == pytest.approx(2 * 150 + 60 + 20 + 60 + 60 + 354 + 22 + 7 + coding, abs=45)


@pytest.mark.parametrize("does", ["xdp-redirect", "raw-drop", "dpdk-forward"])
def test_both_engines_agree_to_the_tick(result, does: str) -> None:
    params = {"does": does, "cores": 2, "rate": "20 Mpackets/s", "sample": 3, "packets": 500}
    first, second = (result(engine, **params) for engine in ("simpy", "compiled"))
    assert first.end == second.end
    assert first.tallies == second.tallies
    assert first.observations == second.observations


def test_a_rate_below_what_a_core_can_do_is_served(result) -> None:
    case = result(rate="4 Mpackets/s", packets=100, dut={"cpu": {"idle_deep": "0 s"}})
    assert counts(case)["came"] == 100
    assert case.throughput.amount == 100 * 64
    assert "dropped, no buffer in the ring" not in counts(case)


@pytest.mark.parametrize(
    ("params", "dut", "expected"),
    [
        ({"does": "xdp-dorp"}, {}, "'xdp-drop'"),
        ({"rate": "200 Mpackets/s"}, {}, "the link carries 148.8 Mpackets/s of 64 B"),
        ({"frame": "60 B"}, {}, "frames of 64 to 1518 B"),
        ({"adapter": "nix"}, {}, "'nic'"),
        ({"burst": 32}, {}, "a rate, as bursts of all that the link can carry have no pauses"),
        ({"window": "15 us"}, {}, "window: found no rate; expected a rate, by which packets are due"),
        ({"window": "15 us", "rate": "1 Mpackets/s", "burst": 2}, {}, "expected burst, of the line, or window"),
        ({"window": "15 us", "rate": "20 Mpackets/s"}, {}, r"one by one \(window\) sends 14.29 Mpackets/s"),
        ({"stamps": "software"}, {}, "packets do not come back from 'xdp-drop'"),
        ({"rate": "1 Mpackets/s"}, {"adapters": {"nic": {"gro_flush_timeout": "20 us"}}}, "is not modelled for this"),
        ({"cores": 7}, {}, "has 6 CPUs"),
        ({"cores": 6}, {"adapters": {"nic": {"queues": 4}}}, "has 4 queues, fewer than 6 cores"),
        ({}, {"kernel": {"model": "kernels/linux-6.x"}}, "has no costs of packets"),
    ],
)
def test_what_cannot_be_is_refused(result, params: dict[str, Any], dut: dict[str, Any], expected: str) -> None:
    with pytest.raises(SimioError, match=expected):
        result(dut=dut, **params)
