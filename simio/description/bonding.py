"""The links of a bond, and a system with other bonds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from simio.description.bonds import Bond, Member
from simio.description.model import Link, System
from simio.description.sheets import Sheet


def members(link: Link[Sheet], bond: Bond) -> list[Link[Sheet]]:
    """The members of a bond of such links, named NAME.1, NAME.2 and so on; a bond of one is the link itself."""
    if bond.members == 1:
        return [link]
    return [_member(link, link.name, number, bond) for number in range(1, bond.members + 1)]


def bonds(system: System) -> dict[str, list[Link[Sheet]]]:
    """The members of each bond of several links, by its name."""
    found: dict[str, list[Link[Sheet]]] = {}
    for link in system.links:
        if link.member:
            found.setdefault(link.member.of, []).append(link)
    return found


def with_bonds(system: System, change: Callable[[Bond], Bond]) -> System:
    """The system whose bonds have been changed, of which none becomes smaller; new members have no faults."""
    changed = {name: list(_changed(name, own, change)) for name, own in bonds(system).items()}
    links: list[Link[Sheet]] = []
    for link in system.links:
        if link.member is None:
            links.append(link)
        elif link.member.number == 1:
            links += changed[link.member.of]
    return replace(system, links=tuple(links))


def _changed(name: str, own: list[Link[Sheet]], change: Callable[[Bond], Bond]) -> Iterator[Link[Sheet]]:
    assert own[0].member
    bond = change(own[0].member.bond)
    for number in range(1, bond.members + 1):
        like = own[number - 1] if number <= len(own) else replace(own[0], down=())
        yield _member(like, name, number, bond)


def _member(link: Link[Sheet], of: str, number: int, bond: Bond) -> Link[Sheet]:
    name = f"{of}.{number}"
    return replace(link, name=name, part=replace(link.part, name=name), member=Member(of, number, bond))
