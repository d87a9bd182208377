"""simio capacity: the largest load with which promises hold."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING

import click

from simio.cli.main import INTERRUPTED
from simio.cli.options import (
    COMPLETING,
    case_number,
    case_option,
    check_one_case,
    collected,
    file_option,
    output_option,
    overrides,
    processes_option,
    scenario_argument,
    tell,
    write,
    write_file,
)  # fmt: skip
from simio.cli.progress import Progress
from simio.errors import SimioError, quote

if TYPE_CHECKING or not COMPLETING:
    from simio.description.model import Workload
    from simio.loading import ScenarioFile, resolved
    from simio.lower import lower
    from simio.report import knee
    from simio.report.capacity import capacity_json, show
    from simio.report.console import printed
    from simio.report.render import form_of, rendered
    from simio.result.model import CaseResult
    from simio.result.precision import RANDOM_REPLICATIONS
    from simio.sweeps import Task, run_many
    from simio.sweeps.capacity import Capacity, TriedLoad
    from simio.sweeps.conditions import check_named, condition
    from simio.sweeps.rows import told
    from simio.sweeps.values import number_of, value_of

ROUNDS = 12
"""Runs that a search takes, about."""


@click.command()
@scenario_argument
@click.option(
    "--until", "promises", multiple=True, required=True, metavar="PROMISE", help="Condition that has to hold."
)
@click.option("--load", "key", metavar="KEY", help="Key to vary; by default the rate of arrivals or the users.")
@click.option("--from", "low", metavar="VALUE", help="Smallest load to try.")
@click.option("--to", "high", metavar="VALUE", help="Largest load to try.")
@click.option(
    "--within", type=click.FloatRange(0.1, 50), default=2.0, metavar="PERCENT", help="Precision of the load (2)."
)
@overrides
@case_option("Case of the scenario; required if there are several.")
@processes_option
@file_option("--plot", "picture", help="Draw the promised quantity over the load to FILE: .svg, .png or .pdf.")
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
@output_option()
def capacity(
    scenario: str,
    promises: tuple[str, ...],
    key: str | None,
    low: str | None,
    high: str | None,
    within: float,
    sets: tuple[str, ...],
    number: int | None,
    processes: int | None,
    picture: str | None,
    as_json: bool,
    output: str | None,
) -> None:
    """Find the largest load that keeps promises.

    A PROMISE compares a result with a limit: mean, p50, p90, p99 or most (the largest) of a workload's times,
    utilisation of a part, rate of a stream, served (requests a second) of a workload, throughput, or a count such as
    late (frames) of video. A load at which more requests arrive than are served breaks every promise.

    \b
    simio capacity s.yaml --until 'p99 of reader < 20 ms'
    simio capacity s.yaml --until 'utilisation of a.cpu < 70%'
    simio capacity s.yaml --load workload.nfs.clients --until 'mean of nfs < 9 ms'
    """
    conditions = collected(condition, promises)
    if picture:
        form_of(picture)
    source = ScenarioFile(scenario)
    name, start, dimension = _load(source, sets, key)
    replications = source.scenario(sets, only=0).cases[0].system.run.replications or RANDOM_REPLICATIONS
    index = _case(source, (*sets, f"{name}={value_of(start, dimension)}"), number)
    check_named(conditions, lower(source.scenario(sets, only=index).cases[0].system))
    ends = _end("--from", low, dimension), _end("--to", high, dimension)
    if ends[0] is not None and ends[1] is not None and ends[0] > ends[1]:
        raise SimioError(f"--from {low} --to {high}: found the smallest load above the largest")
    workers = processes or os.cpu_count() or 1
    complete = True
    with Progress(ROUNDS, "runs") as progress:

        def run(texts: Sequence[str], factor: int) -> list[CaseResult | SimioError]:
            more = (f"run.replications={factor * replications}",) if factor > 1 else ()
            tasks = [Task(source.path, (*sets, *more, f"{name}={text}"), index, source.text) for text in texts]
            found: dict[int, CaseResult | SimioError] = {}
            for place, result in run_many(tasks, min(workers, len(tasks)), announce=tell):
                if isinstance(result, SimioError):
                    result = SimioError(f"{name} = {texts[place]}: {told(result)}")
                found[place] = result
                progress.step()
            return [found[place] for place in range(len(tasks))]

        search = Capacity(conditions, run, start, dimension, within / 100, ends)
        try:
            search.search()
            search.complete()
        except KeyboardInterrupt:
            complete = False
    as_text = partial(show, search=search, key=name, complete=complete)
    write(output, capacity_json(search, name, complete) if as_json else printed(as_text, output is not None))
    if picture and search.loads:
        title = f"{source.path}: {' and '.join(each.text for each in conditions)}"
        write_file(picture, rendered(picture, knee.svg(search, name, title), knee.WIDTH, knee.HEIGHT))
    if not complete:
        sys.exit(INTERRUPTED)
    if search.most is None:
        raise SimioError(f"the promises hold at none of the loads that were tried, {_nearest(search)}")


def _nearest(search: Capacity) -> str:
    """The load beside which all others keep less of the promises, and what was seen there of them."""
    small, bad = search.too_small, search.least_bad
    if small is None:
        assert bad is not None
        return f"down to {_seen(search, bad)}"
    return f"of which {_seen(search, small)}" + (
        f"; and {_seen(search, bad)}" if bad else ", and no larger one was run"
    )


def _seen(search: Capacity, load: TriedLoad) -> str:
    """A load and what was seen there of the promises."""
    seen = (f"{each.quantity} is {each.value_text(load.result)}" for each in search.conditions)
    return f"{load.text}: there {' and '.join(seen)}"


def _case(source: ScenarioFile, sets: Sequence[str], number: int | None) -> int:
    """The index of the case that is meant, once the load is set. Raises SimioError where there are several."""
    cases = source.settings(tuple(sets))
    if number is None:
        check_one_case(source.path, cases)
    return case_number(cases, number) or 0


def _load(source: ScenarioFile, sets: Sequence[str], key: str | None) -> tuple[str, Fraction, str | None]:
    """The key of the load, its value in the scenario's first case, and the dimension of that, None for a number."""
    system = source.scenario(tuple(sets), only=0).cases[0].system
    key = key or _growing(source.path, system.workloads)
    text = _written(resolved(system), key)
    found = number_of(text)
    if found is None or found[0] <= 0:
        raise SimioError(f"--load {key}: found {quote(text)}; expected a number or a quantity above zero")
    return key, *found


