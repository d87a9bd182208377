"""A volume behind a cache on a faster device, as Linux bcache has it.

Reads that find all of their blocks there go to the cache, others to the volume behind, and what they bring is added
when they are done. Writes go to the cache and are written back later, or to both, or around the cache.
"""

from __future__ import annotations

from simio.components.passage import Passage
from simio.components.storage.interfaces import BlockDevice
from simio.components.volumes.requests import Verb, check_request, size_text
from simio.description.caches import CacheOptions
from simio.errors import RunError
from simio.machines.volume import buckets, caching, writeback
from simio.program.builder import Builder, Register

MODES = {"writearound": caching.AROUND, "writethrough": caching.THROUGH, "writeback": caching.BACK}
UNDER_WAY = 64
"""Runs of blocks that are written back at the same time (Linux drivers/md/bcache/writeback.c, in_flight)."""
RUN = 64 * 1024
"""Bytes that are written back at once where so many lie together."""
MOST_BLOCKS = 2**20
"""Blocks of a cache."""


class CachedVolume:
    """A block device with a cache before it."""

    any_size = False

    def __init__(self, p: Builder, name: str, behind: BlockDevice, fast: BlockDevice, options: CacheOptions) -> None:
        """Raises RunError for a cache that the fast device has no room for, or that has too many blocks."""
        self.p, self.name, self.behind, self.fast, self.options = p, name, behind, fast, options
        self.capacity = behind.capacity // options.block * options.block
        self.sector = behind.sector
        self._check()
        self.state = p.machine(f"{name} cache", self._cache().initial())
        self.gate = p.container(f"{name} cache: dirty", unit="signals")
        for what, word, unit in (
            ("served by the cache", caching.HITS, "reads"),
            ("not all in the cache", caching.MISSES, "reads"),
            ("passed by the cache", caching.PASSED, "requests"),
            ("written through, as too much was dirty", caching.OVER, "writes"),
            ("written back", caching.WRITTEN, "bytes"),
        ):
            p.tally(name, what, self.state + word, unit)
        p.gauge(name, "dirty", self.state + caching.BYTES, "bytes")
        if options.mode == "writeback":
            self._write_back()

    def _check(self) -> None:
        own, at = self.options, f"volumes.{self.name}.cache"
        blocks = own.room // own.block
        if own.room > self.fast.capacity:
            has = size_text(self.fast.capacity)
            raise RunError(f"{self.fast.name!r} has {has}, and the cache is to have {size_text(own.room)}", at=at)
        if blocks > MOST_BLOCKS:
            least = size_text(-(-own.room // MOST_BLOCKS))
            raise RunError(
                f"the cache of {self.name!r} has {blocks:,} blocks, and at most {MOST_BLOCKS:,} are kept track of; "
                f"use blocks of {least} or more, or a smaller cache before less data",
                at=at,
            )
        for device in (self.behind, self.fast):
            if own.block % device.sector:
                raise RunError(
                    f"blocks of {size_text(own.block)} of the cache of {self.name!r} are no multiple of the sectors "
                    f"of {device.name!r}, {size_text(device.sector)}",
                    at=at,
                )

    def _cache(self) -> caching.Cache:
        own = self.options
        return caching.Cache(
            own.block, own.room // own.block, own.bucket // own.block, self.capacity, MODES[own.mode],
            own.sequential_cutoff, round(own.dirty_limit * 100), round(own.dirty_target * own.room),
            max(RUN // own.block, 1), own.warm,
        )  # fmt: skip

    def passage(self, writes: bool) -> Passage:
        """Nothing that all bytes pass: a request may be served by either device."""
        return Passage()

    def flush(self) -> None:
        """Both devices at once."""
        for device in (self.fast, self.behind):
            with self.p.fork(f"{self.name}: flush", joined=True):
                device.flush()
        self.p.join()

    def read(self, at: Register, size: int, aligned: int) -> None:
        """Read from the cache if all is there; else from the device behind, and add it to the cache afterwards."""
        if self._passes_by("read", at, size, aligned):
            return
        p, block, own = self.p, self.options.block, self.name
        with p.scope():
            where = p.answer(buckets.read, self.state, at, size)
            kind = p.register(where % caching.FEW)
            where.set(where // caching.FEW)
            with p.when(kind % caching.PASSING == caching.HIT):
                self.fast.read(where, size, block)
            with p.when(kind % caching.PASSING != caching.HIT):
                with p.when(kind % caching.PASSING == caching.PARTLY), p.fork(f"{own}: dirty part", joined=True):
                    self.fast.read(where, size, block)
                with p.fork(f"{own}: read behind", joined=True):
                    self.behind.read(at, size, aligned)
                p.join()
                with p.when(kind < caching.PASSING), p.fork(f"{own}: added", daemon=True):
                    p.call(where, buckets.add, self.state, at, size)
                    with p.when(where > 0):
                        where.set(where - 1)
                        self.fast.write(where, size, block)

    def write(self, at: Register, size: int, aligned: int) -> None:
        """Write to the cache, to both devices, or to the one behind."""
        if self._passes_by("write", at, size, aligned):
            return
        p, block, own = self.p, self.options.block, self.name
        with p.scope():
            where = p.answer(buckets.write, self.state, at, size)
            kind = p.register(where % caching.FEW)
            where.set(where // caching.FEW)
            with p.when(kind >= caching.PASSING):
                p.put(self.gate, 1)
            kind.set(kind % caching.PASSING)
            with p.when(kind != caching.AROUND), p.fork(f"{own}: to the cache", joined=True):
                self.fast.write(where, size, block)
            with p.when(kind != caching.BACK), p.fork(f"{own}: behind the cache", joined=True):
                self.behind.write(at, size, aligned)
            p.join()

    def _passes_by(self, verb: Verb, at: Register, size: int, aligned: int) -> bool:
        """Let requests that are not made of blocks go to the device behind, as bcache does, and those too large."""
        check_request(self.name, size, aligned, self.sector)
        if size % self.options.block == aligned % self.options.block == 0 and 2 * size <= self.options.room:
            return False
        (self.behind.read if verb == "read" else self.behind.write)(at, size, aligned)
        return True

    def _write_back(self) -> None:
        """The thread that writes dirty blocks back, in ascending order and at the controller's rate."""
        p, block = self.p, self.options.block
        runs = sorted({1, max(RUN // block, 1)})
        under_way = p.resource(f"{self.name} writeback", UNDER_WAY, lock=True)
        with p.thread(f"{self.name}: writeback", daemon=True), p.forever(), p.scope():
            run = p.answer(writeback.take, self.state)
            with p.when(run == 0):
                p.get(self.gate, 1)
                p.rest(self.options.writeback_delay, f"{self.name}: pause", daemon=True)
            with p.when(run > 0):
                p.seize(under_way)
                with p.fork(f"{self.name}: written back", daemon=True):
                    first, count = p.register(run // caching.COUNTED), p.register(run % caching.COUNTED)
                    for blocks in runs:
                        with p.when(count == blocks):
                            self._copy(first, blocks)
                    p.release(under_way)
                pause = p.answer(writeback.pace, self.state, p.register(run % caching.COUNTED * block))
                p.rest(pause, f"{self.name}: pause", daemon=True)

    def _copy(self, first: Register, blocks: int) -> None:
        """Copy blocks that lie together from the cache to the device behind."""
        p, block = self.p, self.options.block
        with p.scope():
            at = p.answer(writeback.place, self.state, first, blocks)
            self.fast.read(at, blocks * block, block)
            at.set(first * block)
            self.behind.write(at, blocks * block, blocks * block)
            p.answer(writeback.landed, self.state, first, blocks)
