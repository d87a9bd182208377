"""Sockets of a system's hosts as workloads find them: stacks and connections, made when first asked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from simio.components.host.kernel import UnixKernel
from simio.components.network.agreement import SocketOptions, agreed, asks_for_marks
from simio.components.network.interface import ANY, Wish
from simio.components.network.path import Network, NetworkPath
from simio.components.network.stack import IP_HEADER, TCP_HEADER, UDP_HEADER, Stack
from simio.components.network.tcp import Endpoint
from simio.description.model import System
from simio.errors import RunError
from simio.machines.tcp.layout import MOST_BYTES
from simio.machines.tcp.settings import TcpSettings
from simio.program.builder import Builder, Variable
from simio.units import format_quantity
from simio.wording import and_others

SERVER_PORT = 5001
"""Port on which programs listen, that of ttcp and iperf, in packet traces."""
_FIRST_PORT = 1024
"""Ports of programs that connect or send come after this one (BSD's IPPORT_RESERVED)."""


class Sockets:
    """Stacks of hosts, and connections between them over a network."""

    def __init__(self, p: Builder, system: System, kernel: Callable[[str], UnixKernel], network: Network) -> None:
        self.p = p
        self.system = system
        self.kernel = kernel
        self.network = network
        self._stacks: dict[str, Stack] = {}
        self._ports = _FIRST_PORT
        self._peers: dict[str, int] = {}

    def stack(self, host: str) -> Stack:
        """The protocol stack of a host; raises RunError where it has none."""
        if host not in self._stacks:
            part = self.system.hosts[host].stack
            if part is None:
                raise RunError(
                    f"host {host!r} has no protocol stack; give it one, as stack: stacks/solaris-8, or take a model "
                    "of a host that has"
                )
            self._stacks[host] = Stack(self.kernel(host), part)
        return self._stacks[host]

    def tell(self) -> None:
        """Tell of each stack in use that takes no time on hosts whose kernels do."""
        found: dict[str, list[str]] = {}
        for host, stack in self._stacks.items():
            if stack.kernel.sheet.takes_time and not stack.sheet.takes_time:
                found.setdefault(stack.part.model, []).append(host)
        for model, hosts in found.items():
            self.p.tell(
                f"TCP, UDP and copies take no CPU time on {and_others(hosts)}, as {model} has the protocol alone: "
                "`simio models stacks` tells which others have costs"
            )

    def port(self) -> int:
        """A port that nothing has yet, for packet traces."""
        self._ports += 1
        return self._ports

    def connection(
        self,
        params: SocketOptions,
        name: str,
        buffers: tuple[int, int],
        aligned: bool,
        mss: int | None = None,
        wish: Wish = ANY,
        number: Variable | None = None,
    ) -> tuple[Endpoint, Endpoint]:
        """The two ends of a TCP connection from `params.from_` to `params.to`, whose programs have such buffers.

        `mss` is the largest segment that the programs ask for, options included (TCP_MAXSEG), `wish` their cores.
        `number` is that of the present one of the flows that have the connection one after another.
        Raises RunError for buffers that no connection can carry.
        """
        if max(buffers) > MOST_BYTES:
            most, size = (format_quantity(n, "size") for n in (MOST_BYTES, max(buffers)))
            raise RunError(f"a write or read of {size} is too large: a connection carries at most {most}", at=".size")
        hosts = params.from_, params.to
        stacks = [self.stack(host) for host in hosts]
        paths = [self.network.path(*hosts), self.network.path(*reversed(hosts))]
        _check_wish(paths[0], wish)
        mtu = min(path.mtu for path in paths)
        if mss is not None:
            mtu = min(mtu, mss + IP_HEADER + TCP_HEADER)
        settings = agreed([stack.sheet for stack in stacks], mtu, params)
        _tell_of_marks(self.p, hosts, stacks)
        ports = (self.port(), SERVER_PORT)
        near, far = (
            self._endpoint(
                stacks[end], f"{name} at {hosts[end]}", settings[end], paths[end].of(own, number), buffers[end],
                aligned, own, wish,
            )
            for end, own in enumerate((ports, ports[::-1]))
        )  # fmt: skip
        near.join(far)
        return near, far

    def seated(self, host: str, path: NetworkPath, number: int, wish: Wish, size: int, merges: bool = False) -> Stack:
        """A host's stack as one of its programs sees it, at whose end a path begins: on a core, if it has queues.

        `number` counts programs, which `wish` for cores; datagrams of `size` bytes come, which go up merged (UDP_GRO)
        if `merges`. Raises RunError if they cannot.
        """
        stack = self.stack(host)
        _check_wish(path, wish)
        place = path.source.cores
        if merges and (place is None or not stack.sheet.gro):
            raise RunError(
                f"the stack of {host!r} merges nothing; that needs an adapter with queues (kind "
                "'multiqueue-ethernet') and a stack with gro",
                ".gro",
            )
        if place is None:
            return stack
        from simio.components.network.placed_udp import SeatedStack

        peer, fragments = path.target.name, size + IP_HEADER + UDP_HEADER > path.mtu
        cores = place(number, wish, peer, fragments)
        # A hash of fragments is over addresses alone (Linux net/core/flow_dissector.c, __skb_flow_dissect).
        source = 0 if fragments else _FIRST_PORT + number
        ports = source, self._peers.setdefault(peer, len(self._peers) + 1) if fragments else SERVER_PORT
        return SeatedStack(stack, path.source, cores, merges, ports)  # type: ignore[arg-type]

    def _endpoint(
        self,
        stack: Stack,
        name: str,
        settings: TcpSettings,
        path: NetworkPath,
        buffer: int,
        aligned: bool,
        ports: tuple[int, int],
        wish: Wish,
    ) -> Endpoint:
        """One end, whose program and packets have cores of their own where its adapter has several queues."""
        place = path.source.cores
        if place is None:
            return Endpoint(stack, name, settings, path, buffer, aligned, ports)
        from simio.components.network.placed import PlacedEndpoint

        number = self._ports - _FIRST_PORT - 1
        cores = place(number, wish, None, False)
        return PlacedEndpoint(stack, name, settings, path, buffer, aligned, ports, cores)


def _check_wish(path: NetworkPath, wish: Wish) -> None:
    """Raise RunError for cores that are asked for where no end of the path has any to choose from."""
    ends = path.source, path.target
    for key, core in zip(("core", "queue"), wish, strict=True):
        if core is not None and all(end.cores is None for end in ends):
            names = " and ".join(repr(end.name) for end in ends)
            raise RunError(
                f"core {core} has no effect, as {names} have no queues for cores; take adapters of kind "
                "'multiqueue-ethernet', or leave it out",
                f".{key}",
            )


def _tell_of_marks(p: Builder, hosts: tuple[str, str], stacks: Sequence[Stack]) -> None:
    """Tell where one end alone would have congestion marked. Linux's other end agrees by default (tcp_ecn is 2)."""
    asks = [asks_for_marks(stack.sheet) for stack in stacks]
    if any(asks) and not all(asks):
        with_, without = hosts if asks[0] else reversed(hosts)
        p.tell(f"connections of {with_} with {without} have no marks of congestion: {without} has no ecn, nor dctcp")
