"""Parts with round values, made without the loader, and a look at what a program marked."""

from __future__ import annotations

from fractions import Fraction
from types import ModuleType
from typing import Any

from simio.components.host.bus import ParallelBus
from simio.components.storage.scsi import ScsiBus, ScsiTransport
from simio.description.model import Link, Part
from simio.description.sheets import Sheet, sheet_kinds
from simio.engines.outcome import Options, Outcome
from simio.program.builder import Builder

NS, US, MS = 10**3, 10**6, 10**9


def part(category: str, kind: str, name: str = "part", **values: Any) -> Part:
    """A part of a registered kind with these values."""
    return Part(name, category, kind, "sample", sheet_kinds(category)[kind].model_validate(values))


def like(sample: Part, **values: Any) -> Part:
    """The part with other values."""
    sheet: Sheet = sample.sheet
    changed = type(sheet).model_validate({**dict(sheet), **values})
    return Part(sample.name, sample.category, sample.kind, sample.model, changed)


def bus_of(p: Builder, name: str = "host.bus", memory: str = "1 GB/s", **values: Any) -> ParallelBus:
    """A bus of 100 MHz and 4 bytes with bursts of 16 bytes and 2 clocks of overhead: 60 ns a burst."""
    sheet = {"clock": "100 MHz", "width": "4 B", "burst": "16 B", "overhead_cycles": 2, **values}
    byte = (
        Fraction(10**12)
        / sheet_kinds("memory")["memory"]
        .model_validate({"size": 1, "rate": memory, "copy_rate": "1 MB/s", "xor_rate": "1 MB/s"})
        .rate
    )
    return ParallelBus(p, part("bus", "parallel", name, **sheet), p.resource("host.memory"), byte)


class Trace:
    """A builder that marks instants, and how to run what it holds."""

    def __init__(self) -> None:
        self.p = Builder()
        self.seen = self.p.observation("seen")

    def mark(self, value: int) -> None:
        """Mark this value now."""
        self.p.mark(self.seen, value)

    def run(self, engine: ModuleType, **options: int) -> Outcome:
        """The outcome on an engine; it must end by itself."""
        outcome: Outcome = engine.run(self.p.build(), Options(trace=True, **options))
        return outcome

    def times(self, engine: ModuleType) -> dict[int, int]:
        """Instant in ns at which each value was marked; values must differ."""
        outcome = self.run(engine)
        assert outcome.status == 0, outcome
        seen = self.p.build().marks.index(next(m for m in self.p.build().marks if m.name == "seen"))
        found = [(value, time) for time, mark, value in outcome.marks.tolist() if mark == seen]
        assert len(dict(found)) == len(found)
        return {value: time // NS if time % NS == 0 else time / NS for value, time in found}  # type: ignore


def link_of(kind: str, name: str, ends: tuple[str, ...], length: int = 0, **values: Any) -> Link:
    """A link that joins these ends."""
    return Link(name, part("link", kind, name, **values), ends, Fraction(length))  # type: ignore[arg-type]


SCSI: dict[str, Any] = {
    "devices": 16, "width": "2 B", "transfer_rate": "10 MHz", "handshake": "250 ns", "bus_settle_delay": "400 ns",
    "bus_free_delay": "800 ns", "arbitration_delay": "2.4 us", "bus_clear_delay": "800 ns", "deskew_delay": "50 ns",
    "selection_response": "1 us", "longest": "25 m", "propagation": "5 ns/m",
}  # fmt: skip
ADAPTER: dict[str, Any] = {
    "synchronous": "20 MB/s",
    "width": "2 B",
    "command_cost": "10 us",
    "queue_depth": 8,
}
MECHANISM: dict[str, Any] = {
    "rotation": "6000 rpm", "heads": 2, "sector": "512 B", "zones": [{"cylinders": 100, "sectors": 100}],
    "track_skew": "1 ms", "cylinder_skew": "2 ms", "head_switch": "500 us", "seek_single": "1 ms",
    "seek_average": "5 ms", "seek_full": "10 ms", "buffer": "512 KiB", "segments": 1, "command_overhead": "100 us",
    "write_settle": "500 us", "read_ahead": True, "write_cache": False, "cached_overhead": "50 us", "queue_depth": 1,
    "scheduling": "fifo",
}  # fmt: skip
SCSI_DISK: dict[str, Any] = {**MECHANISM, "synchronous": "10 MB/s", "width": "1 B", "reconnect": "8 KiB"}


class ScsiSample:
    """A SCSI bus with round values between one adapter and some drives: 100 ns a byte of data."""

    def __init__(self, p: Builder, drives: int, disk: dict[str, Any] | None = None, **adapter: Any) -> None:
        names = [f"d{number}" for number in range(drives)]
        self.bus = ScsiBus(p, link_of("scsi", "scsi", ("host.scsi", *names), **SCSI), ["host.scsi"], names)
        host = bus_of(p)
        sheet = part("adapter", "scsi", **{**ADAPTER, **adapter}).sheet
        drive = part("disk", "scsi", **{**SCSI_DISK, **(disk or {})}).sheet
        self.drives = [ScsiTransport(p, self.bus, host, sheet, drive, name, "host.scsi") for name in names]


FC_LINK: dict[str, Any] = {
    "signalling": "1 Gbaud", "frame_overhead": "36 B", "gap": "24 B", "max_payload": "1000 B",
    "propagation": "5 ns/m",
}  # fmt: skip
FC_LOOP: dict[str, Any] = {**FC_LINK, "devices": 127, "port_words": 6, "login_credit": 0, "gather": "8 KiB"}
FC_ADAPTER: dict[str, Any] = {
    "frame_payload": "2048 B",
    "credit": 4,
    "command_cost": "10 us",
    "queue_depth": 8,
}
FC_DISK: dict[str, Any] = {**MECHANISM, "frame_payload": "2048 B", "credit": 4}


IPI: dict[str, Any] = {
    "devices": 9, "rate": "10 MB/s", "attention": "2 us", "selection": "1 us", "bus_exchange": "500 ns",
    "burst": "1000 B", "longest": "125 m", "propagation": "5 ns/m",
}  # fmt: skip
IPI_ADAPTER: dict[str, Any] = {"dma": "40 MB/s", "command_cost": "10 us", "queue_depth": 8}
IPI_DISK: dict[str, Any] = {**MECHANISM, "rate": "25 MB/s", "reconnect": "8 KiB"}
HIPPI: dict[str, Any] = {
    "clock": "25 MHz", "word": "4 B", "burst_words": 256, "gap_words": 2, "connect_words": 16,
    "propagation": "5 ns/m",
}  # fmt: skip
