"""simio plot: throughput against a value that scenarios vary."""

from __future__ import annotations

import click

from simio.cli.options import overrides


@click.command()
@click.argument("scenarios", nargs=-1, required=True, metavar="SCENARIO...")
@click.option("--against", "key", required=True, metavar="KEY", help="The varied value that goes from left to right.")
@click.option(
    "--output", "-o", required=True, type=click.Path(dir_okay=False), metavar="FILE.svg", help="Write there."
)
@click.option("--title", metavar="TEXT", help="What stands above it; else what is drawn.")
@overrides
def plot(scenarios: tuple[str, ...], key: str, output: str, title: str | None, sets: tuple[str, ...]) -> None:
    """Draw throughput against a varied value, a line for each combination of the others, of one or more scenarios.

    \b
    simio plot a.yaml b.yaml --against workload.nfs.clients -o clients.svg

    Rates are in the unit of the first. Lines of a single point are left out.
    """
    from pathlib import Path

    from simio.files import write_whole
    from simio.loading import load
    from simio.report import chart
    from simio.running import run_scenario

    loaded = [(Path(name).stem, load(name, sets)) for name in scenarios]
    results = [(name, run_scenario(scenario, sets)) for name, scenario in loaded]
    unit = results[0][1].unit
    drawn = chart.lines(results, key, unit)
    told = title or f"Throughput against {key.rpartition('.')[2]}"
    write_whole(output, chart.svg(told, drawn, key, unit))
