"""simio run: the answer to a scenario."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import click

from simio.cli.options import case_number, overrides, scenario_argument, tell, write
from simio.cli.packets import MOST, tracing

if TYPE_CHECKING:
    from simio.description.model import Scenario
    from simio.result.model import ScenarioResult


@click.command()
@scenario_argument
@overrides
@click.option(
    "--engine",
    type=click.Choice(["compiled", "simpy"]),
    help="compiled (the default) or the SimPy reference.",
)
@click.option("--case", "number", type=int, metavar="N", help="Run only this case and show it in full.")
@click.option("--interval", is_flag=True, help="Tell the 90% interval of each answer.")
@click.option("--trace", type=click.Choice(["packets"]), help="Print what one case does, in place of the answer.")
@click.option("--pcap", type=click.Path(dir_okay=False), metavar="FILE", help="Write one case's packets there.")
@click.option("--at", multiple=True, metavar="HOST", help="Trace packets that this host sends and receives.")
@click.option("--packets", "limit", type=click.IntRange(1, MOST), metavar="N", help="Trace at most N packets.")
@click.option(
    "--html",
    "page",
    type=click.Path(dir_okay=False),
    metavar="FILE",
    help="Write a page with everything there.",
)
@click.option("--explain", "why", is_flag=True, help="Say on the page why, and what would help; more runs.")
@click.option(
    "--figures",
    type=click.Path(file_okay=False),
    metavar="DIR",
    help="Write the plots there, as PNG and SVG.",
)
@click.option("--check", is_flag=True, help="Tell which laws every run was checked against.")
@click.option("--json", "form", flag_value="json", help="Print everything as JSON.")
@click.option("--csv", "form", flag_value="csv", help="Print one line a case as CSV.")
@click.option(
    "--output", "-o", type=click.Path(dir_okay=False), metavar="FILE", help="Write there, not to the screen."
)
def run(
    scenario: str,
    sets: tuple[str, ...],
    engine: str | None,
    number: int | None,
    interval: bool,
    trace: str | None,
    pcap: str | None,
    at: tuple[str, ...],
    limit: int | None,
    page: str | None,
    why: bool,
    figures: str | None,
    check: bool,
    form: str | None,
    output: str | None,
) -> None:
    """Run a scenario and print the answer.

    Throughput comes first, then what limits it and how busy everything was; beside measured values, the error.

    \b
    simio run s.yaml --html s.html              a page with plots, beside the answer
    simio run s.yaml --trace packets            packets in the form of tcpdump
    simio run s.yaml --pcap s.pcap --at server  the answer, and a file for Wireshark
    simio run s.yaml --interval                 how sure the answer is: uncertain values and the model's error
    """
    traced = tracing(trace, pcap, at, limit, form)
    if why and not page:
        raise click.UsageError("--explain goes with --html; simio explain prints it")
    from simio.loading import load
    from simio.result.packets import AbortedTrace
    from simio.running import RunOptions, run_scenario

    loaded = load(scenario, sets)
    index = case_number(loaded, number)
    if traced and index is None:
        index = 0
        if len(loaded.cases) > 1:
            tell(f"packets of case 1 of {len(loaded.cases)}; --case N for another")
    hosts = list(loaded.cases[index or 0].system.hosts)
    try:
        with Progress(len(loaded.cases) if index is None else 1) as progress:
            options = RunOptions(engine, traced.packets if traced else None, check, tell)
            cases = None if index is None else [index]
            result = run_scenario(loaded, sets, options, cases, lambda _: progress.step())
    except AbortedTrace as error:
        if traced:
            traced.give(error.packets, hosts, output)
        raise
    if interval and result.complete and result.cases:
        result = _with_intervals(loaded, result, engine)
    for packets in (case.packets for case in result.cases):
        if traced and packets:
            traced.give(packets, hosts, output)
    if page:
        _write_page(loaded, result, page, why)
    if figures:
        from simio.report.html.images import write_figures

        write_figures(result, figures)
    if not traced or not traced.printed:
        write(output, _text(result, form, index, to_file=output is not None))
    if check:
        from simio.report.checks import lines

        # Beside JSON, CSV and packets, which others read.
        click.echo("\n" + "\n".join(lines(result)), err=bool(form) or bool(trace))
    if not result.complete:
        sys.exit(130)


def _with_intervals(scenario: Scenario, result: ScenarioResult, engine: str | None) -> ScenarioResult:
    """The result with intervals; Ctrl-C leaves it as it is, marked as not complete."""
    from dataclasses import replace

    from simio.calibration.predict import SAMPLES, with_intervals

    try:
        with Progress(SAMPLES * len(result.cases), "runs") as progress:
            return with_intervals(scenario, result, engine=engine, progress=lambda _done, _all: progress.step())
    except KeyboardInterrupt:
        return replace(result, complete=False)


def _text(result: ScenarioResult, form: str | None, index: int | None, to_file: bool) -> str | Iterable[str]:
    """The result as JSON, CSV or, by default, as on a terminal (without colour in a file)."""
    from simio.report import data

    if form:
        return data.as_json(result) if form == "json" else data.as_csv(result)
    from rich.console import Console

    from simio.report.terminal import show

    console = Console(highlight=False, width=160 if to_file or not sys.stdout.isatty() else None)
    with console.capture() as capture:
        show(console, result, index)
    return "".join(line.rstrip() + "\n" for line in capture.get().splitlines())


def _write_page(loaded: Scenario, result: ScenarioResult, path: str, why: bool) -> None:
    """Write the page, with an explanation of the fastest case if it is to say why."""
    from simio.files import write_whole
    from simio.report.html.page import page

    extra: str = ""
    figures: dict[str, Any] = {}
    if why and result.cases and result.complete:
        from simio.cli.explain import explanation
        from simio.report.html.explained import explained

        best = max(result.cases, key=lambda case: case.rate).index
        case = next(case for case in loaded.cases if case.index == best)
        extra, figures = explained(*explanation(case, loaded.title))
    write_whole(path, page(loaded, result, extra, figures))


class Progress:
    """Cases done so far, on a terminal's standard error; silent elsewhere and for runs of a second."""

    DELAY = 1.0

    def __init__(self, total: int, what: str = "cases") -> None:
        self.total, self.done, self.what = total, 0, what
        self.shown = False

    def __enter__(self) -> Progress:
        import time

        self.clock = time.monotonic
        self.begun = self.clock()
        return self

    def __exit__(self, *_: object) -> None:
        if self.shown:
            click.echo("\r\033[K", nl=False, err=True)

    def step(self) -> None:
        """One case more is done."""
        self.done += 1
        spent = self.clock() - self.begun
        if sys.stderr.isatty() and spent > self.DELAY and self.done < self.total:
            left = spent / self.done * (self.total - self.done)
            text = f"{self.done} of {self.total} {self.what}, about {left:.0f} s left (Ctrl-C keeps what is done)"
            click.echo(f"\r\033[K{text}", nl=False, err=True)
            self.shown = True
