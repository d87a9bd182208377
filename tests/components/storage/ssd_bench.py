"""A solid-state drive with round times, which threads use over an interface of no time.

With the values of `sheet`, in us: a command takes 1 + 4 of the controller, an array read 30, 40 or 30 by the page's
place in its row, a sector 10 on the channel, a page 2 more, decoding 3; a unit of 24 sectors is programmed in 600.
"""

from __future__ import annotations

from types import ModuleType, SimpleNamespace

from drive_bench import Interface

from simio.components.storage.ssd import SolidStateDrive
from simio.description.sheets.nvme import NvmeDrive
from simio.engines.outcome import Outcome, Status
from simio.program.builder import Builder, Register

US = 10**6
KIB4 = 4096
CONTROL = 5
SECTOR_MOVES = 12
DECODE = 3
PROGRAM = 600


def sheet(**values) -> NvmeDrive:
    """A drive of two channels with a die each, and round times."""
    given = {
        "capacity": "60 MiB", "sector": "4 KiB", "channels": 2, "dies": 1, "planes": 2, "independent": False,
        "page": "16 KiB", "block_pages": 6, "blocks": 220, "read_time": f"{100 * US // 3} ps", "levels": [2, 3, 2],
        "sensing": "10 us", "program_time": "600 us", "erase_time": "3 ms", "channel_rate": "409.6 MB/s",
        "channel_overhead": "2 us", "decode": "3 us", "suspend": "7 us", "resume": "5 us", "suspensions": 4,
        "command_time": "1 us", "command_latency": "4 us", "commands": 256, "buffer": "1 MiB", "largest": "512 KiB",
        "fetches": 8, "placement": "filled",
    }  # fmt: skip
    return NvmeDrive.model_validate(given | values, context={"text": True})


class Bench:
    """A drive, an interface of no time, and threads that use it."""

    def __init__(self, last: bool = False, **values) -> None:
        self.p = Builder()
        self.part = SimpleNamespace(sheet=sheet(**values), model="disks/trial")
        self.drive = SolidStateDrive(self.p, SimpleNamespace(name="d", part=self.part, last=last))
        self.interface = Interface(self.p, unit=16384)
        self.interface.burst = 2**20
        self.took = self.p.observation("took")

    def thread(self, verb: str, *sectors: int, size: int = KIB4, at: int = 0) -> None:
        """One command after another, from `at` us on; how long each takes is marked."""
        p = self.p
        with p.thread(verb, start=at * US):
            sector, begun = p.register(), p.register()
            for number in sectors:
                sector.set(number)
                p.let(begun, "SINCE", 0)
                getattr(self.drive, verb)(sector, size, self.interface)
                p.let(begun, "SINCE", begun)
                p.mark(self.took, begun)

    def random_writes(self, count: int, sectors: int) -> None:
        """Writes of a sector each, one after another."""
        p = self.p
        place = p.uniform("place", 0, sectors - 1)
        with p.thread("writer"), p.loop(count):
            sector: Register = p.register()
            p.draw(sector, place)
            self.drive.write(sector, KIB4, self.interface)

    def run(self, engine: ModuleType) -> Outcome:
        outcome: Outcome = engine.run(self.p.build())
        assert outcome.status == Status.DONE
        return outcome

    def times(self, engine: ModuleType) -> list[float]:
        """Times of the commands in us, in the order in which they ended."""
        return [value / US for _, _, value in self.run(engine).marks.tolist()]
