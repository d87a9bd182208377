"""A made-up drive, an interface to it, and threads that read and write; on either engine."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from types import ModuleType, SimpleNamespace

from simio.components.storage.disk import DiskDrive
from simio.description.sheets.disks import FibreChannelDisk
from simio.engines.outcome import Outcome, Status
from simio.program.builder import Builder

MS = 10**9
US = 10**6
REVOLUTION = 6 * MS
HEADS = 4
ZONES = ((1000, 600), (1000, 500), (1000, 400))
CYLINDERS = 3000
TRACK_SKEW, CYLINDER_SKEW, HEAD_SWITCH = 900 * US, 1200 * US, 300 * US
SINGLE, AVERAGE, FULL = 500 * US, 4 * MS, 8 * MS
OVERHEAD, CACHED = 200 * US, 100 * US
SETTLE = 400 * US
SEGMENT = 800
CYLINDER = HEADS * 600
"""Sectors of a cylinder of the outer zone."""
SECTORS = HEADS * sum(cylinders * sectors for cylinders, sectors in ZONES)

Command = tuple[str, int, int, int]
"""read or write, first sector, sectors, pause before it in ps."""


def sheet(segments: int = 4, segment: int = SEGMENT, **values) -> FibreChannelDisk:
    """The datasheet of the made-up drive; `segment` in sectors."""
    given = {
        "rotation": Fraction(500, 3), "heads": HEADS, "sector": 512,
        "zones": [{"cylinders": cylinders, "sectors": sectors} for cylinders, sectors in ZONES],
        "track_skew": TRACK_SKEW, "cylinder_skew": CYLINDER_SKEW, "head_switch": HEAD_SWITCH,
        "seek_single": SINGLE, "seek_average": AVERAGE, "seek_full": FULL,
        "buffer": segments * segment * 512, "segments": segments, "command_overhead": OVERHEAD,
        "cached_overhead": CACHED, "write_settle": SETTLE, "read_ahead": True, "write_cache": False,
        "queue_depth": 16, "scheduling": "fifo", "frame_payload": 2048, "credit": 4,
    }  # fmt: skip
    return FibreChannelDisk(**(given | values))


class Interface:
    """A transport that takes `byte` ps a byte, each way, one unit after the other."""

    def __init__(self, p: Builder, byte: int = 0, unit: int = 10 * 512, pace: int = 0) -> None:
        self.p = p
        self.unit = self.burst = unit
        self.byte = byte
        self.pace = pace
        self.wire = p.resource("interface")

    def request(self) -> None: ...

    def send(self, amount: int) -> None:
        with self.p.hold(self.wire):
            self.p.advance(amount * self.byte)

    fetch = send

    def reply(self) -> None: ...


def program(sheet: FibreChannelDisk, threads: Sequence[Sequence[Command]], byte: int = 0, unit: int = 5120, pace=0):
    """One thread for each sequence of commands; each end of a command is recorded, and how long it took."""
    p = Builder()
    drive = DiskDrive(p, SimpleNamespace(name="d", part=SimpleNamespace(sheet=sheet)))
    interface = Interface(p, byte, unit, pace)
    ends = [p.observation(f"end {number}") for number in range(len(threads))]
    took = [p.observation(f"took {number}") for number in range(len(threads))]
    for number, commands in enumerate(threads):
        with p.thread(f"t{number}"):
            begun, sector, end = p.register(), p.register(), p.register()
            for kind, first, count, pause in commands:
                p.advance(pause)
                p.let(begun, "SINCE", 0)
                p.let(sector, "SET", first)
                with p.loop(1), p.fork("command", joined=True):
                    getattr(drive, kind)(sector, count * 512, interface)
                p.join()
                p.let(end, "SINCE", 0)
                p.mark(ends[number], end)
                p.let(end, "SUB", end, begun)
                p.mark(took[number], end)
    return p.build()


def carry_out(engine: ModuleType, sheet: FibreChannelDisk, *threads: Sequence[Command], **interface):
    """Lists of the instants at which each thread's commands ended, and of how long each took."""
    outcome: Outcome = engine.run(program(sheet, threads, **interface))
    assert outcome.status == Status.DONE, outcome.status
    rows = [[], []]
    for number in range(len(threads)):
        for mark in (0, 1):
            at = number + mark * len(threads)
            rows[mark].append([int(value) for _, which, value in outcome.marks if which == at])
    return rows


def in_order(commands: Sequence[Command], ends: Sequence[Sequence[int]]) -> list[Command]:
    """Commands of threads with one each, in the order in which they ended."""
    return [command for _, command in sorted(zip((each[0] for each in ends), commands, strict=True))]


def path(sector: int) -> Fraction:
    """Time from the disk's first sector to this one in a sequential pass, from the datasheet."""
    first = cylinder = 0
    for cylinders, sectors in ZONES:
        size = cylinders * sectors * HEADS
        if sector < first + size:
            track, within = divmod(sector - first, sectors)
            cylinder, head = cylinder + track // HEADS, track % HEADS
            cylinder_time = HEADS * REVOLUTION + (HEADS - 1) * TRACK_SKEW + CYLINDER_SKEW
            return (
                cylinder * cylinder_time + head * (REVOLUTION + TRACK_SKEW) + Fraction(within * REVOLUTION, sectors)
            )
        first, cylinder = first + size, cylinder + cylinders
    raise ValueError(sector)


def place(sector: int) -> tuple[int, int, int]:
    """Cylinder, head and sectors a track."""
    first = cylinder = 0
    for cylinders, sectors in ZONES:
        size = cylinders * sectors * HEADS
        if sector < first + size:
            track = (sector - first) // sectors
            return cylinder + track // HEADS, track % HEADS, sectors
        first, cylinder = first + size, cylinder + cylinders
    raise ValueError(sector)


def seek(distance: int) -> float:
    """The curve through the three published times (Lee and Katz), in floating point."""
    if not distance:
        return 0.0
    root = (-10 * SINGLE + 15 * AVERAGE - 5 * FULL) / (3 * (CYLINDERS - 1) ** 0.5)
    line = (7 * SINGLE - 15 * AVERAGE + 8 * FULL) / (3 * (CYLINDERS - 1))
    return SINGLE + root * (distance - 1) ** 0.5 + line * (distance - 1)


def travel(here: int, there: int) -> float:
    """Time from one sector's track to another's."""
    (cylinder, head, _), (other, other_head, _) = place(here), place(there)
    if cylinder != other:
        return seek(abs(cylinder - other))
    return HEAD_SWITCH if head != other_head else 0.0
