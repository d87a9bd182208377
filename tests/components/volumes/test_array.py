"""Array controllers: who issues how many commands, what overlaps, and when a write is done."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

import pytest
from volume_bench import NoParity, outcome_of, recorders, volume

from simio.bound import bound
from simio.components.passage import Passage
from simio.components.storage.driver import DiskDriver
from simio.components.storage.interfaces import BlockDevice, Transport
from simio.components.volumes import ArrayController, ArrayPort, make_volume
from simio.description.model import Part
from simio.description.sheets import sheet_kinds
from simio.errors import RunError
from simio.program.builder import Builder, Register

KIB = 1024


class Wire:
    """A transport that moves a byte in `per` ps, one piece at a time; commands and status take `fixed` ps."""

    unit = burst = 4 * KIB
    pace = 0

    def __init__(self, p: Builder, name: str, per: int = 1, fixed: int = 0):
        self.p, self.per, self.fixed = p, per, fixed
        self.wire = p.resource(name)

    def _move(self, amount: int) -> None:
        with self.p.hold(self.wire):
            self.p.advance(amount * self.per)

    def send(self, amount: int) -> None:
        self._move(amount)

    def fetch(self, amount: int) -> None:
        self._move(amount)

    def passage(self, writes: bool) -> Passage:
        return Passage({self.wire: Fraction(self.per)})

    def request(self) -> None:
        self.p.advance(self.fixed)

    def reply(self) -> None:
        self.p.advance(self.fixed)


class Arm:
    """A drive that takes `access` ps and then moves data piece by piece."""

    any_size = False
    pace = 0

    def __init__(self, p: Builder, name: str, access: int):
        self.p, self.name, self.access = p, name, access
        self.sector = 512
        self.capacity = 2**40
        self.arm = p.resource(name)

    @property
    def passage(self) -> Passage:
        return Passage()

    def read(self, sector: Register, size: int, transport: Transport) -> None:
        with self.p.hold(self.arm):
            self.p.advance(self.access)
            for amount in self.p.pieces(size, transport.unit):
                transport.send(amount)

    def write(self, sector: Register, size: int, transport: Transport) -> None:
        with self.p.hold(self.arm):
            for amount in self.p.pieces(size, transport.unit):
                transport.fetch(amount)
            self.p.advance(self.access)


class Driver:
    """A host's driver whose costs are each one ps of a resource."""

    def __init__(self, p: Builder, most: int = 2**40):
        self.p, self.most = p, most
        self.queue, self.tags, self.alone = "", 2**62, 0
        self.cpu = p.resource("cpu", 64)
        self.issued, self.completed = p.observation("issued"), p.observation("completed")

    def requests(self, size: int) -> Iterator[int]:
        return self.p.pieces(size, self.most)

    def start(self) -> None:
        """Nothing of its own."""

    def issue(self, size: int) -> None:
        self.p.mark(self.issued, size)

    def complete(self, size: int) -> None:
        self.p.mark(self.completed, 1)


def sheet(**values: object) -> Part:
    """A controller with one processor and round costs, but for `values`."""
    given = {
        "processors": 1, "request_cost": 100, "command_cost": 10, "completion_cost": 5, "max_command": None,
        "parity_rate": Fraction(10**12), "write_cache": None, **values,
    }  # fmt: skip
    model = sheet_kinds("controller")["array"]
    return Part("c", "controller", "array", "test", model.model_construct(**given))


class Rig:
    """A hardware array of some kind over arms, with a wire to each and one to the host."""

    def __init__(
        self,
        kind: str,
        count: int,
        unit: int | None = 4 * KIB,
        access: int = 10**6,
        most: int = 2**40,
        host: int = 1,
        failed: str = "",
        **values: object,
    ):
        self.p = p = Builder()
        self.controller = ArrayController(p, "c", sheet(**values))
        self.driver = Driver(p, most)
        link = Wire(p, "host wire", host)
        members = [
            DiskDriver(
                p,
                self.controller.initiator,
                Arm(p, f"m{i}", access),  # type: ignore[arg-type]
                self.controller.transport(Wire(p, f"wire {i}"), link),
                depth=4,
            )
            for i in range(count)
        ]
        port = ArrayPort(self.driver, link, depth=16)
        described = replace(volume(kind, count, unit), failed=(failed,) if failed else ())
        self.device: BlockDevice = make_volume(p, described, members, controller=self.controller, port=port)

    def once(self, verb: str, size: int, count: int = 1, threads: int = 1):
        """`count` requests one after the other: the program, its outcome, and when each was done."""
        p = self.p
        done = p.observation("delivered", "delivered", "bytes")
        with p.thread("t", count=threads):
            at = p.register(0)
            with p.loop(count):
                (self.device.read if verb == "read" else self.device.write)(at, size, size)
                p.mark(done, size)
                p.let(at, "ADD", at, size)
        self.program = p.build()
        outcome = outcome_of(p)
        ends = [time for time, mark, _ in outcome.marks.tolist() if mark == done.number]
        return outcome, ends

    def busy(self, outcome, name: str) -> int:
        """Unit-ps that a resource was busy."""
        names = [resource.name for resource in self.program.resources]
        return int(outcome.resources[names.index(name), 0])

    def issued(self, outcome) -> int:
        return sum(1 for _, mark, _ in outcome.marks.tolist() if mark == self.driver.issued.number)


