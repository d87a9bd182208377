"""Adapters and hosts that take no time: a transfer costs what its links and switch cost."""

from __future__ import annotations

from pathlib import Path

from simio.engines import compiled, reference
from simio.engines.outcome import Options
from simio.loading import load
from simio.lower import lower
from simio.program.steps import Program

SCENARIO = Path(__file__).parents[3] / "benchmarks" / "tcp-wire.yaml"


def transfer(*sets: str) -> Program:
    (case,) = load(SCENARIO, sets).cases
    return lower(case.system)


def test_nothing_but_wires_is_busy() -> None:
    program = transfer("workload.ttcp.writes=1")
    run = compiled.run(program, Options())
    busy = {
        resource.name for resource, (time, *_) in zip(program.resources, run.resources.tolist(), strict=True) if time
    }
    assert busy == {"one.ge>switch", "switch>other.ge", "other.ge>switch", "switch>one.ge"}


def test_time_of_one_segment_is_that_of_the_wires() -> None:
    # A frame of n bytes takes (max(n + 18, 64) + 8) * 8 ns on each of two wires of 100 ns. A SYN and its answer of
    # 40 bytes go one way each; then a segment of 1,000 bytes of data follows the answer's acknowledgement, a least
    # frame with its gap.
    def way(length: int) -> int:
        return 2 * ((max(length + 18, 64) + 8) * 8_000 + 100_000)

    program = transfer("workload.ttcp.writes=1", "workload.ttcp.size=1000 B")
    run = compiled.run(program, Options())
    delivered = next(number for number, mark in enumerate(program.marks) if mark.role == "delivered")
    assert run.marks[run.marks[:, 1] == delivered].tolist() == [
        [2 * way(40) + 84 * 8_000 + way(1040), delivered, 1000]
    ]
    assert run.differences(reference.run(program, Options())) == []


def test_wires_are_full_once_the_window_is() -> None:
    # Full segments of 1,460 bytes follow one another every 1,538 byte times.
    program = transfer("workload.ttcp.writes=40")
    run = compiled.run(program, Options())
    wire = next(number for number, resource in enumerate(program.resources) if resource.name == "one.ge>switch")
    data = 40 * 60 * 1024
    assert data / 1460 * 1538 * 8000 <= run.resources[wire, 0] <= run.end <= 1.02 * data / 1460 * 1538 * 8000
