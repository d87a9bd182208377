"""Tables of the documents that are made from the program, so that they cannot fall behind it.

In a document they stand between `<!-- table: name -->` and `<!-- end of table -->`.
"""

from __future__ import annotations

import inspect
import re
import typing
from collections.abc import Callable, Iterator
from pathlib import Path

import yaml
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from simio import units
from simio.description.arrivals import Arrivals, ArrivalState
from simio.description.mixtures import MixedSize
from simio.description.model import Report, Run
from simio.description.mounts import MountOptions
from simio.description.quantities import Count, Extent, Name, Text, Time, TrafficClass, quantity_of
from simio.description.sheets import CATEGORIES, sheet_kinds
from simio.description.sheets.disks import SeekPoint, Zone
from simio.description.sheets.stacks import TcpIpStack
from simio.description.workloads import REFERRED, references
from simio.formats.traces.columns import Columns, DirectionColumn, SizeColumn, TimeColumn
from simio.formats.traces.trace import FORMATS
from simio.loading.parts import value_as_text
from simio.report.blind import HEADINGS as BLIND_HEADINGS
from simio.report.blind import cells as blind_cells
from simio.report.blind import summary as blind_summary
from simio.report.tables import measured_text
from simio.report.validation import judged, limits_text, remark_of, simulated_text, statistics
from simio.report.validation_plots import row_labels
from simio.studies import Library, Simulated, rows
from simio.studies.baseline import read_baseline
from simio.studies.blind import blind_tests, records
from simio.studies.summary import TableSummary, errors, summaries, verdicts
from simio.studies.validation import Validation, missed
from simio.version import VERSION
from simio.workloads import workload_kinds
from simio.workloads.common.sizes import SizeDistribution
from simio.workloads.objects import FirstByte
from simio.workloads.requests import RequestStep

MODELS = Path(__file__).resolve().parents[2] / "models"
_TABLE = re.compile(r"(?s)(<!-- table: (\w+) -->\n).*?(<!-- end of table -->)")


def with_tables(document: str) -> str:
    """The document with every table made anew."""
    return _TABLE.sub(lambda match: f"{match[1]}{TABLES[match[2]]()}{match[3]}", document)


def markdown(head: list[str], rows: Iterator[list[str]]) -> str:
    """A table; a `|` in a cell is escaped."""
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(cell.replace('|', '&#124;') for cell in line)} |\n" for line in lines)


def fields(model: type[BaseModel]) -> str:
    """Key, type, default and meaning of each field of a model."""
    rows = (
        [f"`{field.alias or name}`", kind(model, name, field), default(field), field.description or ""]
        for name, field in model.model_fields.items()
    )
    return markdown(["key", "value", "default", "meaning"], rows)


def kind(model: type[BaseModel], name: str, field: FieldInfo) -> str:
    """Values that may be written for a field."""
    quantity = quantity_of(field)
    if quantity:
        above = ", above 0" if quantity.positive else ", or minus a time" if quantity.signed else ""
        word = f", or `{quantity.word}`" if quantity.word else ""
        mixed = ", or mapping of sizes to weights" if isinstance(quantity, MixedSize) else ""
        return f"{units.DIMENSIONS[quantity.dimension].noun.split(' ', 1)[1]}{above}{word}{mixed}"
    refers = references(model).get(name) if hasattr(model, "routes") else None
    if refers and typing.get_origin(field.annotation) is not dict:
        return f"name of {REFERRED[refers]}"
    return plain_kind(field)


def plain_kind(field: FieldInfo) -> str:
    """Values that may be written for a field that is no quantity."""
    annotation = field.annotation
    named = [name for mark in field.metadata if isinstance(mark, Name) for name in mark.registry if name]
    if named or typing.get_origin(annotation) is typing.Literal:
        choices = [f"`{choice}`" for choice in named or typing.get_args(annotation)]
        return " or ".join([", ".join(choices[:-1]), choices[-1]]) if choices[1:] else choices[0]
    if annotation == Arrivals | None:
        return "mapping, see [open loads](#open-loads)"
    if annotation == MountOptions | None:
        return "mapping, see [NFS over TCP](nfs-tcp.md)"
    if annotation == FirstByte | None:
        return "mapping `{median: time, p99: time}`"
    if annotation == SizeDistribution | None:
        return "mapping, see [sizes of flows](tcp-today.md#sizes-of-flows)"
    if annotation == tuple[Extent, ...]:
        return "list of sizes, at most 8"
    if annotation in COLUMNS_OF_TRACES:
        return COLUMNS_OF_TRACES[annotation]
    if annotation == tuple[Text, ...]:
        return "list of texts"
    if annotation == dict[str, Text]:
        return "mapping of devices of the trace to names of disks or volumes"
    if annotation == dict[Text, Text]:
        return "mapping of files and devices to names of disks or volumes"
    if annotation == dict[str, str | None]:
        return "mapping of options of fio to values"
    if annotation == tuple[Time, ...] | Text:
        return "list of times, or name of a file"
    if annotation == tuple[RequestStep, ...]:
        return "list of `{request: size, response: size, work: time}`"
    if annotation == tuple[Count, ...]:
        return "whole number, or list of them"
    if annotation == tuple[TrafficClass, ...]:
        return "class from 0 to 7, list of them, or `none`"
    if annotation == tuple[ArrivalState, ...]:
        return "list of `{rate: 50 /s, stay: 1 s}`"
    if annotation == tuple[Zone, ...]:
        return "list of `{cylinders: n, sectors: n}`, or with them `track_skew: n, cylinder_skew: n`, in sectors"
    if typing.get_origin(annotation) is tuple and "str" in str(annotation):
        return "text, or list of texts"
    if typing.get_origin(annotation) is dict:
        return "mapping of texts"
    if annotation == (tuple[SeekPoint, ...] | None):
        return "list of `{cylinders: n, time: time}`, or `none`"
    text = str(annotation)
    least = re.search(r"ge=(\d+)", text + str(field.metadata))
    if "int" in text:
        return f"whole number{f', at least {least[1]}' if least else ''}"
    if annotation is float:
        most = re.search(r"le=(\d+)", str(field.metadata))
        return f"number from 0 to {most[1]}" if most else "number from 0 to less than 1"
    return {"bool": "`true` or `false`", "str": "text"}[getattr(annotation, "__name__", text)]


