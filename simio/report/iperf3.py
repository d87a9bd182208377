"""A run of an iperf3 command in the shape of iperf3's own JSON (`iperf3 -J`, version 3.12)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simio.description.model import System
from simio.engines.outcome import Outcome
from simio.formats.iperf3.command import BLOCK, NAME, Command
from simio.program.service import SECOND
from simio.program.steps import Program
from simio.result.model import CaseResult
from simio.result.recorded import Timeline

Ints = NDArray[np.int64]
Row = dict[str, Any]
SHAPE = "iperf 3.12"
"""The version whose JSON this is."""
PORT = 5201
"""The server's port (iperf 3.12, src/iperf.h: PORT)."""


@dataclass(frozen=True)
class Stream:
    """Records of one stream: instants in ps with bytes or ps, of sends, reads and times."""

    number: int
    sent: Ints
    received: Ints
    times: Ints
    retransmits: int

    @property
    def socket(self) -> int:
        """The number that stands for its socket."""
        return 5 + 2 * self.number


def iperf3_json(
    command: Command, system: System, program: Program, outcome: Outcome, result: CaseResult
) -> dict[str, Any]:
    """The document of `iperf3 -J` for one case.

    Keys are those of iperf 3.12, but for those of a real machine (cookie, ports, time of day). CPU shares are those
    of the programs' threads, all of it system time. Retransmits are those of the whole test, since they are not
    counted by the interval.
    """
    params: Any = system.workloads[NAME].params
    streams = [_stream(program, outcome, result, number, params.streams) for number in range(params.streams)]
    omit, end = command.omit * SECOND, outcome.end
    udp = params.protocol == "udp"
    length = params.length or (_first_length(streams) if udp else BLOCK)
    data: dict[str, Any] = {
        "start": _start(command, params, length),
        "intervals": list(_intervals(command, streams, result.timeline, end, udp)),
    }
    span = (omit, end)
    senders = [_sums(each.sent, span, True) for each in streams]
    receivers = [_sums(each.received, span, False) for each in streams]
    if udp:
        losses = [_loss(each, length, span) for each in streams]
        data["end"] = _end_of_udp(streams, senders, receivers, losses)
    else:
        data["end"] = _end_of_tcp(streams, senders, receivers, span)
        if control := system.hosts[params.from_].stack:
            data["end"] |= dict.fromkeys(
                ("sender_tcp_congestion", "receiver_tcp_congestion"), control.sheet.congestion_control
            )
    data["end"]["cpu_utilization_percent"] = _cpu(result, params.from_, params.to, command.reverse)
    return data


def _end_of_udp(streams: Sequence[Stream], senders: list[Row], receivers: list[Row], losses: list[Row]) -> Row:
    """Sums of a test over UDP, of each stream and of all."""
    packets = sum(loss["packets"] for loss in losses)
    lost = sum(loss["lost_packets"] for loss in losses)
    more = {
        "packets": packets,
        "lost_packets": lost,
        "lost_percent": _percent(lost, packets),
        "jitter_ms": float(np.mean([loss["jitter_ms"] for loss in losses])),
    }
    return {
        "streams": [
            {"udp": {"socket": stream.socket, **sender, **loss}}
            for stream, sender, loss in zip(streams, senders, losses, strict=True)
        ],
        "sum": {**_total(senders, True), **more},
        "sum_sent": {**_total(senders, True), **more, "lost_packets": 0, "lost_percent": 0, "jitter_ms": 0},
        "sum_received": {**_total(receivers, False), **more},
    }


def _end_of_tcp(streams: Sequence[Stream], senders: list[Row], receivers: list[Row], span: tuple[int, int]) -> Row:
    """Sums of a test over TCP, of each stream and of all."""
    again = [{"retransmits": each.retransmits} for each in streams]
    return {
        "streams": [
            {
                "sender": {"socket": stream.socket, **sender, **resent, **_round_trips(stream, span)},
                "receiver": {"socket": stream.socket, **receiver},
            }
            for stream, sender, resent, receiver in zip(streams, senders, again, receivers, strict=True)
        ],
        "sum_sent": {**_total(senders, True), "retransmits": sum(each.retransmits for each in streams)},
        "sum_received": _total(receivers, False),
    }


def _stream(program: Program, outcome: Outcome, result: CaseResult, number: int, count: int) -> Stream:
    own = NAME if count == 1 else f"{NAME} {number + 1}"
    rows = {mark.name: row for row, mark in enumerate(program.marks)}

    def of(what: str) -> Ints:
        row = rows.get(f"{own}: {what}", -1)
        found: Ints = outcome.marks[outcome.marks[:, 1] == row][:, [0, 2]]
        return found

    times = of("transit") if f"{own}: transit" in rows else of("round trip")
    resent = sum(
        each.value for each in result.tallies if each.what == "sent again" and each.owner.startswith(f"{own} at ")
    )
    return Stream(number, of("sent"), of("received"), times, resent)


