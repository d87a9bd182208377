"""Volumes and shared links as they are read."""

from __future__ import annotations

import json

import pytest
from load_samples import BUS, DISKS, VOLUMES, Loader

from simio.description.model import Volume
from simio.description.parts import fitted_values
from simio.errors import ScenarioError
from simio.loading import resolved

OF_FOUR = VOLUMES[: VOLUMES.index("  left:")] + "  data: {}\n" + VOLUMES[VOLUMES.index("switches:") :]


def volume(read: Loader, written: str) -> Volume:
    """The volume `data` written so."""
    return read(OF_FOUR.replace("data: {}", f"data: {written}")).cases[0].system.volumes["data"]


def test_a_shared_link_is_one_link_with_all_ends_in_order(read: Loader) -> None:
    (link,) = read(BUS).cases[0].system.links
    assert link.name == "scsi"
    assert link.ends == ("a.bus", "d1", "d2", "e", "b.bus")
    assert link.length == 3


def test_a_shared_link_may_join_two(read: Loader) -> None:
    text = BUS.replace("[a.bus, d, e, b.bus]", "[b.bus, d]").replace("count: 2", "count: 1")
    assert read(text).cases[0].system.links[0].ends == ("b.bus", "d")


def test_adapters_count_as_devices_of_a_shared_link(read: Loader) -> None:
    with pytest.raises(ScenarioError, match="found 6 ends; expected at most the 5 devices of links/bus"):
        read(BUS.replace("count: 2", "count: 3"))
    assert len(read(BUS, ["links.scsi.devices=6", "disks.d.count=3"]).cases[0].system.links[0].ends) == 6


def test_a_fleet_of_disks_on_one_link_is_read(read: Loader) -> None:
    text = BUS.replace("links/bus", "links/open").replace("count: 2", "count: 10000")
    assert len(read(text).cases[0].system.links[0].ends) == 10_003


def test_a_volume_names_its_members_with_groups_expanded(read: Loader) -> None:
    assert volume(read, "{kind: raid5, of: d, unit: 64 KiB}") == Volume(
        "data", "raid5", ("d1", "d2", "d3", "d4"), 65536
    )
    assert volume(read, "{kind: concat, of: [d2, d1]}") == Volume("data", "concat", ("d2", "d1"), None)


def test_the_unit_of_raid_3_is_a_sector_unless_given(read: Loader) -> None:
    assert volume(read, "{kind: raid3, of: d}").unit == 512
    assert volume(read, "{kind: raid3, of: d, unit: 1 KiB}").unit == 1024


def test_volumes_of_volumes(read: Loader) -> None:
    system = read(VOLUMES).cases[0].system
    assert system.volumes["data"].members == ("left", "right")
    assert system.disks_of("data") == ("d1", "d3", "d2", "d4")
    assert system.disks_of("d") == ("d1", "d2", "d3", "d4")
    assert system.disks_of("d3") == ("d3",)
    assert system.disks_of("f") == ()


def test_a_file_system_and_a_controller_are_parts(read: Loader) -> None:
    found = volume(
        read, "{kind: mirror, of: d, file_system: {model: filesystems/extents, block: 8 KiB}, "
        "controller: controllers/array}",
    )  # fmt: skip
    assert found.file_system is not None
    assert (found.file_system.name, found.file_system.model) == ("data.file_system", "filesystems/extents")
    assert found.file_system.sheet.block == 8192
    assert found.controller is not None
    assert found.controller.sheet.cache == 8 * 2**20


def test_fitted_values_of_a_file_system_are_counted(read: Loader) -> None:
    assert fitted_values(read(VOLUMES)) == ("filesystems/extents: block",)
    assert fitted_values(read(VOLUMES, ["volumes.data.file_system.block=4 KiB"])) == ()


def test_volumes_vary(read: Loader) -> None:
    vary = "vary: {volumes.data.unit: [4 KiB, 8 KiB], volumes.data.file_system.block: [1 KiB, 2 KiB]}\n"
    volumes = [case.system.volumes["data"] for case in read(VOLUMES + vary).cases]
    assert [found.unit for found in volumes] == [4096, 4096, 8192, 8192]
    assert [found.file_system and found.file_system.sheet.block for found in volumes] == [1024, 2048] * 2


def test_the_number_of_members_varies_with_that_of_the_disks(read: Loader) -> None:
    text = OF_FOUR.replace("data: {}", "data: {kind: raid5, of: d, unit: 64 KiB}")
    cases = read(text + "vary: {disks.d.count: [3, 4]}\n").cases
    assert [len(case.system.volumes["data"].members) for case in cases] == [3, 4]
    with pytest.raises(ScenarioError, match=r"2 members \(d1, d2\); expected at least 3 for a raid5; with disks"):
        read(text + "vary: {disks.d.count: [3, 2]}\n")


def test_a_disk_of_a_volume_may_be_read_by_itself(read: Loader) -> None:
    assert read(VOLUMES.replace("from: data", "from: d1")).cases[0].system.workloads["reader"].params.from_ == "d1"


def test_resolved_tells_volumes(read: Loader) -> None:
    record = resolved(read(VOLUMES).cases[0].system)["volumes"]
    assert json.loads(json.dumps(record)) == record
    assert record["left"] == {
        "kind": "mirror", "of": ["d1", "d3"], "unit": "none", "file_system": None, "controller": None
    }  # fmt: skip
    assert record["data"]["unit"] == "64 KiB"
    assert record["data"]["file_system"]["values"]["block"]["basis"] == "fitted"


def test_resolved_writes_the_values_of_alike_disks_once(read: Loader) -> None:
    record = resolved(read(OF_FOUR).cases[0].system)["disks"]
    one, other = (record[name]["values"] for name in ("d1", "d2"))
    assert one is other
    changed = OF_FOUR.replace("count: 4", "count: 4, rotation: 7200 rpm")
    assert resolved(read(changed).cases[0].system)["disks"]["d1"]["values"]["rotation"]["value"] == "7200 rpm"


def test_a_writer_may_name_a_volume_too(read: Loader) -> None:
    text = VOLUMES.replace("reader: {host: s, from: data", "writer: {host: s, sync: true, access: direct, to: data")
    params = read(text).cases[0].system.workloads["writer"].params
    assert (params.to, params.sync, params.sizes) == ("data", True, ((65536, 1),))


def test_blocks_of_several_sizes_have_weights(read: Loader) -> None:
    text = DISKS.replace("block: 64 KiB", "block: {64 KiB: 30, 4 KiB: 70}")
    params = read(text).cases[0].system.workloads["reader"].params
    assert params.block == params.sizes == ((4096, 70), (65536, 30))
    assert params.largest == 65536
    record = resolved(read(text).cases[0].system)
    assert record["workload"]["reader"]["block"] == "{4 KiB: 70, 64 KiB: 30}"
    one = read(DISKS.replace("block: 64 KiB", "block: {64 KiB: 30}")).cases[0].system.workloads["reader"].params
    assert one.block == 65536


def test_a_raid10_is_a_stripe_over_pairs(read: Loader) -> None:
    data = volume(read, "{kind: raid10, of: d, unit: 64 KiB}")
    assert (data.kind, data.members, data.unit) == ("stripe", ("data pair 1", "data pair 2"), 65536)
    with pytest.raises(ScenarioError, match="an even number"):
        read(OF_FOUR.replace("count: 4", "count: 5").replace("data: {}", "data: {kind: raid10, of: d, unit: 64 KiB}"))
