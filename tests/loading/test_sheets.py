"""Sheets and their registry: bounds that make sense, open to plug-ins, and fit for an editor's schema."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from fractions import Fraction
from importlib import metadata
from importlib.metadata import EntryPoint

import pytest
from load_samples import HIPPI, Loader
from pydantic import ValidationError

from simio import plugins
from simio import workloads as registry_of_workloads
from simio.description import workloads
from simio.description.quantities import Extent, Time
from simio.description.sheets import Sheet, base, register_sheet, sheet_kinds
from simio.description.sheets.disks import FibreChannelDisk
from simio.description.sheets.hippi import HippiAdapter
from simio.description.sheets.hosts import Cpu, Memory
from simio.description.sheets.kinds import import_all
from simio.description.workloads import WorkloadParams
from simio.errors import SimioError
from simio.loading.catalogue import Catalogue
from simio.loading.problems import keys_of
from simio.loading.scenario import KEYS
from simio.loading.schema import scenario_schema
from simio.workloads import register_workload


def disk(parts: Catalogue) -> dict[str, object]:
    return dict(parts.sheet("disks/plain").sheet)


@pytest.fixture
def registry(monkeypatch: pytest.MonkeyPatch) -> None:
    """Registers into copies, so that other tests do not see what this one adds; all kinds are there before."""
    assert len(dict(registry_of_workloads.workload_kinds())) > 10
    import_all()
    monkeypatch.setattr(base, "REGISTERED", dict(base.REGISTERED))
    monkeypatch.setattr(registry_of_workloads, "_REGISTERED", dict(registry_of_workloads._REGISTERED))


def test_python_gives_numbers_in_simios_units_or_text() -> None:
    assert Cpu(clock=Fraction(10**8), cache=1024) == Cpu(clock="100 MHz", cache="1 KiB")  # type: ignore[arg-type]
    assert Memory(size=1024, rate=5, copy_rate=2, xor_rate=3) == Memory(
        size="1 KiB", rate="5 B/s", copy_rate="2 B/s", xor_rate="3 B/s"
    )  # type: ignore[arg-type]


def test_memory_has_the_rate_of_its_channels_or_one_of_its_own() -> None:
    channels = {"channels": 6, "channel_rate": "23.5 GB/s", "reached": "80 %"}
    costs = {"size": "1 GiB", "copy_rate": "9 GB/s", "xor_rate": "9 GB/s"}
    assert Memory(**costs, **channels).moved == Fraction(1128 * 10**8)  # type: ignore[arg-type]
    assert Memory(**costs, rate="50 GB/s").moved == 50 * 10**9  # type: ignore[arg-type]
    for wrong, said in (
        ({**channels, "rate": "50 GB/s"}, "channels beside a rate"),
        ({**channels, "reached": None}, "found none"),
        ({**channels, "reached": "120 %"}, "found 120 %"),
        ({}, "found none"),
    ):
        with pytest.raises(ValidationError, match=said):
            Memory(**costs, **wrong)  # type: ignore[arg-type]


def test_a_sheet_cannot_be_changed(parts: Catalogue) -> None:
    with pytest.raises(ValidationError):
        parts.sheet("cpus/fast").sheet.clock = 3


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("rotation", "0 rpm"),
        ("heads", 0),
        ("heads", True),
        ("heads", 2.0),
        ("heads", "2"),
        ("zones", []),
        ("zones", [{"cylinders": 1, "sectors": 0}]),
        ("sector", "0 B"),
        ("seek_average", "10 ms"),
        ("seek_average", "1 us"),
        ("buffer", "2047 B"),
        ("command_overhead", -1),
        ("credit", 2**31),
    ],
)
def test_disks_that_cannot_be(parts: Catalogue, key: str, value: object) -> None:
    with pytest.raises(ValidationError):
        FibreChannelDisk.model_validate({**disk(parts), key: value})


def test_a_hippi_card_stores_no_more_than_its_buffer(parts: Catalogue) -> None:
    values = dict(parts.sheet("adapters/hippi-card").sheet)
    HippiAdapter.model_validate({**values, "store_limit": "1 MiB"})
    with pytest.raises(ValidationError, match="at most the buffer"):
        HippiAdapter.model_validate({**values, "store_limit": "2 MiB"})


def test_a_plug_in_adds_a_kind_of_part_and_workload(
    registry: None, read: Loader, tmp_path: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Ring(Sheet):
        """A switch of another kind, which takes HIPPI."""

        link_kinds = ("hippi",)
        hops: Time

    class Ping(WorkloadParams):
        """A workload of another kind."""

        routes = (("host", "peer"),)
        host: workloads.HostName
        peer: workloads.HostName
        size: Extent

    register_sheet("switch", "ring", Ring)
    register_workload("echo", Ping)(lambda site, workload: None)
    (tmp_path / "ring.yaml").write_text(  # type: ignore[operator]
        "kind: ring\ntitle: r\nvalues: {hops: {value: 3 us, basis: assumed, source: me}}\n"
    )
    text = HIPPI.replace("[a.hippi, b.hippi]", "[a.hippi, r]").replace(
        "links:\n", "switches: {r: ./ring.yaml}\nlinks:\n"
    )
    text = text.replace("workload:\n", "  - {model: links/hippi, between: [r, b.hippi]}\nworkload:\n")
    system = read(text + "  echo: {host: b, peer: a, size: 1 KiB}\n").cases[0].system
    assert system.switches["r"].part.sheet.hops == 3_000_000
    assert system.workloads["echo"].params.size == 1024


def test_a_second_sheet_for_a_kind_is_refused(registry: None) -> None:
    class Other(Sheet):
        """Not a disk."""

    with pytest.raises(ValueError, match="registered already"):
        register_sheet("disk", "fibre-channel", Other)
    with pytest.raises(ValueError, match="no category of part"):
        register_sheet("disc", "fibre-channel", Other)
    register_sheet("disk", "fibre-channel", FibreChannelDisk)


@pytest.fixture
def entry_point(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[EntryPoint]]:
    """Stands for the installed plug-ins."""
    found: list[EntryPoint] = []
    monkeypatch.setattr(plugins, "_group_is_named", lambda: True)
    monkeypatch.setattr(metadata, "entry_points", lambda group: found if group == plugins.GROUP else [])
    plugins.load_plugins.cache_clear()
    yield found
    monkeypatch.undo()
    plugins.load_plugins.cache_clear()


called: list[str] = []


def register_something() -> None:
    called.append("something")


def test_plug_ins_are_called_once_in_order_of_name(entry_point: list[EntryPoint]) -> None:
    called.clear()
    entry_point.append(EntryPoint("b", f"{__name__}:register_something", plugins.GROUP))
    entry_point.append(EntryPoint("a", "json", plugins.GROUP))
    assert plugins.load_plugins() == ("a", "b")
    assert plugins.load_plugins() == ("a", "b")
    assert called == ["something"]


def test_a_plug_in_that_fails_is_named(entry_point: list[EntryPoint]) -> None:
    entry_point.append(EntryPoint("bad", "no_such_module_anywhere:f", plugins.GROUP))
    with pytest.raises(SimioError, match=r"plug-in 'bad' .*ModuleNotFoundError"):
        plugins.load_plugins()


def test_the_schema_is_plain_and_complete(parts: Catalogue) -> None:
    schema = scenario_schema(parts)
    assert json.loads(json.dumps(schema)) == schema
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert list(schema["properties"]) == list(KEYS)
    assert all(section["description"] for section in schema["properties"].values())
    override = schema["properties"]["disks"]["additionalProperties"]["anyOf"][1]["properties"]
    assert set(keys_of(sheet_kinds("disk")["fibre-channel"])) <= set(override)
    assert "disks/plain" in override["model"]["anyOf"][0]["enum"]
    assert "spindle speed" in override["rotation"]["description"]


@pytest.mark.parametrize(
    ("text", "good"), [("15000 rpm", True), ("7.2e3 rpm", True), ("15000", False), ("15000 Hz", False)]
)
def test_the_schema_checks_how_quantities_are_written(parts: Catalogue, text: str, good: bool) -> None:
    disks = scenario_schema(parts)["properties"]["disks"]["additionalProperties"]["anyOf"][1]["properties"]
    assert bool(re.search(disks["rotation"]["pattern"], text)) is good


def test_the_schema_leaves_words_and_null_to_limits(parts: Catalogue) -> None:
    host = scenario_schema(parts)["properties"]["hosts"]["additionalProperties"]["anyOf"][1]["properties"]
    limit = host["kernel"]["anyOf"][1]["properties"]["raw_chunk"]["anyOf"]
    assert re.search(limit[0]["pattern"], "none")
    assert {"type": "null"} in limit


def test_the_schema_has_volumes_and_their_parts(parts: Catalogue) -> None:
    volume = scenario_schema(parts)["properties"]["volumes"]["additionalProperties"]
    keys = {"kind", "of", "unit", "parity", "quorum", "nearest", "record", "sector", "cache"}
    keys |= {"file_system", "controller"}
    assert set(volume["properties"]) == keys
    assert volume["required"] == ["kind", "of"]
    kinds = ["stripe", "concat", "mirror", "raid3", "raid5", "raid6", "raid10", "erasure"]
    kinds += ["raidz1", "raidz2", "raidz3", "cached"]
    assert volume["properties"]["kind"]["enum"] == kinds
    model, mapping = volume["properties"]["file_system"]["anyOf"]
    assert model["anyOf"][0]["enum"] == ["filesystems/extents"]
    assert {"model", "block", "read_ahead"} <= set(mapping["properties"])


def test_the_schema_takes_mixed_sizes_and_any_number_of_ends(parts: Catalogue) -> None:
    sections = scenario_schema(parts)["properties"]
    block = sections["workload"]["properties"]["reader"]["anyOf"][0]["properties"]["block"]
    size, mixture = block["anyOf"]
    assert re.search(size["pattern"], "64 KiB")
    assert re.search(mixture["propertyNames"]["pattern"], "4 KiB")
    assert not re.search(mixture["propertyNames"]["pattern"], "4096")
    assert mixture["additionalProperties"] == {"type": "integer", "minimum": 1}
    between = sections["links"]["items"]["properties"]["between"]
    assert between["minItems"] == 2
    assert "maxItems" not in between
