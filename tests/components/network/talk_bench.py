"""Two hosts that talk over TCP or with ping, and what a trace of their packets holds."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from net_bench import host, link
from part_samples import part

from simio.components.network.capture import PacketTrace
from simio.description.model import Report, Run, System, Workload
from simio.description.workloads import workload_kinds
from simio.engines.outcome import Options, Outcome
from simio.lower import lower
from simio.program.steps import Program
from simio.result.packets import Packets

STACK: dict[str, Any] = {
    "send_space": "16 KiB", "receive_space": "16 KiB", "max_space": "1 MiB", "datagram_send_space": "9000 B",
    "datagram_receive_space": "40 KiB", "mbuf_size": "0 B", "mbuf_data": "0 B", "mbuf_first": "0 B", "cluster": "0 B",
    "cluster_threshold": "0 B", "cluster_needs_room": False, "hand_over": "write", "page_flip": False,
    "mss_multiple": "0 B", "rfc1323": "never", "initial_window": 2, "restart": True, "recovery": "reno",
    "ack_every": 2, "ack_small": False, "delayed_ack": "50 ms", "delayed_ack_clock": "timer", "rto_tick": "10 ms",
    "rto_min": "200 ms", "rto_initial": "1 s", "rto_max": "60 s", "input": "interrupt", "socket_call": "1 us",
    "buffer_cost": "0 s", "tcp_send": "2 us", "tcp_receive": "2 us", "udp_send": "2 us", "udp_receive": "2 us",
    "ip_send": "1 us", "ip_receive": "1 us", "checksum": "none",
}  # fmt: skip


class Talk:
    """A system of hosts a and b on an Ethernet link, that run one workload from a to b."""

    def __init__(
        self, kind: str, stack: dict[str, Any] | None = None, wire: dict[str, Any] | None = None, **params: Any
    ) -> None:
        hosts = [host("a", eth={}), host("b", eth={})]
        stacks = {
            one.name: part("stack", "tcp-ip", f"{one.name}.stack", **{**STACK, **(stack or {})}) for one in hosts
        }
        checked = workload_kinds()[kind].model_validate({"from": "a", "to": "b", **params})
        self.system = System(
            "sample", {one.name: _with_stack(one, stacks[one.name]) for one in hosts}, {}, {},
            (link("a.eth", "b.eth", **(wire or {})),), {kind: Workload(kind, kind, checked)},
            Run.model_validate({}), Report.model_validate({}),
        )  # fmt: skip

    def run(self, engine: ModuleType, trace: PacketTrace | None = None) -> tuple[Program, Outcome]:
        """The program with such a trace, and what came of it; it must end by itself."""
        program = lower(self.system, trace)
        outcome: Outcome = engine.run(program, Options())
        assert outcome.status == 0, outcome
        return program, outcome

    def packets(self, engine: ModuleType, *at: str, limit: int = 10_000) -> Packets:
        """The packets of a run."""
        return Packets(*self.run(engine, PacketTrace(limit, at)))


def _with_stack(one: Any, stack: Any) -> Any:
    from dataclasses import replace

    return replace(one, stack=stack)
