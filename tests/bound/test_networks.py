"""Bounds of what goes over links: tokens of a bucket pass before they are served, and datagrams take wires too."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest
from click.testing import CliRunner

import simio
from simio.bound import bound
from simio.cli.main import main
from simio.limits import Bound
from simio.loading import load
from simio.lower import lower
from simio.program.builder import Builder
from simio.program.service import SECOND
from simio.result.model import CaseResult

MS = 10**9
BUCKET = """
title: A transfer beside a bucket that holds more
hosts: {a: {model: hosts/linux-namespace}, b: {like: a}}
links:
  - {name: link, model: links/emulated, between: [a.eth, b.eth], delay: 1 ms, rate: 1 Mbit/s, burst: 256 kB}
workload: {ttcp: {from: a, to: b, size: 100 kB, writes: 1}}
report: {unit: Mbit/s}
"""
DATAGRAMS = """
title: Datagrams between two servers with queues
hosts: {a: {model: hosts/server-2023-2s}, b: {like: a}}
switches: {tor: {model: switches/ideal-ethernet}}
links:
  - {name: up, model: links/ethernet-100g, between: [a.eth, tor]}
  - {name: down, model: links/ethernet-25g, between: [tor, b.eth]}
workload: {d: {kind: datagrams, from: a, to: b, size: 1472 B, count: 44000, batch: 44, streams: 2, period: 30 us}}
run: {until: 600 us, warm_up: 100 us}
"""
OTHER = "workload: {t: {kind: ttcp, from: a, to: b, size: 64 KiB}, "
Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def written(text: str) -> Path:
        path = tmp_path / "case.yaml"
        path.write_text(text)
        return path

    return written


def _bound(path: Path, *sets: str) -> Bound:
    return bound(lower(load(path, sets).cases[0].system))


def _run(path: Path, *sets: str) -> CaseResult:
    return simio.load(path, sets).run().cases[0]


def test_work_passes_a_resource_early_and_the_rest_at_its_rate() -> None:
    p = Builder()
    server = p.resource("server")
    p.early(server, 3 * MS)
    with p.thread("worker"), p.loop(5), p.hold(server):
        p.wait(2 * MS)
        p.mark(p.observation("delivered", "delivered", "bytes"), 100)
    found = bound(p.build())
    limits = {limit.name: limit.time for limit in found.limits}
    # Of 10 ms, 3 pass before; within 1 ms, work of 4 ms: two of five loops.
    assert limits["server"] == 7 * MS
    assert found.most_by(MS, next(one for one in found.stations if one.name == "server")) == 200


def test_a_transfer_that_fits_the_bucket_keeps_the_law(write: Write) -> None:
    # 100 kB find 256 kB of tokens. At the rate they would take 837 ms; they take round trips of 2 ms.
    case = _run(write(BUCKET))
    assert case.rate > Fraction(10**6, 8)
    assert case.bound is None or case.rate <= case.bound


def test_a_cut_off_run_has_the_tokens_of_the_full_bucket_and_the_rate(write: Write) -> None:
    # Within a second 125 kB flow in, and 256 kB were there; 1448 of 1514 bytes are data.
    path = write(BUCKET)
    found = _bound(path, "workload.ttcp.writes=none", "run.until=1 s").cap(SECOND)
    assert found
    assert float(found.rate) == pytest.approx(381_000 * 1448 / 1514, rel=1e-3)
    case = _run(path, "workload.ttcp.writes=none", "run.until=1 s", "run.warm_up=0 s")
    assert 0.98 * float(found.rate) < case.throughput.amount <= float(found.rate)


def test_the_bound_of_what_takes_no_time_says_so(write: Write) -> None:
    path = write(BUCKET.replace("delay: 1 ms, ", ""))
    output = CliRunner().invoke(main, ["bound", str(path)]).output
    assert "no bound, since nothing is certain to take time" in output


def test_datagrams_of_adapters_with_queues_take_each_wire(write: Write) -> None:
    # 1472 bytes of data take 1538 of the line.
    path = write(DATAGRAMS)
    rates = {cap.name: float(cap.rate) for cap in _bound(path).caps(600 * 10**6)}
    assert rates["tor>b.eth"] == pytest.approx(25e9 / 8 * 1472 / 1538, rel=1e-4)
    assert rates["a.eth>tor"] == pytest.approx(100e9 / 8 * 1472 / 1538, rel=1e-4)
    case = _run(path)
    assert 0.95 * rates["tor>b.eth"] < float(case.rate) <= rates["tor>b.eth"]
    assert case.bound_by == "tor>b.eth"


def test_datagrams_over_a_bond_take_its_members(write: Write) -> None:
    path = write(
        DATAGRAMS.replace(
            "ethernet-100g, between: [a.eth, tor]",
            "ethernet-10g, between: [a.eth, tor], bond: {members: 2, hash: layer3+4}",
        )
    )
    rates = {cap.name: float(cap.rate) for cap in _bound(path).caps(600 * 10**6)}
    assert rates["a.eth>tor members"] == pytest.approx(2 * 10e9 / 8 * 1472 / 1538, rel=1e-4)


def test_datagrams_that_may_be_lost_take_nothing_from_others(write: Write) -> None:
    # Where they are dropped, the connection has the wire for itself.
    path = write(DATAGRAMS.replace("workload: {", OTHER).replace("size: 1472 B", "size: 64 B"))
    rates = {cap.name: float(cap.rate) for cap in _bound(path).caps(600 * 10**6)}
    assert rates["tor>b.eth"] > 25e9 / 8 * 1448 / 1538
