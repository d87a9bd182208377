"""A host with round costs and a device with a fixed service time, for traces worked by hand."""

from __future__ import annotations

from types import ModuleType

from simio.components.files.cached import Mount
from simio.components.host.host import Computer
from simio.components.host.kernel import UnixKernel
from simio.description.model import Host as HostDescription
from simio.description.model import Part
from simio.description.sheets.filesystems import CachedFileSystem
from simio.description.sheets.hosts import Cpu, HostSheet, Memory
from simio.description.sheets.kernels import UnixKernelSheet
from simio.engines import compiled, reference
from simio.program.builder import Builder, Register

US = 1_000_000
KERNEL = {
    "page": "1000 B", "reference_clock": "100 MHz", "system_call": "10 us", "context_switch": "20 us",
    "interrupt": "5 us", "page_pin": "2 us", "block_request": "0 us", "buffer_cost": "1 us", "page_fault": "7 us",
    "map_call": "40 us", "fault_cluster": "2000 B",
}  # fmt: skip
FILES = {
    "block": "1000 B", "cluster": "4000 B", "read_ahead": "4000 B", "write_behind": "4000 B",
    "dirty_limit": "8000 B", "cache": "100 kB", "page_cost": "3 us", "lookup_cost": "1 us",
}  # fmt: skip


def read(model, values):
    return model.model_validate(values, context={"text": True})


def part(category: str, kind: str, sheet) -> Part:
    return Part(category, category, kind, f"{category}/round", sheet)


class Bench:
    """Builder, host, kernel, file system, and one device that takes 100 us a request, one at a time."""

    def __init__(
        self, cpus: int = 1, kernel: dict[str, str] | None = None, cpu: dict[str, str] | None = None, **files: object
    ) -> None:
        self.p = Builder()
        description = HostDescription(
            "h", "hosts/round", "round", cpus,
            part("cpu", "cpu", read(Cpu, {"clock": "100 MHz", "cache": "64 kB", **(cpu or {})})),
            part("memory", "memory", read(Memory, {
                "size": "1 MB", "rate": "100 MB/s", "copy_rate": "20 MB/s", "xor_rate": "50 MB/s",
            })),
            part("kernel", "unix", read(UnixKernelSheet, KERNEL | (kernel or {}))),
            {}, {}, part("host", "host", HostSheet(cpus=cpus)),
        )  # fmt: skip
        self.host = Computer(self.p, description)
        self.kernel = UnixKernel(self.p, self.host)
        self.files = read(CachedFileSystem, FILES | files)
        self.device = Device(self.p)
        self.mount = Mount(self.kernel, self.files, self.device)
        self.done = self.p.observation("done", "delivered", "bytes")

    def run(self) -> dict[str, list[tuple[int, int]]]:
        """(time in us, value) of every mark by name; the same on both engines."""
        program = self.p.build()
        outcomes = [engine.run(program) for engine in engines()]
        assert outcomes[0].differences(outcomes[1]) == []
        found: dict[str, list[tuple[int, int]]] = {mark.name: [] for mark in program.marks}
        for time, mark, value in outcomes[0].marks.tolist():
            assert time % US == 0
            found[program.marks[mark].name].append((time // US, value))
        return found


def engines() -> list[ModuleType]:
    return [reference, compiled]


class Device:
    """A block device of the simplest kind; marks the address of each request when it is asked."""

    name = "dev"
    capacity = 1_000_000_000
    sector = 500
    any_size = True

    def __init__(self, p: Builder) -> None:
        self.p = p
        self.flushes = p.observation("flushes")
        self.server = p.resource("dev")
        self.reads = p.observation("reads")
        self.writes = p.observation("writes")
        self.sizes = p.observation("sizes")

    def read(self, at: Register, size: int, aligned: int) -> None:
        self._serve(self.reads, at, size)

    def write(self, at: Register, size: int, aligned: int) -> None:
        self._serve(self.writes, at, size)

    def flush(self) -> None:
        self.p.mark(self.flushes, 1)
        with self.p.hold(self.server):
            self.p.advance(50 * US)

    def _serve(self, mark, at: Register, size: int) -> None:
        self.p.mark(mark, at)
        self.p.mark(self.sizes, size)
        with self.p.hold(self.server):
            self.p.advance(100 * US)
