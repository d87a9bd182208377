"""Which states a volume over disks that can fail has, and what serves its requests in each."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from simio.components.faults.failures import Failures
from simio.components.storage.interfaces import BlockDevice
from simio.components.volumes.degraded import DegradedRaid5, FirstLost
from simio.components.volumes.failing import Failing, FailingMirror, FailingRaid3, FailingRaid5
from simio.components.volumes.mirror import Mirror
from simio.components.volumes.parity import ParityEngine
from simio.components.volumes.raid3 import Raid3
from simio.components.volumes.raid5 import Raid5
from simio.components.volumes.rebuild import ChangingVolume, Reach, Rebuild, States
from simio.components.volumes.requests import size_text
from simio.description.faults import Failed
from simio.description.model import Volume
from simio.errors import RunError
from simio.program.builder import Builder, Handle, Register


@dataclass(frozen=True)
class Losses:
    """What of the members of a volume can be lost: by their places those that can fail, what lets pass who waits for
    one to be given up, and the spares."""

    failures: Failures
    failing: Failing = field(default_factory=dict)
    noticed: Mapping[int, Handle] = field(default_factory=dict)
    spares: Mapping[int, BlockDevice] = field(default_factory=dict)
    faults: Mapping[int, Failed] = field(default_factory=dict)

    def without(self, member: int) -> Failing:
        """Those that can fail beside a member."""
        return {other: gone for other, gone in self.failing.items() if other != member}


def mirror(p: Builder, volume: Volume, members: Sequence[BlockDevice], losses: Losses) -> BlockDevice:
    """A mirror over members that can fail or have failed."""

    def over(places: Sequence[int], spare: BlockDevice | None = None, lost: int = -1) -> BlockDevice:
        """A mirror of the members at these places, the lost one's being taken by the spare."""
        there = [spare if spare and place == lost else members[place] for place in places]
        failing = losses.without(lost) if spare else losses.failing
        able = {number: failing[place] for number, place in enumerate(places) if place in failing}
        return FailingMirror(p, volume.name, there, losses.failures, able) if able else Mirror(p, volume.name, there)

    failed = [volume.members.index(name) for name in volume.failed]
    every = range(len(members))
    if not losses.spares:
        return over([place for place in every if place not in failed])
    lost, spare = _only(volume, losses, failed)
    rest = [place for place in every if place != lost]

    def reach(begin: Register, end: Register, at: Register, size: int) -> None:
        p.let(begin, "SET", at)
        p.let(end, "ADD", at, size)

    degraded = over(rest)
    word = losses.failing.get(lost)
    words = [] if word is None else [word]
    states = States(None if failed else over(every), degraded, over(every, spare, lost), words, reach)
    return _rebuilt(p, volume, states, lost, losses, [degraded], None, members)


