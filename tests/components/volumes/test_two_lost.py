"""A RAID 6 without two of its members: it reads, writes and is rebuilt, whenever they are lost."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from failing_bench import run
from test_raid5 import UNIT
from volume_bench import SECTOR, Request, volume

from simio.description.faults import Failed
from simio.description.model import Volume
from simio.errors import ScenarioError
from simio.loading import load

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


SCENARIO = """
title: A RAID 6
hosts: {server: {model: hosts/server-2023-2s, buses: {slot: buses/pcie-4-x4}, adapters: {nvme: {model: adapters/nvme-linux, bus: slot}}}}
disks: {d: {model: disks/datacentre-tlc-2023, count: 8}}
volumes: {pool: {kind: raid6, unit: 64 KiB, of: [d1, d2, d3, d4, d5, d6]}}
links: [{model: links/nvme, between: [server.nvme, d], length: 0 m}]
workload: {reader: {host: server, from: pool, access: direct, block: 64 KiB, size: 1 MiB}}
faults: [FAULTS]
"""  # noqa: E501


@pytest.mark.parametrize(
    ("faults", "told"),
    [
        ([{"of": "d1"}, {"of": "d2"}, {"of": "d3"}], "'d1' and 'd2' and 'd3' failed; expected at most 2 of 'pool'"),
        (
            [{"of": "d1", "spare": "d7"}, {"of": "d2", "spare": "d8"}],
            "a second spare for 'pool'; expected one, onto which one disk is rebuilt",
        ),
        ([{"of": "d1", "spare": "d7"}, {"of": "d2"}], ""),
    ],
)
def test_two_disks_of_a_raid6_may_fail_and_one_have_a_spare(
    tmp_path: Path, faults: list[dict[str, str]], told: str
) -> None:
    named = [{"name": f"loss{i}", "kind": "failed", **fault} for i, fault in enumerate(faults)]
    path = tmp_path / "pool.yaml"
    path.write_text(SCENARIO.replace("[FAULTS]", str(named)))
    if not told:
        assert load(str(path)).cases[0].system.volumes["pool"].failed == ("d1", "d2")
        return
    with pytest.raises(ScenarioError, match=re.escape(told)):
        load(str(path))
