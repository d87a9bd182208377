"""Objects that a server's threads read and write whole, with or without a cache before the devices that have them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from math import gcd
from typing import Literal

from simio.components.files.cached import Arrived, CachedFile, Mount
from simio.components.host.kernel import UnixKernel
from simio.components.storage.interfaces import BlockDevice
from simio.description.mixtures import Mixture
from simio.machines import objects as machines
from simio.program.builder import Builder, Register

PAGE = 4096
"""Bytes at multiples of which objects lie, unless the sectors of a device are larger."""

Way = Literal["raw", "direct", "buffered"]


@dataclass(frozen=True)
class Slots:
    """The places of objects on one device: sizes in an order that repeats, each in proportion to its weight.

    `sizes` are those of objects, `stored` the bytes that each takes, `order` the number of the size of each place.
    """

    sizes: Sequence[int]
    stored: Sequence[int]
    order: Sequence[int]

    @classmethod
    def of(cls, mixture: Mixture, grain: int) -> Slots:
        """Places of a mixture of sizes, each a multiple of `grain`."""
        sizes = [size for size, _ in mixture]
        stored = [-(-size // grain) * grain for size in sizes]
        return cls(sizes, stored, spread([weight for _, weight in mixture]))

    @property
    def group(self) -> int:
        """Bytes of the places until they repeat."""
        return sum(self.stored[kind] for kind in self.order)

    @property
    def table(self) -> list[tuple[int, int]]:
        """Number of the size, and offset, of each place."""
        found, offset = [], 0
        for kind in self.order:
            found.append((kind, offset))
            offset += self.stored[kind]
        return found

    def extent(self, number: int) -> int:
        """Bytes of `number` places."""
        whole, rest = divmod(number, len(self.order))
        return whole * self.group + sum(self.stored[kind] for kind in self.order[:rest])


def spread(weights: Sequence[int]) -> list[int]:
    """Numbers from 0 on, each as often as its weight in lowest terms, as evenly as can be."""
    common = gcd(*weights)
    least = [weight // common for weight in weights]
    total = sum(least)
    done, order = [0] * len(least), []
    for place in range(total):
        behind = [weight * (place + 1) - total * have for weight, have in zip(least, done, strict=True)]
        kind = behind.index(max(behind))
        done[kind] += 1
        order.append(kind)
    return order


class ObjectStore:
    """The objects of a server, on one device or on several in turn."""

    def __init__(
        self, kernel: UnixKernel, name: str, number: int, mixture: Mixture, devices: Sequence[BlockDevice]
    ) -> None:
        self.kernel, self.name, self.number, self.devices = kernel, name, number, devices
        self.p: Builder = kernel.p
        self.grain = max(PAGE, *(device.sector for device in devices))
        self.slots = Slots.of(mixture, self.grain)
        self.places = self.p.machine(
            f"{name} places", machines.places(number, len(devices), self.slots.table, self.slots.group)
        )
        self.cache: int | None = None
        self.came = self.p.container(f"{name} came", unit="wake-ups")

    @property
    def extent(self) -> int:
        """Bytes of the objects on the device that has most."""
        return self.slots.extent(-(-self.number // len(self.devices)))

    def kept(self, capacity: int) -> list[int]:
        """Bytes of the most popular objects that fit into a cache together."""
        found: list[int] = []
        room, step, order = capacity, machines.step(self.number), self.slots.order
        for number in range(self.number):
            row = number * step % self.number // len(self.devices)
            size = self.slots.stored[order[row % len(order)]]
            if size > room:
                break
            found.append(size)
            room -= size
        return found

    def keep(self, capacity: int, warm: bool) -> None:
        """Have a cache of this many bytes; a `warm` one begins with the most popular objects."""
        kept = self.kept(capacity) if warm else []
        self.cache = self.p.machine(f"{self.name} cache", machines.cache(self.number, capacity, kept))
        for what, word, unit in (
            ("hits", machines.HITS, "requests"),
            ("misses", machines.MISSES, "requests"),
            ("evicted", machines.EVICTED, "objects"),
        ):
            self.p.tally(f"{self.name} cache", what, self.cache + word, unit)

    def size(self, number: Register) -> Register:
        """A fresh register with the bytes of an object."""
        size = self.p.register()
        for kind in self.kinds(number):
            size.set(self.slots.sizes[kind])
        return size

    def kinds(self, number: Register) -> Iterator[int]:
        """Run a for loop's body for each size, in the case that object `number` has it; gives the size's number."""
        p, sizes = self.p, self.slots.sizes
        if len(sizes) == 1:
            yield 0
            return
        with p.scope():
            own = p.answer(machines.kind, self.places, number)
            for kind in range(len(sizes)):
                with p.when(own == kind):
                    yield kind

    def each(self, number: Register) -> Iterator[tuple[int, Register]]:
        """Run a for loop's body for each device, in the case that it has object `number`, with the address there."""
        p = self.p
        with p.scope():
            at = p.answer(machines.address, self.places, number)
            if len(self.devices) == 1:
                yield 0, at
                return
            on = p.answer(machines.device, self.places, number)
            for device in range(len(self.devices)):
                with p.when(on == device):
                    yield device, at


