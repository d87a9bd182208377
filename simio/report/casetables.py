"""The tables of one case: resources, streams, totals, jobs and observations."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial

from simio import units
from simio.formats.fio import NAMES as DIRECTIONS
from simio.program.roles import THOUSANDTHS
from simio.program.steps import PROFILED, Bond
from simio.report.grid import Cell, Grid, ShareCell
from simio.result.alike import told_apart
from simio.result.jobs import NANOSECOND, percentile_of, rate
from simio.result.model import CaseResult, ResourceUse
from simio.result.quantities import cores, profile
from simio.wording import byte_unit, figure, grouped, in_unit, lock_marked, merged

SPARKS = 40
"""Characters of the line that a histogram is drawn as."""


def resources(uses: Iterable[ResourceUse], bonds: Iterable[Bond]) -> Grid:
    """A row for each resource, the busiest first and locks last; those alike but for a number on one row.

    They are about as busy as the first of them, and members of `bonds` equally busy.
    """
    ordered = sorted(uses, key=lambda use: (use.lock, -use.utilisation))
    rows: list[list[Cell]] = [
        [lock_marked(name, use.lock), ShareCell(use.utilisation), f"{use.mean_line:.2f}", str(use.longest_line)]
        for name, use in merged(ordered, lambda use: use.name, lambda use: use.lock, told_apart(ordered, bonds))
    ]
    return Grid(["resource", "utilisation", "waiting, mean", "most"], rows, left=(0, 1))


def streams(case: CaseResult, unit: str) -> Grid:
    """The rates of streams; those alike but for a number on one row, with their spread."""
    rows = []
    for name, same in grouped(case.streams, lambda stream: stream.name, lambda stream: stream.unit):
        own = same[0].unit
        rates = [in_unit(float(stream.rate), own or unit) for stream in same]
        rows.append([f"{name}, {own}" if own else name, *_spread(rates, figure)])
    return Grid(["stream", f"mean {unit}", "least", "most"], rows)


def tallies(case: CaseResult) -> Grid:
    """Totals of what was counted; those alike but for a number on one row, with their spread."""
    rows = []
    plain = [tally for tally in case.tallies if not tally.what.startswith(PROFILED)]
    for name, same in grouped(plain, lambda tally: tally.name):
        text = partial(_rounded, unit=same[0].unit)
        rows.append([name, *_spread([tally.value for tally in same], text)])
    return Grid(["totals", "mean", "least", "most"], rows)


def wear(case: CaseResult, unit: str) -> Grid:
    """Writes to drives with flash, and how long what they are rated for lasts at this rate."""
    rows, byte = [], byte_unit(unit)
    for name, same in grouped(case.wear, lambda each: each.name):
        rate = sum(each.rate for each in same) / len(same)
        known = [each.amplification for each in same if each.amplification is not None]
        years = [each.years for each in same if each.years is not None]
        rated = same[0].rated
        rows.append(
            [
                name,
                figure(in_unit(rate, byte)),
                f"{sum(known) / len(known):.2f}" if known else "",
                f"{rated / 10**12:,.0f}" if rated else "not known",
                (f"{min(years):,.0f} years" if min(years) >= 10 else f"{min(years):.2g} years") if years else "",
            ]
        )
    return Grid(["writes to", byte, "amplification", "rated TB", "lasts"], rows)


def profiles(case: CaseResult) -> Grid:
    """CPU time of hosts whose network path is on cores: share of each class of functions, and cores that are busy."""
    owners = {tally.owner for tally in case.tallies if tally.what.startswith(PROFILED)}
    shares = {host: profile(case, host) for host in sorted(owners)}
    classes = sorted({name for each in shares.values() for name in each})
    rows = [[name, *(f"{100 * each.get(name, 0.0):.1f}%" for each in shares.values())] for name in classes]
    if rows:
        rows.append(["busy, of one core", *(f"{100 * cores(case, host):.1f}%" for host in shares)])
    return Grid(["CPU time", *shares], rows)


def _spread(values: Sequence[float], text: Callable[[float], str]) -> list[str]:
    """The mean of values, and the least and the largest if there are several."""
    ends = [text(min(values)), text(max(values))] if len(values) > 1 else ["", ""]
    return [text(sum(values) / len(values)), *ends]


def jobs(case: CaseResult, unit: str) -> Grid:
    """Jobs of fio over their own time, as fio reports them: requests, bytes, fio's lat, and CPU time of a process."""
    rows = []
    unit = byte_unit(unit)
    for job in case.jobs:
        span = job.ended - job.begun
        cpu = f"{100 * (job.user + job.system) / span:.0f}%" if span > 0 else ""
        for direction, side in job.sides.items():
            tail = min(percentile_of(side.lat.bins, side.lat.count, 99), side.lat.most)
            times = [amount(round(value * NANOSECOND), "ps") for value in (side.lat.mean, tail, side.lat.most)]
            speed, requests = in_unit(rate(side.bytes, span), unit), round(rate(side.requests, span))
            rows.append([job.label, DIRECTIONS[direction], f"{requests:,}", figure(speed), *times, cpu])
    return Grid(["fio job", "", "IOPS", unit, "mean lat", "99%", "most", "CPU"], rows, left=(0, 1))


