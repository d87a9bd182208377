"""A parallel SCSI bus against traces and limits worked out from its phases, on both engines.

With the values of `ScsiSample`, in ns: arbitration takes 2 x 400 + 800 + 2400 + 800 = 4800, selection 4 x 50 + 400 +
1000 = 1600, a phase of n bytes 400 + 250 n. So a tagged command goes out in 4800 + 1600 + (400 + 3 x 250) + (400 +
10 x 250) + (400 + 250) = 11100, of which 650 are the disconnection; a reselection takes 4800 + 1600 + 1150 = 7550,
data of n bytes 400 + 100 n, status and command complete 2 x 650.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from types import ModuleType

import pytest
from part_samples import ADAPTER, MS, NS, SCSI, SCSI_DISK, US, ScsiSample, Trace, link_of, part

from simio.bound import bound
from simio.components.storage.disk import DiskDrive
from simio.components.storage.driver import DiskDriver
from simio.components.storage.scsi import ScsiBus
from simio.description.model import Disk
from simio.description.sheets.scsi import ScsiAdapter, ScsiDisk
from simio.engines import compiled
from simio.errors import RunError
from simio.program.steps import UNBOUNDED

COMMAND, RESELECTION, SETTLE, STATUS = 11_100, 7550, 400, 1300


def test_one_command_takes_the_time_of_its_phases(trace: Trace, engine: ModuleType) -> None:
    (drive,) = ScsiSample(trace.p, 1).drives
    with trace.p.thread("command"):
        drive.request()
        trace.mark(1)
        trace.p.advance(50 * US)
        drive.send(1000)
        trace.mark(2)
        trace.p.advance(20 * US)
        drive.send(500)
        trace.mark(3)
        drive.reply()
        trace.mark(4)
    # Status follows the data at once; before, the drive had nothing to send and disconnected: two bytes, 900 ns,
    # in its own time.
    sent = COMMAND + 50_000 + RESELECTION + SETTLE + 100_000
    again = sent + 20_000 + RESELECTION + SETTLE + 50_000
    assert trace.times(engine) == {1: COMMAND, 2: sent, 3: again, 4: again + STATUS}


def test_data_that_are_ready_go_over_the_same_connection(trace: Trace, engine: ModuleType) -> None:
    (drive,) = ScsiSample(trace.p, 1).drives
    with trace.p.thread("command"):
        drive.request()
        with trace.p.loop(4):
            drive.send(1000)
        drive.reply()
        trace.mark(1)
    end = COMMAND + RESELECTION + 4 * (SETTLE + 100_000) + STATUS
    assert trace.times(engine) == {1: end}


def test_a_drive_that_waits_lets_another_have_the_bus(trace: Trace, engine: ModuleType) -> None:
    one, other = ScsiSample(trace.p, 2).drives
    with trace.p.thread("one"):
        one.request()
        one.send(1000)
        trace.mark(1)
        trace.p.advance(1 * US)
        one.send(1000)
        trace.mark(2)
    with trace.p.thread("other", start=20 * US):
        other.request()
        trace.mark(3)
    # The other's adapter waits for the first data, then 900 ns for the disconnection; the first drive's second
    # reselection waits for its command.
    first = COMMAND + RESELECTION + SETTLE + 100_000
    command = first + 900 + COMMAND
    assert trace.times(engine) == {1: first, 3: command, 2: command + RESELECTION + SETTLE + 100_000}


def seek_and_read(trace: Trace, engine: ModuleType, **adapter: object) -> int:
    """End of a command of 10 ms of seek and 8 KiB of data to each of four drives, in ps."""
    for number, drive in enumerate(ScsiSample(trace.p, 4, **adapter).drives):
        with trace.p.thread(f"t{number}"):
            drive.request()
            trace.p.advance(10 * MS)
            drive.send(8192)
            drive.reply()
    run = trace.run(engine)
    assert run.status == 0
    return int(run.end)


def test_disconnection_lets_drives_seek_at_once(engine: ModuleType) -> None:
    data = SETTLE + 819_200 + STATUS
    together = seek_and_read(Trace(), engine)
    # The first drive's data begin after its command and seek; three more commands went out during the seek.
    assert together == (COMMAND + 10_000_000 + 4 * (RESELECTION + data)) * NS
    one_by_one = seek_and_read(Trace(), engine, disconnect=False)
    assert one_by_one == 4 * (COMMAND - 650 + 10_000_000 + data) * NS


@pytest.mark.parametrize("tagged", [True, False])
def test_untagged_commands_to_a_drive_follow_one_another(trace: Trace, engine: ModuleType, tagged: bool) -> None:
    (drive,) = ScsiSample(trace.p, 1, tagged=tagged).drives
    for number in range(2):
        with trace.p.thread(f"t{number}"):
            drive.request()
            trace.mark(number)
            trace.p.advance(5 * MS)
            drive.reply()
            trace.mark(10 + number)
    if tagged:
        assert trace.times(engine)[1] == 2 * COMMAND
    else:
        # Without the tag's two bytes a command takes 500 ns less, and so does a reselection.
        command = COMMAND - 500
        done = command + 5_000_000 + RESELECTION - 500 + STATUS
        assert trace.times(engine) == {0: command, 10: done, 1: done + command, 11: 2 * done}


def read_all(trace: Trace, commands: int | None) -> None:
    """Commands of 8 KiB to four drives, each of which seeks for 300 us; without a number, for ever."""
    p = trace.p
    delivered = p.observation("delivered", "delivered", "bytes")
    for number, drive in enumerate(ScsiSample(p, 4).drives):
        with p.thread(f"t{number}"), p.loop(commands) if commands else p.forever():
            drive.request()
            p.advance(300 * US)
            drive.send(8192)
            drive.reply()
            p.mark(delivered, 8192)


CYCLE = (COMMAND + RESELECTION + SETTLE + 819_200 + STATUS) * NS
"""All that a command of 8 KiB has of the bus."""


def test_four_drives_fill_the_bus_to_its_limit(trace: Trace, engine: ModuleType) -> None:
    read_all(trace, None)
    run = trace.run(engine, until=200 * CYCLE)
    # But for the first seek; a command that has only begun counts for nothing.
    assert 197 <= len(run.marks) <= 199


def test_the_bound_counts_what_each_command_needs_of_the_bus(trace: Trace) -> None:
    read_all(trace, 50)
    limit = bound(trace.p.build()).tightest
    # No arbitration, as those who wait might be spared it, and no reselection.
    assert limit is not None
    assert (limit.name, limit.kind) == ("scsi", "window")
    assert limit.time == 200 * (COMMAND - 4800 + SETTLE + 819_200 + STATUS) * NS


def test_an_overloaded_bus_starves_the_lowest_id(trace: Trace, engine: ModuleType) -> None:
    p, sample = trace.p, ScsiSample(trace.p, 5)
    counts = [p.observation(f"d{number}") for number in range(5)]
    for number, drive in enumerate(sample.drives):
        with p.thread(f"t{number}"), p.forever():
            drive.send(1000)
            p.mark(counts[number], 1)
            p.advance(10 * US)
    run = trace.run(engine, until=50 * MS)
    # While one of the two highest has the bus, the other waits, and wins: nobody else gets it, but for the first.
    marks = [sum(mark == count.number for _, mark, _ in run.marks.tolist()) for count in counts]
    turn = (RESELECTION + SETTLE + 100_000 + 900) * NS
    assert marks[1:3] == [0, 0]
    assert marks[0] == 1
    assert marks[3] + marks[4] == pytest.approx(50 * MS / turn, abs=2)
    assert abs(marks[3] - marks[4]) <= 1


def test_ids_go_from_seven_down_for_adapters_and_from_zero_up_for_drives(trace: Trace) -> None:
    names = [f"d{number}" for number in range(9)]
    bus = ScsiBus(trace.p, link_of("scsi", "scsi", (), **SCSI), ["a.s", "b.s"], names)
    assert [bus.ids[name] for name in ("a.s", "b.s", *names)] == [7, 6, 0, 1, 2, 3, 4, 5, 8, 9, 10]
    # 7 wins, then 6 to 0, then 15 to 8.
    assert sorted(bus.ids, key=bus.priority) == ["a.s", "b.s", *reversed(names[:6]), *reversed(names[6:])]


@pytest.mark.parametrize(
    ("bus", "adapter", "drive", "rate"),
    [
        ({}, {}, {}, 10),
        ({}, {}, {"width": "2 B", "synchronous": "20 MB/s"}, 20),
        ({"width": "1 B"}, {}, {"width": "2 B", "synchronous": "20 MB/s"}, 10),
        ({"transfer_rate": "5 MHz"}, {}, {"width": "2 B", "synchronous": "20 MB/s"}, 10),
        # The adapter does 5 million transfers of two bytes a second, the drive ten of one.
        ({}, {"synchronous": "10 MB/s"}, {}, 5),
        # A handshake of 250 ns moves what is wide.
        ({}, {}, {"synchronous": "none"}, 4),
        ({}, {"synchronous": "none"}, {"width": "2 B"}, 8),
        ({"transfer_rate": "80 MHz"}, {"synchronous": "160 MB/s"}, {"synchronous": "160 MB/s", "width": "2 B"}, 160),
    ],
)  # fmt: skip
def test_data_go_at_what_all_agree_on(trace: Trace, bus: dict, adapter: dict, drive: dict, rate: int) -> None:
    made = ScsiBus(trace.p, link_of("scsi", "scsi", (), **{**SCSI, **bus}), ["a.s"], ["d"])
    sheets = part("adapter", "scsi", **{**ADAPTER, **adapter}), part("disk", "scsi", **{**SCSI_DISK, **drive})
    assert made.data_byte(sheets[0].sheet, sheets[1].sheet) == Fraction(10**6, rate)


def test_the_cable_slows_handshakes_and_not_synchronous_data(trace: Trace) -> None:
    bus = ScsiBus(trace.p, link_of("scsi", "scsi", (), length=25, **SCSI), ["a.s"], ["d"])
    # Four times 125 ns.
    assert bus.phase(1) == (400 + 250 + 500) * NS


def test_quick_arbitration_spares_those_who_wait(trace: Trace, engine: ModuleType) -> None:
    link = link_of("scsi", "scsi", (), **{**SCSI, "quick_arbitration": "1.4 us"})
    bus = ScsiBus(trace.p, link, ["a.s"], ["d"])
    for number in range(2):
        with trace.p.thread(f"t{number}"):
            bus.seize("d")
            trace.mark(number)
            trace.p.release(bus.bus)
    assert trace.times(engine) == {0: 4800, 1: 6200}


def test_a_slow_host_bus_holds_the_scsi_bus_up(trace: Trace) -> None:
    (drive,) = ScsiSample(trace.p, 1, dma="5 MB/s").drives
    with trace.p.thread("command"):
        drive.fetch(1000)
        trace.mark(1)
    assert trace.times(compiled) == {1: RESELECTION + SETTLE + 200_000}


class Free:
    """An initiator whose commands cost nothing."""

    queue, alone, tags = "", 0, UNBOUNDED

    def __init__(self, trace: Trace) -> None:
        self.p = trace.p

    def requests(self, size: int) -> Iterator[int]:
        return self.p.pieces(size, 64 * 1024)

    def issue(self, size: int) -> None:
        """Nothing."""

    def start(self) -> None:
        """Nothing."""

    def complete(self, size: int) -> None:
        """Nothing."""


@pytest.mark.parametrize(("drives", "least", "most"), [(1, 4.452, 4.452), (4, 9.874, 9.995)])
def test_real_drives_stream_until_the_bus_is_full(
    trace: Trace, engine: ModuleType, drives: int, least: float, most: float
) -> None:
    # 100 sectors a track in 10 ms of revolution and, in turn, 1 and 2 ms of skew: 4.452 MB/s. Four drives want more
    # than a bus gives: 8192 bytes in 819.6 us if all is ready, in 828.05 us with a reselection and a disconnection
    # each time, and eighths of 12.4 us a command of 64 KiB.
    p, sample = trace.p, ScsiSample(trace.p, drives)
    delivered = p.observation("delivered", "delivered", "bytes")
    for number, transport in enumerate(sample.drives):
        disk = Disk(f"d{number}", "d", part("disk", "scsi", f"d{number}", **SCSI_DISK))
        driver = DiskDriver(p, Free(trace), DiskDrive(p, disk), transport, 4)
        with p.thread(f"t{number}"):
            at = p.register(0)
            with p.forever():
                driver.read(at, 256 * 1024, 256 * 1024)
                p.mark(delivered, 256 * 1024)
                p.let(at, "ADD", at, 256 * 1024)
    run = trace.run(engine, until=2000 * MS)
    moved = sum(value for _, _, value in run.marks.tolist())
    # A request of 256 KiB counts when all of it is there.
    assert 2e6 * least - (drives + 1) * 256 * 1024 <= moved <= 2e6 * most


@pytest.mark.parametrize(
    ("adapters", "drives", "length", "values", "told"),
    [
        (1, 16, 0, {}, "SCSI bus 'scsi' joins 17 devices, adapters included; it takes 16"),
        (2, 7, 0, {"width": "1 B"}, "SCSI bus 'scsi' joins 9 devices, adapters included; it takes 8"),
        (1, 5, 0, {"devices": 4}, "SCSI bus 'scsi' joins 6 devices, adapters included; it takes 4"),
        (1, 1, 26, {}, "SCSI bus 'scsi' is 26 m long; it works up to 25 m"),
    ],
)  # fmt: skip
def test_what_a_bus_does_not_take(
    trace: Trace, adapters: int, drives: int, length: int, values: dict, told: str
) -> None:
    link = link_of("scsi", "scsi", (), length, **{**SCSI, **values})
    with pytest.raises(RunError) as error:
        ScsiBus(trace.p, link, [f"h.{n}" for n in range(adapters)], [f"d{n}" for n in range(drives)])
    assert str(error.value) == told


@pytest.mark.parametrize("model", [ScsiAdapter, ScsiDisk])
def test_a_width_is_narrow_or_wide(model: type) -> None:
    with pytest.raises(ValueError, match=r"1 B \(narrow\) or 2 B \(wide\)"):
        model.model_validate({**(ADAPTER if model is ScsiAdapter else SCSI_DISK), "width": "4 B"})


@pytest.mark.parametrize("reconnect", ["511 B", "513 KiB"])
def test_a_drive_reselects_for_what_its_segment_holds(reconnect: str) -> None:
    with pytest.raises(ValueError, match="from a sector, 512 B, to a buffer segment, 512 KiB"):
        ScsiDisk.model_validate({**SCSI_DISK, "reconnect": reconnect})


def test_adapters_that_share_interrupts_say_how_long_a_command_waits() -> None:
    with pytest.raises(ValueError, match="a time above zero"):
        ScsiAdapter.model_validate({**ADAPTER, "coalesce_count": 4})
