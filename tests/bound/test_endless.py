"""Bounds on work that only a time limit ends, on drives over a network, and in requests a second."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest
from click.testing import CliRunner

from simio.bound import bound
from simio.cli.main import main
from simio.loading import load
from simio.lower import lower
from simio.program.builder import Builder
from simio.program.requests import request_size
from simio.program.steps import ENDLESS
from simio.running import run_case

US = 10**6

FAR = """
title: Drives of a target over 10 Gbit/s
hosts:
  client:
    model: hosts/storage-client-2023
    kernel: kernels/linux-6.3
    adapters: {iscsi: {model: adapters/iscsi-linux, bus: pcie}}
  target: {model: hosts/storage-target-2023}
disks: {d: {model: disks/datacentre-tlc-2023, count: 2}}
links:
  - {model: links/nvme, between: [target.nvme, d]}
  - {name: net, model: links/ethernet-10g-jumbo, between: [client.eth, target.eth], length: 20 m}
  - {name: far, model: links/iscsi-lio, between: [client.iscsi, d]}
workload: {direct: {host: client, to: d, block: 64 KiB, depth: 32}}
run: {until: 10 ms, warm_up: 2 ms, replications: 1}
"""


@pytest.fixture
def far(tmp_path: Path) -> Path:
    path = tmp_path / "far.yaml"
    path.write_text(FAR)
    return path


def test_a_loop_without_end_is_bounded_by_its_turn_and_shares_unequally() -> None:
    """A turn of 1000 bytes takes 1 us of one resource, or 4 us of it in the other thread."""
    p = Builder()
    wire, delivered = p.resource("wire"), p.observation("delivered", "delivered", "bytes")
    for name, time in (("fast", US), ("slow", 4 * US)):
        with p.thread(name), p.forever(ENDLESS):
            p.seize(wire)
            p.wait(time)
            p.release(wire)
            p.mark(delivered, 1000)
    found = bound(p.build())
    until = 10**9
    # All of the time goes to the thread that needs least, and each has a turn that is not counted yet.
    assert found.slack == 2000
    assert found.cap(until).rate == 10**9
    assert found.allows(1000 * 1000, until, complete=False)
    assert not found.allows(1000 * 1003, until, complete=False)


def test_a_loop_that_is_not_promised_has_no_bound() -> None:
    p = Builder()
    delivered = p.observation("delivered", "delivered", "bytes")
    with p.thread("one"), p.forever():
        p.wait(US)
        p.mark(delivered, 1000)
    assert bound(p.build()).tightest is None


@pytest.mark.parametrize("reads", ["100 %", "0 %"])
def test_reads_and_writes_of_far_drives_are_bounded_by_the_wire(far: Path, reads: str) -> None:
    """A segment of 8948 bytes takes a frame of 9000 with 14 + 4 + 20 bytes around it."""
    case = load(far, [f"workload.direct.reads={reads}"]).cases[0]
    cap = bound(lower(case.system)).cap(case.system.run.until)
    assert cap.name == ("target.eth>client.eth" if reads == "100 %" else "client.eth>target.eth")
    assert float(cap.rate) == pytest.approx(1.25e9 * 8948 / 9038, rel=1e-4)
    result = run_case(case)
    assert 0.99 * cap.rate < result.rate <= cap.rate
    assert result.bound == cap.rate


def test_a_mixture_is_bounded_by_what_both_pass(far: Path) -> None:
    case = load(far, ["workload.direct.reads=50 %"]).cases[0]
    result = run_case(case)
    assert result.bound is None or result.rate <= result.bound


def test_a_bound_is_in_requests_where_all_have_one_size(far: Path) -> None:
    def lines(*settings: str) -> str:
        sets = [part for each in ("report.unit=kIOPS", *settings) for part in ("--set", each)]
        return CliRunner().invoke(main, ["bound", str(far), *sets]).stdout

    rate = Fraction(lower_rate(far)) / 65536 / 1000
    assert f"at most {float(rate):.4g} kIOPS" in lines()
    assert "in bytes: the run decides" not in lines()


def lower_rate(path: Path) -> Fraction:
    case = load(path).cases[0]
    return bound(lower(case.system)).cap(case.system.run.until).rate


def test_a_request_has_a_size_where_each_place_times_one_beside_its_bytes() -> None:
    def size(*amounts: int, timed: int = 1, apart: bool = False) -> int | None:
        p = Builder()
        delivered, took = p.observation("delivered", "delivered", "bytes"), p.observation("took", "latency", "ps")
        for number, amount in enumerate(amounts):
            with p.thread(f"t{number}"), p.loop(10):
                p.mark(delivered, amount)
                with p.loop(2 if apart else 1):
                    for _ in range(timed):
                        p.mark(took, 5)
        return request_size(p.build())

    assert size(4096) == size(4096, 4096) == 4096
    assert size(4096, 8192) is None
    assert size(4096, timed=2) is None
    assert size(4096, apart=True) is None
