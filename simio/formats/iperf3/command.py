"""The command line of an iperf3 client as a workload: what is modelled, what cannot matter, and what is refused."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TypeVar

from simio.errors import SimioError, did_you_mean, quote

T = TypeVar("T")
D = TypeVar("D")

_SUFFIX = re.compile(r"(\d+(?:\.\d*)?|\.\d+)([kmgt]?)", re.IGNORECASE)
_POWERS = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4}
NAME = "iperf3"
"""Name of the workload that a command is."""
BLOCK = 128 * 1024
"""Bytes a write over TCP (iperf 3.18, src/iperf.h: DEFAULT_TCP_BLKSIZE)."""
DATAGRAM = 1460
"""Bytes of a datagram where the path's MTU is not known (iperf 3.18, src/iperf.h: DEFAULT_UDP_BLKSIZE)."""
DURATION = 10
"""Seconds of a test (iperf 3.18, src/iperf.h: DURATION)."""
UDP_RATE = 1_000_000
"""Bits a second of a UDP stream (src/iperf.h: UDP_RATE, 1024 * 1024 in its text and 1 Mbit/s in its manual)."""

TAKES: Mapping[str, str] = {
    "client": "c", "bind": "B", "parallel": "P", "window": "w", "time": "t", "bytes": "n", "blockcount": "k",
    "length": "l", "set-mss": "M", "bitrate": "b", "pacing-timer": "", "interval": "i", "omit": "O",
    "congestion": "C",
    "format": "f", "port": "p", "cport": "", "title": "T", "extra-data": "", "tos": "S", "dscp": "", "logfile": "",
    "connect-timeout": "", "rcv-timeout": "", "pidfile": "I", "bandwidth": "",
}  # fmt: skip
"""Options with an argument, each with its letter, that are modelled or cannot matter."""
FLAGS: Mapping[str, str] = {
    "no-delay": "N", "reverse": "R", "udp": "u", "zerocopy": "Z", "json": "J", "version4": "4", "verbose": "V",
    "get-server-output": "", "udp-counters-64bit": "", "forceflush": "", "repeating-payload": "",
}  # fmt: skip
"""Options without an argument, as `TAKES`."""
IGNORED: Mapping[str, str] = {
    "port": "a port of its own costs nothing", "cport": "a port of its own costs nothing",
    "title": "a text", "extra-data": "a text", "logfile": "-o names a file for simio's output",
    "tos": "no component looks at the type of service", "dscp": "no component looks at the type of service",
    "version4": "there is IPv4 alone", "verbose": "--json prints everything", "pidfile": "nothing is started",
    "connect-timeout": "servers are there", "rcv-timeout": "servers are there",
    "get-server-output": "both ends are in the output", "udp-counters-64bit": "the counter is part of the data",
    "forceflush": "nothing is buffered", "repeating-payload": "no component looks at the data",
}  # fmt: skip
"""Options that have no effect, and why."""
_SERVER = "the server is a host of the scenario: -c HOST"
REFUSED: Mapping[str, str] = {
    "bidir": "give the scenario two workloads of kind iperf3", "sctp": "SCTP is not modelled",
    "xbind": "SCTP is not modelled", "nstreams": "SCTP is not modelled", "fq-rate": "a pacing socket is not modelled",
    "server": _SERVER, "daemon": _SERVER, "one-off": _SERVER, "idle-timeout": _SERVER,
    "affinity": "CPUs of a host are alike; give it one",
    "version6": "IPv6 is not modelled", "flowlabel": "IPv6 is not modelled", "file": "data come from memory",
    "bind-dev": "the route decides which adapter sends", "snd-timeout": "TCP's user timeout is not modelled",
    "dont-fragment": "path MTU discovery is not modelled", "username": "authentication is not modelled",
    "rsa-public-key-path": "authentication is not modelled", "timestamps": "the time of day means nothing here",
    "debug": "there is nothing to debug",
    "server-bitrate-limit": "a server's limit is not modelled", "skip-rx-copy": "MSG_TRUNC is not modelled",
    "json-stream": "the JSON comes at the end: -J", "multipath": "multipath TCP is not modelled",
}  # fmt: skip
"""Options that would change the answer and are not modelled, or make no sense here, each with the remedy."""
_LETTERS = {letter: name for name, letter in (*TAKES.items(), *FLAGS.items()) if letter} | {
    "s": "server", "D": "daemon", "1": "one-off", "A": "affinity", "6": "version6", "L": "flowlabel", "F": "file",
    "X": "xbind", "d": "debug", "m": "multipath",
}  # fmt: skip
_UNITS = {letter: f"{letter}bit/s" for letter in "kMGT"} | {"K": "kB/s", "m": "Mbit/s", "g": "Gbit/s", "t": "Tbit/s"}


