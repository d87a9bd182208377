"""Streams and observations of several runs as one: means, and their confidence intervals."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from fractions import Fraction
from statistics import fmean

from simio.result.distribution import pooled_distribution
from simio.result.model import StreamRate
from simio.result.recorded import Observation
from simio.result.statistics import confidence


def pooled_streams(runs: Sequence[tuple[StreamRate, ...]], paced: Collection[str] = ()) -> tuple[StreamRate, ...]:
    """Each stream with the mean of its rates; a run that a stream delivered nothing in counts with 0.

    Streams of the workloads in `paced` are told to be so.
    """
    if len(runs) == 1:
        return tuple(each._replace(paced=_workload(each.name) in paced) for each in runs[0])
    found: dict[tuple[str, bool], list[StreamRate]] = {}
    for streams in runs:
        for stream in streams:
            found.setdefault((stream.name, stream.sent), []).append(stream)
    return tuple(
        StreamRate(
            name,
            sum(each.rate for each in same) / Fraction(len(runs)),
            sent,
            _mean_size(same),
            paced=_workload(name) in paced,
        )
        for (name, sent), same in found.items()
    )


def _workload(stream: str) -> str:
    """The workload that a stream is of, by their names."""
    return stream.partition(":")[0].partition(" ")[0]


def _mean_size(same: Sequence[StreamRate]) -> Fraction | None:
    sizes = [each.size for each in same if each.size]
    return sum(sizes, Fraction(0)) / len(sizes) if sizes else None


def pooled_observations(runs: Sequence[tuple[Observation, ...]]) -> tuple[Observation, ...]:
    """Each observation with the means of the runs that made it, and half of their 95% confidence intervals."""
    if len(runs) == 1:
        return runs[0]
    found: dict[str, list[Observation]] = {}
    for observations in runs:
        for each in observations:
            found.setdefault(each.name, []).append(each)
    return tuple(_pooled(each) for each in found.values())


def _pooled(runs: list[Observation]) -> Observation:
    names = ("mean", "p50", "p90", "p99", "p95", "p999")
    columns = {name: [float(getattr(each, name)) for each in runs] for name in names}
    means = {name: fmean(values) for name, values in columns.items()}
    widths = [confidence(values)[1] for values in columns.values()] if len(runs) > 1 else None
    return Observation(
        name=runs[0].name,
        unit=runs[0].unit,
        count=sum(each.count for each in runs),
        mean=means.pop("mean"),
        least=min(each.least for each in runs),
        most=max(each.most for each in runs),
        half_widths=(widths[0], widths[1], widths[2], widths[3]) if widths else None,
        tail_half_widths=(widths[4], widths[5]) if widths else None,
        distribution=pooled_distribution([each.distribution for each in runs]),
        **{name: round(mean) for name, mean in means.items()},
    )
