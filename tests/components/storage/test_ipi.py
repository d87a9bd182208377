"""IPI-3 over its physical bus and over HIPPI, against traces by hand, on both engines. Times in ns."""

from __future__ import annotations

from fractions import Fraction
from types import ModuleType

import pytest
from part_samples import HIPPI, IPI, IPI_ADAPTER, IPI_DISK, NS, US, Trace, bus_of, link_of, part

from simio.bound import bound
from simio.components.network.hippi import HippiChannel
from simio.components.storage.ipi import IpiBus, IpiHippiTransport, IpiTransport
from simio.description.sheets.ipi import IpiDisk
from simio.errors import RunError

COMMAND = 1000 + 500 + 1800
"""Selection, a bus exchange, 18 bytes at 100 ns."""
ATTENTION = 2000 + 1000
RESPONSE = 500 + 1000


def drives(trace: Trace, count: int, length: int = 0) -> list[IpiTransport]:
    """Drives behind slaves of one bus, a byte of data in 100 ns."""
    names = [f"d{number}" for number in range(count)]
    bus = IpiBus(trace.p, link_of("ipi-3", "ipi", (), length, **IPI), ["host.ipi"], names)
    host = bus_of(trace.p)
    sheets = part("adapter", "ipi-3", **IPI_ADAPTER).sheet, part("disk", "ipi-3", **IPI_DISK).sheet
    return [IpiTransport(trace.p, bus, host, *sheets, name, "host.ipi") for name in names]


def test_one_command_takes_its_packets_and_bursts(trace: Trace, engine: ModuleType) -> None:
    (drive,) = drives(trace, 1)
    with trace.p.thread("command"):
        drive.request()
        trace.mark(1)
        trace.p.advance(50 * US)
        drive.send(2500)
        trace.mark(2)
        drive.reply()
        trace.mark(3)
    # 2500 bytes are three information transfers. The response follows at once.
    data = COMMAND + 50_000 + ATTENTION + 3 * 500 + 250_000
    assert trace.times(engine) == {1: COMMAND, 2: data, 3: data + RESPONSE}


def test_the_cable_is_crossed_four_times_an_exchange(trace: Trace, engine: ModuleType) -> None:
    (drive,) = drives(trace, 1, length=100)
    with trace.p.thread("command"):
        drive.request()
        trace.mark(1)
    # 2 us more for the selection and for the one bus exchange.
    assert trace.times(engine) == {1: COMMAND + 2 * 2000}


def test_commands_are_stacked_while_others_transfer(trace: Trace, engine: ModuleType) -> None:
    one, other = drives(trace, 2)
    with trace.p.thread("one"):
        one.request()
        one.send(1000)
        one.reply()
        trace.mark(1)
    with trace.p.thread("other", start=10 * US):
        other.request()
        trace.mark(2)
        other.send(1000)
        other.reply()
        trace.mark(3)
    data = ATTENTION + 500 + 100_000 + RESPONSE
    assert trace.times(engine) == {1: COMMAND + data, 2: 2 * COMMAND + data, 3: 2 * (COMMAND + data)}


def test_four_drives_fill_the_bus(trace: Trace, engine: ModuleType) -> None:
    p = trace.p
    delivered = p.observation("delivered", "delivered", "bytes")
    for number, drive in enumerate(drives(trace, 4)):
        with p.thread(f"t{number}"), p.loop(25):
            drive.request()
            p.advance(300 * US)
            drive.send(8192)
            drive.reply()
            p.mark(delivered, 8192)
    cycle = (COMMAND + ATTENTION + 9 * 500 + 819_200 + RESPONSE) * NS
    run = trace.run(engine)
    assert 100 * cycle <= run.end <= 100 * cycle + 310 * US
    limit = bound(p.build()).tightest
    assert limit is not None
    assert (limit.name, limit.time) == ("ipi", 100 * (cycle - ATTENTION * NS))


@pytest.mark.parametrize(
    ("adapters", "devices", "length", "told"),
    [
        (2, 1, 0, "IPI bus 'ipi' has 2 adapters; it takes one, its master"),
        (1, 9, 0, "IPI bus 'ipi' joins 10 devices, the master included; it takes 9"),
        (1, 1, 126, "IPI bus 'ipi' is 126 m long; it works up to 125 m"),
    ],
)  # fmt: skip
def test_what_a_bus_does_not_take(trace: Trace, adapters: int, devices: int, length: int, told: str) -> None:
    link = link_of("ipi-3", "ipi", (), length, **IPI)
    with pytest.raises(RunError) as error:
        IpiBus(trace.p, link, [f"h.{n}" for n in range(adapters)], [f"d{n}" for n in range(devices)])
    assert str(error.value) == told


def test_a_slave_gathers_what_a_segment_holds() -> None:
    with pytest.raises(ValueError, match="from a sector, 512 B, to a buffer segment, 512 KiB"):
        IpiDisk.model_validate({**IPI_DISK, "reconnect": "1 MiB"})


def over_hippi(trace: Trace, length: int = 0) -> IpiHippiTransport:
    """An array on a pair of HIPPI channels: connecting takes 640 ns, a burst of n words (n + 2) x 40."""
    link = link_of("hippi", "hippi", (), length, **HIPPI)
    bus = bus_of(trace.p)
    out = HippiChannel(trace.p, link, "host.hippi", "array", 8, lambda size: 0)
    back = HippiChannel(trace.p, link, "array", "host.hippi", 8, bus.duration)
    return IpiHippiTransport(trace.p, out, back, bus, Fraction(0), Fraction(0), 65_536)


def test_a_read_over_hippi_takes_its_packets(trace: Trace, engine: ModuleType) -> None:
    array = over_hippi(trace, 200)
    with trace.p.thread("read"):
        array.request()
        trace.mark(1)
        array.send(2040)
        trace.mark(2)
        array.reply()
        trace.mark(3)
    # A microsecond of cable. Command: connected in 640 + 2000, by when 26 bytes are in the card; then 9 words.
    command = 2640 + 360 + 1000
    # 2048 bytes with framing: two full bursts of 10320. The second takes 3840 of the bus; the response packet, 18
    # bytes in nine clocks, arrives meanwhile, and has its two bursts between.
    data = command + 2640 + 2 * 10_320
    assert trace.times(engine) == {1: command, 2: data, 3: data + 1000 + 3840 + 90}


def test_a_write_over_hippi_reads_ahead(trace: Trace, engine: ModuleType) -> None:
    array = over_hippi(trace)
    with trace.p.thread("write"):
        array.fetch(4088)
        trace.mark(1)
    # 26 bytes: 640 to connect, 9 x 40 on the wire, then 7 words and two bursts of the bus, 110. A burst of 1024 bytes
    # takes 64 x 60 of the bus, more than connecting, and four go out.
    assert trace.times(engine) == {1: 640 + 360 + 110 + 3840 + 4 * 10_320}