def observations(case: CaseResult) -> Grid:
    """The distribution of each observation; under an open load, up to the slowest in a thousand."""
    names = {"mean": "mean", "median": "p50", "90%": "p90", "99%": "p99"} | ({"99.9%": "p999"} if case.loads else {})
    rows = []
    for row in case.observations:
        estimates = [row.estimate(name) for name in names.values()]
        mean, *percentiles = ((round(value), width) for value, width in estimates)
        values = (mean, (row.least, None), *percentiles, (row.most, None))
        rows.append([row.name, str(row.count), *(_estimate(value, width, row.unit) for value, width in values)])
    first, *others = names
    return Grid(["observation", "count", first, "least", *others, "most"], rows)


def spreads(case: CaseResult) -> Grid | None:
    """The histogram of each time under a load, on a logarithmic scale; None without loads."""
    rows = []
    for row in case.observations if case.loads else ():
        if row.unit == "ps" and len(row.distribution.counts) > 1:
            edges = row.distribution.edges
            ends = [amount(edge, "ps") for edge in (edges[0], edges[-1])]
            rows.append([row.name, ends[0], sparkline(row.distribution.counts), ends[1]])
    return Grid(["distribution (logarithmic)", "from", "", "to"], rows, left=(0, 2)) if rows else None


def sparkline(counts: Sequence[int]) -> str:
    """Counts as a line of at most SPARKS characters; none is a space, the largest a full block."""
    each = -(-len(counts) // SPARKS)
    sums = [sum(counts[at : at + each]) for at in range(0, len(counts), each)]
    top = max(sums)
    return "".join(" ▁▂▃▄▅▆▇█"[-(-8 * value // top)] for value in sums)


def demerits(case: CaseResult) -> Grid:
    """Simulated times beside measured ones of the same requests."""
    rows = []
    for row in case.demerits:
        means = [amount(round(value), "ps") for value in (row.simulated, row.measured)]
        rows.append([row.name, *means, f"{100 * row.error:+.1f}%", f"{100 * row.value:.1f}%"])
    return Grid(["beside measured", "mean", "measured", "error", "demerit"], rows)


def _estimate(value: int, width: float | None, unit: str) -> str:
    """An amount with half of its confidence interval, where that is known."""
    shown = amount(value, unit)
    if width is None:
        return shown
    half, (number, _, own) = amount(round(width), unit), shown.partition(" ")
    return f"{number} ± {half}" if half.endswith(f" {own}") else f"{shown} ± {half}"


def _rounded(value: float, unit: str) -> str:
    return amount(round(value), unit)


def amount(value: int, unit: str) -> str:
    """A time in ps in a fitting unit, thousandths as a number, or a number with its unit."""
    if unit == THOUSANDTHS:
        return f"{value / 1000:.4g}"
    return units.format_quantity(value, "time") if unit == "ps" and value >= 0 else f"{value:,} {unit}".rstrip()
