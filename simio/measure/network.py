"""TCP between two ends, measured by iperf3 and by requests: over a veth pair, or to a peer."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from simio.measure.log import Log, TimeUp, Unavailable
from simio.measure.namespaces import ADDRESSES, VethPair, end_group

MTU = 9000
PORT = 5201
ASKING = 5202
"""Port of the server of requests."""
SECONDS = 1
"""Length of a test of iperf3; its least."""


@dataclass(frozen=True)
class StreamTest:
    """A test of iperf3: bytes of a write, of a segment (options included) and of the window."""

    length: int
    mss: int
    window: int


@dataclass(frozen=True)
class RequestTest:
    """A test of requests and responses of these bytes."""

    request: int
    response: int


@dataclass(frozen=True)
class NetworkRow:
    """The result of a test: the file in the folder, and for requests the mean time in us."""

    test: StreamTest | RequestTest
    file: str
    mean: float = 0.0


KIB = 1024
# Half of each are fitted to, in turn; a window stays below the backlog of 1000 packets, so that nothing is lost.
STREAMS = tuple(
    StreamTest(length, mss, window)
    for length, mss, window in (
        (128 * KIB, 536, 128 * KIB), (128 * KIB, 1000, 128 * KIB), (128 * KIB, 1460, 256 * KIB),
        (128 * KIB, 2000, 256 * KIB), (128 * KIB, 2960, 256 * KIB), (128 * KIB, 4000, 256 * KIB),
        (128 * KIB, 5960, 256 * KIB), (128 * KIB, 8960, 256 * KIB), (16 * KIB, 8960, 256 * KIB),
        (32 * KIB, 8960, 256 * KIB), (16 * KIB, 1460, 256 * KIB), (32 * KIB, 1460, 256 * KIB),
        (64 * KIB, 4000, 128 * KIB), (64 * KIB, 2960, 128 * KIB), (16 * KIB, 4000, 128 * KIB),
        (256 * KIB, 8960, 512 * KIB),
    )
)  # fmt: skip
"""Tests of iperf3 over the pair."""
REQUESTS = tuple(
    RequestTest(request, response)
    for request, response in (
        (1, 1),
        (64, 64),
        (1, 1000),
        (1000, 1),
        (4000, 4000),
        (8000, 8000),
        (1, 32000),
        (32000, 1),
    )
)
"""Tests of requests over the pair."""


def over_pair(
    log: Log,
    small: Path | None,
    repeats: int,
    streams: Sequence[StreamTest],
    requests: Sequence[RequestTest],
) -> list[NetworkRow]:
    """Both kinds of tests over a veth pair; what cannot be had is in the log."""
    rows: list[NetworkRow] = []

    def measure() -> None:
        with VethPair(log, MTU) as pair:
            rows.extend(_streams(log, pair, repeats, streams))
            if small is None:
                log.lacks("requests over a veth pair", "they need a C compiler")
            else:
                rows.extend(_requests(log, pair, small, repeats, requests))

    log.attempt("veth pair in network namespaces", measure)
    return rows


def _streams(log: Log, pair: VethPair, repeats: int, tests: Sequence[StreamTest]) -> Iterator[NetworkRow]:
    started = log.attempt("iperf3 over the veth pair", lambda: _serving(pair, ["iperf3", "-s", "-p", str(PORT)]))
    if not started:
        return
    for number, test in enumerate(tests, 1):
        words = [
            "iperf3", "-c", ADDRESSES[1], "-p", str(PORT), "-t", str(SECONDS), "-C", "cubic", "-l", str(test.length),
            "-M", str(test.mss), "-w", str(test.window), "-J",
        ]  # fmt: skip
        what = f"iperf3 {number} of {len(tests)}: -l {test.length} -M {test.mss} -w {test.window}"
        text = log.attempt(
            what, partial(_best, partial(log.run, pair.command(0, words), 30, "iperf3"), _rate, repeats)
        )
        if text:
            yield NetworkRow(test, log.keep(f"raw/iperf3-{number:02}.json", text))


def _serving(pair: VethPair, words: Sequence[str]) -> bool:
    pair.serve(words)
    return True


def _requests(
    log: Log, pair: VethPair, small: Path, repeats: int, tests: Sequence[RequestTest]
) -> Iterator[NetworkRow]:
    if not log.attempt("requests over the veth pair", lambda: _serving(pair, [str(small), "respond", str(ASKING)])):
        return
    for number, test in enumerate(tests, 1):
        words = ["ask", ADDRESSES[1], str(ASKING), str(test.request), str(test.response), "0.3"]
        what = f"requests {number} of {len(tests)}: {test.request} B and {test.response} B"
        ask = partial(log.run, pair.command(0, [str(small), *words]), 30, "small ask")
        text = log.attempt(what, partial(_best, ask, lambda said: -_mean(said), repeats))
        if text:
            name = log.keep(f"raw/requests-{number:02}.txt", f"$ small {' '.join(words)}\n{text}")
            yield NetworkRow(test, name, _mean(text))


def _best(once: Callable[[], str], worth: Callable[[str], float], repeats: int) -> str:
    """The best of some repeats, as whatever disturbs only slows; fewer when the time is up."""
    found: list[str] = []
    for _ in range(repeats):
        try:
            found.append(once())
        except TimeUp:
            if not found:
                raise
    return max(found, key=worth)


def _rate(text: str) -> float:
    try:
        return float(json.loads(text)["end"]["sum_received"]["bits_per_second"])
    except (ValueError, KeyError):
        raise Unavailable("iperf3 gave no result") from None


def _mean(text: str) -> float:
    return float(dict(line.split() for line in text.splitlines())["transaction_us"])


def serve(log: Log, address: str, small: Path | None) -> list[subprocess.Popen[bytes]]:
    """Start the servers of a peer on an address: iperf3, and that of requests if it can be had. End them afterwards.

    Raises Unavailable if iperf3 does not start.
    """
    commands = [["iperf3", "-s", "-B", address, "-p", str(PORT)]]
    if small:
        commands.append([str(small), "respond", str(ASKING), address])
    servers: list[subprocess.Popen[bytes]] = []
    for words in commands:
        try:
            servers.append(
                subprocess.Popen(
                    words,
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    start_new_session=True,
                )  # fmt: skip
            )
        except FileNotFoundError:
            raise Unavailable(f"{words[0]} is not installed") from None
    time.sleep(0.3)
    if any(server.poll() is not None for server in servers):
        for server in servers:
            end_group(server)
        raise Unavailable(
            f"the servers do not start on {address}: is another one there, or is it no address of this host?"
        )
    return servers


def to_peer(log: Log, peer: str, repeats: int, tests: Sequence[StreamTest]) -> list[NetworkRow]:
    """Tests of iperf3 to a peer that runs `simio measure --serve`; what cannot be had is in the log."""
    rows = []
    for number, test in enumerate(tests, 1):
        words = [
            "iperf3", "-c", peer, "-p", str(PORT), "-t", str(SECONDS), "--connect-timeout", "3000", "-l",
            str(test.length), "-w", str(test.window), "-J",
        ]  # fmt: skip
        what = f"iperf3 to the peer {number} of {len(tests)}: -l {test.length} -w {test.window}"
        text = log.attempt(what, partial(_best, partial(log.run, words, 30, "iperf3"), _rate, repeats))
        if text is None:
            break
        rows.append(NetworkRow(test, log.keep(f"raw/peer-{number:02}.json", text.replace(peer, "peer"))))
    return rows


PEER = tuple(StreamTest(128 * KIB, 0, window * KIB) for window in (64, 128, 256, 512, 1024, 2048))
"""Tests of iperf3 to a peer; the path decides on segments."""
