"""Writes over a Fibre Channel link, against traces by hand and closed forms.

At 1 Gbaud a byte takes 10 ns and a frame of n bytes (n + 60) x 10 ns; the bus takes 60 ns for each 16 bytes.
"""

from __future__ import annotations

from types import ModuleType

import pytest
from part_samples import FC_ADAPTER, FC_LINK, NS, Trace, bus_of, link_of, part

from simio.components.storage.fcp import FcpTransport
from simio.components.storage.fibre_channel import FramePath, Hop
from simio.engines import compiled


def transport(trace: Trace, length: int, credit: int = 4, dma: str = "none", **bus: int) -> FcpTransport:
    """FCP over a direct link of so many metres to a drive with so much credit."""
    p = trace.p
    link = link_of("fibre-channel", "fc", ("host.fc", "d"), length, **FC_LINK)
    adapter = part("adapter", "fibre-channel", **{**FC_ADAPTER, "dma": dma}).sheet
    out, back = Hop(p, link, "host.fc", "d", credit), Hop(p, link, "d", "host.fc", credit)
    return FcpTransport(p, FramePath(p, [out], [], 1000), FramePath(p, [back], [], 1000), bus_of(p, **bus), adapter)


def test_a_write_takes_its_frames_and_the_first_read_from_memory(trace: Trace, engine: ModuleType) -> None:
    drive = transport(trace, 200)
    with trace.p.thread("write"):
        drive.request()
        trace.mark(1)
        drive.fetch(2500)
        trace.mark(2)
        drive.reply()
        trace.mark(3)
    # FCP_CMND: 920 ns, and 1000 ns of cable. FCP_XFER_RDY: 720, 1000, and 12 bytes over the bus: 50. A frame of 1000
    # bytes crosses the bus in 250 words and 63 bursts, 3760; then two frames of 10600 and one of 5600, each of them
    # in the card before the one ahead has left. FCP_RSP: 840, 1000 and 100 of bus.
    ready = 1920 + 1770
    data = ready + 3760 + 2 * 10_600 + 5600 + 1000
    assert trace.times(engine) == {1: 1920, 2: data, 3: data + 1940}


def test_a_slow_bus_sets_the_pace_of_a_write(trace: Trace, engine: ModuleType) -> None:
    # 12500 words and 3125 bursts of 20 clocks of 10 ns: a frame of 1000 bytes in 250 + 63 x 20 clocks.
    drive = transport(trace, 0, overhead_cycles=20)
    with trace.p.thread("write"):
        drive.fetch(10_000)
        trace.mark(1)
    ready = 720 + (3 + 20) * 10
    assert trace.times(engine) == {1: ready + 10 * 15_100 + 10_600}


@pytest.mark.parametrize("credit", [1, 2, 3, 4])
def test_a_long_link_carries_its_credit_a_round_trip(trace: Trace, credit: int) -> None:
    # 20 km: 100 us each way, in which nine frames would have room.
    drive = transport(trace, 20_000, credit)
    with trace.p.thread("write"):
        drive.fetch(120_000)
        trace.mark(1)
    rounds = 120 // credit - 1
    ready = 720 + 100_000 + 50
    # The first frame waits for memory; the last ones go together.
    expected = ready + 3760 + rounds * (10_600 + 200_000) + credit * 10_600 + 100_000
    assert trace.times(compiled)[1] == expected


def test_writes_to_one_drive_are_sent_one_after_the_other(trace: Trace, engine: ModuleType) -> None:
    drive = transport(trace, 0)
    with trace.p.thread("write", count=2):
        drive.fetch(1000)
    # The second FCP_XFER_RDY, at 1440, has a burst of the bus between those of the first frame. The second frame is
    # in the card when the first has left.
    assert trace.run(engine).end == (720 + 50 + 3760 + 50 + 2 * 10_600) * NS


def test_data_arrive_in_order_and_before_the_response(trace: Trace, engine: ModuleType) -> None:
    # A bus so slow that data still wait in the card when the response arrives.
    drive = transport(trace, 0, overhead_cycles=40)
    with trace.p.thread("read"):
        drive.send(2000)
        drive.reply()
        trace.mark(1)
    # Two frames of 250 + 63 x 40 clocks from 10600 on, then 24 bytes: 6 words and two bursts.
    assert trace.times(engine) == {1: 10_600 + 2 * 27_700 + 860}


def test_a_card_slower_than_bus_and_line_sets_the_pace(trace: Trace, engine: ModuleType) -> None:
    drive = transport(trace, 0, dma="50 MB/s")
    with trace.p.thread("write"):
        drive.fetch(10_000)
        trace.mark(1)
    # 12 bytes of FCP_XFER_RDY, then ten frames of 1000, at 20 ns a byte; the last one's line follows.
    assert trace.times(engine) == {1: 720 + 240 + 10 * 20_000 + 10_600}
