"""The simulated values of quantities that may be measured, a function each (`simio.description.measured`)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction

from simio import units
from simio.description.measured import MeasuredRow
from simio.program.service import SECOND
from simio.program.steps import CPU_TIME, PROFILED
from simio.result.jobvalues import job_value
from simio.result.model import CaseResult
from simio.result.recorded import Observation


def simulated_value(case: CaseResult, row: MeasuredRow) -> float | None:
    """A case's value for the quantity of a row, in its unit; None if it has none.

    Throughput is the mean of all replications; the other quantities are those of the first.
    """
    if case.jobs and row.quantity != "throughput" and (seen_by_job := job_value(case.jobs, row)) is not None:
        return seen_by_job
    return _VALUES[row.quantity](case, row)


def cores(case: CaseResult, host: str) -> float:
    """Utilisation of the cores of a host together, those with which something was placed; 1 is one core."""
    return sum(use.utilisation for use in case.resources if use.name.startswith(f"{host}.core "))


def profile(case: CaseResult, host: str) -> dict[str, float]:
    """The share of each class of functions in the CPU time of a host's network path, in the measured span."""
    times = {tally.what: tally.value for tally in case.tallies if tally.owner == host}
    spent = {what.removeprefix(PROFILED): time for what, time in times.items() if what.startswith(PROFILED)}
    return {what: time / sum(spent.values()) for what, time in spent.items()}


def observed(row: MeasuredRow, names: Iterable[str]) -> list[str]:
    """The observations or streams that a row may be of: those with its name, or whose names end in it; else all."""
    known = list(names)
    if not row.of:
        return known
    return [name for name in known if name == row.of] or [name for name in known if name.endswith(f" {row.of}")]


def _throughput(case: CaseResult, row: MeasuredRow) -> float:
    return float(units.convert(case.bytes_rate, "rate", row.unit))


def _stream(case: CaseResult, row: MeasuredRow) -> float | None:
    named = observed(row, [stream.name for stream in case.streams])
    rates = [
        each.rate * (case.request_size or 1)
        for each in case.streams
        if (each.name in named if row.of else not each.sent)
    ]
    return float(units.convert(sum(rates, Fraction(0)) / len(rates), "rate", row.unit)) if rates else None


def _requests(case: CaseResult, row: MeasuredRow) -> float | None:
    seen = _observation(case, row)
    span = (case.throughput.until - case.throughput.since) * max(len(case.seeds), 1)
    if seen is None or not span:
        return None
    return float(units.convert(Fraction(seen.count * SECOND, span), "request_rate", row.unit))


def _packets(case: CaseResult, row: MeasuredRow) -> float:
    return float(units.convert(case.requests, "request_rate", row.unit))


def _time(statistic: str) -> Callable[[CaseResult, MeasuredRow], float | None]:
    """The mean or a percentile of an observation of times."""

    def value(case: CaseResult, row: MeasuredRow) -> float | None:
        seen = _observation(case, row)
        return None if seen is None else float(units.convert(getattr(seen, statistic), "time", row.unit))

    return value


def _cpu(case: CaseResult, row: MeasuredRow) -> float:
    shares = [use.utilisation for use in case.resources if use.name == f"{row.of}.cpu"]
    # A host that no workload uses does nothing.
    return 100 * shares[0] if shares else 0.0


def _process(case: CaseResult, row: MeasuredRow) -> float | None:
    used = [each.value for each in case.tallies if each.what == CPU_TIME and each.owner in (row.of, f"{row.of} 1")]
    return 100_000 * used[0] / case.end if used else None


def _programs(case: CaseResult, row: MeasuredRow) -> float:
    return 100 * sum(use.busy * use.count for use in case.threads if use.name.endswith(f" on {row.of}"))


def _cores(case: CaseResult, row: MeasuredRow) -> float:
    return 100 * cores(case, row.of)


def _core_rate(case: CaseResult, row: MeasuredRow) -> float | None:
    busy = cores(case, row.of)
    return _throughput(case, row) / busy if busy else None


def _class(case: CaseResult, row: MeasuredRow) -> float:
    host, _, name = row.of.partition(" ")
    return 100 * profile(case, host).get(name, 0.0)


def _accelerators(case: CaseResult, row: MeasuredRow) -> float | None:
    times = _times(case)
    computing, step = (times.get(f"{row.of}: {what}") for what in ("computing", "step"))
    return 100 * float(computing.mean) / float(step.mean) if computing and step and step.mean else None


def _retransmits(case: CaseResult, row: MeasuredRow) -> float:
    return float(sum(each.value for each in case.tallies if each.what == "sent again"))


def _demerit(case: CaseResult, row: MeasuredRow) -> float | None:
    values = {each.name: each.value for each in case.demerits}
    named = observed(row, values)
    return 100 * values[named[0]] if named else None


def _observation(case: CaseResult, row: MeasuredRow) -> Observation | None:
    """The observation of times that a row is of, if it was made."""
    times = _times(case)
    named = observed(row, times)
    return times[named[0]] if named else None


def _times(case: CaseResult) -> dict[str, Observation]:
    return {each.name: each for each in case.observations if each.unit == "ps"}


_VALUES: Mapping[str, Callable[[CaseResult, MeasuredRow], float | None]] = {
    "throughput": _throughput,
    "stream": _stream,
    "requests": _requests,
    "packets": _packets,
    "latency": _time("mean"),
    "p50": _time("p50"),
    "p99": _time("p99"),
    "cpu": _cpu,
    "process": _process,
    "programs": _programs,
    "cores": _cores,
    "core rate": _core_rate,
    "class": _class,
    "accelerators": _accelerators,
    "retransmits": _retransmits,
    "demerit": _demerit,
}
