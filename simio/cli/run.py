"""simio run: the answer to a scenario."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import click

from simio.cli.fio import JOB_FILE, fio_case, tell_ignored
from simio.cli.main import CUT_OFF, INTERRUPTED
from simio.cli.options import (
    COMPLETING,
    case_number,
    case_option,
    engine_option,
    file_option,
    folder_option,
    form_option,
    json_option,
    one_case,
    output_option,
    overrides,
    scenario_argument,
    tell,
    write,
    write_file,
)  # fmt: skip
from simio.cli.packets import MOST, Tracing, tracing
from simio.cli.progress import IntervalProgress, Progress

if TYPE_CHECKING or not COMPLETING:
    from simio.engines.outcome import Aborted
    from simio.loading import load
    from simio.running import RunOptions, run_scenario
if TYPE_CHECKING:
    from simio.cli.iperf3 import Iperf3
    from simio.description.model import Scenario
    from simio.result.model import ScenarioResult
    from simio.result.requests import RequestLog


@click.command()
@scenario_argument
@overrides
@engine_option
@case_option("Run only case N and show it in full.")
@click.option("--iperf3", "command", metavar="OPTIONS", help="Run iperf3 with these options as the workload.")
@click.option("--interval", is_flag=True, help="Show the 90% interval of each answer.")
@click.option("--trace", type=click.Choice(["packets"]), help="Print the packets of a case instead of the answer.")
@file_option("--pcap", help="Write the packets of a case to FILE.")
@click.option("--at", multiple=True, metavar="HOST", help="Trace only packets that this host sends or receives.")
@click.option("--packets", "limit", type=click.IntRange(1, MOST), metavar="N", help="Trace at most N packets.")
@file_option("--requests", help="Write each request of a replay with its latency to FILE: .csv or .parquet.")
@file_option("--html", "page", help="Write a page with plots to FILE.")
@click.option("--explain", "why", is_flag=True, help="Explain the bottleneck on the page of --html; takes more runs.")
@folder_option("--figures", help="Write the plots to DIR, as PNG and SVG.")
@click.option("--check", is_flag=True, help="List the consistency checks that each run has passed.")
@json_option
@form_option("--csv", "csv", "Print one line for each case as CSV.")
@form_option("--fio-json", "fio-json", "Print fio jobs as fio --output-format=json+ does.")
@click.option("--on", "host", metavar="FILE", help="Scenario with host and storage for a job file of fio.")
@output_option()
def run(
    scenario: str,
    sets: tuple[str, ...],
    engine: str | None,
    number: int | None,
    host: str | None,
    command: str | None,
    interval: bool,
    trace: str | None,
    pcap: str | None,
    at: tuple[str, ...],
    limit: int | None,
    requests: str | None,
    page: str | None,
    why: bool,
    figures: str | None,
    check: bool,
    form: str | None,
    output: str | None,
) -> None:
    """Run a scenario, and print throughput and bottleneck.

    One case is shown in full, with the use of every resource; several cases are a row each. Measured values appear
    with the error of the simulation. Exit status 3: a run has used up its budget of steps, and the answer covers the
    time before that.

    \b
    simio run s.yaml --html s.html              also a page with plots
    simio run s.yaml --trace packets            packets, in the format of tcpdump
    simio run s.yaml --pcap s.pcap --at server  also a capture for Wireshark
    simio run s.yaml --iperf3 '-c server -P 4'  TCP as iperf3 sends it, printed as iperf3 prints it (-J: JSON)
    simio run s.yaml --requests r.parquet       also the latency of every request of a replay
    simio run s.yaml --interval                 also 90% intervals, from uncertain values and model error
    simio run job.fio --on s.yaml --fio-json    jobs of fio on the parts of a scenario, as fio prints them
    """
    traced = tracing(trace, pcap, at, limit, form)
    if why and not page:
        raise click.UsageError("--explain goes with --html; simio explain prints it")
    if interval and form == "csv":
        raise click.UsageError("--csv has no columns for --interval; --json has it")
    tool, loaded = _loaded(scenario, host, command, sets)
    tell_ignored(loaded)
    alone = (("iperf3's JSON of ", tool and tool.printed), ("packets of ", traced), ("requests of ", requests))
    index = _chosen(loaded, number, form, [what for what, wanted in alone if wanted])
    with _request_file(requests) as log:
        options = RunOptions(
            engine,
            traced.packets if traced else None,
            check,
            tell,
            partial=True,
            requests=log,
            outcome=tool.take if tool else None,
        )
        result = _result(loaded, sets, options, index, traced, output)
    if interval and result.complete and result.cases:
        result = _with_intervals(loaded, result, engine)
    elif not result.sets:
        from simio.loading.guesses import guess_of

        result = replace(result, guess=guess_of(result.path, result.text, [case.index for case in result.cases]))
    for seen in (case.packets for case in result.cases):
        if traced and seen:
            traced.write(seen, _hosts(loaded, index), output)
    if page:
        _write_page(loaded, result, page, why)
    if figures:
        from simio.report.html.images import write_figures

        write_figures(result, figures)
    if tool and tool.printed:
        write(output, tool.json(loaded, result))
    elif not traced or not traced.printed:
        write(output, _text(result, form, index, to_file=output is not None))
    if check:
        from simio.report import checks

        # Beside JSON, CSV and packets, which others read.
        click.echo("\n" + "\n".join(checks.lines(result)), err=bool(form) or bool(trace))
    _end(result, bool(form) or bool(trace))


def _chosen(loaded: Scenario, number: int | None, form: str | None, alone: Sequence[str]) -> int | None:
    """The index of the only case to run; None for all. Outputs that are `alone` are of one case."""
    index = case_number(loaded.cases, number)
    if form == "fio-json":
        index = fio_case(loaded, index)
    for what in alone:
        if index is None:
            index = one_case(loaded, None, what).index
    return index


def _result(
    loaded: Scenario,
    sets: tuple[str, ...],
    options: RunOptions,
    index: int | None,
    traced: Tracing | None,
    output: str | None,
) -> ScenarioResult:
    """The result of the cases; if a run aborts, the packets up to then are written before the error is raised."""
    try:
        with Progress(len(loaded.cases) if index is None else 1) as progress:
            cases = None if index is None else [index]
            return run_scenario(loaded, sets, options, cases, lambda _: progress.step())
    except Aborted as error:
        if traced and (seen := getattr(error, "packets", None)):
            traced.write(seen, _hosts(loaded, index), output)
        raise


def _hosts(loaded: Scenario, index: int | None) -> list[str]:
    """The hosts of the case of an index, or of the first."""
    return list(loaded.cases[index or 0].system.hosts)


def _end(result: ScenarioResult, silent: bool) -> None:
    """Exit with the status of a result that is not complete; `silent`: its output does not say why it was cut off."""
    if not result.complete:
        sys.exit(INTERRUPTED)
    cut_off = [case.cut_off for case in result.cases if case.cut_off]
    if cut_off:
        if silent:
            tell("; ".join(dict.fromkeys(cut_off)))
        sys.exit(CUT_OFF)


def _loaded(
    scenario: str, host: str | None, command: str | None, sets: tuple[str, ...]
) -> tuple[Iperf3 | None, Scenario]:
    """The scenario of a file, that with an iperf3 command, or the jobs of a file of fio on that of `host`."""
    if command is not None:
        from simio.cli.iperf3 import Iperf3

        tool = Iperf3(command)
        return tool, tool.scenario(scenario, sets)
    if not host and not scenario.endswith(JOB_FILE):
        return None, load(scenario, sets)
    from simio.loading.fio import load_job

    return None, load_job(scenario, host, sets)


def _request_file(path: str | None) -> AbstractContextManager[RequestLog | None]:
    """The file of requests that is asked for, if any."""
    if not path:
        return nullcontext()
    from simio.report.requests import request_file

    return request_file(path)


def _with_intervals(scenario: Scenario, result: ScenarioResult, engine: str | None) -> ScenarioResult:
    """The result with intervals; Ctrl-C leaves it as it is, marked as not complete."""
    from simio.calibration.predict import with_intervals

    try:
        with IntervalProgress(len(result.cases)) as progress:

            def step(cases: int) -> None:
                for _ in range(cases):
                    progress.step()

            return with_intervals(scenario, result, engine=engine, progress=step)
    except KeyboardInterrupt:
        return replace(result, complete=False)


def _text(result: ScenarioResult, form: str | None, index: int | None, to_file: bool) -> str | Iterable[str]:
    """The result as JSON, CSV or, by default, as on a terminal (without colour in a file)."""
    if form == "fio-json":
        from simio.report.fio import as_fio_json

        return as_fio_json(result.cases[0], bins=True) if result.cases else ""
    if form:
        from simio.report import data

        return data.as_json(result) if form == "json" else data.as_csv(result)
    from simio.report import terminal
    from simio.report.console import printed

    return printed(partial(terminal.show, result=result, detail=index), to_file)


def _write_page(loaded: Scenario, result: ScenarioResult, path: str, why: bool) -> None:
    """Write the page, with an explanation of the fastest case if that is asked for."""
    # These need networkx, which takes a fifth of a short run to import.
    from simio.cli.explain import explanation
    from simio.report.html.explained import explained
    from simio.report.html.page import page

    if why and result.cases and result.complete:
        best = max(result.cases, key=lambda case: case.rate).index
        case = next(case for case in loaded.cases if case.index == best)
        write_file(path, page(loaded, result, *explained(*explanation(case, loaded.title)[:2])))
    else:
        write_file(path, page(loaded, result))
