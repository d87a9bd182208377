"""simio bound, explain and compare: what limits, where the time goes, and what causes a difference."""

from __future__ import annotations

import sys
from functools import partial
from typing import TYPE_CHECKING

import click

from simio.cli.main import CUT_OFF, INTERRUPTED
from simio.cli.options import (
    COMPLETING,
    ScenarioName,
    case_number,
    case_option,
    json_option,
    one_case,
    output_option,
    overrides,
    scenario_argument,
    tell,
    write,
)  # fmt: skip
from simio.cli.progress import Progress

if TYPE_CHECKING or not COMPLETING:
    from rich.console import Console
    from rich.text import Text

    from simio import explaining
    from simio.bound import bound as bound_of
    from simio.description.model import Case, Scenario
    from simio.engines.outcome import Interrupted
    from simio.errors import RunError, SimioError
    from simio.explaining.contrast import contrast
    from simio.explaining.model import CausalProfile, FirstRun, Waterfall
    from simio.explaining.stages import Traced
    from simio.loading import load
    from simio.lower import lower
    from simio.program.requests import request_size
    from simio.report import bounds, contrasted, explained
    from simio.report.console import printed
    from simio.result.request_rate import counts_requests
    from simio.running import CaseInterrupted, Lowered, interrupted_result
    from simio.wording import byte_unit, settings_text


@click.command()
@scenario_argument
@overrides
@case_option("Show only case N, with every limit.")
def bound(scenario: str, sets: tuple[str, ...], number: int | None) -> None:
    """Compute an upper bound on throughput, and the part that sets it, without a run.

    The bound of a resource, credit window or thread is the throughput at which it would be busy all the time.

    \b
    simio bound linux-fc-raw --case 1      every limit of the first case
    """
    loaded = load(scenario, sets)
    index = case_number(loaded.cases, number)
    progress = Progress()

    def show(console: Console) -> None:
        console.print(Text(f"{loaded.title}\n", style="bold"))
        for case in loaded.cases:
            if index in (None, case.index):
                name = settings_text(case.settings) or "this scenario"
                unit, until = case.system.report.unit, case.system.run.until
                with progress:
                    program = lower(case.system)
                    found = bound_of(program)
                    size = request_size(program) if counts_requests(unit) else None
                for line in bounds.lines(found, name, unit, index is not None, until, size):
                    console.print(line)

    write(None, printed(show))


@click.command()
@scenario_argument
@overrides
@case_option("Explain case N instead of the first.")
@json_option
@output_option()
def explain(scenario: str, sets: tuple[str, ...], number: int | None, form: str | None, output: str | None) -> None:
    """Explain where the time of a unit of work goes, what limits, and which change would help.

    The case is run again with each component 10% faster, twice as fast, and free, which shows the bottleneck and the
    one behind it. Windows, timers and queues are varied as well. The stages of one unit of work show where its time
    goes. Exit status 3: the case takes more steps than an explanation runs, and the answer covers the time before
    that.

    \b
    simio explain training-drives --case 3
    """
    loaded = load(scenario, sets)
    found, profile, began = explanation(one_case(loaded, number), loaded.title)
    if form:
        text = explained.as_json(found, profile, loaded.title, began)
    else:
        show = partial(explained.show, found=found, profile=profile, title=loaded.title, began=began)
        text = printed(show, to_file=output is not None)
    write(output, text)
    if profile is None or not profile.complete:
        sys.exit(INTERRUPTED)
    if profile.cut_off:
        sys.exit(CUT_OFF)


def explanation(case: Case, title: str) -> tuple[Waterfall | None, CausalProfile | None, FirstRun | None]:
    """The waterfall and the profile; after an interrupt those that were finished, or what the first run came to."""
    found, lowered = None, None
    try:
        with Progress() as progress:
            lowered, traced = Lowered(lower(case.system)), None
            try:
                traced = Traced(case, None, lowered)
                found = explaining.waterfall(case, traced=traced)
            except RunError as error:
                # The case itself may run all the same; if it does not, the profile says so.
                progress.clear()
                tell(f"the time of a unit is not shown: {error}")
            return found, explaining.profile(case, title, None, progress.step_of, traced, found, lowered), None
    except CaseInterrupted as interrupted:
        return found, None, FirstRun(interrupted.result, byte_unit(case.system.report.unit))
    except Interrupted as interrupted:
        if lowered is None:
            return None, None, None
        result = interrupted_result(case, lowered, interrupted.outcome)
        return None, None, FirstRun(result, byte_unit(case.system.report.unit))
    except KeyboardInterrupt:
        return found, None, None


_SIDE = "Override a value in {} only; with one scenario, this is the difference."


@click.command()
@click.argument("first", metavar="SCENARIO", type=ScenarioName())
@click.argument("second", metavar="[OTHER]", type=ScenarioName(), required=False)
@overrides
@click.option("--a", "of_a", multiple=True, metavar="KEY=VALUE", help=_SIDE.format("A"))
@click.option("--b", "of_b", multiple=True, metavar="KEY=VALUE", help=_SIDE.format("B"))
@click.option("--case-a", type=int, metavar="N", help="Case of A; the first by default.")
@click.option("--case-b", type=int, metavar="N", help="Case of B; that of A by default.")
@json_option
@output_option()
def compare(
    first: str,
    second: str | None,
    sets: tuple[str, ...],
    of_a: tuple[str, ...],
    of_b: tuple[str, ...],
    case_a: int | None,
    case_b: int | None,
    form: str | None,
    output: str | None,
) -> None:
    """Compare two runs, and attribute the difference to each change.

    \b
    simio compare a.yaml b.yaml                                two scenarios
    simio compare s.yaml --b workload.ftp.buffer='60 KiB'      one scenario, as it is and changed
    simio compare s.yaml --case-a 1 --case-b 3                 two cases of one scenario
    """
    if second is None and not (of_a or of_b) and case_b is None:
        raise SimioError(
            "found one scenario and no difference between A and B; expected another scenario, --a, --b or --case-b"
        )
    a, b = load(first, (*sets, *of_a)), load(second or first, (*sets, *of_b))
    one, other = _chosen(a, b, case_a, case_b)
    title = a.title if a.title == b.title else f"A: {a.title}\nB: {b.title}"
    with Progress() as progress:
        found = contrast(one, other, title, progress=progress.step_of, given=(_settings(of_a), _settings(of_b)))
    show = partial(contrasted.show, found=found)
    write(output, contrasted.as_json(found) if form else printed(show, to_file=output is not None))
    if not found.complete:
        sys.exit(INTERRUPTED)


def _settings(sets: tuple[str, ...]) -> dict[str, str]:
    """Overrides by key."""
    pairs = (each.partition("=") for each in sets)
    return {key.strip(): value.strip() for key, _, value in pairs}


def _chosen(a: Scenario, b: Scenario, case_a: int | None, case_b: int | None) -> tuple[Case, Case]:
    """The two cases; B's is that of A if there is one of this number and no other is asked for."""
    first = case_number(a.cases, case_a, "--case-a") or 0
    same = case_b is None and first < len(b.cases)
    second = first if same else case_number(b.cases, case_b, "--case-b") or 0
    if len(a.cases) > 1 and case_a is None:
        tell(f"A is case {first + 1} of {len(a.cases)}; --case-a N for another")
    return a.cases[first], b.cases[second]