class ObjectAccess:
    """The work of one thread of the server with objects, by way `way`; its steps are emitted in that thread."""

    def __init__(self, store: ObjectStore, thread: str, way: Way, mounts: Sequence[Mount], sync: bool) -> None:
        """With `way` buffered, `mounts` are those of the devices. `sync`: written objects are on the device."""
        self.store, self.p, self.kernel, self.way, self.sync = store, store.p, store.kernel, way, sync
        self.files = [
            CachedFile(mount, f"{thread} on {mount.device.name}", (0, store.extent), False) for mount in mounts
        ]
        self.stored = self.p.container(f"{thread} stored", unit="wake-ups") if mounts and sync else None

    def open(self) -> None:
        """Once, inside the thread."""
        for file in self.files:
            file.open()

    def read(self, number: Register) -> None:
        """Have an object in the program's memory."""
        p, store = self.p, self.store
        for kind in store.kinds(number):
            if store.cache is None:
                self._fetch(number, kind)
                continue
            with p.scope():
                found = p.register()
                self._look(found, number)
                with p.when(found == 1):
                    self._hit(kind)
                with p.when(found == 0):
                    self._fetch(number, kind)
                    self._enter(number, kind)

    def write(self, number: Register) -> None:
        """Store an object that is in the program's memory."""
        for kind in self.store.kinds(number):
            self._store(number, kind)
            if self.store.cache is not None:
                self._enter(number, kind)

    def _look(self, found: Register, number: Register) -> None:
        """Emit `found` = 1 if the object is in the cache, 0 if it is to be read; wait while another reads it."""
        p, store = self.p, self.store
        assert store.cache is not None
        slept = p.register(0)
        p.call(found, machines.look, store.cache, number)
        with p.while_(found == 2):
            p.get(store.came, 1)
            slept.set(1)
            p.call(found, machines.look, store.cache, number)
        with p.when(slept == 1):
            self.kernel.wake()

    def _enter(self, number: Register, kind: int) -> None:
        p, store = self.p, self.store
        assert store.cache is not None
        with p.scope():
            woken = p.answer(machines.enter, store.cache, number, store.slots.stored[kind])
            p.put(store.came, woken)

    def _hit(self, kind: int) -> None:
        """An object of the cache: the kernel's is read into the program, the program's own costs nothing."""
        if self.files:
            with self._at(0) as at:
                self.files[0].read(at, self.store.slots.sizes[kind], self.store.grain, copy=True, cached=True)

    def _fetch(self, number: Register, kind: int) -> None:
        slots, grain = self.store.slots, self.store.grain
        for device, at in self.store.each(number):
            if self.files:
                self.files[device].read(at, slots.sizes[kind], grain, copy=True)
            else:
                target = self.store.devices[device]
                self.kernel.read_unbuffered(target, at, slots.stored[kind], grain, self.way == "direct")

    def _store(self, number: Register, kind: int) -> None:
        slots, grain = self.store.slots, self.store.grain
        for device, at in self.store.each(number):
            if self.files:
                self._written(partial(self.files[device].write, at, slots.sizes[kind], grain))
            else:
                target = self.store.devices[device]
                self.kernel.write_unbuffered(target, at, slots.stored[kind], grain, self.way == "direct")

    def _written(self, write: Callable[[Arrived | None], None]) -> None:
        """Write into the cache; with `sync`, wait until the device has it."""
        p, stored = self.p, self.stored
        if stored is None:
            write(None)
            return
        write(lambda size: p.put(stored, 1))
        self.kernel.slept(lambda: p.get(stored, 1))

    @contextmanager
    def _at(self, address: int) -> Iterator[Register]:
        with self.p.scope():
            yield self.p.register(address)
