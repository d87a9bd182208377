"""TCP flows of this machine's own Linux over an emulated path, in network namespaces.

    client - relay (holds each frame for half of the round trip) - router (token bucket with a queue) - server

Needs root, ip, tc with sch_tbf, ethtool, iperf3 and a C compiler. Nothing outside the namespaces is touched.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
HOSTS = ("client", "relay", "router", "server")
URGENT = ("chrt", "-f", "50")
"""The relay goes before whatever else the machine has to do."""
SOON = ("nice", "-n", "-10")
"""iperf3 goes before most: with a relay's priority, two clients that find no room to write would keep all CPUs."""
READY = 2
"""Seconds that the servers have to start."""
SPARE = 15
"""Seconds after the end of a flow at which iperf3 is ended, whatever it does."""
_PORT = 5201


@dataclass(frozen=True)
class Flow:
    """A flow's measured course: seconds, Mbit/s that the server has had since the last, segments of the window."""

    control: str
    times: list[float]
    rates: list[float]
    windows: list[float]
    goodput: float
    """Mbit/s from the end of the warm-up on."""
    resent: int


def _ip(*words: str, host: str | None = None) -> None:
    where = ["ip", "netns", "exec", _name(host)] if host else []
    subprocess.run([*where, *words], check=True, stdout=subprocess.DEVNULL)


def _name(host: str) -> str:
    return f"simio-{host}"


def _run(host: str, words: Sequence[str], seconds: float) -> subprocess.Popen[str]:
    ended = ["timeout", "-s", "KILL", f"{seconds + SPARE:g}"]
    command = ["ip", "netns", "exec", _name(host), *SOON, *ended, *words]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


@contextmanager
def path(rate: float, trip: float, queue: int, paced: bool = False) -> Iterator[None]:
    """The path while the body runs: Mbit/s, ms of round trip, bytes of the queue before the token bucket.

    Where `paced`, sockets are opened with BBR, whose pacing stays (Linux net/ipv4/tcp_bbr.c, bbr_init).
    """
    with ExitStack() as stack, tempfile.TemporaryDirectory() as folder:
        for host in HOSTS:
            _ip("ip", "netns", "add", _name(host))
            stack.callback(_ip, "ip", "netns", "del", _name(host))
        for left, right in zip(HOSTS, HOSTS[1:], strict=False):
            ends = f"{left[:2]}-{right[:2]}", f"{right[:2]}-{left[:2]}"
            _ip("ip", "link", "add", ends[0], "netns", _name(left), "type", "veth", "peer", "name", ends[1],
                "netns", _name(right))  # fmt: skip
            for host, end in ((left, ends[0]), (right, ends[1])):
                _ip("ip", "link", "set", end, "up", host=host)
                _ip(
                    "ethtool",
                    "-K",
                    end,
                    "tx",
                    "off",
                    "rx",
                    "off",
                    "tso",
                    "off",
                    "gso",
                    "off",
                    "gro",
                    "off",
                    host=host,
                )
        for host, end, address in (
            ("client", "cl-re", "10.9.1.1"), ("router", "ro-re", "10.9.1.2"),
            ("router", "ro-se", "10.9.2.1"), ("server", "se-ro", "10.9.2.2"),
        ):  # fmt: skip
            _ip("ip", "addr", "add", f"{address}/24", "dev", end, host=host)
        _ip("ip", "route", "add", "default", "via", "10.9.1.2", host="client")
        _ip("ip", "route", "add", "default", "via", "10.9.2.1", host="server")
        _ip("sysctl", "-w", "net.ipv4.ip_forward=1", host="router")
        for host in ("client", "server"):
            _ip("sysctl", "-w", "net.ipv4.tcp_no_metrics_save=1", host=host)
            # iperf3 sets the control of a socket that is open. One that began with BBR would be paced ever after.
            _ip("sysctl", "-w", f"net.ipv4.tcp_congestion_control={'bbr' if paced else 'reno'}", host=host)
        for end in ("ro-se", "ro-re"):
            _ip("tc", "qdisc", "add", "dev", end, "root", "tbf", "rate", f"{rate:g}mbit", "burst", "3200", "limit",
                str(queue), host="router")  # fmt: skip
        relay = f"{folder}/relay"
        subprocess.run(["cc", "-O2", "-o", relay, str(HERE / "relay.c")], check=True)
        words = [*URGENT, "ip", "netns", "exec", _name("relay"), relay, "re-cl", "re-ro", str(round(trip * 500))]
        holding = subprocess.Popen(words, stdout=subprocess.PIPE)
        stack.callback(holding.wait)
        stack.callback(holding.terminate)
        assert holding.stdout
        holding.stdout.readline()
        yield


def flows(
    controls: Sequence[str], seconds: float, warm_up: float, window: int | None = None, every: float = 0.1
) -> list[Flow]:
    """Flows from client to server at once, one with each of these congestion controls."""
    servers, clients = [], []
    for number in range(len(controls)):
        words = ["iperf3", "-s", "-1", "-p", str(_PORT + number), "-J", "-i", f"{every:g}"]
        servers.append(_run("server", words, seconds))
    time.sleep(READY)
    for number, control in enumerate(controls):
        words = ["iperf3", "-c", "10.9.2.2", "-p", str(_PORT + number), "-C", control, "-t", f"{seconds:g}"]
        words += ["-i", f"{every:g}", "-J", *(["-w", str(window)] if window else [])]
        clients.append(_run("client", words, seconds))
    sent = [json.loads(client.communicate()[0]) for client in clients]
    had = [json.loads(server.communicate()[0]) for server in servers]
    return [_flow(*each, warm_up) for each in zip(controls, sent, had, strict=True)]


def _flow(control: str, sent: dict, had: dict, warm_up: float) -> Flow:
    streams = [interval["streams"][0] for interval in sent["intervals"]]
    there = [interval["streams"][0] for interval in had["intervals"]]
    late = [one for one in there if one["start"] >= warm_up and one["seconds"] > 0]
    mss = sent["start"]["tcp_mss_default"] or 1448
    return Flow(
        control,
        [one["end"] for one in streams],
        [one["bits_per_second"] / 1e6 for one in there],
        [one["snd_cwnd"] / mss for one in streams],
        sum(one["bytes"] for one in late) * 8e-6 / sum(one["seconds"] for one in late),
        sum(one["retransmits"] for one in streams),
    )