@dataclass(frozen=True)
class Command:
    """An iperf3 command: hosts, the keys of the workload, and how it is run and printed.

    `time` and `omit` are in seconds, `time` None where bytes end the test. `client` is empty where it is not said.
    `unit` is empty for the scenario's own. `ignored` are options that cannot matter, each with the reason.
    """

    server: str
    client: str = ""
    reverse: bool = False
    keys: Mapping[str, str] = field(default_factory=dict)
    time: int | None = DURATION
    omit: int = 0
    interval: Fraction = Fraction(1)
    congestion: str = ""
    unit: str = ""
    json: bool = False
    ignored: Mapping[str, str] = field(default_factory=dict)

    def hosts(self, known: list[str]) -> tuple[str, str]:
        """The hosts that send and receive, of those of a scenario. Raises SimioError where it does not say which."""
        for option, name in (("-c", self.server), ("-B", self.client)):
            if name and name not in known:
                there = did_you_mean(name, known) or ", ".join(known)
                raise SimioError(f"iperf3 {option}: found {quote(name)}; expected a host of the scenario: {there}")
        client = self.client
        if not client:
            others = [host for host in known if host != self.server]
            if len(others) != 1:
                raise SimioError(
                    f"iperf3: give the host that runs it as -B HOST: {', '.join(others) or 'there is no other'}"
                )
            (client,) = others
        if client == self.server:
            raise SimioError(f"iperf3: -c and -B are both {quote(client)}; expected two hosts")
        return (self.server, client) if self.reverse else (client, self.server)


def read_command(text: str) -> Command:
    """The command in a text, such as 'iperf3 -c server -P 4'.

    Raises SimioError with every option that is not modelled, or cannot be read.
    """
    given, faults = _options(text)
    values, ignored = {}, {}
    for name, value in given.items():
        if name in REFUSED:
            faults.append(f"iperf3 --{name}: {REFUSED[name]}")
        elif name in IGNORED:
            ignored[f"--{name}"] = IGNORED[name]
        else:
            values[name] = value
    read = _Reader(values, faults)
    keys = _keys(read)
    if "udp" in values:
        faults += [
            f"iperf3 --{each}: is of TCP, and -u is given"
            for each in ("no-delay", "zerocopy", "set-mss", "congestion")
            if each in values
        ]
    if sum(key in values for key in ("time", "bytes", "blockcount")) > 1:
        faults.append("iperf3: -t, -n and -k exclude each other")
    time = read("time", _count, DURATION)
    if not values.get("client"):
        faults.append("iperf3: give the host that is the server as -c HOST")
    unit = values.get("format", "")
    if unit and unit not in _UNITS:
        faults.append(f"iperf3 -f: found {quote(unit)}; expected one of {', '.join(_UNITS)}")
    command = Command(
        server=values.get("client", ""),
        client=values.get("bind", ""),
        reverse="reverse" in values,
        keys={key: value for key, value in keys.items() if value},
        time=None if keys["total"] else time,
        omit=read("omit", _whole, 0),
        interval=read("interval", _seconds, Fraction(1)),
        congestion=values.get("congestion", ""),
        unit=_UNITS.get(unit, ""),
        json="json" in values,
        ignored=ignored,
    )
    if keys["total"] and command.omit:
        faults.append("iperf3 -O: with -n or -k the end is not a time; give -t")
    if faults:
        raise SimioError("\n".join(faults))
    return command