def default(field: FieldInfo) -> str:
    """The default as it would be written."""
    if field.is_required():
        return "required"
    if field.default in ("", (), {}):
        return "none"
    quantity = quantity_of(field)
    return f"`{value_as_text(field.default, quantity.dimension if quantity else None)}`"


COLUMNS_OF_TRACES: dict[typing.Any, str] = {
    Columns | None: "mapping, see [columns of your own](traces.md#columns-of-your-own)",
    SizeColumn: "`{column: n, unit: size}`, the unit by default 1 B",
    TimeColumn | None: "`{column: n, unit: time}`, or `none`",
    DirectionColumn: "`{column: n, reads: [texts], writes: [texts]}`, or `{column: n, read_bit: n}`",
}


def formats() -> str:
    """The formats of traces."""
    return markdown(["format", "lines"], ([f"`{name}`", form.about] for name, form in sorted(FORMATS.items())))


def values() -> str:
    """The values of each kind of part."""
    found = []
    for category in CATEGORIES:
        for name, model in sheet_kinds(category).items():
            about = (model.__doc__ or "").strip().partition("\n")[0]
            found.append(f"#### {category}, kind `{name}`\n\n{about}\n\n{fields(model)}")
    return "\n" + "\n".join(found) + "\n"


def workloads() -> str:
    """The parameters of each kind of workload."""
    found = []
    for name, model in workload_kinds().items():
        found.append(f"#### `{name}`\n\n{inspect.getdoc(model)}\n\n{fields(model)}")
    return "\n" + "\n".join(found) + "\n"


def quantities() -> str:
    """Every unit there is."""
    rows = (
        [d.noun.split(" ", 1)[1], " ".join(f"`{unit}`" for unit in d.units), f"`{d.example}`",
         f"whole {'picoseconds' if d.base == 'ps' else 'bytes'}" if d.whole else "any fraction"]
        for d in units.DIMENSIONS.values()
    )  # fmt: skip
    return markdown(["quantity", "units", "example", "precision"], rows)


def stacks() -> str:
    """Differences of the protocol stacks of the catalogue."""
    names = parts("stacks")
    rows = ([f"`{key}`", *(catalogued(name, key) for name in names)] for key in TOLD_OF_STACKS)
    return markdown(["value", *(f"`{name.partition('/')[2]}`" for name in names)], rows)


def fitted() -> str:
    """The values of the catalogue that were adjusted, and to which tables."""
    found = []
    for name in parts("*"):
        for key, value in sheet(name)["values"].items():
            if value["basis"] == "fitted":
                interval = " to ".join(map(str, value["interval"]))
                found.append([f"`{name}`", f"`{key}`", str(value["value"]), interval, value["source"]])
    return markdown(["part", "value", "fitted", "interval", "to"], iter(found))


TOLD_OF_STACKS = (
    "send_space", "receive_space", "rfc1323", "initial_window", "recovery", "ack_every", "ack_small", "delayed_ack",
    "delayed_ack_clock", "rto_tick", "rto_min", "mss_multiple", "cluster", "hand_over", "page_flip", "input",
)  # fmt: skip


def parts(folder: str) -> list[str]:
    """Names of the catalogue's parts in a folder."""
    paths = sorted(MODELS.glob(f"{folder}/*.yaml"))
    return [path.relative_to(MODELS).with_suffix("").as_posix() for path in paths]


def sheet(name: str) -> dict[str, typing.Any]:
    """A datasheet of the catalogue, as YAML has it."""
    return yaml.safe_load((MODELS / f"{name}.yaml").read_text(encoding="utf-8"))


