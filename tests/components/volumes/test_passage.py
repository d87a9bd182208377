"""The bound on requests whose members only a run shows."""

from __future__ import annotations

from fractions import Fraction

import pytest
from volume_bench import NoParity, Recorder, volume

from simio.bound import bound
from simio.components.passage import Passage, common
from simio.components.volumes import make_volume
from simio.components.volumes.geometry import Geometry
from simio.components.volumes.members import Losses, Members
from simio.loading import load
from simio.machines.volume.layout import MIRROR, RAID3, RAID5, STRIPE
from simio.program.builder import Builder, Handle, Register
from simio.running import run_case

KIB = 1024
WIRE = 3
"""Time of a byte on the wire that all members share, in ps."""


class Sharing(Recorder):
    """A member whose bytes pass a wire that it shares with others."""

    def __init__(self, p: Builder, name: str, wire: Handle) -> None:
        super().__init__(p, name, 2**40)
        self.wire = wire

    def passage(self, writes: bool) -> Passage:
        return Passage({self.wire: Fraction(WIRE), self.server: Fraction(1)})

    def _serve(self, verb: str, at: Register, size: int, aligned: int) -> None:
        with self.p.hold(self.wire):
            self.p.advance(WIRE * size)


def on_the_wire(kind: str, verb: str, size: int, grain: int) -> int:
    """The demand of ten requests, at multiples of `grain`, on the wire that all members share, in ps."""
    p = Builder()
    wire = p.resource("wire")
    described = volume(kind, 4, None if kind == "mirror" else 16 * KIB)
    members = [Sharing(p, f"m{place}", wire) for place in range(4)]
    device = make_volume(p, described, members, NoParity(p))
    place = p.uniform("place", 0, 9999)
    with p.thread("t"), p.loop(10):
        at = p.register()
        p.draw(at, place)
        at.set(at * grain)
        (device.read if verb == "read" else device.write)(at, size, grain)
        p.mark(p.observation("delivered", "delivered", "bytes"), size)
    (limit,) = (each for each in bound(p.build()).limits if each.name == "wire")
    assert limit.time.denominator == 1
    return int(limit.time)


@pytest.mark.parametrize("size", [4 * KIB, 16 * KIB, 48 * KIB, 64 * KIB, 200 * KIB])
@pytest.mark.parametrize("grain", [4 * KIB, 16 * KIB])
@pytest.mark.parametrize("kind", ["stripe", "concat", "mirror", "raid5"])
def test_each_byte_that_is_read_passes_the_common_wire_once(kind: str, size: int, grain: int) -> None:
    assert on_the_wire(kind, "read", size, grain) == 10 * WIRE * size


@pytest.mark.parametrize("size", [4 * KIB, 16 * KIB, 48 * KIB, 200 * KIB])
@pytest.mark.parametrize("kind", ["stripe", "mirror", "raid5"])
def test_each_byte_that_is_written_passes_it_at_least_once(kind: str, size: int) -> None:
    copies = {"mirror": 4}.get(kind, 1)
    assert on_the_wire(kind, "write", size, 4 * KIB) >= 10 * WIRE * size * copies


def test_of_two_ways_only_what_both_have_is_certain() -> None:
    p = Builder()
    a, b, c = (p.resource(name) for name in "abc")
    one, other = Passage({a: Fraction(2), b: Fraction(5)}, {c: Fraction(1)}), Passage({b: Fraction(3)})
    assert one & other == Passage({b: Fraction(3)})
    assert one + other == Passage({a: Fraction(2), b: Fraction(8)}, {c: Fraction(1)})
    assert common([]) == Passage()
    assert common([one, other, one]) == one & other


@pytest.mark.parametrize(
    ("level", "failing", "lost", "survives"),
    [
        (STRIPE, [], [], True),
        (STRIPE, [1], [], False),
        (RAID3, [1], [], False),
        (RAID5, [1], [], True),
        (RAID5, [1], [1], True),
        (RAID5, [1], [2], False),
        (RAID5, [1, 2], [], False),
        (MIRROR, [3], [], True),
    ],
)
def test_requests_that_may_fail_need_not_pass(
    level: int, failing: list[int], lost: list[int], survives: bool
) -> None:
    losses = Losses(None, dict.fromkeys(failing))  # type: ignore[arg-type]
    members = Members(Builder(), "v", Geometry(level, 4, 512, 2**20), [None] * 4, losses=losses)
    assert members.survive([4, *lost]) is survives


