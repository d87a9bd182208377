"""Rows of resources that stand for others are of parts that are about as busy."""

from __future__ import annotations

from simio.program.steps import Bond
from simio.report.casetables import resources
from simio.result.model import ResourceUse


def use(name: str, utilisation: float) -> ResourceUse:
    return ResourceUse(name, 1, False, utilisation, 0.0, 0, 1, 0)


def labels(*uses: ResourceUse, bonds: tuple[Bond, ...] = ()) -> list[object]:
    return [row[0] for row in resources(uses, bonds).rows]


def test_the_directions_of_a_link_between_numbered_switches_are_two_rows() -> None:
    assert labels(use("s1>s2", 0.992), use("s2>s1", 0.025)) == ["s1>s2", "s2>s1"]
    assert labels(use("s1>s2", 0.992), use("s2>s1", 0.9)) == ["s1>s2 and 1 alike"]


def test_disks_that_do_little_are_not_alike_to_busy_ones() -> None:
    busy = [use(f"d{number}", 0.9 - 0.01 * number) for number in range(1, 5)]
    assert labels(*busy, use("d5", 0.3), use("d6", 0.29)) == ["d1 and 3 alike", "d5 and 1 alike"]


def test_members_of_a_bond_are_alike_only_if_they_are_equally_busy() -> None:
    uses = [use("l.1", 0.5), use("l.2", 0.5), use("l.3", 0.45)]
    assert labels(*uses, bonds=(Bond("l", ("l.1", "l.2", "l.3")),)) == ["l.1 and 1 alike", "l.3"]