def _start(command: Command, params: Any, length: int) -> Mapping[str, Any]:
    return {
        "connected": [],
        "version": SHAPE,
        "system_info": "simio",
        "connecting_to": {"host": command.server, "port": PORT},
        "target_bitrate": int(params.rate * 8) if params.rate else 0,
        "test_start": {
            "protocol": params.protocol.upper(),
            "num_streams": params.streams,
            "blksize": length,
            "omit": command.omit,
            "duration": command.time or 0,
            "bytes": params.total or 0,
            "blocks": 0,
            "reverse": int(command.reverse),
            "tos": 0,
            "target_bitrate": int(params.rate * 8) if params.rate else 0,
        },
    }


def _intervals(command: Command, streams: Sequence[Stream], timeline: Timeline, end: int, udp: bool) -> Any:
    step = int(command.interval * SECOND)
    if not step:
        return
    for since in range(0, end, step):
        span = since, min(since + step, end)
        omitted = span[1] <= command.omit * SECOND
        rows = []
        for stream in streams:
            row = {"socket": stream.socket, **_sums(stream.sent, span, True), "omitted": omitted}
            if udp:
                row["packets"] = int(_within(stream.sent, span).shape[0])
            elif len(timed := _within(stream.times, span)):
                row |= {
                    "rtt": int(timed[-1, 1]) // 10**6,
                    "snd_cwnd": _window(timeline, stream, len(streams), span[1]),
                }
            rows.append(row)
        yield {"streams": rows, "sum": {**_total(rows, True), "omitted": omitted}}


def _window(timeline: Timeline, stream: Stream, count: int, at: int) -> int:
    """The congestion window at an instant, in bytes."""
    own = NAME if count == 1 else f"{NAME} {stream.number + 1}"
    for level in timeline.levels:
        if level.what == "congestion window" and level.name.startswith(f"{own} at "):
            row = int(np.searchsorted(np.asarray(timeline.times), at, side="right")) - 1
            return int(level.values[max(row, 0)])
    return 0


def _within(found: Ints, span: tuple[int, int]) -> Ints:
    return found[(found[:, 0] > span[0]) & (found[:, 0] <= span[1])]


def _sums(found: Ints, span: tuple[int, int], sender: bool) -> dict[str, Any]:
    amount, seconds = int(_within(found, span)[:, 1].sum()), (span[1] - span[0]) / SECOND
    return {
        "start": span[0] / SECOND,
        "end": span[1] / SECOND,
        "seconds": seconds,
        "bytes": amount,
        "bits_per_second": amount * 8 / seconds if seconds else 0.0,
        "sender": sender,
    }


def _total(rows: Sequence[Mapping[str, Any]], sender: bool) -> dict[str, Any]:
    first = rows[0]
    amount = sum(row["bytes"] for row in rows)
    rate = amount * 8 / first["seconds"] if first["seconds"] else 0.0
    return {
        **{key: first[key] for key in ("start", "end", "seconds")},
        "bytes": amount,
        "bits_per_second": rate,
        "sender": sender,
    }


def _round_trips(stream: Stream, span: tuple[int, int]) -> dict[str, int]:
    """Least, largest and mean smoothed round trip in us."""
    times = _within(stream.times, span)[:, 1]
    if not len(times):
        return {}
    return {
        "max_rtt": int(times.max()) // 10**6,
        "min_rtt": int(times.min()) // 10**6,
        "mean_rtt": round(float(times.mean()) / 1e6),
    }


def _loss(stream: Stream, length: int, span: tuple[int, int]) -> dict[str, Any]:
    """Datagrams up to the last that came, those lost of them, and jitter as RFC 3550, section 6.4.1, smooths it."""
    transit = _within(stream.times, span)
    sent = _reached(stream, span[1]) - _reached(stream, span[0])
    jitter = 0.0
    for change in np.abs(np.diff(transit[:, 1])).tolist():
        jitter += (change - jitter) / 16
    lost = max(sent - int(transit.shape[0]), 0)
    return {"jitter_ms": jitter / 1e9, "lost_packets": lost, "packets": sent, "lost_percent": _percent(lost, sent)}


def _reached(stream: Stream, at: int) -> int:
    """Number, from 1 on, of the last datagram that had come by an instant: what is under way is not lost."""
    come = stream.times[stream.times[:, 0] <= at]
    if not len(come):
        return 0
    begun = int(come[-1, 0] - come[-1, 1])
    return max(int(np.searchsorted(stream.sent[:, 0], begun)) + 1, len(come))


def _percent(part: int, whole: int) -> float:
    return 100 * part / whole if whole else 0.0


def _first_length(streams: Sequence[Stream]) -> int:
    return next((int(each.sent[0, 1]) for each in streams if len(each.sent)), 0)


def _cpu(result: CaseResult, source: str, target: str, reverse: bool) -> dict[str, float]:
    """Shares of one CPU that the programs' threads took; `host` is the client."""
    client, server = (target, source) if reverse else (source, target)
    found: dict[str, float] = {}
    for word, host in (("host", client), ("remote", server)):
        busy = 100 * float(
            sum(Fraction(each.busy) * each.count for each in result.threads if each.name.endswith(f" on {host}"))
        )
        found |= {f"{word}_total": busy, f"{word}_user": 0.0, f"{word}_system": busy}
    return found
