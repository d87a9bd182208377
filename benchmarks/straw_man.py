"""Errors by group of measured tables of NVMe, and beside them those of a straw man.

    python benchmarks/straw_man.py [--markdown] [STUDY ...]

The straw man knows one rate: what one process was measured to do under the same interface, scheduler and depth. It
takes that times the processes, as many as there are cores, and cuts it at the largest rate in the same table. For a
depth that was not measured with one process it takes the nearest below. Rows of one process are what it knows and
count for neither.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from statistics import median

from simio.studies import Library, Row, rows, simulate

STUDIES = ("nvme-icpe24", "nvme-cheops23")
PROCESSES, DEPTH, CORES = "workload.direct.processes", "workload.direct.depth", "workload.direct.cores"
BEGIN = "workload.direct.begin"
"""It says where a run starts, not what was measured."""
HOSTS = {"nvme-icpe24": 10, "nvme-cheops23": 20}


def others(row: Row) -> tuple[tuple[str, str], ...]:
    """The settings of a row but processes, cores, depth, and where and how long it runs."""
    known = (PROCESSES, DEPTH, CORES, BEGIN)
    return tuple(each for each in row.settings if each[0] not in known and not each[0].startswith("run."))


def depth(row: Row) -> int:
    """Requests outstanding of a process, as far as the row says."""
    return int(dict(row.settings).get(DEPTH, "1"))


def processes(row: Row) -> int:
    """Processes of a row."""
    return int(dict(row.settings).get(PROCESSES, "1"))


def straw(row: Row, known: list[Row]) -> float | None:
    """The straw man's answer for a row; None where it knows nothing, or the row itself."""
    if row.quantity != "requests" or processes(row) == 1:
        return None
    table = [each for each in known if each.table == row.table and each.measured is not None]
    ones = [each for each in table if processes(each) == 1 and others(each) == others(row)]
    ones = [each for each in ones if depth(each) <= depth(row)]
    if not ones:
        return None
    one = max(ones, key=depth)
    cores = min(processes(row), int(dict(row.settings).get(CORES, HOSTS[row.study])))
    ceiling = max(float(each.measured or 0) for each in table)
    return min(float(one.measured or 0) * cores, ceiling)


def main() -> None:
    """Simulate the released rows, and print both."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("studies", nargs="*", default=list(STUDIES))
    parser.add_argument("--markdown", action="store_true")
    options = parser.parse_args()
    library = Library()
    every = [row for row in rows(options.studies, library) if row.measured is not None]
    found = simulate(every, library)
    groups: dict[str, list[tuple[float, float | None]]] = defaultdict(list)
    for each in found:
        tolerance = library.table(each.row.table).tolerance
        group = tolerance.group if tolerance else each.row.table
        if each.error is None:
            continue
        guess = straw(each.row, every)
        measured = float(each.row.measured or 1)
        groups[group].append((abs(each.error), None if guess is None else abs(guess / measured - 1)))
    lines = [("group", "rows", "median", "worst", "rows of the straw man", "simio", "straw man", "its worst")]
    for group, errors in groups.items():
        own = [error for error, _ in errors]
        both = [(error, guess) for error, guess in errors if guess is not None]
        told = (f"{median(e for e, _ in both):.1%}", f"{median(g for _, g in both):.1%}") if both else ("", "")
        worst = f"{max(g for _, g in both):.0%}" if both else ""
        lines.append((group, str(len(own)), f"{median(own):.1%}", f"{max(own):.0%}", str(len(both)), *told, worst))
    if options.markdown:
        lines.insert(1, ("---",) * len(lines[0]))
        print("\n".join(f"| {' | '.join(line)} |" for line in lines))
    else:
        widths = [max(len(line[at]) for line in lines) for at in range(len(lines[0]))]
        for line in lines:
            print("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)))


if __name__ == "__main__":
    main()
