"""The largest load that keeps promises, on a terminal and as JSON."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from rich.text import Text

from simio.report.console import NOTHING_YET, columns, share_bar
from simio.report.knee import drawn
from simio.wording import counted, in_unit

if TYPE_CHECKING:
    from rich.console import Console

    from simio.sweeps.capacity import Capacity, TriedLoad


def show(console: Console, search: Capacity, key: str, complete: bool) -> None:
    """The answer, why it ends there, and every load that was run; `complete` is false after an interrupt."""
    most, bad = search.most, search.least_bad
    promises = " and ".join(each.text for each in search.conditions)
    if not search.loads:
        console.print(NOTHING_YET, style="yellow")
        return
    if not complete:
        console.print(
            f"interrupted after {counted(len(search.loads), 'load')}; the most may be another", style="yellow"
        )
    if most is not None:
        console.print(
            Text.assemble((most.text, "bold green"), f"   is the most {'' if complete else 'so far '}for {promises}")
        )
        console.print(f"at {most.text}: {_told(search, most)}", markup=False)
        for note in most.result.notes:
            console.print(note, style="yellow", markup=False)
    if bad is not None:
        console.print(f"at {bad.text}: {_told(search, bad)}", markup=False)
    elif most is not None and not search.refused:
        console.print("no larger load was tried, so it may be more", style="yellow")
    for error in search.refused.values():
        console.print(str(error), style="yellow", markup=False)
    for text in _few(search):
        console.print(text, style="yellow", markup=False)
    if search.uncertain:
        console.print(_uncertain(search, *search.uncertain), style="yellow")
    if search.knee:
        console.print(f"knee at {search.knee.text}: beyond it times grow faster than throughput", markup=False)
    console.print()
    console.print(_table(search, key))
    curve = drawn(search, key)
    if curve:
        console.print(f"\n{curve}", markup=False, highlight=False, no_wrap=True)


def _few(search: Capacity) -> list[str]:
    """Remarks on promises of which the loads at the end tell little."""
    ends = [load for load in (search.most, search.least_bad) if load]
    told = {load.text: [each.few(load.result) for each in search.conditions] for load in ends}
    return [f"at {text} chance decides: {why}" for text, reasons in told.items() for why in reasons if why]


def _uncertain(search: Capacity, low: TriedLoad, high: TriedLoad) -> str:
    """The range of loads in which chance may decide, with the loads at its ends."""
    where = f"at {low.text}" if low is high else f"from {low.text} to {high.text}"
    text = f"chance may decide {where}: there the limit lies within a confidence interval"
    good, bad = search.interval or (None, None)
    surely = [f"{good.text} surely holds" if good else "", f"{bad.text} surely does not" if bad else ""]
    return "; ".join([text, *filter(None, surely)])


def _told(search: Capacity, load: TriedLoad) -> str:
    """The observed value of each promise at a load, and what limits."""
    growing = [each.sentence for each in load.result.loads if each.overloads]
    seen = [f"{each.quantity} is {each.value_text(load.result)}" for each in search.conditions]
    return "; ".join([*(growing or seen), load.result.limiter.sentence])


def _table(search: Capacity, key: str) -> Any:
    """A line for each load, with bars of the first promise up to its limit."""
    first = search.conditions[0]
    quantities = [each.quantity for each in search.conditions]
    table = columns(
        key.rpartition(".")[2], *quantities, "", "promises", "runs", "busiest", left=(1 + len(quantities),)
    )
    for load in sorted(search.loads, key=lambda each: each.value):
        result = load.result
        value = first.seen(result).value
        held = "hold" if load.holds else _broken(search, load)
        table.add_row(
            load.text, *(each.value_text(result) for each in search.conditions),
            share_bar(min(value / first.limit, 1.0)) if first.limit else "",
            Text(held if load.sure else f"{held}?", style="" if load.holds else "red"),
            str(len(result.seeds)),
            f"{result.limiter.name} {result.limiter.busy:.0%}",
        )  # fmt: skip
    return table


def _broken(search: Capacity, load: TriedLoad) -> str:
    """The reason why promises are broken at a load, in a word or two."""
    loads = load.result.loads
    if any(each.grows for each in loads):
        return "line grows"
    if any(each.lost for each in loads):
        return "some lost"
    small = search.too_small
    return "too little" if small and load.value <= small.value else "broken"


def capacity_json(search: Capacity, key: str, complete: bool) -> str:
    """Everything as JSON; values of promises in base units (ps, bytes a second, shares, requests a second)."""
    data = {
        "complete": complete,
        "load": key,
        "promises": [each.text for each in search.conditions],
        "most": search.most.text if search.most else None,
        "broken_at": search.least_bad.text if search.least_bad else None,
        "knee": search.knee.text if search.knee else None,
        "interval": [load.text if load else None for load in search.interval] if search.interval else None,
        "refused": {text: str(error) for text, error in search.refused.items()},
        "uncertain": [load.text for load in search.uncertain] if search.uncertain else None,
        "loads": [_load(search, load) for load in sorted(search.loads, key=lambda each: each.value)],
    }
    return json.dumps(data, indent=1) + "\n"


def _load(search: Capacity, load: TriedLoad) -> dict[str, Any]:
    result = load.result
    return {
        "value": load.text,
        "holds": load.holds,
        "sure": load.sure,
        "runs": len(result.seeds),
        "seen": {
            each.quantity: {"value": each.seen(result).value, "half_width": each.seen(result).half_width}
            for each in search.conditions
        },
        "served": {each.name: each.served for each in result.loads},
        "throughput": in_unit(float(result.rate), "B/s"),
        "limit": result.limiter.name,
    }