def catalogued(name: str, key: str) -> str:
    """A value of a stack as its datasheet gives it, or the default."""
    values = sheet(name)["values"]
    if key in values:
        found = values[key]["value"]
        return str(found).lower() if isinstance(found, bool) else str(found)
    return default(TcpIpStack.model_fields[key]).strip("`")


def validation() -> Validation:
    """All rows with the simulated values that the baseline keeps."""
    library = Library()
    kept = read_baseline(library.tables / "baseline.json")
    published = rows(library=library)
    simulated = [Simulated(row, found.value) for row in published if (found := kept.find(row))]
    tables = summaries(published, simulated, library)
    return Validation(tuple(tables), tuple(verdicts(tables, library)), "compiled", VERSION)


def studies() -> str:
    """Errors of each measured table, and what it may be off by."""
    return markdown(
        [
            "table",
            "rows",
            "withheld",
            "median",
            "90%",
            "worst",
            "bars: median, worst",
            "fitted to it, in its parts",
        ],
        (
            [
                f"[{table.name}](#{table.name.replace('/', '')})",
                *(
                    cell if isinstance(cell, str) else cell.plain
                    for cell in statistics(table.errors, table.held, table.table.points)
                ),
                limits_text(table),
                f"{len(table.fitted_here)} of {len(table.fitted)}",
            ]
            for table in validation().tables
        ),
    )


def documents() -> str:
    """Errors of each document, over all of its tables, by year."""
    tables: dict[tuple[str, str], list[TableSummary]] = {}
    for summary in validation().tables:
        source = summary.table.source
        told = re.sub(r" \([^)]*\)", "", source["document"])
        tables.setdefault((source["date"][:4], told), []).append(summary)
    everything = [each for found in tables.values() for each in found]
    return markdown(
        ["year", "what was measured", "rows", "withheld", "median", "90%", "worst", "fitted values"],
        (
            [
                year,
                told,
                *(
                    cell if isinstance(cell, str) else cell.plain
                    for cell in statistics(
                        errors([row for table in found for row in table.rows]),
                        sum(table.held for table in found),
                        all(table.table.points for table in found),
                    )
                ),
                str(len({value for table in found for value in table.fitted})),
            ]
            for (year, told), found in [*sorted(tables.items()), (("", "all"), everything)]
        ),
    )


def blind() -> str:
    """Each blind test with its rows: what was predicted, what was measured, and what is simulated now."""
    library = Library()
    kept = records(library)
    now = {f"{each.row.table}: {each.row.name}": each.value for table in validation().tables for each in table.rows}
    found = []
    for test in blind_tests(kept, rows((), library), now):
        told = ([cell if isinstance(cell, str) else cell.plain for cell in blind_cells(row)] for row in test.rows)
        heading = f"**{test.record.title}**, predicted by commit {test.record.commit}"
        table = f"\n{markdown(list(BLIND_HEADINGS), told)}" if test.errors else ""
        found.append(f"\n{heading}: {blind_summary(test)}.\n{table}")
    return "".join(found) + "\n"


def missed_rows() -> str:
    """Rows that are off by more than a tenth, with what is believed to be the reason."""
    found = []
    for table in validation().tables:
        for row, label in zip(table.rows, row_labels(table.rows), strict=True):
            if missed(row):
                simulated = simulated_text(row)
                found.append(
                    [table.name, label, measured_text(row.row.of), simulated, judged(row).plain, remark_of(row)]
                )
    return markdown(["table", "row", "measured", "simulated", "error", "reason"], iter(found))


def plots() -> str:
    """A section a document, and in it one a table with its plot."""
    library = Library()
    told, document = [], ""
    for name in library.names:
        table = library.table(name)
        if table.source["document"] != document:
            document = table.source["document"]
            told.append(f"\n## {document}\n")
        scenarios = ", ".join(f"`scenarios/{scenario}.yaml`" for scenario in table.scenarios)
        told.append(
            f"\n### {name}\n\n{table.title}. {scenarios}, [rows](../validation/{name}.yaml).\n\n"
            f"![{name}](validation/{name.replace('/', '-')}.svg)\n"
        )
    return "".join(told) + "\n"


def outside() -> str:
    """Tables, or groups of them, that are not inside their bars."""
    found = [
        [each.name, ", ".join(each.tables), "; ".join(each.reasons)] for each in validation().verdicts if each.reasons
    ]
    return markdown(["bars of", "tables", "what does not hold"], iter(found)) if found else "none.\n"


TABLES: dict[str, Callable[[], str]] = {
    "values": values,
    "workloads": workloads,
    "arrivals": lambda: fields(Arrivals),
    "mount": lambda: fields(MountOptions),
    "formats": formats,
    "columns": lambda: fields(Columns),
    "run": lambda: fields(Run),
    "report": lambda: fields(Report),
    "quantities": quantities,
    "stacks": stacks,
    "fitted": fitted,
    "studies": studies,
    "documents": documents,
    "blind": blind,
    "missed": missed_rows,
    "outside": outside,
    "plots": plots,
}
