"""Processes on cores: what interfaces and schedulers leave of a drive, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from simio.errors import SimioError
from simio.loading import load
from simio.result.model import CaseResult
from simio.running import RunOptions, run_scenario

SCENARIO = """
title: A drive
hosts:
  server: {model: hosts/nvme-icpe24}
disks:
  d: {model: disks/optane-cheops23, count: 2, command_time: 1.666 us, stall_time: 0 s}
links:
  - {model: links/nvme, between: [server.nvme, d], length: 0 m}
workload:
  direct: {host: server, to: d1, registered: true, depth: 8, processes: 2}
run: {until: 1 ms, warm_up: 200 us, replications: 1}
"""
INTERFACES = ("psync", "libaio", "io_uring", "io_uring-iopoll", "io_uring-sqpoll", "spdk", "spdk-doorbells")
SCHEDULERS = ("none", "kyber", "mq-deadline", "bfq")


def run(folder: Path, *sets: str, engine: str = "compiled") -> CaseResult:
    path = folder / "drive.yaml"
    path.write_text(SCENARIO)
    return run_scenario(load(str(path), sets), sets, RunOptions(engine)).cases[0]


def served(result: CaseResult) -> int:
    return next(seen.count for seen in result.observations if seen.name == "direct: request")


def mean(result: CaseResult) -> float:
    return next(seen.mean for seen in result.observations if seen.name == "direct: request")


@pytest.mark.parametrize("interface", INTERFACES)
def test_both_engines_agree_on_each_interface(tmp_path: Path, interface: str) -> None:
    sets = (f"workload.direct.interface={interface}", "workload.direct.depth=1", "run.until=400 us")
    found = [run(tmp_path, *sets, engine=engine) for engine in ("compiled", "simpy")]
    assert found[0].throughput == found[1].throughput
    assert found[0].observations == found[1].observations
    assert found[0].tallies == found[1].tallies


@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_both_engines_agree_on_each_scheduler(tmp_path: Path, scheduler: str) -> None:
    sets = (f"hosts.server.kernel.scheduler={scheduler}", "workload.direct.to=d", "run.until=400 us")
    found = [run(tmp_path, *sets, engine=engine) for engine in ("compiled", "simpy")]
    assert found[0].observations == found[1].observations
    assert found[0].resources == found[1].resources


def test_less_kernel_is_less_latency(tmp_path: Path) -> None:
    alone = ("workload.direct.depth=1", "workload.direct.processes=1")
    times = [mean(run(tmp_path, f"workload.direct.interface={name}", *alone)) for name in ("libaio", "psync", "spdk")]
    assert times == sorted(times, reverse=True)


def test_processes_on_one_core_share_it(tmp_path: Path) -> None:
    # The drive is fast enough for both cores.
    sets = ("disks.d.command_time=0.1 us", "disks.d.dies=16")
    two = served(run(tmp_path, *sets))
    crowded = served(run(tmp_path, *sets, "workload.direct.cores=1"))
    assert crowded < 0.6 * two


def test_processes_on_one_core_share_the_requests_of_its_queue(tmp_path: Path) -> None:
    sets = ("run.until=400 us", "hosts.server.kernel.nr_requests=1")
    shared, other = (run(tmp_path, *sets, "workload.direct.cores=1", engine=each) for each in ("compiled", "simpy"))
    assert shared.observations == other.observations
    queues = [each.name for each in shared.resources if each.name.endswith("driver queue")]
    assert queues == ["direct 1: d1 driver queue"]
    # On two cores each has a request at the drive, on one they have one.
    assert served(run(tmp_path, *sets)) > 1.5 * served(shared)


def test_a_lock_holds_cores_up_that_kyber_does_not(tmp_path: Path) -> None:
    sets = (
        "workload.direct.processes=6",
        "workload.direct.depth=32",
        "disks.d.command_time=0.1 us",
        "disks.d.dies=16",
    )
    found = {
        scheduler: served(run(tmp_path, f"hosts.server.kernel.scheduler={scheduler}", *sets))
        for scheduler in SCHEDULERS
    }
    assert found["none"] > found["kyber"] > 1.5 * found["mq-deadline"] > 1.5 * found["bfq"]


def test_tokens_of_kyber_move_between_the_cores_of_a_drive(tmp_path: Path) -> None:
    sets = ("hosts.server.kernel.scheduler=kyber", "workload.direct.depth=16", "workload.direct.block=512 B")
    sets += ("workload.direct.to=d", "disks.d.command_time=0.1 us", "disks.d.dies=16")
    rates = {
        (count, line): served(
            run(tmp_path, *sets, f"workload.direct.processes={count}", f"hosts.server.cpu.line_near={line} ns")
        )
        for count in (1, 8)
        for line in (0, 2000)
    }
    assert rates[1, 0] == rates[1, 2000]
    # Most of eight cores share a word of bits, whose two lines then cost 4 us beside 3 of their own.
    assert 0.4 < rates[8, 2000] / rates[8, 0] < 0.7


def test_requests_gather_at_the_drive_that_lags(tmp_path: Path) -> None:
    """A process that goes through drives in turn is as fast as the slowest: nearly all requests wait there.

    Two drives of 1.666 us a command, one of which takes a quarter more; 64 requests outstanding.
    """
    sets = ("workload.direct.to=d", "workload.direct.interface=spdk", "workload.direct.depth=32")
    even = run(tmp_path, *sets, "disks.d.lag=none")
    lags = (*sets, "disks.d.lag=25%")
    gathered = [run(tmp_path, *lags, f"workload.direct.begin={begin}") for begin in ("in turn", "last")]
    for result in gathered:
        assert served(result) == pytest.approx(served(even) / 1.25, rel=0.03)
        seen = next(each for each in result.observations if each.name == "direct: request")
        assert seen.p50 < 0.3 * seen.p99
        assert seen.p99 == pytest.approx(60 * 1.25 * 1.666e6, rel=0.15)


def test_a_drive_has_no_scheduler_for_a_driver_in_user_space(tmp_path: Path) -> None:
    sets = ("workload.direct.interface=spdk",)
    assert served(run(tmp_path, *sets)) == served(run(tmp_path, "hosts.server.kernel.scheduler=bfq", *sets))


def test_a_buffer_that_begins_within_a_page_takes_a_core_longer(tmp_path: Path) -> None:
    # A polling core that is full: rates are those of its costs. Seven of eight buffers of 4 KiB lie on two pages.
    program = ("interface=spdk", "processes=1", "to=d", "program=0 s")
    sets = [f"workload.direct.{key}" for key in program]
    sets += [f"hosts.server.kernel.{key}" for key in ("user_layer=2 us", "user_page=1 us")]
    apart = [served(run(tmp_path, *sets, f"workload.direct.align={align}")) for align in ("4 KiB", "512 B")]
    assert apart[0] / apart[1] == pytest.approx((2.157 + 0.875 + 0.03) / (2.157 + 0.03), rel=0.02)
    assert served(run(tmp_path, *sets)) == apart[0]


def test_reads_and_writes_in_their_shares(tmp_path: Path) -> None:
    result = run(tmp_path, "workload.direct.reads=50 %", "workload.direct.pattern=sequential")
    lanes = {use.name: use.utilisation for use in result.resources if use.name.startswith("d1 lanes")}
    assert min(lanes.values()) > 0.3 * max(lanes.values())


def test_so_many_requests_and_no_more(tmp_path: Path) -> None:
    result = run(tmp_path, "workload.direct.requests=160", "run.until=none", "run.warm_up=0 s")
    assert served(result) == 160


@pytest.mark.parametrize(
    ("sets", "told"),
    [
        (("workload.direct.interface=aio",), "expected an interface: "),
        (("workload.direct.interface=psync",), "at most 1 with interface psync"),
        (("workload.direct.processes=11",), "has 10 CPUs"),
        (("workload.direct.block=1000 B",), "takes whole sectors"),
        (("workload.direct.span=1 TB",), "holds"),
        (("workload.direct.span=1 KiB",), "at least a block"),
        (("workload.direct.reads=110 %",), "at most 100 %"),
        (("hosts.server.kernel.scheduler=cfq",), "expected an I/O scheduler: "),
        (("hosts.server.kernel=kernels/linux-2.4.19",), "no multi-queue block layer"),
        (
            ("run.until=none", "run.warm_up=0 s"),
            "workload 'direct' never ends; expected a value of requests or of run.until",
        ),
    ],
)
def test_what_cannot_be_is_refused(tmp_path: Path, sets: tuple[str, ...], told: str) -> None:
    with pytest.raises(SimioError, match=told):
        run(tmp_path, *sets)


SIBLINGS = ("hosts.server.cpus=2", "hosts.server.cpu.smt=true", "workload.direct.to=d", "workload.direct.depth=64")


@pytest.mark.parametrize("interface", ["io_uring", "io_uring-iopoll"])
def test_both_engines_agree_on_hardware_threads(tmp_path: Path, interface: str) -> None:
    sets = (*SIBLINGS, f"workload.direct.interface={interface}", "run.until=400 us")
    found = [run(tmp_path, *sets, engine=engine) for engine in ("compiled", "simpy")]
    assert found[0].observations == found[1].observations
    assert found[0].tallies == found[1].tallies


def test_two_hardware_threads_do_more_than_a_core_and_less_than_two(tmp_path: Path) -> None:
    polls = "workload.direct.interface=io_uring-iopoll"
    one = run(tmp_path, polls, *SIBLINGS[2:], "workload.direct.processes=1")
    both = run(tmp_path, polls, *SIBLINGS, "run.until=2 ms")
    two = run(tmp_path, polls, *SIBLINGS[2:])
    assert float(two.rate / one.rate) == pytest.approx(2, rel=0.03)
    # Each thread goes at 65% of the core's rate while the other works.
    assert float(both.rate / one.rate) == pytest.approx(1.3, rel=0.05)


def test_threads_that_get_the_core_to_themselves_lose_nothing(tmp_path: Path) -> None:
    """Processes on two cores, with no sibling that works."""
    polls = ("workload.direct.interface=io_uring-iopoll", *SIBLINGS[2:])
    alone = run(tmp_path, *polls, "hosts.server.cpus=4", "hosts.server.cpu.smt=true")
    cores = run(tmp_path, *polls, "hosts.server.cpus=2")
    assert alone.observations == cores.observations


def test_cpus_are_a_multiple_of_the_hardware_threads(tmp_path: Path) -> None:
    with pytest.raises(SimioError) as refused:
        run(tmp_path, "hosts.server.cpus=3", "hosts.server.cpu.smt=true")
    assert "hosts.server.cpus: found 3 with two hardware threads a core (cpu.smt); expected an even number" in str(
        refused.value
    )
