"""SATA and SAS against closed forms of their frames and connections, on both engines.

With the values of `link`, a byte takes 1 ns (8 Gbaud, 8 of 8 bits); a frame has 16 bytes and 100 ns beside its data
of up to 1000 bytes, a command 40 bytes, a set-up 20, a response 10.
"""

from __future__ import annotations

from fractions import Fraction
from types import ModuleType

import pytest
from part_samples import NS, Trace, bus_of, link_of, part

from simio.components.storage.serial import SerialPorts, SerialTransport
from simio.errors import RunError

COMMAND, SETUP, RESPONSE = 40 + 116, 20 + 116, 10 + 116
FRAME = 1000 + 116


def link(**values):
    given = {
        "signalling": "8 Gbaud", "data_bits": 8, "code_bits": 8, "devices": 8, "wide": 0, "payload": 1000,
        "frame_overhead": 16, "handshake": "100 ns", "command": 40, "setup": 20, "response": 10,
    }  # fmt: skip
    return link_of("sas", "l", ("h.a", "d", "e"), **(given | values))


class Drive:
    """The values of a drive's sheet that the transport reads."""

    signalling = Fraction(8 * 10**9)
    gathers = 4000


def transports(trace: Trace, drives: str = "de", **values) -> list[SerialTransport]:
    made = link(**values)
    ports = SerialPorts(trace.p, made, ["h.a"], ["d", "e"])
    bus = bus_of(trace.p, clock="100 GHz", width="64 B", burst="4 KiB", overhead_cycles=0, memory="100 GB/s")
    sheet = part("adapter", "sas", "a", command_cost="0 s", queue_depth=8).sheet
    return [SerialTransport(trace.p, ports, bus, sheet, Drive, drive, "h.a") for drive in drives]


def read(trace: Trace, transport: SerialTransport, size: int, value: int) -> None:
    with trace.p.thread(f"reader {value}"):
        transport.request()
        transport.send(size)
        transport.reply()
        trace.mark(value)


def test_a_read_takes_the_time_of_its_frames(trace: Trace, engine: ModuleType) -> None:
    read(trace, transports(trace)[0], 3000, 1)
    assert trace.times(engine) == {1: COMMAND + SETUP + 3 * FRAME + RESPONSE}


def test_connections_take_their_time_and_cross_expanders(trace: Trace, engine: ModuleType) -> None:
    """One for the command, one for data and response; each frame, and both ways of an opening, cross the expander."""
    values = {"wide": 2, "expanders": 1, "expander_latency": "50 ns", "connection": "200 ns", "closing": "30 ns"}
    read(trace, transports(trace, **values)[0], 1000, 1)
    frames = COMMAND + SETUP + FRAME + RESPONSE + 3 * 50
    assert trace.times(engine) == {1: frames + 2 * (200 + 100) + 2 * 30}


@pytest.mark.parametrize(("wide", "shares"), [(1, True), (2, False), (0, False)])
def test_drives_share_the_cable_to_an_expander(trace: Trace, engine: ModuleType, wide: int, shares: bool) -> None:
    for value, transport in enumerate(transports(trace, wide=wide)):
        read(trace, transport, 3000, value)
    alone = COMMAND + SETUP + 3 * FRAME + RESPONSE
    last = max(trace.times(engine).values())
    assert last == (2 * alone if shares else alone)


def test_the_slower_port_sets_the_pace() -> None:
    assert link().part.sheet.byte(Fraction(4 * 10**9)) == 2 * NS
    assert link().part.sheet.byte(Fraction(16 * 10**9)) == NS


def test_two_adapters_are_refused() -> None:
    with pytest.raises(RunError, match="two ports"):
        SerialPorts(Trace().p, link(), ["h.a", "h.b"], ["d"])
