"""A disk drive, whatever its interface: commands from the queue to the media and the buffer, and to the host."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from simio.components.passage import Passage
from simio.components.storage.interfaces import Transport
from simio.description.model import Disk
from simio.description.sheets.disks import Drive
from simio.machines import disk as mechanism
from simio.machines.disk import arm, destaging, queue, reading, writing
from simio.machines.disk.layout import AHEAD, MARKS, NO_READ_AHEAD
from simio.machines.door import Called
from simio.machines.layout import State
from simio.program.builder import Builder, Operand, Register, least, minimum
from simio.program.service import SECOND, ceil_div, ceil_times, ratio

_WORKED_OUT = {"seek_single", "read_ahead", "read_ahead_to", "read_ahead_limit", "read_mark", "overheads"}
"""Words of the machine that are not simply the value of the same name."""


class _Shared:
    """Quantities that follow from a datasheet, and the initial state of the mechanism, for all drives of that sheet.

    `revolution` is in ps, `media_sector` and `pass_sector` are ps a sector in the densest zone, and in the fastest
    sweep with its skews; `segment` is sectors; `least` and `least_write` are ps that each read and write takes.
    """

    def __init__(self, sheet: Drive) -> None:
        zones = [(zone.cylinders, zone.sectors) for zone in sheet.zones]
        self.sectors = sum(cylinders * sectors for cylinders, sectors in zones) * sheet.heads
        self.revolution = revolution = ceil_times(SECOND, 1 / sheet.rotation)
        densest = max(sectors for _, sectors in zones)
        self.media_sector = ratio(revolution, densest)
        self.pass_sector = min(
            ratio(revolution + min(skews), sectors) for sectors, skews in self._skews(sheet, revolution)
        )
        self.segment = sheet.buffer // sheet.segments // sheet.sector
        self.least = min(sheet.overheads[:4])
        self.least_write = min(sheet.overheads[4:])
        self.state = self._initial(sheet, revolution)

    def _skews(self, sheet: Drive, revolution: int) -> Iterator[tuple[int, tuple[int, ...]]]:
        """Sectors a track and skews in ps of each zone."""
        for zone in sheet.zones:
            own = tuple(skew * revolution // zone.sectors for skew in zone.skews)
            yield zone.sectors, own or (sheet.track_skew or 0, sheet.cylinder_skew or 0)

    def _initial(self, sheet: Drive, revolution: int) -> State:
        """The initial state of the machine; words that the sheet names have its values."""
        named = mechanism.WORDS.words.keys() - _WORKED_OUT
        beyond = [time - self.least for time in sheet.overheads[:4]]
        limit = sheet.read_ahead_limit
        full = sheet.read_ahead_to == "segment" and limit is None
        return mechanism.initial(
            [(zone.cylinders, zone.sectors, *zone.skews) for zone in sheet.zones],
            sheet.seek,
            depth=sheet.queue_depth,
            scheduling=sheet.scheduling,
            revolution=revolution,
            segment=self.segment,
            track_skew=sheet.track_skew or 0,
            cylinder_skew=sheet.cylinder_skew or 0,
            overheads=beyond + [time - self.least_write for time in sheet.overheads[4:]],
            read_ahead=int(sheet.read_ahead and full),
            read_ahead_to=AHEAD[sheet.read_ahead_to] if sheet.read_ahead and not full else NO_READ_AHEAD,
            read_ahead_limit=(limit or 0) // sheet.sector,
            read_mark=int(sheet.gathered * MARKS),
            **{name: value for name, value in vars(sheet).items() if name in named},
        )


class DiskDrive:
    """Mechanism, buffer and queue are the machine's (`simio.machines.disk`); this is the path of a command.

    It waits for a place in the drive, then for the controller, is queued, gets a segment of the buffer and, if it
    needs the media, the arm, which it leaves when the media is done. Its data go over the interface meanwhile.

    `sequential` says, before the first `read` or `write`, that commands will go over the disk once, in ascending
    order from its beginning. Only then is it certain that all data pass the media at no more than the rate of a
    sequential sweep, and the bound may count on it. Otherwise some may be in the buffer already.
    """

    any_size = True
    flows = True
    """True if reads can leave as the media reads them, where the transport says at which pace."""

    def __init__(self, p: Builder, disk: Disk[Drive]) -> None:
        self.p = p
        self.name = disk.name
        self.sheet = sheet = disk.part.sheet
        self.sector: int = sheet.sector
        self.sequential = False
        self.places = p.resource(f"{disk.name} queue", sheet.queue_depth, lock=True)
        self.controller = p.resource(f"{disk.name} controller")
        self.arm = p.resource(disk.name, lock=True)
        self.data = p.resource(f"{disk.name} data", lock=True)
        self.gate = p.container(f"{disk.name} gate", unit="commands")
        self.media = p.window(f"{disk.name} media", 1)
        self.shared = p.once(sheet, partial(_Shared, sheet))
        self.state = p.machine(disk.name, self._initial())

    def _initial(self) -> State:
        return self.shared.state

    @property
    def capacity(self) -> int:
        """Bytes that the disk holds."""
        return self.shared.sectors * self.sector

    @property
    def depth(self) -> int:
        """Commands that the drive holds."""
        return self.sheet.queue_depth

    @property
    def passage(self) -> Passage:
        """Nothing, as what a command takes depends on the one before and on the buffer."""
        return Passage()

    @property
    def volatile(self) -> bool:
        """True if a power failure loses dirty data in the buffer."""
        return bool(self.sheet.write_cache)

    def flush(self) -> None:
        """A flush command, alone in the drive: it ends when the media has all dirty data.

        FLUSH CACHE EXT is no queued command of SATA (ACS-3; Linux drivers/ata/libata-core.c, ata_std_qc_defer).
        """
        p = self.p
        with p.hold(self.places, self.depth), p.scope():
            answer = p.register()
            with p.until(answer == 0):
                self.ask(answer, destaging.clean)
                with p.when(answer == 1):
                    p.get(self.gate, 1)

    def ask(self, answer: Register, function: Called, a: Operand = 0, b: Operand = 0) -> None:
        """answer = a function of the machine."""
        self.p.call(answer, function, self.state, a, b)

    def read(self, sector: Register, size: Operand, transport: Transport, failed: Register | None = None) -> None:
        """A read command: `size` bytes from `sector` on go to the host over `transport`, unit by unit.

        The register `failed` becomes 1 if the drive gives up a sector.
        """
        p, sheet, count = self.p, self.sheet, self._count(size)
        self._occupy(least(count), self.sequential)
        with p.hold(self.places):
            tag, answer = p.register(), p.register()
            with p.hold(self.controller):
                self.ask(answer, queue.controller_time, sector, count)
                p.advance(self.shared.least, answer, 1)
            self.ask(tag, queue.enqueue, sector, 2 * count)
            with p.until(answer > 0):
                self.ask(answer, reading.begin, tag)
                with p.when(answer > 2):
                    answer.set(answer - 2)
                    p.put(self.gate, answer)
                    answer.set(0)
                with p.when(answer == 0):
                    p.get(self.gate, 1)
            if sheet.preseek:
                self._use_media(tag, answer)
            else:
                with p.when(answer == 2):
                    p.seize(self.arm)
                    answer.set(0)
            if self.flows and transport.pace:
                with p.scope():
                    self.ask(p.register(), reading.flow, tag, transport.pace)
            self._transfer(tag, count, transport, failed)
            self._complete(sheet.read_completion)
            with p.when(answer == 0):
                p.release(self.arm)
            self._end(tag)

    def _transfer(self, tag: Register, count: Operand, transport: Transport, failed: Register | None) -> None:
        """Data of a read, from when the first unit is in the buffer; one command's after the other's."""
        p, wait = self.p, self.p.register()
        for sectors, first in self._units(count, transport.unit):
            self.ask(wait, reading.next_unit, tag, sectors)
            with p.label("mechanism", self.name):
                p.wait(wait)
            if first:
                p.seize(self.data)
            transport.send(sectors * self.sector)
        p.release(self.data)

    def _from_one(self, count: Operand, size: int) -> Iterator[Operand]:
        """Run a for loop's body for one of `count` sectors, and for units of `size` bytes of the others."""
        yield 1
        yield from self.p.pieces(count - 1, self._sectors(size))

    def _units(self, count: Operand, size: int) -> Iterator[tuple[Operand, bool]]:
        """Run a for loop's body for each unit of `size` bytes of `count` sectors; gives its sectors, and if it is the
        first."""
        unit = self._sectors(size)
        first = minimum(unit, count)
        if not isinstance(first, int):
            first = self.p.register(first)
        yield first, True
        for sectors in self.p.pieces(count - first, unit):
            yield sectors, False

    def _use_media(self, tag: Register, answer: Register) -> None:
        """Give back the arm of a read that has it (`answer` is 2) when the media has read all.

        `answer` is 0 where the command does that itself at its end, at an instant that depends on the host."""
        p = self.p
        with p.when(answer == 2):
            p.seize(self.arm)
            self.ask(answer, arm.media_time, tag)
            with p.when(answer > 0), p.fork("media"):
                with p.label("mechanism", self.name):
                    p.wait(answer)
                p.release(self.arm)
                self.ask(answer, arm.free, tag)
                p.put(self.gate, answer)

    def write(self, sector: Register, size: Operand, transport: Transport, failed: Register | None = None) -> None:
        """A write command: `size` bytes come over `transport`, unit by unit, and go to `sector` and on.

        It returns when the buffer has them, with a write cache, and else when the media has.
        """
        p, sheet, count = self.p, self.sheet, self._count(size)
        self._occupy(least(count), self.sequential and not sheet.write_cache)
        with p.hold(self.places):
            tag, answer = p.register(), p.register()
            with p.hold(self.controller):
                if min(sheet.overheads[4:]) == max(sheet.overheads[4:]):
                    p.advance(self.shared.least_write)
                else:
                    self.ask(answer, queue.write_time)
                    p.advance(self.shared.least_write, answer, 1)
            self.ask(tag, queue.enqueue, sector, 2 * count + 1)
            with p.until(answer == 1):
                self.ask(answer, writing.admit, tag)
                with p.when(answer == 0):
                    p.get(self.gate, 1)
            # Without a cache the arm moves as soon as there is something to write.
            flows = self.flows and transport.pace and not sheet.write_cache
            bursts = p.pieces(count, self._sectors(transport.burst))
            for sectors in self._from_one(count, transport.burst) if flows else bursts:
                self._wait(answer, writing.room, tag, sectors)
                with p.hold(self.data):
                    transport.fetch(sectors * self.sector)
                self.ask(answer, writing.store, tag, sectors)
                with p.when(answer == 1), p.fork("destage", daemon=True):
                    self._destage(answer)
            if not sheet.write_cache:
                self._wait(answer, writing.stored, tag)
            self._end(tag)
            self._complete(sheet.write_completion)

    def _wait(self, answer: Register, function: Called, tag: Register, sectors: Operand = 0) -> None:
        """Wait until a machine function answers 0: for the time that it answers, or to be woken if it answers 1."""
        p = self.p
        with p.until(answer == 0):
            self.ask(answer, function, tag, sectors)
            with p.when(answer == 1):
                p.get(self.gate, 1)
            with p.when(answer > 1), p.label("mechanism", self.name):
                p.wait(answer)

    def _destage(self, answer: Register) -> None:
        """Write dirty data to the media, a sweep over at most a track at a time, while there are any."""
        p = self.p
        with p.until(answer == 0):
            self.ask(answer, destaging.destage)
            with p.when(answer == 1):
                self.ask(answer, destaging.rouse)
                p.put(self.gate, answer)
                p.get(self.gate, 1)
                answer.set(1)
            with p.when(answer > 1):
                with p.hold(self.arm), p.label("mechanism", self.name):
                    p.wait(answer)
                    self.ask(answer, destaging.write)
                    p.wait(answer)
                self.ask(answer, destaging.written)
                p.put(self.gate, answer)
                answer.set(1)

    def _end(self, tag: Register) -> None:
        woken = self.p.register()
        self.ask(woken, reading.end, tag)
        self.p.put(self.gate, woken)

    def _complete(self, time: int) -> None:
        """Time of the controller at the end of a command."""
        if time:
            with self.p.hold(self.controller):
                self.p.advance(time)

    def _count(self, size: Operand) -> int | Register:
        """Sectors of a command of `size` bytes; those of a register are in another one."""
        count = ceil_div(size, self.sector)
        return count if isinstance(count, int) else self.p.register(count)

    def _sectors(self, unit: int) -> int:
        """Sectors of a piece of the interface, which has this many bytes."""
        return min(max(unit // self.sector, 1), self.shared.segment)

    def _occupy(self, count: int, once: bool) -> None:
        """Declare to the bound the certain time of a command of `count` sectors on the media."""
        certain = count if once else max(count - self.shared.segment * self.sheet.segments, 0)
        time = ceil_times(certain, self.shared.pass_sector if once else self.shared.media_sector)
        if time:
            self.p.occupy(self.media, time)