def _keys(read: _Reader) -> dict[str, str]:
    """The values of the workload's keys, empty for the default."""
    values, udp = read.values, "udp" in read.values
    rate = read("bitrate", _rate, Fraction(UDP_RATE if udp else 0))
    length, total, blocks = (read(name, _size, None) for name in ("length", "bytes", "blockcount"))
    if blocks is not None:
        total = blocks * (length or (DATAGRAM if udp else BLOCK))
    return {
        "protocol": "udp" if udp else "",
        "streams": _text(read("parallel", _count, None)),
        "window": _bytes(read("window", _size, None)),
        "length": _bytes(length),
        "mss": _bytes(read("set-mss", _count, None)),
        "rate": f"{_text(rate)} bit/s" if rate else "",
        "pacing": f"{_text(read('pacing-timer', _size, None))} us" if "pacing-timer" in values else "",
        "nodelay": "true" if "no-delay" in values else "",
        "zerocopy": "true" if "zerocopy" in values else "",
        "total": _bytes(total),
    }  # fmt: skip


def _options(text: str) -> tuple[dict[str, str], list[str]]:
    """The options by their long names, and what cannot be read."""
    try:
        words = shlex.split(text)
    except ValueError:
        raise SimioError(f"iperf3: found {quote(text)}; expected options, with quotes closed") from None
    if words and words[0].rpartition("/")[2] in ("iperf3", "iperf"):
        words.pop(0)
    given: dict[str, str] = {}
    faults: list[str] = []
    while words:
        word = words.pop(0)
        if word.startswith("--"):
            name, equals, value = word[2:].partition("=")
            rest = value if equals else None
        elif word.startswith("-") and len(word) > 1:
            name, rest = _LETTERS.get(word[1], word[:2]), word[2:] or None
        else:
            faults.append(f"iperf3: found {quote(word)}; expected an option such as -c HOST")
            continue
        name = "bitrate" if name == "bandwidth" else name
        if name in TAKES:
            if rest is None and not words:
                faults.append(f"iperf3 --{name}: found nothing; expected a value")
                continue
            given[name] = rest if rest is not None else words.pop(0)
        elif name in FLAGS or name in REFUSED:
            given[name] = ""
            if rest and name in FLAGS and not word.startswith("--"):
                words.insert(0, f"-{rest}")
            elif name in REFUSED and not rest and words and not words[0].startswith("-"):
                words.pop(0)
        else:
            near = did_you_mean(name.lstrip("-"), [*TAKES, *FLAGS])
            faults.append(f"iperf3 {word}: no option of an iperf3 client{'; ' + near if near else ''}")
    return given, faults


_EXPECTED = {
    "_rate": "a rate such as 10M", "_size": "a size such as 64K", "_seconds": "seconds",
    "_count": "a whole number above zero",
}  # fmt: skip


class _Reader:
    """Reads values of options; a value that cannot be read is noted, and stands for the default."""

    def __init__(self, values: Mapping[str, str], faults: list[str]) -> None:
        self.values, self.faults = values, faults

    def __call__(self, name: str, read: Callable[[str], T | None], default: D) -> T | D:
        if name not in self.values:
            return default
        found = read(self.values[name])
        if found is None:
            expected = _EXPECTED.get(read.__name__, "a whole number")
            self.faults.append(f"iperf3 --{name}: found {quote(self.values[name])}; expected {expected}")
            return default
        return found


def _scaled(text: str, base: int) -> Fraction | None:
    match = _SUFFIX.fullmatch(text)
    return Fraction(match[1]) * base ** _POWERS[match[2].lower()] if match else None


def _size(text: str) -> int | None:
    """K, M and G are binary here (src/units.c: unit_atoi)."""
    found = _scaled(text, 1024)
    return int(found) if found else None


def _rate(text: str) -> Fraction | None:
    """K, M and G are decimal here (src/units.c: unit_atof_rate). A burst, as in 10M/5, cannot be read."""
    return _scaled(text, 1000)


def _seconds(text: str) -> Fraction | None:
    return Fraction(text) if re.fullmatch(r"\d+(\.\d*)?", text) else None


def _whole(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() else None


def _count(text: str) -> int | None:
    return _whole(text) or None


def _text(value: Fraction | int | None) -> str:
    return "" if value is None else str(int(value)) if value == int(value) else str(float(value))


def _bytes(value: int | None) -> str:
    return "" if value is None else f"{value} B"
