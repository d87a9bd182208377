"""Two hosts with adapters for RDMA, and times of what goes between them by hand."""

from __future__ import annotations

from math import ceil
from pathlib import Path
from types import ModuleType

from simio.components.site import Site
from simio.engines import compiled
from simio.engines.outcome import Options, Outcome
from simio.loading import load
from simio.lower import lower
from simio.program.steps import Program

NS = 1000
SCENARIO = """
title: Messages over queue pairs
hosts:
  a:
    model: hosts/server-2023-2s
    adapters:
      roce: {model: adapters/connectx-5-rdma, bus: slot, post_cost: 0 s, doorbell: 0 s, poll_cost: 0 s}
  b: {like: a}
links:
  - {name: wire, model: links/ethernet-100g-jumbo, between: [a.roce, b.roce], length: 2 m}
workload:
  rdma: {from: a, to: b, size: 4 KiB, messages: 1}
"""


def described(folder: Path, *sets: str, text: str = SCENARIO):
    (folder / "rdma.yaml").write_text(text)
    return load(str(folder / "rdma.yaml"), list(sets)).cases[0].system


def ran(folder: Path, *sets: str, engine: ModuleType = compiled, text: str = SCENARIO) -> tuple[Program, Outcome]:
    program = lower(described(folder, *sets, text=text))
    return program, engine.run(program, Options(seed=1, until=OPEN))


OPEN = 10**10
"""Ten milliseconds, in which all that has an end is over, in ps."""


def marks(program: Program, outcome: Outcome, name: str) -> list[tuple[int, int]]:
    """Time and value of each mark of this name."""
    names = [mark.name for mark in program.marks]
    return [(time, value) for time, mark, value in outcome.marks.tolist() if names[mark] == name]


def tallies(program: Program, outcome: Outcome, what: str) -> dict[str, int]:
    """The tallies of this kind that are not zero, by owner."""
    found = {one.owner: int(outcome.state[one.at]) for one in program.tallies if one.what == what}
    return {owner: value for owner, value in found.items() if value}


class Bus:
    """Times of PCI Express by hand, in ps."""

    def __init__(self, system: object) -> None:
        self.bus = Site(system).host("a").pcie("slot")  # type: ignore[arg-type]
        sheet = self.bus.sheet
        self.delay, self.request, self.answer = sheet.latency, sheet.request, sheet.answer
        self.wait = 2 * self.delay + self.bus.root.sheet.read_latency
        self.asked, self.sent, self.back = sheet.read_request, sheet.payload, sheet.largest_completion

    def time(self, size: int) -> int:
        return ceil(size * self.bus.byte)

    def read(self, size: int) -> int:
        asks = self.time(ceil(size / self.asked) * self.request)
        return asks + self.wait + self.time(size + ceil(size / self.back) * self.answer)

    def write(self, size: int) -> int:
        return self.time(size + ceil(size / self.sent) * self.request)


BITS = 80
"""Time of a byte at 100 Gbit/s, in ps."""
WAY = 9_800 + 51_200
"""Two metres of fibre, and the codeword of error correction."""
CARD = 150 * NS + 5 * NS
"""Time that an adapter adds to a packet, either way."""


def crossing(size: int) -> int:
    """An IP datagram from the DMA of one adapter to that of the other, in an idle network."""
    return CARD + (8 + 14 + size + 4) * BITS + WAY + CARD
