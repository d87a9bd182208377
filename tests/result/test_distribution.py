"""Histograms, percentiles up to 99.9%, and where they are shown."""

from __future__ import annotations

import json
import pickle

import numpy as np
import pytest
from loads_bench import ran, scenario

from simio.report import casetables
from simio.report.data import as_csv, as_json
from simio.report.html.distributions import distributions
from simio.result.distribution import cumulative, distribution, pooled_distribution, quantile, scale
from simio.result.pooling import pooled_observations
from simio.result.recorded import Observation
from simio.running import run_scenario
from simio.sweeps.outcome import measures_of, spelt_out

MS = 10**9


def test_bins_hold_what_lies_between_their_edges() -> None:
    values = np.array([0, 1, 10**9, 10**9, 10**12 - 1], dtype=np.int64)
    found = distribution(values)
    assert sum(found.counts) == 5
    assert len(found.edges) == len(found.counts) + 1
    for low, high, count in zip(found.edges, found.edges[1:], found.counts, strict=False):
        assert count == np.count_nonzero((values >= low) & (values < high))
        assert high <= low * 1.13 or high < 100
    assert found.shares[0] == 0
    assert found.shares[-1] == 1
    assert found.shares == sorted(found.shares)


def test_nothing_has_no_bins() -> None:
    found = distribution(np.array([], dtype=np.int64))
    assert (found.edges, found.counts, found.shares) == ((), (), [])
    assert np.isnan(quantile(Observation("x", "ps", 0, 0.0, 0, 0, 0, 0, 0), 0.25))
    assert pooled_distribution([found, found]).counts == ()


def test_histograms_of_runs_add_up() -> None:
    rng = np.random.default_rng(1)
    parts = [rng.exponential(mean, 4000).astype(np.int64) for mean in (5e6, 3e9)]
    assert pooled_distribution([distribution(part) for part in parts]) == distribution(np.concatenate(parts))


def test_what_is_beyond_the_scale_is_in_the_last_bin() -> None:
    last = int(scale()[-1])
    found = distribution(np.array([last, last + 5], dtype=np.int64))
    assert (found.edges[0], found.counts) == (last, (2,))


def test_quantiles_lie_within_a_bin_of_the_exact_ones() -> None:
    values = np.random.default_rng(2).exponential(7e8, 50_000).astype(np.int64)
    for share in (0.1, 0.4, 0.98, 0.995):
        exact = np.quantile(values, share)
        assert quantile(observed(values), share) == pytest.approx(exact, rel=0.06)


def test_no_quantile_is_below_the_least_value_or_above_the_largest() -> None:
    seen = observed(np.array([66, 67, 74] * 50, dtype=np.int64) * 10**6)
    assert seen.distribution.edges[0] < 66 * 10**6
    assert 66 * 10**6 <= quantile(seen, 0.01) <= quantile(seen, 0.75) <= 74 * 10**6
    values, shares = cumulative(seen)
    assert (values[0], values[-1]) == (66 * 10**6, 74 * 10**6)
    assert len(values) == len(shares)


def observed(values: np.ndarray) -> Observation:
    """The values as a result has them."""
    known = [int(each) for each in np.quantile(values, (0.5, 0.9, 0.99, 0.95, 0.999))]
    return Observation(
        "x", "ps", len(values), float(values.mean()), int(values.min()), *known[:3], int(values.max()),
        p95=known[3], p999=known[4], distribution=distribution(values),
    )  # fmt: skip


def test_a_histogram_survives_another_process() -> None:
    found = distribution(np.array([5, 7 * MS], dtype=np.int64))
    assert pickle.loads(pickle.dumps(found)) == found


def test_percentiles_are_those_of_all_that_was_seen(tmp_path) -> None:
    result = ran(tmp_path, "{rate: 60 /s}", "run.replications=1", "run.until=60 s")
    (seen,) = (each for each in result.observations if each.unit == "ps")
    assert seen.p50 < seen.p90 < seen.p95 < seen.p99 < seen.p999 <= seen.most
    assert sum(seen.distribution.counts) == seen.count
    values, shares = cumulative(seen)
    assert np.interp(0.95, shares, values) == pytest.approx(seen.p95, rel=0.12)
    columns = spelt_out([f"distribution of {seen.name}"])
    found = [measures_of(result)[column] for column in columns]
    assert columns[:5:4] == (f"1% of {seen.name} (s)", f"median of {seen.name} (s)")
    assert found == sorted(found)
    assert seen.tail_half_widths is None


def test_runs_give_intervals_of_all_percentiles(tmp_path) -> None:
    result = ran(tmp_path, "{rate: 60 /s}", "run.until=5 s", "run.replications=3")
    (seen,) = (each for each in result.observations if each.unit == "ps")
    assert sum(seen.distribution.counts) == seen.count
    for name in ("mean", "p50", "p90", "p95", "p99", "p999"):
        value, width = seen.estimate(name)
        assert 0 < width < 20 * value
    assert pooled_observations([result.observations]) == result.observations


def test_every_output_has_the_distribution(tmp_path) -> None:
    path = scenario(tmp_path, "{rate: 60 /s}", "until: 4 s")
    result = run_scenario(path)
    (case,) = result.cases
    grid = casetables.observations(case)
    assert grid.headings[-2:] == ["99.9%", "most"]
    assert all(len(row) == len(grid.headings) for row in grid.rows)
    (row,) = casetables.spreads(case).rows
    assert "█" in row[2]
    (seen,) = json.loads("".join(as_json(result)))["cases"][0]["observations"]
    assert sum(seen["distribution"]["counts"]) == seen["count"]
    heads, cells = (line.split(",") for line in as_csv(result).splitlines())
    told = dict(zip(heads, cells, strict=True))
    assert float(told["reads offered (/s)"]) == 60
    p99, p999 = (float(told[f"reads: block {share}% (ms)"]) for share in ("99", "99.9"))
    assert p99 * MS == pytest.approx(seen["p99"], rel=1e-5)
    assert p99 <= p999
    for figure in distributions(case).values():
        (line,) = figure["data"]
        assert len(line["x"]) == len(line["y"]) >= len(seen["distribution"]["counts"])
        assert line["x"] == sorted(line["x"])


def test_sparklines_are_no_longer_than_they_may_be() -> None:
    assert casetables.sparkline([0, 1, 4, 8]) == " ▁▄█"
    assert len(casetables.sparkline([1] * 400)) == 40
