"""A validation as data: JSON for programs, JUnit's XML for continuous integration."""

from __future__ import annotations

import json
from typing import Any
from xml.etree import ElementTree

from simio.report.grid import signed
from simio.studies.simulate import Simulated
from simio.studies.summary import Errors, TableSummary, Verdict
from simio.studies.validation import Validation, missed


def validation_json(found: Validation) -> str:
    """Everything as JSON: tables with all rows, verdicts, what changed, and why it is no success if it is none.

    Errors and bars are shares (0.08 is 8%, or 8 percentage points where `points` is true); values are in the unit of
    their row; what is not known is null.
    """
    data = {
        "simio": found.version,
        "engine": found.engine,
        "complete": found.complete,
        "failures": found.failures,
        "tables": [_table(table) for table in found.tables],
        "verdicts": [_verdict(verdict) for verdict in found.verdicts],
        "baseline": found.baseline or None,
        "changes": [
            {
                "table": change.simulated.row.table,
                "row": change.simulated.row.name,
                "before": change.kept.value if change.kept else None,
                "new": change.kept is None,
                "now": change.simulated.value,
                "error before": change.error_before,
                "error now": change.simulated.error,
            }
            for change in found.changes
        ],
        "gone": list(found.gone),
    }
    return json.dumps(data, indent=1, allow_nan=False) + "\n"


def _table(table: TableSummary) -> dict[str, Any]:
    return {
        "name": table.name,
        "title": table.table.title,
        "source": dict(table.table.source),
        "notes": table.table.notes,
        "scenarios": list(table.table.scenarios),
        **_statistics(table.errors),
        "held": table.held,
        "expected": table.expected,
        "points": table.table.points,
        "anomalies": len(table.anomalies),
        "known misses": len(table.known),
        "fitted": table.fitted,
        "fitted to it": table.fitted_here,
        "without a source": {name: table.values[name].basis for name in table.unsourced},
        "values": [row_data(row) for row in table.rows],
    }


def row_data(row: Simulated) -> dict[str, Any]:
    """A row as plain data."""
    own = row.row.of
    return {
        "scenario": row.row.scenario,
        "cases": [index + 1 for index in row.row.cases],
        "settings": dict(row.row.settings),
        "quantity": own.quantity,
        "of": own.of,
        "over": own.over,
        "unit": own.unit,
        "measured": None if own.value is None else float(own.value),
        "measured up to": None if own.upper is None else float(own.upper),
        "text": own.text,
        "held": own.held,
        "simulated": row.value,
        "error": row.error,
        "missed": missed(row),
        "note": own.note,
        "anomaly": own.anomaly,
        "known miss": own.missed,
        "which": own.which,
        "fault": row.fault,
        "difference": row.difference,
        "steps": row.steps,
    }


def _statistics(found: Errors | None) -> dict[str, Any]:
    if found is None:
        return {"rows": 0, "median": None, "90%": None, "worst": None, "worst but anomalies": None}
    return {
        "rows": found.rows,
        "median": found.median,
        "90%": found.ninety,
        "worst": found.worst.error,
        "worst but anomalies": found.bounded,
    }


def _verdict(verdict: Verdict) -> dict[str, Any]:
    return {
        "name": verdict.name,
        "tables": list(verdict.tables),
        "median bar": float(verdict.tolerance.median),
        "worst bar": float(verdict.tolerance.worst),
        **_statistics(verdict.errors),
        "judged": verdict.judged,
        "reasons": list(verdict.reasons),
    }


def junit_xml(found: Validation) -> str:
    """JUnit's XML: a suite a table with a test case a row, and one suite with a test case for each tolerance.

    A row fails that has no value, or for which the engines differ; how far it may be off is for the tolerance.
    """
    root = ElementTree.Element("testsuites", name="simio validate")
    for table in found.tables:
        suite = ElementTree.SubElement(root, "testsuite", name=table.name)
        for row in table.rows:
            case = _case(suite, table.name, row.row.name)
            case.set("time", f"{row.seconds:.3f}")
            wrong = row.fault or row.difference or ("nothing simulated" if row.value is None else "")
            if wrong:
                _fail(case, wrong)
            ElementTree.SubElement(case, "system-out").text = _printable(_told(row))
        _count(suite)
    suite = ElementTree.SubElement(root, "testsuite", name="tolerances")
    for verdict in found.verdicts:
        case = _case(suite, "tolerances", verdict.name)
        if verdict.reasons:
            _fail(case, "; ".join(verdict.reasons))
        elif not verdict.judged:
            ElementTree.SubElement(case, "skipped", message="not all of its rows were simulated")
    _count(suite)
    ElementTree.indent(root, " ")
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _case(suite: ElementTree.Element, group: str, name: str) -> ElementTree.Element:
    return ElementTree.SubElement(
        suite, "testcase", classname=_printable(group.replace("/", ".")), name=_printable(name)
    )


def _fail(case: ElementTree.Element, message: str) -> None:
    ElementTree.SubElement(case, "failure", message=_printable(message))


def _count(suite: ElementTree.Element) -> None:
    suite.set("tests", str(len(suite)))
    suite.set("failures", str(len(suite.findall("testcase/failure"))))
    suite.set("skipped", str(len(suite.findall("testcase/skipped"))))


def _told(row: Simulated) -> str:
    own = row.row.of
    value = "none" if row.value is None else f"{row.value:.6g} {own.unit}"
    error = "no error known" if row.error is None else f"error {signed(row.error, own.points)}"
    return f"simulated {value}, measured {own.text} {own.unit}: {error}"


def _printable(text: str) -> str:
    """Text without characters that XML cannot hold."""
    return "".join(letter if letter.isprintable() or letter in "\n\t" else "\ufffd" for letter in text)