RANDOM = """
title: Random reads of a volume
hosts:
  server:
    model: hosts/linux-2002-dual-p3
    adapters: {scsi: {model: adapters/aic-7899, bus: pci}}
disks:
  d: {model: disks/atlas-10k, count: 4}
volumes:
  v: {kind: KIND, of: d, UNIT}
links:
  - {model: links/scsi-ultra160, between: [server.scsi, d], length: 3 m}
workload:
  reader: {host: server, from: v, access: raw, block: 96 KiB, size: 6 MiB, pattern: random, processes: 24}
FAULTS
"""


@pytest.mark.parametrize("faults", ["", "faults: [{kind: failed, of: d2}]"])
@pytest.mark.parametrize("kind", ["stripe", "mirror", "raid5"])
def test_no_volume_is_faster_than_the_bus_to_its_disks(tmp_path, kind: str, faults: str) -> None:
    if faults and kind == "stripe":
        pytest.skip("no stripe survives a failed disk")
    path = tmp_path / "random.yaml"
    unit = "" if kind == "mirror" else "unit: 32 KiB"
    path.write_text(RANDOM.replace("KIND", kind).replace("UNIT", unit).replace("FAULTS", faults))
    result = run_case(load(str(path)).cases[0])
    assert result.bound is not None
    assert result.rate <= result.bound <= 160_000_000


def test_what_each_way_has_for_itself_is_one_set() -> None:
    p = Builder()
    shared, a, b, c, d = (p.resource(name) for name in ("shared", *"abcd"))
    ways = [Passage({one: Fraction(byte), shared: Fraction(1)}) for one, byte in ((a, 2), (b, 3), (c, 4), (d, 5))]
    left, right = common(ways[:2]), common(ways[2:])
    assert left == Passage({shared: Fraction(1)}, sets={(a, b): Fraction(2)})
    # A volume of volumes: a byte passes one of all four, in no less time than the fastest.
    assert common([left, right]) == Passage({shared: Fraction(1)}, sets={(a, b, c, d): Fraction(2)})
    # Two members behind a port and one behind another: the port counts once.
    assert common([ways[0], ways[0], ways[1]]).sets == {(a, b): Fraction(2)}


def test_a_set_has_all_units_and_its_bytes_take_their_share() -> None:
    p = Builder()
    one, other = p.resource("one", units=4), p.window("other", 2)
    with p.thread("t"), p.loop(10):
        Passage(sets={(one, other): Fraction(3)}).declare(p, 600)
        p.mark(p.observation("delivered", "delivered", "bytes"), 600)
    found = bound(p.build())
    (limit,) = (each for each in found.limits if each.kind == "resources")
    assert (limit.name, limit.time) == ("one and 1 more together", Fraction(10 * 600 * 3, 4 + 2))
    assert "one" in found.left_out


MODERN = """
title: Random access to a volume of today's drives
hosts:
  server:
    model: hosts/server-2023-2s
    buses: {hba: buses/pcie-4-x8}
    adapters: {sas: {model: adapters/sas-hba-2020, bus: hba}}
disks:
  d: {model: DISK, count: 5}
volumes:
  v: {kind: KIND, of: d, unit: 64 KiB}
links:
  - {model: LINK, between: [server.PORT, d]}
workload:
  reader: {host: server, from: v, access: direct, block: 64 KiB, size: 10 GiB, pattern: random, depth: 64}
run: {until: 10 ms, replications: 1}
"""

LANES, WIDE = 7.9e9, 4.8e9
"""Most bytes a second over four lanes of PCI Express 4.0, and over the four links of a wide port at 12 Gbit/s."""


@pytest.mark.parametrize("kind", ["stripe", "raid5", "raid6"])
@pytest.mark.parametrize(
    ("disk", "link", "port", "most"),
    [
        ("disks/datacentre-tlc-2023", "links/nvme", "nvme", 5 * LANES),
        ("disks/exos-x18-18tb-sas", "links/sas-12", "sas", WIDE),
    ],
)
def test_random_access_is_bounded_by_all_ways_together(
    tmp_path, kind: str, disk: str, link: str, port: str, most: float
) -> None:
    path = tmp_path / "modern.yaml"
    path.write_text(MODERN.replace("DISK", disk).replace("LINK", link).replace("PORT", port).replace("KIND", kind))
    result = run_case(load(str(path)).cases[0])
    assert result.bound is not None
    assert result.rate <= result.bound <= most
