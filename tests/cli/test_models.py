"""`simio models`: the list, a datasheet, and what is said of a part that is not there."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from rich.console import Console

from simio.cli.main import main
from simio.cli.models import table
from simio.loading import catalogue


def models(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["models", *arguments])


def test_the_list_has_every_part_once() -> None:
    lines = models().stdout.splitlines()
    assert [line.split()[0] for line in lines[1:]] == catalogue.names()


def test_a_class_leaves_the_others_out() -> None:
    lines = models("--class", "disk").stdout.splitlines()[1:]
    assert lines
    assert all(line.startswith("disks/") for line in lines)
    assert models("--class", "disks").exit_code == 2


def test_json_counts_what_the_datasheets_hold() -> None:
    found = {entry["name"]: entry for entry in json.loads(models("--json").stdout)}
    assert list(found) == catalogue.names()
    for name, entry in found.items():
        bases = [value.basis for value in catalogue.sheet(name).values.values()]
        assert entry["values"] == len(bases)
        assert (entry["fitted"], entry["assumed"]) == (bases.count("fitted"), bases.count("assumed"))


@pytest.mark.parametrize("name", catalogue.names())
def test_a_datasheet_tells_unit_basis_and_source_of_every_value(name: str) -> None:
    text = models("show", name).stdout
    told = json.loads(models("show", name, "--json").stdout)
    assert list(told["values"]) == list(catalogue.sheet(name).values)
    lines = text.splitlines()
    head = next(number for number, line in enumerate(lines) if line.split()[:2] == ["value", "is"])
    for key, value in told["values"].items():
        line = next(line for line in lines[head + 1 :] if line.startswith(f"{key} "))
        assert value["value"] in line
        assert value["basis"] in line
        assert line.endswith(" ".join(value["source"].split()))


def test_an_interval_is_told_in_units() -> None:
    told = json.loads(models("show", "kernels/aix-3.2.5", "--json").stdout)["values"]["page_pin"]
    assert told["interval"] == ["33.5 us", "38.7 us"]
    assert told["bounds"] == ["1 us", "100 us"]


def test_a_host_tells_its_parts() -> None:
    text = models("show", "hosts/sgi-onyx").stdout
    assert "adapters.hippi" in text
    assert "adapters/iris-hippi on hio" in text


def test_an_unknown_part_is_told_with_the_nearest() -> None:
    for word, meant in (("disks/fc-15k-2003", "disks/fc-15k-2002"), ("disks/980-pro", "disks/samsung-980-pro-1tb")):
        done = models("show", word)
        assert done.exit_code == 2
        assert f"did you mean '{meant}'?" in done.stderr
    # A folder in common makes no two names alike.
    assert models("show", "disks/foo").stderr.endswith("'disks/foo'; `simio models` lists those that there are\n")
    assert models("nothing like it").stderr.endswith("'nothing like it'; `simio models` lists those that there are\n")


def test_a_word_lists_the_parts_whose_name_or_title_contains_it() -> None:
    names = [line.split()[0] for line in models("Mellanox").stdout.splitlines()[1:]]
    assert names == ["adapters/connectx-5", "adapters/connectx-5-rdma", "adapters/connectx-6-rdma"]
    assert [part["name"] for part in json.loads(models("show", "100G", "--json").stdout)] == [
        "links/ethernet-100g",
        "links/ethernet-100g-jumbo",
    ]


def test_a_name_needs_no_class_where_one_part_has_it() -> None:
    assert models("fc-15k-2002").stdout == models("disks/fc-15k-2002").stdout


def test_options_of_the_list_are_not_dropped_silently() -> None:
    assert models("--class", "disk", "show", "disks/fc-15k-2002").exit_code == 2


def test_a_table_on_a_narrow_terminal_keeps_names_whole_and_wraps_sources() -> None:
    out = io.StringIO()
    rows = [("command_overhead", "[{cylinders: 5100}]", "assumed", "a [long] source " * 9)]
    Console(file=out, width=70).print(table(("value", "is", "basis", "source"), rows))
    lines = out.getvalue().splitlines()
    assert max(len(line.rstrip()) for line in lines) <= 70
    assert sum("command_overhead" in line for line in lines) == 1
    assert out.getvalue().count("[long]") == 9


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("title: a system\nhosts: {}\nworkload: {}\n", "it is a scenario, which simio show prints"),
        ("title: a list\nkind: [ethernet]\n", "kind: found the unknown kind '[ethernet]'"),
        ("title: a typo\nkind: ethernett\n", "did you mean 'ethernet'?"),
        ("- 1\n", "kind: found nothing; expected the kind of a part"),
    ],
)
def test_a_file_that_is_no_datasheet_is_refused_in_words(
    text: str, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("part.yaml").write_text(text)
    result = models("./part.yaml")
    assert result.exit_code == 2
    assert told in result.output