def test_the_host_issues_one_command_and_the_controller_one_a_member() -> None:
    # A full stripe of 4 and parity: one command of the host, five of the controller, whose processor is busy for
    # 100 + 5 * (10 + 5).
    rig = Rig("raid5", 5)
    outcome, _ = rig.once("write", 16 * KIB)
    assert rig.issued(outcome) == 1
    assert rig.busy(outcome, "c processor") == 100 + 5 * 15
    # Parity of four units at 1 TB/s, that is 1 ps a byte.
    assert rig.busy(outcome, "c parity") == 16 * KIB


def test_in_software_the_host_issues_them_all() -> None:
    p = Builder()
    driver = Driver(p)
    members = [
        DiskDriver(p, driver, Arm(p, f"m{i}", 100), Wire(p, f"wire {i}"), depth=4)  # type: ignore[arg-type]
        for i in range(5)
    ]
    device = make_volume(p, volume("raid5", 5, 4 * KIB), members, NoParity(p))
    with p.thread("t"):
        device.write(p.register(0), 16 * KIB, 16 * KIB)
    outcome = outcome_of(p)
    assert sum(1 for _, mark, _ in outcome.marks.tolist() if mark == driver.issued.number) == 5


def test_a_small_write_by_hand() -> None:
    # 100 ps for the request and 4096 ps for the data from the host. Then two reads, of which the second is issued
    # after 2 * 10 ps and takes 1 us, 4096 ps on its wire and 5 ps to complete (the first is done 10 ps before it);
    # parity of three units at 1 ps a byte; and two writes like the reads.
    rig = Rig("raid5", 5)
    _, ends = rig.once("write", 4 * KIB)
    phase = 20 + 10**6 + 4096 + 5
    assert ends == [100 + 4096 + 2 * phase + 3 * 4096]


def test_a_large_read_passes_through_while_it_arrives() -> None:
    # Four members, 64 KiB each in pieces of 4 KiB. Their wires take 65536 ps each at the same time; the host's, at
    # 1 ps a byte, 262144 ps for all. The first piece is there after the commands and one piece: issue of the first
    # command at 110, access, 4096 ps. Then the host's wire never rests; at the end a completion of the last member.
    rig = Rig("stripe", 4, 4 * KIB)
    outcome, ends = rig.once("read", 256 * KIB)
    assert ends == [110 + 10**6 + 4096 + 4 * 65536 + 5]
    assert rig.busy(outcome, "host wire") == 256 * KIB


def test_reads_for_parity_do_not_pass_to_the_host() -> None:
    rig = Rig("raid5", 5)
    outcome, _ = rig.once("write", 4 * KIB)
    assert rig.busy(outcome, "host wire") == 4 * KIB


@pytest.mark.parametrize("verb", ["read", "write"])
@pytest.mark.parametrize(
    ("kind", "count", "unit", "size"),
    [
        ("raid5", 5, 4 * KIB, 4 * KIB), ("raid5", 5, 4 * KIB, 2 * KIB), ("raid5", 5, 4 * KIB, 16 * KIB),
        ("raid5", 5, 4 * KIB, 64 * KIB), ("raid3", 5, None, 16 * KIB), ("mirror", 3, None, 16 * KIB),
    ],
)  # fmt: skip
@pytest.mark.parametrize("failed", ["m0", "m2"])
def test_without_a_disk_the_host_gets_every_byte_once(
    kind: str, count: int, unit: int | None, size: int, failed: str, verb: str
) -> None:
    rig = Rig(kind, count, unit, failed=failed)
    outcome, ends = rig.once(verb, size, count=12)
    assert rig.busy(outcome, "host wire") == 12 * size
    assert rig.busy(outcome, failed) == 0
    assert len(ends) == 12