def raid3(
    p: Builder,
    volume: Volume,
    members: Sequence[BlockDevice],
    grain: int,
    parity: ParityEngine,
    losses: Losses,
) -> BlockDevice:
    """A RAID 3 over members that can fail or have failed."""

    def over(there: Sequence[BlockDevice], failing: Failing) -> BlockDevice:
        if failing:
            return FailingRaid3(p, volume.name, there, grain, parity, losses.failures, failing)
        return Raid3(p, volume.name, there, grain, parity)

    def without(lost: int) -> BlockDevice:
        return Raid3(p, volume.name, members, grain, parity, lost)

    def reach(begin: Register, end: Register, at: Register, size: int) -> None:
        p.let(begin, "DIV", at, len(members) - 1)
        p.let(end, "ADD", begin, size // (len(members) - 1))

    return _with_parity(p, volume, members, parity, losses, over, without, reach)


def raid5(
    p: Builder,
    volume: Volume,
    members: Sequence[BlockDevice],
    unit: int,
    parity: ParityEngine,
    losses: Losses,
) -> BlockDevice:
    """A RAID 5 over members that can fail or have failed."""
    stripe = (len(members) - 1) * unit

    def over(there: Sequence[BlockDevice], failing: Failing) -> BlockDevice:
        if failing:
            return FailingRaid5(p, volume.name, there, unit, parity, losses.failures, failing)
        return Raid5(p, volume.name, there, unit, parity)

    def without(lost: int) -> BlockDevice:
        return DegradedRaid5(p, volume.name, members, unit, parity, lost)

    def reach(begin: Register, end: Register, at: Register, size: int) -> None:
        p.let(begin, "DIV", at, stripe)
        p.let(begin, "MUL", begin, unit)
        p.let(end, "ADD", at, size - 1)
        p.let(end, "DIV", end, stripe)
        p.let(end, "ADD", end, 1)
        p.let(end, "MUL", end, unit)

    return _with_parity(p, volume, members, parity, losses, over, without, reach)


def _with_parity(
    p: Builder,
    volume: Volume,
    members: Sequence[BlockDevice],
    parity: ParityEngine,
    losses: Losses,
    over: Callable[[Sequence[BlockDevice], Failing], BlockDevice],
    without: Callable[[int], BlockDevice],
    reach: Reach,
) -> BlockDevice:
    """A volume that survives one member: `over` makes it of members that can fail, `without` without one of them."""
    failed = [volume.members.index(name) for name in volume.failed]
    words = {place: gone for place, gone in losses.failing.items() if gone is not None}
    if not failed and not words:
        return over(members, losses.failing)
    lost = (failed or [*losses.spares] or [*words])[0]
    rest = {place: without(place) for place in failed[:1] or words}
    if failed and not losses.spares:
        return rest[lost]
    degraded = rest[lost] if len(rest) == 1 else FirstLost(p, rest, words)
    spare = losses.spares.get(lost)
    replaced = None
    if spare is not None:
        replaced = over([*members[:lost], spare, *members[lost + 1 :]], losses.without(lost))
    whole = None if failed else over(members, losses.failing)
    states = States(whole, degraded, replaced, [*words.values()], reach)
    others = [member for place, member in enumerate(members) if place != lost]
    return _rebuilt(p, volume, states, lost, losses, others, parity, members)


def _only(volume: Volume, losses: Losses, failed: Sequence[int]) -> tuple[int, BlockDevice]:
    """The one member of a mirror that is rebuilt; RunError where others are lost for good as well."""
    dying = {place for place, gone in losses.failing.items() if gone is not None}
    if len({*losses.spares, *failed, *dying}) > 1:
        raise RunError(
            f"several disks of volume {volume.name!r} fail, and one has a spare; a mirror is rebuilt where one fails"
        )
    return next(iter(losses.spares.items()))


def _rebuilt(
    p: Builder,
    volume: Volume,
    states: States,
    lost: int,
    losses: Losses,
    others: Sequence[BlockDevice],
    parity: ParityEngine | None,
    members: Sequence[BlockDevice],
) -> BlockDevice:
    """The volume in its states, and what rebuilds it if there is a spare."""
    fault = losses.faults.get(lost)
    changing = ChangingVolume(p, states, fault.chunk if fault else 1)
    spare = losses.spares.get(lost)
    if spare is not None and fault is not None:
        smallest = min(member.capacity for member in members)
        extent = fault.extent or smallest // fault.chunk * fault.chunk
        if extent > min(smallest, spare.capacity):
            room = size_text(min(smallest, spare.capacity))
            raise RunError(f"{size_text(extent)} of {volume.name!r} are to be rebuilt of disks that hold {room}")
        if spare.sector != members[lost].sector or fault.chunk % spare.sector:
            raise RunError(
                f"{spare.name!r} cannot take the place of {members[lost].name!r}: sectors and chunks do not fit"
            )
        words = [gone for gone in losses.without(lost).values() if gone is not None]
        noticed = losses.noticed.get(lost)
        rebuild = Rebuild(p, changing, others, spare, parity, fault, extent, losses.failures, noticed, words)
        losses.failures.rebuilds.append(rebuild.thread)
    return changing
