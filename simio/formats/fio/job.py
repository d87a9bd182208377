"""One job of fio, as values: what it does, in bytes and picoseconds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Generic, Literal, TypeVar

from simio.description.mixtures import Mixture
from simio.errors import Place

T = TypeVar("T")
READ, WRITE = 0, 1

SYNCHRONOUS = ("sync", "psync", "vsync", "pvsync", "pvsync2", "mmap")
"""Engines of fio whose calls return when a request is done."""
ASYNCHRONOUS = ("libaio", "io_uring")
"""Engines of fio that keep several requests outstanding."""

Zone = tuple[int, int]
"""Weight of a zone of random places, and its extent: a percentage of the range, or bytes."""


@dataclass(frozen=True)
class Each(Generic[T]):
    """A value for reads and one for writes."""

    read: T
    write: T

    def __getitem__(self, direction: int) -> T:
        return self.write if direction == WRITE else self.read


@dataclass(frozen=True)
class PlaceDistribution:
    """A distribution of random places: its kind in fio's words, parameter, centre, and zones of each direction."""

    kind: str = "random"
    value: Fraction = Fraction(0)
    centre: Fraction | None = None
    zones: Each[tuple[Zone, ...]] = Each((), ())


Amount = int | Fraction | None
"""Bytes, a share of what there is, or nothing said."""


@dataclass(frozen=True)
class Job:
    """A job with the options that are modelled; times in ps, sizes in bytes, rates in bytes a second."""

    name: str
    place: Place | None = None
    reads: bool = True
    writes: bool = False
    random: bool = False
    every: int = 1
    """Requests for one random place; the others follow it, or repeat it (`identical`)."""
    identical: bool = False
    hole: int = 0
    """Bytes that sequential requests leave out between them."""
    reads_of_100: int = 50
    sizes: Each[Mixture] = Each(((4096, 1),), ((4096, 1),))
    align: Each[int | None] = Each(None, None)
    engine: str = "psync"
    direct: bool = False
    iodepth: int = 1
    low: int | None = None
    submit: int = 1
    reap: int = 1
    polling: str = ""
    """Polling with io_uring: iopoll by the process, sqpoll by a kernel thread that submits, too; else none."""
    helper: int | None = None
    """Core of that thread, if it is given."""
    registered: bool = False
    cpus: tuple[int, ...] = ()
    numjobs: int = 1
    size: Amount = None
    io_size: Amount = None
    filesize: Amount = None
    offset: int | Fraction = 0
    offset_align: int = 0
    offset_increment: int | Fraction = 0
    number_ios: int | None = None
    loops: int = 1
    rate: Each[int | None] = Each(None, None)
    poisson: bool = False
    ignore_thinktime: bool = False
    thinktime: int = 0
    thinktime_spin: int = 0
    thinktime_blocks: int = 1
    distribution: PlaceDistribution = PlaceDistribution()
    random_map: bool = True
    percentage_random: Each[int] = Each(100, 100)
    ramp_time: int = 0
    runtime: int = 0
    time_based: bool = False
    start_delay: tuple[int, int] = (0, 0)
    stonewall: bool = False
    new_group: bool = False
    group_reporting: bool = False
    filenames: tuple[str, ...] = ()
    directory: str = ""
    filename_format: str = "$jobname.$jobnum.$filenum"
    nrfiles: int = 1
    service: str = "roundrobin"
    serviced: int = 1
    fsync: int = 0
    """Writes after each of which comes an fsync(); 0: none."""
    fdatasync: int = 0
    end_fsync: bool = False
    sync: Literal["", "sync", "dsync"] = ""
    """Flag with which its files are opened: O_SYNC, or O_DSYNC."""
    percentiles: tuple[Fraction, ...] = ()
    clat_percentiles: bool = True
    lat_percentiles: bool = False
    options: Mapping[str, str] = field(default_factory=dict)
    """The options as they are written, for fio's output."""

    @property
    def directions(self) -> tuple[int, ...]:
        """The directions of its requests."""
        return tuple(direction for direction, wanted in ((READ, self.reads), (WRITE, self.writes)) if wanted)

    @property
    def smallest(self) -> int:
        """The smallest request in bytes, of all directions."""
        return min(size for direction in self.directions for size, _ in self.sizes[direction])

    @property
    def largest(self) -> int:
        """The largest request in bytes, of all directions."""
        return max(size for direction in self.directions for size, _ in self.sizes[direction])

    @property
    def one_size(self) -> bool:
        """True if all requests are of one size."""
        return self.smallest == self.largest

    @property
    def mean_size(self) -> int:
        """Mean size of a request in bytes, rounded down."""
        shares = (100,) if len(self.directions) == 1 else (self.reads_of_100, 100 - self.reads_of_100)
        mean = Fraction(0)
        for direction, share in zip(self.directions, shares, strict=True):
            total = sum(weight for _, weight in self.sizes[direction])
            mean += Fraction(share * sum(size * weight for size, weight in self.sizes[direction]), 100 * total)
        return int(mean)

    @property
    def together(self) -> int:
        """Requests that one call submits."""
        return min(self.submit or self.iodepth, self.depth)

    @property
    def synced(self) -> tuple[int, bool]:
        """Writes after each of which its data are stored, 0 for never, and True if that is by fdatasync()."""
        return (self.fsync, False) if self.fsync else (self.fdatasync, True)

    @property
    def depth(self) -> int:
        """Requests that one process keeps outstanding: 1 with a synchronous engine, whatever iodepth says."""
        return self.iodepth if self.engine in ASYNCHRONOUS else 1

    def files(self, number: int) -> tuple[str, ...]:
        """The names of the files of clone `number`, from 0 on."""
        if self.filenames:
            names: tuple[str, ...] = self.filenames
        else:
            form = self.filename_format.replace("$jobname", self.name).replace("$jobnum", str(number))
            names = tuple(form.replace("$filenum", str(each)) for each in range(self.nrfiles))
        if not self.directory:
            return names
        folders = [folder for folder in self.directory.split(":") if folder]
        folder = folders[number % len(folders)].rstrip("/")
        return tuple(name if name.startswith("/") else f"{folder}/{name}" for name in names)
