"""A solid-state drive, whatever its interface: commands from the controller to the flash or the buffer, and back."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction

from simio.components.passage import Passage
from simio.components.storage.interfaces import Transport
from simio.description.model import Disk
from simio.description.sheets.flash import FlashDrive
from simio.machines import ssd as flash
from simio.machines.layout import State
from simio.machines.ssd import reading, writing
from simio.machines.ssd.layout import (
    CARRIED,
    FOLDED_SECTORS,
    FOLLOWER,
    HOME,
    HOST_SECTORS,
    LAST,
    LEADER,
    MOVED_SECTORS,
    PLACEMENTS,
    TABLES_AT,
    WORKED,
)
from simio.machines.ssd.writing import NOTHING
from simio.program.builder import Builder, Handle, Operand, Register
from simio.program.service import ceil_div, ceil_times, per_byte
from simio.program.steps import BUFFER, PROGRAMMED
from simio.units import format_quantity

PARTS = 1024
"""Parts of large commands that a drive works on at once."""


class SolidStateDrive:
    """Flash and mapping are the machine's (`simio.machines.ssd`); this is the path of a command.

    It waits for a place in the drive and for a processor of the controller. A read then waits for its pages; a write
    for room in the buffer, which threads of the drive empty.
    """

    any_size = True

    def __init__(self, p: Builder, disk: Disk[FlashDrive]) -> None:
        self.p = p
        self.name = disk.name
        self.model = disk.part.sheet
        self.part = disk.part
        self.sheet = sheet = disk.part.sheet.lagging() if disk.last else disk.part.sheet
        self.sector: int = sheet.sector
        self.sequential = False
        self.capacity: int = sheet.capacity // sheet.map_unit * sheet.map_unit
        self.places = p.resource(f"{disk.name} queue", sheet.commands, lock=True)
        self.controller = p.resource(f"{disk.name} controller", sheet.processors)
        self.piece = (sheet.buffer // sheet.map_unit - sheet.unit) * sheet.map_unit
        self.parts = p.resource(f"{disk.name} parts", PARTS, lock=True)
        if sheet.wake_time:
            self.inside, self.waiting = p.variable(f"{disk.name}: commands"), p.variable(f"{disk.name}: done")
            self.answered = p.container(f"{disk.name} answered", unit="commands")
        if sheet.stall_time and sheet.stall_every:
            weights = [(0, sheet.stall_every - 1), (1, 1)]
            self.stalls = p.discrete(f"{disk.name} stalls", weights if sheet.stall_every > 1 else weights[1:])
        if self.volatile:
            self.flushed = p.container(f"{disk.name} flushed", unit="flushes")
        self.state = p.machine(disk.name, self._initial())
        p.servers(disk.name, "channels", self.state + CARRIED, sheet.channels)
        p.servers(disk.name, "flash", self.state + WORKED, sheet.all_dies)
        self._tables = 0

    def _initial(self) -> State:
        """The initial state of the machine."""
        sheet = self.sheet
        sector = ceil_times(sheet.map_unit, per_byte(sheet.channel_rate))
        return flash.initial(
            sheet.all_dies,
            sheet.planes if sheet.independent else 1,
            sheet.channels,
            sheet.read_times,
            sheet.commands + PARTS,
            sheet.cache_read or 0,
            fast_program=sheet.bits * (sheet.cache_program or 0),
            planes=sheet.planes,
            page=sheet.page_sectors,
            unit=sheet.unit,
            sectors=sheet.capacity // sheet.map_unit,
            placement=PLACEMENTS[sheet.placement],
            in_place=int(sheet.in_place),
            fragment=sheet.fragment_time,
            program=sheet.program_time,
            erase=sheet.erase_time,
            page_fixed=sheet.channel_overhead,
            sector_moves=sector,
            decode=sheet.decode,
            suspend=sheet.suspend,
            resume=sheet.resume,
            suspensions=sheet.suspensions,
        )

    @property
    def depth(self) -> int:
        """Commands that the drive holds."""
        return self.sheet.commands

    @property
    def passage(self) -> Passage:
        """A processor of the controller, for each command."""
        return Passage(visits={(self.controller,): Fraction(self.sheet.command_time)})

    def read(self, sector: Register, size: Operand, transport: Transport, failed: Register | None = None) -> None:
        """A read command: `size` bytes from `sector` on go to the host over `transport`, page by page."""
        p, sheet = self.p, self.sheet
        with p.hold(self.places), p.scope(), self._awake():
            if sheet.fragment_time and not (isinstance(size, int) and size <= sheet.map_unit):
                self._gather(sector, size, transport)
                return
            self._control()
            for at, amount in self._parts(sector, size, transport.unit):
                self._flash(*self._span(at, amount), amount, transport)

    def _gather(self, sector: Register, size: Operand, transport: Transport) -> None:
        """Read what several pages may have: the controller takes time for each, one command after another."""
        p, sheet = self.p, self.sheet
        unit = self._unit(transport.unit)
        if isinstance(size, int) and size <= unit:
            first, count = self._span(sector, size)
            with p.hold(self.controller):
                self._take_up()
                p.wait(p.answer(reading.gathering, self.state, first, count))
            p.advance(sheet.command_latency)
            self._flash(first, count, size, transport)
            return
        with p.hold(self.controller):
            self._take_up()
            at = p.register(sector)
            for amount in p.pieces(size, unit):
                with p.scope():
                    first, count = self._span(at, amount)
                    time = p.answer(reading.gathering, self.state, first, count)
                    with p.when(at > sector):
                        time.set(time + sheet.fragment_time)
                    p.wait(time)
                    with p.fork("part", joined=True), p.hold(self.parts):
                        p.advance(sheet.command_latency)
                        self._flash(first, count, amount, transport)
                at.set(at + ceil_div(amount, self.sector))
        p.join()

    def _flash(self, first: Register, count: Operand, amount: Operand, transport: Transport) -> None:
        """Sectors of the mapping come from the flash, or the buffer, and leave for the host."""
        p = self.p
        tag, answer = p.answer(reading.read, self.state, first, count), p.register()
        with p.until(answer >= LAST):
            p.call(answer, reading.proceed, self.state, tag)
            with p.when(answer < LAST), p.label("flash", self.name):
                p.wait(answer)
        with p.label("flash", self.name):
            p.wait(answer - LAST)
        transport.send(amount)

    def write(self, sector: Register, size: Operand, transport: Transport, failed: Register | None = None) -> None:
        """A write command: `size` bytes come over `transport` into the buffer."""
        p = self.p
        with p.hold(self.places), p.scope(), self._awake():
            self._control()
            room = self._room()
            for at, amount in self._parts(sector, size, min(transport.burst, self.piece)):
                first, count = self._span(at, amount)
                p.get(room, count)
                transport.fetch(amount)
                answer = p.answer(writing.store, self.state, first, count)
                absorbed = p.register(answer // 2)
                with p.when(absorbed > 0):
                    p.put(room, absorbed)
                with p.when(answer % 2 == 1), p.fork("program", daemon=True):
                    self._program(room, answer)

    @property
    def volatile(self) -> bool:
        """True if a power failure loses data that are not in the flash yet."""
        return bool(self.sheet.volatile_cache)

    def flush(self) -> None:
        """A flush command: all data in the buffer go to the flash, in units that are filled up, and then what has
        changed in the mapping."""
        p = self.p
        with p.hold(self.places), p.scope():
            self._control()
            room = self._room()
            with p.hold(p.resource(f"{self.name} flush", lock=True)), p.label("flash", self.name):
                answer = p.answer(writing.flush, self.state)
                with p.when(answer > 1), p.fork("program", daemon=True):
                    self._program(room, answer)
                with p.when(answer > 0):
                    p.get(self.flushed, 1)
                p.advance(self.sheet.flush_time)

    def _program(self, room: Handle, answer: Register) -> None:
        """Program unit after unit, as long as there are data for one."""
        p, tag = self.p, self.p.register(1)
        with p.until(tag == NOTHING):
            p.call(tag, writing.take, self.state)
            with p.when(tag > NOTHING):
                with p.until(answer >= LAST):
                    p.call(answer, writing.work, self.state, tag)
                    with p.when(answer < LAST):
                        p.wait(answer)
                answer.set(answer - LAST)
                with p.when(answer > 0):
                    p.put(room, answer)
                if self.volatile:
                    p.call(answer, writing.flushed, self.state)
                    p.put(self.flushed, answer)

    @contextmanager
    def _awake(self) -> Iterator[None]:
        """Around a command: with `wake_time` the first one wakes the drive, and the last one ends it for all."""
        p, sheet = self.p, self.sheet
        if not sheet.wake_time:
            yield
            return
        inside, waiting, answered = self.inside, self.waiting, self.answered
        with p.when(inside.increment() == 0), p.hold(self.controller):
            p.advance(sheet.wake_time)
        yield
        left = inside.load()
        left.set(left - 1)
        inside.store(left)
        with p.when(left > 0):
            waiting.increment()
            p.get(answered, 1)
        with p.when(left == 0):
            others = waiting.swap(0)
            with p.when(others > 0):
                p.put(answered, others)

    def _control(self) -> None:
        """The controller takes a command up."""
        if self.sheet.command_time or self.sheet.stall_time:
            with self.p.hold(self.controller):
                self._take_up()
        self.p.advance(self.sheet.command_latency)

    def _take_up(self) -> None:
        """A processor of the controller, which is held, has a command; at random it stands still before the next."""
        p, sheet = self.p, self.sheet
        p.advance(sheet.command_time)
        if sheet.stall_time:
            with p.scope():
                stalls = p.register()
                p.draw(stalls, self.stalls)
                with p.when(stalls == 1):
                    p.advance(sheet.stall_time)

    def _room(self) -> Handle:
        """Room in the buffer, in sectors of the mapping. Who first writes makes the tables of the mapping, too."""
        sheet = self.sheet
        room = sheet.buffer // sheet.map_unit
        if not self._tables:
            rows = sheet.kept_rows
            stripe = sheet.all_dies * sheet.unit * rows
            share = Fraction(rows, sheet.rows)
            logical = int(sheet.capacity // sheet.map_unit * share)
            unit = sheet.unit
            cache = int(sheet.cache // (sheet.map_unit * unit) * share)
            made = flash.tables(logical, sheet.blocks, stripe, unit, room, cache, sheet.rows // rows)
            self._tables = at = self.p.machine(f"{self.name} mapping", made)
            self.p.set_word(self.state + TABLES_AT, at - self.state)
            self.p.set_word(at + HOME, self.state - at)
            # Drives alike hold the same before the run, which is worked out for the first of them.
            leader = self.p.once(self.model, lambda: at)
            if leader != at:
                self.p.set_word(at + LEADER, leader - at)
                following = self.p.word(leader + FOLLOWER)
                self.p.set_word(at + FOLLOWER, following and leader + following - at)
                self.p.set_word(leader + FOLLOWER, at - leader)
            self.p.tally(self.name, PROGRAMMED, self._tables + HOST_SECTORS, "sectors")
            self.p.tally(self.name, "moved by garbage collection", self._tables + MOVED_SECTORS, "sectors")
            if sheet.cache and sheet.placement != "written":
                self.p.tell(self._empty_cache(share))
            if sheet.cache:
                self.p.tally(self.name, "moved out of the SLC cache", self._tables + FOLDED_SECTORS, "sectors")
        return self.p.container(BUFFER.format(self.name), room, room, "sectors")

    def _empty_cache(self, share: Fraction) -> str:
        """A note on a cache in SLC mode that is empty, where a run keeps this share of the drive."""
        first = format_quantity(round(self.sheet.cache * share), "size")
        scale = f", as a run keeps 1/{round(1 / share)} of the drive" if share < 1 else ""
        return (
            f"each drive {self.part.model} begins with an empty cache in SLC mode, which takes writes faster than "
            f"the flash keeps up: the first {first} of them{scale}; with `placement: written` it is full, as after "
            "minutes of writes"
        )

    def _parts(self, sector: Register, size: Operand, unit: int) -> Iterator[tuple[Register, Operand]]:
        """Run a for loop's body for each part of a command, in a thread of its own where there are several.

        Gives first sector and bytes.
        """
        p = self.p
        unit = self._unit(unit)
        if isinstance(size, int) and size <= unit:
            yield sector, size
            return
        at = p.register(sector)
        for amount in p.pieces(size, unit):
            with p.fork("part", joined=True), p.hold(self.parts):
                yield at, amount
            at.set(at + ceil_div(amount, self.sector))
        p.join()

    def _unit(self, size: int) -> int:
        """Bytes of a part of a large command: as many whole entries of the mapping as there are in `size`, or one."""
        return max(size // self.sheet.map_unit, 1) * self.sheet.map_unit

    def _span(self, at: Register, amount: Operand) -> tuple[Register, Operand]:
        """First sector of the mapping, and number of sectors, that an amount of bytes from a sector on touches."""
        p, ratio = self.p, self.sheet.map_unit // self.sector
        if ratio == 1:
            return at, ceil_div(amount, self.sector)
        first = p.register(at // ratio)
        return first, p.register((at + (ceil_div(amount, self.sector) + (ratio - 1))) // ratio - first)
