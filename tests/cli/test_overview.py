"""The overview of volumes, of links that several ends share, and of parameters."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from simio.cli.overview import overview
from simio.description.model import Case, Part, Scenario, Volume
from simio.description.sheets import Sheet
from simio.loading import load
from simio.loading.catalogue import data_root


class Bus(Sheet):
    """A shared link."""

    shared = True


def lines(sets: tuple[str, ...] = (), **changes: object) -> list[str]:
    """The overview of eight disks with some of its system changed."""
    path: Path = data_root("simio.scenarios") / "linux-fc-raw.yaml"
    scenario: Scenario = load(path, ("disks.d.count=4", *sets))
    case: Case = scenario.cases[0]
    return overview(scenario, replace(case, system=replace(case.system, **changes))).splitlines()  # type: ignore[arg-type]


def test_volumes_tell_kind_members_and_what_is_on_them() -> None:
    part = Part("data.file_system", "filesystem", "x", "filesystems/x", Sheet())
    volumes = {
        "all": Volume("all", "raid5", ("d1", "d2", "d3", "d4"), 65536, part),
        "some": Volume("some", "concat", ("d1", "d3", "d4"), None),
        "both": Volume("both", "mirror", ("all", "some"), None),
    }
    shown = lines(volumes=volumes)
    start = shown.index("volumes")
    assert [" ".join(line.split()) for line in shown[start + 1 : start + 4]] == [
        "all raid5 of d1 … d4 (4), unit 64 KiB filesystems/x",
        "some concat of d1, d3 … d4 (2)",
        "both mirror of all, some",
    ]


def test_a_shared_link_lists_its_ends() -> None:
    scenario = load(data_root("simio.scenarios") / "linux-fc-raw.yaml", ("disks.d.count=4",))
    link = scenario.cases[0].system.links[0]
    bus = replace(link, name="bus", part=replace(link.part, sheet=Bus()), ends=("server.fc", "d1", "d2", "d4"))
    (shown,) = [line for line in lines(links=(bus,)) if line.startswith("  bus ")]
    assert shown.endswith("server.fc, d1 … d2 (2), d4, 10 m")


def test_parameters_at_their_defaults_are_left_out() -> None:
    shown = lines(("workload.reader.think=0 s", "workload.reader.depth=4"))
    (reader,) = [line for line in shown if line.startswith("  reader")]
    assert reader.split(maxsplit=1)[1] == "host server, from d, block 4 MiB, size 10 GiB, depth 4"
