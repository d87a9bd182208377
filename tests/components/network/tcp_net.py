"""Two hosts with protocol stacks of round costs, a Gigabit link between them, and programs that talk over it."""

from __future__ import annotations

from dataclasses import replace
from types import ModuleType
from typing import Any

from net_bench import host, link
from part_samples import US, like, part

from simio.description.model import Host, Report, Run, System, Workload
from simio.engines.outcome import Options, Outcome
from simio.lower import lower
from simio.program.steps import Program
from simio.workloads import workload_kinds

STACK: dict[str, Any] = {
    "send_space": "64 KiB", "receive_space": "64 KiB", "max_space": "4 MiB", "datagram_send_space": "64 KiB",
    "datagram_receive_space": "64 KiB", "mbuf_size": "0 B", "mbuf_data": "0 B", "mbuf_first": "0 B",
    "cluster": "0 B", "cluster_threshold": "0 B", "cluster_needs_room": False, "hand_over": "write",
    "page_flip": False, "mss_multiple": "0 B", "rfc1323": "never", "initial_window": 2, "restart": True,
    "recovery": "newreno", "ack_every": 2, "ack_small": False, "delayed_ack": "50 ms", "delayed_ack_clock": "timer",
    "rto_tick": "10 ms", "rto_min": "200 ms", "rto_initial": "3 s", "rto_max": "60 s", "input": "interrupt",
    "socket_call": "10 us", "buffer_cost": "0 s", "tcp_send": "20 us", "tcp_receive": "30 us", "udp_send": "0 s",
    "udp_receive": "0 s", "ip_send": "1 us", "ip_receive": "2 us", "checksum": None,
}  # fmt: skip
FREE: dict[str, Any] = dict.fromkeys(
    ("socket_call", "tcp_send", "tcp_receive", "ip_send", "ip_receive", "buffer_cost"), "0 s"
)
"""A stack that costs nothing."""
QUICK: dict[str, Any] = {
    "transmit_cost": "0 s", "receive_cost": "0 s", "queue": 10_000, "transmit_ring": 10_000, "receive_ring": 10_000,
    "transmit_buffer": "64 MiB", "receive_buffer": "64 MiB",
}  # fmt: skip
"""An adapter that costs nothing and has room for all."""


def station(
    name: str, stack: dict[str, Any] | None = None, cpus: int = 1, interrupt: int = 3 * US, **adapter: Any
) -> Host:
    """A host as `net_bench.host`, with a stack."""
    sheet = part("stack", "tcp-ip", f"{name}.stack", **{**STACK, **(stack or {})})
    made = host(name, cpus=cpus, eth=adapter)
    return replace(made, stack=sheet, kernel=like(made.kernel, interrupt=interrupt))


def system(*hosts: Host, workload: dict[str, dict[str, Any]], length: int = 0, **wire: Any) -> System:
    """Hosts a and b with a link between them, and these workloads; `kind` says of which kind if not the name."""
    programs = {}
    for name, params in workload.items():
        kind = params.pop("kind", name)
        programs[name] = Workload(name, kind, workload_kinds()[kind].model_validate(params))
    return System(
        "sample", {one.name: one for one in hosts}, {}, {}, (link("a.eth", "b.eth", length=length, **wire),),
        programs, Run.model_validate({}), Report.model_validate({}),
    )  # fmt: skip


def run(engine: ModuleType, described: System, **options: int) -> tuple[Program, Outcome]:
    """Program and outcome; the run must end by itself unless it is given a time."""
    program = lower(described)
    outcome: Outcome = engine.run(program, Options(**options))
    assert "until" in options or outcome.status == 0, outcome
    return program, outcome


def marks(program: Program, outcome: Outcome, name: str) -> list[tuple[int, int]]:
    """(time in ps, value) of the marks of this name."""
    names = [mark.name for mark in program.marks]
    if name not in names:
        return []
    number = names.index(name)
    return [(time, value) for time, mark, value in outcome.marks.tolist() if mark == number]


def busy(program: Program, outcome: Outcome, name: str) -> int:
    """Time in ps for which a resource was busy."""
    return int(outcome.resources[[resource.name for resource in program.resources].index(name)][0])
