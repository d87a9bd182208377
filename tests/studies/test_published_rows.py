"""The rows of the published studies: each has what a reader needs, and quick ones are as in the baseline."""

from __future__ import annotations

from fractions import Fraction

import pytest

from simio.report.validation_svg import table_svg
from simio.studies import Library, Row, Simulated, rows, simulate
from simio.studies.baseline import Baseline, read_baseline
from simio.studies.summary import summaries
from simio.studies.validation import MISSED

LIBRARY = Library()
QUICK = (
    "sgi-hippi/table-1", "sgi-hippi/disks", "sgi-hippi/unaligned", "sgi-hippi/nfs", "linux-fc/raw", "slac-gige/ping",
    "profile-server/atm", "profile-server/atm-two", "profile-server/cray-el", "profile-server/cray-to-cray",
    "profile-server/datagrams", "profile-server/indigo", "profile-server/disks", "ancor-fc/overhead",
)  # fmt: skip
"""Tables that take some two seconds of one CPU together."""
MEDIAN, WORST = Fraction(8, 100), Fraction(20, 100)
"""No bar of a study before 2010 is wider."""
MODERN = {"cai21", "fio-vm", "mlperf", "nvme-cheops23", "nvme-icpe24", "pcie-bench", "small-posts", "xdp18"}
MODERN_MEDIAN, MODERN_WORST = Fraction(10, 100), Fraction(25, 100)
"""No bar of these is wider, as their tables were to be judged from the beginning, but those of percentiles."""
TAIL_MEDIAN, TAIL_WORST = Fraction(25, 100), Fraction(60, 100)
"""No bar of a 99th percentile is wider."""
NOT_JUDGED = {
    "profile-server/cray-ipi3", "sgi-hippi/nfs-disk", "slac-gige/datamove28",
    "small-posts/aio-spdk", "small-posts/aio-spdk-latency",
    "small-posts/io-uring-polled", "small-posts/io-uring-polled-latency",
}  # fmt: skip
"""Their sources do not say which requests were made, of which disk or CPU, or what a newer kernel
does more."""


@pytest.fixture(scope="module")
def published() -> list[Row]:
    return rows(library=LIBRARY)


@pytest.fixture(scope="module")
def kept() -> Baseline:
    return read_baseline(LIBRARY.tables / "baseline.json")


def test_the_baseline_has_all_rows_and_no_others(published: list[Row], kept: Baseline) -> None:
    assert {row.name for row in published if kept.find(row) is None} == set()
    assert kept.gone(published) == []
    assert set(kept.tables) == set(LIBRARY.names)


@pytest.mark.parametrize("table", QUICK)
def test_quick_rows_are_as_in_the_baseline(table: str, kept: Baseline) -> None:
    simulated = simulate(rows([table], LIBRARY), LIBRARY)
    changed = [(change.simulated.row.name, change.simulated.value, change.kept) for change in kept.changes(simulated)]
    assert changed == [], "simio validate --update-baseline keeps what is meant to change"


def test_every_row_that_is_missed_says_why(published: list[Row], kept: Baseline) -> None:
    silent = []
    for row in published:
        found = kept.find(row)
        assert found is not None
        assert found.value is not None
        error = row.of.error(found.value)
        if error is not None and abs(error) > MISSED and not (row.note or row.of.exempt):
            silent.append((row.table, row.name, error))
    assert silent == []


def widest(name: str) -> tuple[Fraction, Fraction]:
    """The widest bars that a table may have: for the median and for the worst row."""
    if name.partition("/")[0] not in MODERN:
        return MEDIAN, WORST
    if LIBRARY.table(name).quantity == "p99":
        return TAIL_MEDIAN, TAIL_WORST
    return MODERN_MEDIAN, MODERN_WORST


def test_every_table_with_measured_rows_has_bars_and_none_is_too_wide(published: list[Row]) -> None:
    for name in LIBRARY.names:
        measured = [row for row in published if row.table == name and not row.of.held]
        bars = LIBRARY.table(name).tolerance
        assert (bars is not None) == (bool(measured) and name not in NOT_JUDGED), name
        if bars is not None:
            median, worst = widest(name)
            assert bars.median <= median, name
            assert bars.worst <= worst, name


def test_tables_of_a_group_have_the_same_bars() -> None:
    groups: dict[str, set[object]] = {}
    for name in LIBRARY.names:
        bars = LIBRARY.table(name).tolerance
        if bars is not None and bars.group:
            groups.setdefault(bars.group, set()).add(bars)
    assert groups
    assert all(len(bars) == 1 for bars in groups.values())


def test_every_document_tells_where_it_is_from() -> None:
    for name in LIBRARY.names:
        assert {"document", "author", "date", "table"} <= LIBRARY.table(name).source.keys(), name


def test_every_table_has_its_plot_on_the_page(published: list[Row]) -> None:
    folder = LIBRARY.tables.parent / "docs"
    text = (folder / "validation.md").read_text(encoding="utf-8")
    drawn = {f"{name.replace('/', '-')}.svg" for name in LIBRARY.names} | {"all.svg"}
    assert {path.name for path in (folder / "validation").iterdir()} == drawn
    assert {name for name in drawn if f"](validation/{name})" not in text} == set()


def test_plots_on_the_page_are_those_of_the_baseline(published: list[Row], kept: Baseline) -> None:
    simulated = [Simulated(row, found.value) for row in published if (found := kept.find(row))]
    stale = []
    for table in summaries(published, simulated, LIBRARY):
        path = LIBRARY.tables.parent / "docs" / "validation" / f"{table.name.replace('/', '-')}.svg"
        if path.read_text(encoding="utf-8") != table_svg(table):
            stale.append(table.name)
    assert stale == [], "simio validate --plots docs/validation draws them"
