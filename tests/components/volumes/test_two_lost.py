"""A RAID 6 without two of its members: it reads, writes and is rebuilt, whenever they are lost."""

from __future__ import annotations

from test_failing import run
from test_raid5 import UNIT
from volume_bench import SECTOR, Request, volume

from simio.description.faults import Failed
from simio.description.model import Volume

READS = [Request("read", unit * UNIT, SECTOR) for unit in (0, 1, 2, 3)]
WRITES = [Request("write", unit * UNIT, SECTOR) for unit in (0, 2)]


def test_requests_go_on_when_a_second_member_is_given_up() -> None:
    # Units 0 to 3 are on m0 to m3, their parity on m4 and m5. The read that finds m1 dead is served again.
    result = run(volume("raid6", 6, UNIT), [*READS, *WRITES], dies={0: 50, 1: 250}, fixed=100)
    assert result.failed == [False] * 6
    # Without both, what m0 had is computed of the four that are left.
    later = run(volume("raid6", 6, UNIT), READS[:1] * 3, dies={0: 50, 1: 250}, fixed=100)
    assert later.failed == [False] * 3
    assert {row.member for row in later.asked[2] if row.verb == "read"} == {"m2", "m3", "m4", "m5"}


def test_what_fails_without_three_is_what_they_had() -> None:
    dies = {0: 50, 1: 250, 2: 550}
    result = run(volume("raid6", 6, UNIT), [*READS[:2], *[READS[3]] * 3, READS[0]], dies=dies, fixed=100)
    assert result.failed == [False, False, False, False, False, True]


def test_a_rebuild_goes_on_without_another_member() -> None:
    described = Volume("v", "raid6", tuple(f"m{i}" for i in range(6)), UNIT, failed=("m0",))
    spare = Failed(of="m1", at="50 ps", spare="s", extent=4 * UNIT, chunk=UNIT)
    result = run(described, READS[1:2] * 30, dies={1: 50}, spare=spare, fixed=100)
    assert not any(result.failed)
    # In the end the spare has what m1 had, and m0 is still lost.
    assert {row.member for row in result.asked[-1] if row.verb == "read"} == {"s"}
