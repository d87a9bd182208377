"""The disks and volumes of a replay: which devices of the trace go to which, and whether they fit."""

from __future__ import annotations

from contextlib import nullcontext
from math import gcd
from typing import Any

from simio import units
from simio.components.site import Site
from simio.components.storage.interfaces import BlockDevice
from simio.description.model import Workload
from simio.errors import RunError, quote
from simio.formats.traces.files import MOST_SIZES, DeviceSummary, TraceSummary
from simio.program.builder import Operand, Register
from simio.wording import counted
from simio.workloads.replay.addresses import Placement
from simio.workloads.replay.params import LEFT_OUT, OTHERS, Replay

MOST_TARGETS = 64
"""Disks and volumes of a replay, each of which has steps of its own."""
_LISTED = 8
"""Devices that a message lists."""


def assigned(site: Site, workload: Workload[Replay], summary: TraceSummary) -> dict[str, str]:
    """The disk or volume of each device of the trace whose requests are made.

    Raises RunError if it is not clear which one that is, if there are too many, or if no requests are left.
    """
    params = workload.params
    found = _by_device(site, workload, summary) if params.devices else _by_storage(site, workload, summary)
    if len(set(found.values())) > MOST_TARGETS:
        number = len(set(found.values()))
        raise RunError(
            f"workload {workload.name!r} goes to {number} disks and volumes; at most {MOST_TARGETS}",
            at=".devices" if params.devices else ".storage",
        )
    return found


def _by_device(site: Site, workload: Workload[Replay], summary: TraceSummary) -> dict[str, str]:
    params, names = workload.params, [each.name for each in summary.devices]
    others = params.devices.get(OTHERS)
    unnamed = [name for name in names if name not in params.devices and others is None]
    unknown = [name for name in params.devices if name not in (*names, OTHERS)]
    if unnamed or (unknown and params.whole):
        which = f"no target for {_several(unnamed)}" if unnamed else f"no device {quote(unknown[0])} in the trace"
        hint = f"; {OTHERS}: NAME is for all others, {OTHERS}: {LEFT_OUT} leaves them out" if unnamed else ""
        raise RunError(
            f"workload {workload.name!r} has {which}, which has {_several(names)}{hint}"
            if unknown and not unnamed
            else f"workload {workload.name!r} has {which} of the trace{hint}",
            at=".devices",
        )
    found = {name: target for name in names if (target := params.devices.get(name, others)) not in (None, LEFT_OUT)}
    if not found:
        raise RunError(f"workload {workload.name!r} leaves out every device of the trace", at=".devices")
    for target in dict.fromkeys(found.values()):
        if len(site.targets(target)) > 1:
            raise RunError(f"{target!r} is a group of disks; name one of them, or make a volume of them", ".devices")
    return {name: site.targets(target)[0] for name, target in found.items()}


def _by_storage(site: Site, workload: Workload[Replay], summary: TraceSummary) -> dict[str, str]:
    storage = workload.params.storage or ""
    targets, names = site.targets(storage), [each.name for each in summary.devices]
    if len(targets) == len(names):
        return dict(zip(names, targets, strict=True))
    number = len(names)
    if len(targets) > 1:
        raise RunError(
            f"workload {workload.name!r} replays the trace of {counted(number, 'device')} on {len(targets)} disks; "
            f"{'name one of them, or ' if number == 1 else ''}make a volume of them, or say which device goes where "
            "in devices",
            at=".storage",
        )
    raise RunError(
        f"workload {workload.name!r} replays the trace of {number} devices ({_several(names)}) on {storage!r}; say "
        f"which device goes where, as in devices: {{{quote(names[0])}: {storage}, {OTHERS}: {LEFT_OUT}}}",
        at=".storage",
    )


def _several(names: list[str]) -> str:
    more = f" and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
    return ", ".join(map(quote, names[:_LISTED])) + more


def placement(workload: Workload[Replay], number: int, device: BlockDevice, asked: DeviceSummary) -> Placement:
    """The placement of a traced device's requests on the block device with this number.

    Raises RunError if they do not fit, or are no whole sectors.
    """
    # A sweep may vary these numbers, and the trace is read with each of them.
    params, capacity, sector, shift = (
        workload.params,
        *map(int, (device.capacity, device.sector, workload.params.shift)),
    )
    grain = gcd(asked.grain, shift)
    whose = f"device {quote(asked.name)} of the trace" if asked.name else "the trace"
    if grain % sector:
        there, wanted = (units.format_quantity(n, "size") for n in (grain, sector))
        raise RunError(
            f"workload {workload.name!r} asks for blocks of {there}; {device.name!r} takes whole sectors of "
            f"{wanted}, to which align: {wanted} widens requests",
            at=".align",
        )
    end = asked.end + shift if params.fit == "exact" else max(asked.reads or (0,)) + grain
    if end > capacity:
        needed, there = (units.format_quantity(n, "size") for n in (end, capacity))
        raise RunError(
            f"workload {workload.name!r} needs {needed} of {device.name!r} for {whose}, which holds {there}; "
            "fit: wrap or fit: scale brings addresses onto it",
            at=".fit",
        )
    extent = int(params.extent or asked.end)
    if extent < asked.end:
        needed, there = (units.format_quantity(n, "size") for n in (asked.end, extent))
        raise RunError(f"{whose} goes up to {needed}, beyond an extent of {there}", at=".extent")
    return Placement(number, params.fit, grain, shift, max(extent, grain), capacity)


class Target:
    """A disk or volume, and the steps of a request to it."""

    def __init__(
        self, site: Site, workload: Workload[Replay], device: BlockDevice, asked: list[DeviceSummary], grain: int
    ) -> None:
        """`asked` are the devices of the trace whose requests come here, at multiples of `grain` bytes.

        Raises RunError if the requests have too many sizes for a volume.
        """
        self.p, self.device = site.p, device
        self.aligned = device.sector if device.any_size else grain
        self.delivered = site.stream(f"{workload.name}: {device.name}")
        kernel = site.kernel(workload.params.host)
        self.directions: list[tuple[int, Any, list[int]]] = []
        for writes, verb in ((0, kernel.read_unbuffered), (1, kernel.write_unbuffered)):
            sizes = self._sizes(workload, [each.writes if writes else each.reads for each in asked])
            if sizes is None or sizes:
                self.directions.append((writes, verb, sizes or []))

    def _sizes(self, workload: Workload[Replay], known: list[frozenset[int] | None]) -> list[int] | None:
        """The sizes of all requests; None for a device that takes any."""
        sizes: set[int] = set()
        for some in known:
            if some is None or len(sizes | some) > MOST_SIZES:
                if self.device.any_size:
                    return None
                raise RunError(
                    f"requests to {self.device.name!r} have more than {MOST_SIZES} different sizes, each of which "
                    "needs steps of its own on a volume; align: 64 KiB, say, leaves fewer",
                    at=".align",
                )
            sizes |= some
        return sorted(sizes) if sizes and not self.device.any_size else None if sizes else []

    def request(self, at: Register, size: Register, writes: Register) -> None:
        """One call, which returns when the device is done."""
        p = self.p
        for direction, verb, sizes in self.directions:
            with p.when(writes == direction) if len(self.directions) > 1 else nullcontext():
                known: list[Operand] = [*sizes] or [size]
                for some in known:
                    with p.when(size == some) if len(sizes) > 1 else nullcontext(), p.scope():
                        verb(self.device, at, some, self.aligned)
        p.mark(self.delivered, size)
