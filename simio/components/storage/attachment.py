"""The way from a host to a disk: the transport that the link between them calls for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any

from simio.components.faults.policy import Outage, Policy, outages, policy
from simio.components.host.bus import DmaPath, dma_byte
from simio.components.storage.interfaces import Transport
from simio.description.model import Adapter, Link, System, fits
from simio.description.sheets.kernels import UnixKernelSheet
from simio.errors import RunError
from simio.program.builder import Builder
from simio.topology import Route, Topology

if TYPE_CHECKING:
    from simio.components.storage.fibre_channel import Fabric

MakeMedium = Callable[[Builder, Link, Sequence[str], Sequence[str]], Any]
MakeTransport = Callable[[Builder, Any, Any, Any, Any, str, str], Transport]

OWN: Mapping[str, tuple[str, str, str]] = {
    "scsi": ("scsi", "ScsiBus", "ScsiTransport"),
    "ipi-3": ("ipi", "IpiBus", "IpiTransport"),
    "fibre-channel-loop": ("loop", "Loop", "LoopTransport"),
    "nvme": ("nvme", "NvmeSlots", "NvmeTransport"),
    "sata": ("serial", "SerialPorts", "SerialTransport"),
    "sas": ("serial", "SerialPorts", "SerialTransport"),
}
"""Kinds of link that adapters and disks share: the file, imported when one is used, its medium and transport."""
SHARED: dict[str, tuple[MakeMedium, MakeTransport]] = {}
"""The medium, and a transport over it, of each kind that a plug-in has brought or a scenario has had."""
TIMED = ("fibre-channel", "fibre-channel-loop", "scsi")
"""Kinds of link whose outages make drivers time commands out; over HIPPI sources wait for a link instead."""


class Attachments:
    """The routes from the hosts of a system to its disks; a shared medium is made once."""

    def __init__(self, p: Builder, system: System, graph: Topology, fabric: Fabric) -> None:
        self.p = p
        self.system = system
        self.graph = graph
        self.fabric = fabric
        self.links = {link.name: link for link in system.links}
        self.remotes: dict[tuple[str, str], tuple[Link[Any], str]] = {
            (end.partition(".")[0], disk): (link, end)
            for link in system.links
            if link.part.sheet.remote
            for end in link.ends
            for disk in link.ends
            if end not in system.disks and disk in system.disks
        }
        """The link over which a host has a disk of another, and its own end of it, by host and disk."""
        self._media: dict[str, Any] = {}
        self._routes: dict[tuple[str, str], Route] = {}
        self._interrupted = any(link.down and link.part.kind in TIMED for link in system.links)

    def adapter(self, host: str, disk: str) -> Adapter:
        """The adapter on the route from a host to a disk."""
        if (host, disk) in self.remotes:
            key = self.remotes[host, disk][1].split(".", 1)[1]
            return self.system.hosts[host].adapters[key]
        return self._at(self._route(host, disk))

    def _route(self, host: str, disk: str) -> Route:
        """The route from a host to a disk, searched for once."""
        if (host, disk) not in self._routes:
            self._routes[host, disk] = self.graph.route(host, disk)
        return self._routes[host, disk]

    def owners(self, disk: str) -> list[str]:
        """The hosts that have a disk without the help of another."""
        found = []
        for host in self.system.hosts:
            with suppress(RunError):
                if len(self.graph.route(host, disk).of_category(self.graph, "memory")) == 1:
                    found.append(host)
        return found

    def policy(self, host: str, disk: str) -> Policy | None:
        """The policy of a host's driver for commands of a disk that fail; None if none can."""
        kernel = self.system.hosts[host].kernel.sheet
        outages = self.outages(host, disk)
        return policy(host, self.system.disks[disk], outages, kernel.command_timeout, kernel.command_retries)

    def outages(self, host: str, disk: str) -> tuple[Outage, ...]:
        """The outages of the route from a host to a disk."""
        if not self._interrupted:
            return ()
        path = self._route(host, disk)
        links = [self.links[name] for name in path.of_category(self.graph, "link")]
        if links[0].part.kind not in TIMED:
            return ()
        sheet = self._at(path).part.sheet
        from simio.description.sheets.fibre_channel import FibreChannelAdapter

        return outages(links, sheet.port_down if isinstance(sheet, FibreChannelAdapter) else None)

    @cached_property
    def cut(self) -> frozenset[str]:
        """The disks that outages on the route to them can make a host give up."""
        if not self._interrupted:
            return frozenset()
        hosts = [host.name for host in self.system.hosts.values() if isinstance(host.kernel.sheet, UnixKernelSheet)]
        return frozenset(disk for disk in self.system.disks for host in hosts if self._cut_off(host, disk))

    def _cut_off(self, host: str, disk: str) -> bool:
        try:
            policy = self.policy(host, disk)
        except RunError:
            return False
        return policy is not None and policy.cut_off

    def transport(self, host: str, disk: str, bus: DmaPath) -> Transport:
        """The transport from a host's adapter to a disk, data crossing `bus`: the host's, or an adapter's own.

        Raises RunError if the link or the adapter carries no commands to disks, and as the link's medium does.
        """
        path = self._route(host, disk)
        link = self.links[path.of_category(self.graph, "link")[0]]
        if link.part.kind == "fibre-channel":
            out, back = self.fabric.path(path), self.fabric.path(path, reverse=True)
            from simio.components.storage.fcp import FcpTransport

            return FcpTransport(self.p, out, back, bus, self._at(path).part.sheet)
        if link.part.kind == "hippi":
            return self._hippi(path, link, disk, bus)
        kind = link.part.kind
        if kind in OWN and kind not in SHARED:
            file, *names = OWN[kind]
            module = import_module(f"simio.components.storage.{file}")
            SHARED[kind] = getattr(module, names[0]), getattr(module, names[1])
        if kind not in SHARED:
            raise RunError(
                f"{host!r} reaches {disk!r} over a link of kind {kind!r}, which carries no commands to disks"
            )
        medium, transport = SHARED[kind]
        if link.name not in self._media:
            devices = [end for end in link.ends if end in self.system.disks]
            ports = [end for end in link.ends if end not in self.system.disks]
            self._media[link.name] = medium(self.p, link, ports, devices)
        port = path.of_category(self.graph, "adapter")[0]
        sheets = self._at(path).part.sheet, self.system.disks[disk].part.sheet
        return transport(self.p, self._media[link.name], bus, *sheets, disk, port)

    def _hippi(self, path: Route, link: Link, disk: str, bus: DmaPath) -> Transport:
        """IPI-3 over a HIPPI channel in each direction."""
        from simio.components.network.hippi import HippiChannel
        from simio.components.storage.ipi import IpiHippiTransport
        from simio.description.sheets.hippi import HippiLink
        from simio.description.sheets.ipi import IpiDisk, IpiHippiAdapter

        adapter, drive = self._at(path).part, self.system.disks[disk]
        if not isinstance(adapter.sheet, IpiHippiAdapter):
            raise RunError(
                f"{adapter.name!r} ({adapter.model}) carries packets; a disk over HIPPI needs an adapter of kind "
                "'ipi-3-hippi'"
            )
        assert fits(link, HippiLink)
        assert fits(drive, IpiDisk)
        byte = dma_byte(adapter.sheet)

        def drain(size: int) -> int:
            return bus.duration(size, byte)

        window = adapter.sheet.ready_window
        out = HippiChannel(self.p, link, adapter.name, disk, window, lambda size: 0)
        back = HippiChannel(self.p, link, disk, adapter.name, window, drain)
        return IpiHippiTransport(self.p, out, back, bus, byte, byte, drive.part.sheet.reconnect)

    def _at(self, path: Route) -> Adapter:
        host, key = path.of_category(self.graph, "adapter")[0].split(".", 1)
        return self.system.hosts[host].adapters[key]
