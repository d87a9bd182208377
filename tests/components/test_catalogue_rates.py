"""Rates that follow from the datasheets of buses, links and adapters, against the figures that they are known by."""

from __future__ import annotations

from fractions import Fraction

import pytest
from part_samples import SCSI_DISK, Trace, link_of, part

from simio.components.host.bus import ParallelBus
from simio.components.storage.ipi import IpiBus
from simio.components.storage.loop import Loop
from simio.components.storage.scsi import ScsiBus
from simio.description.model import Part
from simio.loading import catalogue


def sheet(name: str) -> dict:
    """The values of a datasheet of the catalogue."""
    return dict(catalogue.sheet(name).sheet)


@pytest.mark.parametrize(
    ("name", "rate"),
    [
        ("scsi-1", 5), ("scsi-fast", 10), ("scsi-fast-wide", 20), ("scsi-ultra-wide", 40), ("scsi-ultra2", 80),
        ("scsi-ultra160", 160),
    ],
)  # fmt: skip
def test_a_scsi_bus_has_the_rate_of_its_name(trace: Trace, name: str, rate: int) -> None:
    bus = ScsiBus(trace.p, link_of("scsi", "scsi", (), **sheet(f"links/{name}")), ["a.s"], ["d"])
    drive = part("disk", "scsi", **{**SCSI_DISK, "synchronous": "320 MB/s", "width": "2 B"}).sheet
    adapter = part("adapter", "scsi", **{**sheet("adapters/aic-7899"), "synchronous": "320 MB/s"}).sheet
    assert bus.data_byte(adapter, drive) == Fraction(10**6, rate)
    # SCSI-2: bus free, settle, arbitration, clear and settle again.
    assert bus.arbitration == 4_800_000


@pytest.mark.parametrize(
    ("link", "adapter", "rate"),
    [
        ("scsi-fast-wide", "wd95-fast-wide", 20), ("scsi-ultra-wide", "wd95-fast-wide", 20),
        ("scsi-fast-wide", "aha-2940", 10), ("scsi-ultra160", "aic-7899", 160),
        ("scsi-fast-wide", "ibm-mca-fast-wide", 20),
    ],
)  # fmt: skip
def test_adapters_agree_with_buses(trace: Trace, link: str, adapter: str, rate: int) -> None:
    bus = ScsiBus(trace.p, link_of("scsi", "scsi", (), **sheet(f"links/{link}")), ["a.s"], ["d"])
    drive = part("disk", "scsi", **{**SCSI_DISK, "synchronous": "160 MB/s", "width": "2 B"}).sheet
    assert bus.data_byte(catalogue.sheet(f"adapters/{adapter}").sheet, drive) == Fraction(10**6, rate)


@pytest.mark.parametrize(
    ("name", "peak", "sustained"),
    [
        ("pci-32-33", 133.3, 116.9), ("pci-64-33", 266.6, 233.8), ("pci-64-66", 533.3, 461.2),
        ("vme64", 80, 78.5), ("vme32", 40, 37.65), ("sgi-vme64", 80, 49.2), ("sgi-hio", 380.8, 320.7),
        ("sbus-25", 100, 72.7), ("micro-channel-40", 40, 32), ("micro-channel-80", 80, 53.3),
        ("eisa", 33.3, 31.36),
    ],
)  # fmt: skip
def test_a_bus_sustains_what_its_bursts_leave(trace: Trace, name: str, peak: float, sustained: float) -> None:
    found = catalogue.sheet(f"buses/{name}").sheet
    assert float(found.clock * found.width) / 1e6 == pytest.approx(peak, rel=1e-3)
    bus = ParallelBus(trace.p, Part("b", "bus", "parallel", name, found), trace.p.resource("m"), Fraction(0))
    amount = 64 * found.burst
    assert amount / bus.occupied(amount) * 1e6 == pytest.approx(sustained, rel=1e-3)


@pytest.mark.parametrize(("name", "peak", "streams"), [("ddr4-3200-8", 204.8, 163.84), ("ddr5-5200-2", 83.2, 66.56)])
def test_memory_has_the_rate_of_its_channels(name: str, peak: float, streams: float) -> None:
    found = catalogue.sheet(f"memories/{name}").sheet
    assert float(found.channels * found.channel_rate) / 1e9 == pytest.approx(peak)
    assert float(found.moved) / 1e9 == pytest.approx(streams)


@pytest.mark.parametrize(("name", "rate"), [("fc-al-1g", 103.3), ("fc-al-2g", 206.6)])
def test_a_loop_carries_its_frames(trace: Trace, name: str, rate: float) -> None:
    # Of 106.25 and 212.5 MB/s on the line, 2112 bytes in 2172.
    loop = Loop(trace.p, link_of("fibre-channel-loop", "l", (), **sheet(f"links/{name}")), ["a.f"], ["d"])
    assert 2112 / loop.frame_time(2112) * 1e6 == pytest.approx(rate, rel=1e-3)


@pytest.mark.parametrize(("name", "rate"), [("ipi-10", 10), ("ipi-25", 25)])
def test_an_ipi_bus_has_the_rate_of_its_name(trace: Trace, name: str, rate: int) -> None:
    bus = IpiBus(trace.p, link_of("ipi-3", "i", (), **sheet(f"links/{name}")), ["a.i"], ["d"])
    assert 10**6 / (bus.packet(10**6) / 10**6) == pytest.approx(rate, rel=0.01)