def test_what_is_computed_goes_to_the_host_when_it_is_there() -> None:
    # The first unit is on m0. Four commands of 10 ps each; the last unit is there after its access and 4096 ps, and
    # its completion; then parity of four, and 4096 ps to the host.
    rig = Rig("raid5", 5, failed="m0")
    _, ends = rig.once("read", 4 * KIB)
    assert ends == [100 + 4 * 10 + 10**6 + 4096 + 5 + 4 * 4096 + 4096]
    # The second is on m1: it passes through, as it does of a whole array.
    rig, whole = Rig("raid5", 5, failed="m4"), Rig("raid5", 5)
    assert rig.once("read", 4 * KIB)[1] == whole.once("read", 4 * KIB)[1]


def test_a_cached_write_is_done_when_the_cache_has_it() -> None:
    rig = Rig("raid5", 5, write_cache=64 * KIB)
    outcome, ends = rig.once("write", 16 * KIB)
    assert ends == [100 + 16 * KIB]
    # The members still get it.
    assert rig.busy(outcome, "m4") == 4096 + 10**6
    assert outcome.end > 10**6


def test_a_full_cache_throttles_to_the_rate_of_the_members() -> None:
    # 64 KiB hold four writes of 16 KiB; a full stripe takes each member a little over 1 us. The members are the limit
    # from the fifth write on: one more is done each time that one has been written.
    rig = Rig("raid5", 5, write_cache=64 * KIB)
    _, ends = rig.once("write", 16 * KIB, count=24)
    assert ends[3] < 10**6
    late = [after - before for before, after in zip(ends[8:], ends[9:], strict=False)]
    assert sum(late) / len(late) == pytest.approx(10**6 + 4096, rel=0.01)


def test_what_is_written_behind_does_not_bind_what_was_delivered() -> None:
    rig = Rig("raid5", 5, write_cache=64 * KIB)
    _, ends = rig.once("write", 16 * KIB, count=3)
    assert bound(rig.program).allows(48 * KIB, ends[-1], complete=True)


def test_a_write_larger_than_the_cache_goes_through() -> None:
    through, cached = Rig("raid5", 5), Rig("raid5", 5, write_cache=16 * KIB)
    assert through.once("write", 32 * KIB)[1] == cached.once("write", 32 * KIB)[1]


def test_more_processors_issue_at_the_same_time() -> None:
    one, four = Rig("mirror", 4, None), Rig("mirror", 4, None, processors=4)
    # Mirrored writes: four commands of 10 ps one after the other, or all at once.
    assert one.once("write", 4 * KIB)[1][0] - four.once("write", 4 * KIB)[1][0] == 3 * 10


def test_commands_are_cut_at_the_largest() -> None:
    rig = Rig("concat", 1, None, max_command=8 * KIB)
    outcome, _ = rig.once("read", 32 * KIB)
    assert rig.busy(outcome, "c processor") == 100 + 4 * 15


def test_the_hosts_driver_may_cut_as_well() -> None:
    rig = Rig("stripe", 2, 4 * KIB, most=12 * KIB)
    outcome, _ = rig.once("read", 32 * KIB)
    # 12, 12 and 8 KiB: units 0-2, 3-5, 6-7, that is two commands each.
    assert rig.issued(outcome) == 3
    assert rig.busy(outcome, "c processor") == 3 * 100 + 6 * 15
    assert rig.busy(outcome, "host wire") == 32 * KIB


def test_a_controller_that_is_slow_limits_small_requests() -> None:
    # 100 + 10 + 5 ps of the one processor a request; eight members of 200 ps each would do more.
    rig = Rig("stripe", 8, 4 * KIB, access=200, host=0)
    count, threads = 50, 16
    outcome, _ = rig.once("read", 4 * KIB, count=count, threads=threads)
    assert rig.busy(outcome, "c processor") == count * threads * 115


def test_a_controller_without_a_host_is_an_error() -> None:
    p = Builder()
    controller = ArrayController(p, "c", sheet())
    with pytest.raises(RunError, match=r"^volume 'v' has a controller that no host reaches$"):
        make_volume(p, volume("mirror", 2), recorders(p, 2), controller=controller)