def _growing(path: str, workloads: Mapping[str, Workload]) -> str:
    """The key of the one rate of arrivals, or where nothing arrives, of the one number of users."""
    given = {name: getattr(workload.params, "arrivals", None) for name, workload in workloads.items()}
    arriving = {name: arrivals for name, arrivals in given.items() if arrivals}
    rates = [f"workload.{name}.arrivals.rate" for name, arrivals in arriving.items() if arrivals.rate]
    users = [f"workload.{name}.{each.params.users}" for name, each in workloads.items() if each.params.users]
    found = rates if arriving else users
    if len(found) == 1:
        return found[0]
    text = f"{len(rates)} workloads whose requests arrive at a rate" if arriving else "no workload with arrivals"
    if users and not arriving:
        text += f", and {len(users)} with users"
    raise SimioError(f"{path}: found {text}; expected --load with the key of what grows")


def _written(node: object, key: str) -> str:
    """The value at a key path, as it is given or by default."""
    for part in key.split("."):
        if not isinstance(node, dict) or part not in node:
            wanted = "expected the path of a key, such as workload.NAME.streams"
            raise SimioError(f"--load {key}: found no value there; {wanted}")
        node = node[part]
    return str(node.get("value", node) if isinstance(node, dict) else node)


def _end(option: str, text: str | None, dimension: str | None) -> Fraction | None:
    if text is None:
        return None
    found = number_of(text)
    if found is None or found[1] != dimension:
        raise SimioError(f"{option}: found {quote(text)}; expected a value in the unit of the load")
    return found[0]
