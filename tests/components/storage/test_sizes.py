"""Requests whose sizes are known only when they are made: the same times as with constants, on both engines."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from simio.components.site import Site
from simio.description.model import System
from simio.engines import compiled, reference
from simio.engines.outcome import Options
from simio.errors import RunError
from simio.loading import load
from simio.program.builder import Operand, Register
from simio.program.steps import Program

HOST = "h: {model: hosts/linux-2002-dual-p3, adapters: {a: {model: %s, bus: %s}}}"
IPI = "h: {model: hosts/sgi-challenge-l, adapters: {a: {model: adapters/sgi-ipi, bus: hio}}}"
PATHS = {
    "FCP through a switch": (
        HOST % ("adapters/qla2300", "pci"),
        "d: {model: disks/fc-15k-2002}",
        "switches: {s: {model: switches/fc-2g}}\n"
        "links: [{model: links/fc-2g, between: [h.a, s], length: 10 m},"
        " {model: links/fc-1g, between: [s, d], length: 10 m}]",
    ),
    "FCP on a loop": (
        HOST % ("adapters/qla2300", "pci"),
        "d: {model: disks/fc-15k-2002}",
        "links: [{model: links/fc-al-2g, between: [h.a, d], length: 10 m}]",
    ),
    "SCSI": (
        HOST % ("adapters/aic-7899", "pci"),
        "d: {model: disks/atlas-10k}",
        "links: [{model: links/scsi-ultra160, between: [h.a, d], length: 3 m}]",
    ),
    "IPI-3": (
        IPI,
        "d: {model: disks/ipi-array-1994}",
        "links: [{model: links/ipi-25, between: [h.a, d], length: 10 m}]",
    ),
}
SIZES = (1, 3, 8, 127, 128, 129, 700)
"""Of requests, in sectors."""


def system_of(tmp_path: Path, path: str) -> System:
    hosts, disks, rest = PATHS[path]
    file = tmp_path / "scenario.yaml"
    file.write_text(
        f"title: sizes\nhosts:\n  {hosts}\ndisks:\n  {disks}\n{rest}\n"
        "workload: {reader: {host: h, from: d, access: raw, block: 64 KiB, size: 1 MiB}}\n"
    )
    return load(file).cases[0].system


def unit_of(system: System) -> int:
    return int(system.disks["d"].part.sheet.sector)


Sized = Callable[[Site, int], Operand]
"""Gives the size of the request of this number."""


def requests(system: System, count: int, sized: Sized, verb: str, threads: int = 1, direct: bool = False) -> Program:
    """Threads that each make requests one after another, at ascending places; marks sizes and times."""
    site = Site(system)
    p, kernel, device = site.p, site.kernel("h"), site.device("h", "d")
    call = kernel.read_unbuffered if verb == "read" else kernel.write_unbuffered
    took, seen = p.observation("took", "latency", "ps"), p.observation("size")
    with p.workload("w"), p.thread("t", count=threads):
        at = p.register(0)
        for number in range(count):
            with p.scope():
                size = sized(site, number)
                p.mark(seen, size)
                with p.timed(took):
                    call(device, at, size, unit_of(system), direct)
                at.set(at + size)
    return p.build()


def marks(program: Program) -> list[list[int]]:
    first, second = (engine.run(program, Options(seed=7)) for engine in (compiled, reference))
    assert first.differences(second) == []
    assert first.status.name == "DONE"
    return [list(row) for row in first.marks.tolist()]


def constants(sizes: Sequence[int]) -> Sized:
    return lambda _, number: sizes[number]


def registers(sizes: Sequence[int]) -> Sized:
    return lambda site, number: site.p.register(sizes[number])


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("verb", ["read", "write"])
@pytest.mark.parametrize(("threads", "direct"), [(1, False), (1, True), (3, False)])
def test_a_constant_in_a_register_takes_the_time_of_the_constant(
    tmp_path: Path, path: str, verb: str, threads: int, direct: bool
) -> None:
    system = system_of(tmp_path, path)
    sizes = [size * unit_of(system) for size in SIZES]
    found, expected = (
        marks(requests(system, len(sizes), sized, verb, threads, direct))
        for sized in (registers(sizes), constants(sizes))
    )
    assert found == expected


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("verb", ["read", "write"])
def test_drawn_sizes_take_the_times_of_constants_of_the_same_values(tmp_path: Path, path: str, verb: str) -> None:
    system, count = system_of(tmp_path, path), 12
    unit = unit_of(system)

    def drawn(site: Site, number: int) -> Register:
        size = site.p.register()
        site.p.draw(size, site.p.uniform(f"size {number}", 1, 400))
        size.set(size * unit)
        return size

    found = marks(requests(system, count, drawn, verb))
    sizes = [value for _, mark, value in found if mark == found[0][1]]
    assert len(set(sizes)) > count // 2
    assert found == marks(requests(system, count, constants(sizes), verb))


def test_volumes_take_constants_only(tmp_path: Path) -> None:
    hosts, _, rest = PATHS["SCSI"]
    file = tmp_path / "scenario.yaml"
    file.write_text(
        f"title: sizes\nhosts:\n  {hosts}\ndisks:\n  d: {{model: disks/atlas-10k, count: 2}}\n{rest}\n"
        "volumes: {v: {kind: stripe, unit: 64 KiB, of: d}}\n"
        "workload: {reader: {host: h, from: v, access: raw, block: 64 KiB, size: 1 MiB}}\n"
    )
    site = Site(load(file).cases[0].system)
    with site.p.thread("t"):
        size = site.p.register(65536)
        with pytest.raises(RunError, match="'v' takes requests of sizes that are known beforehand only"):
            site.kernel("h").read_unbuffered(site.device("h", "v"), size, size, 65536)
