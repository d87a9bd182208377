"""A study of measured rows: scenarios, tables to fit to, and tables that judge."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from simio.measure.network import MTU, NetworkRow, RequestTest, StreamTest
from simio.measure.sheets import CACHED, REQUESTS, TCP, quoted
from simio.measure.storage import FioRow

Where = dict[str, str]
PEER = "peer"
"""The scenario of tests to a peer."""
BOTH = ("fit", "judge")
"""The tables of a scenario."""
ENDS = """hosts:
  client: {model: ./host.yaml, cpus: 1, adapters: {eth: {mtu: %d B}}}
  server: {like: client}

links:
  - {model: links/emulated, mtu: %d B, between: [client.eth, server.eth]}
""" % (MTU, MTU)  # noqa: UP031
"""Each end of the pair has a CPU of its own, so that each is a host of one."""


def halves(number: int) -> list[bool]:
    """Flags, one a test: True for every second, which take part in the fit; both halves span the same range."""
    return [at % 2 == 0 for at in range(number)]


def write_tcp(folder: Path, rows: Sequence[NetworkRow], when: str, repeats: int) -> None:
    """The scenario and both tables of iperf3 over the veth pair."""
    tests = [(row, row.test) for row in rows if isinstance(row.test, StreamTest)]
    cases = [
        {
            "workload.iperf3.length": f"{test.length} B",
            "workload.iperf3.mss": f"{test.mss} B",
            "workload.iperf3.window": f"{test.window} B",
        }
        for _, test in tests
    ]
    _scenario(
        folder / f"{TCP}.yaml", "One TCP connection over a veth pair", ENDS,
        "iperf3: {from: client, to: server}", "{until: 60 ms, warm_up: 20 ms}", cases, TCP, "Mbit/s",
    )  # fmt: skip
    entries = [
        [f"file: {row.file}, quantity: {quantity}" for quantity in ("throughput", "programs")] for row, _ in tests
    ]
    _tables(folder, TCP, "TCP over a veth pair", "iperf3", "throughput", "Mbit/s", cases, entries, when, repeats)


def write_peer(folder: Path, rows: Sequence[NetworkRow], when: str, repeats: int) -> None:
    """The scenario and the table of iperf3 to a peer, which is taken to be like this machine.

    What is between them is not known to simio: a path without a rate or delay, whose keys are the user's to give. So
    all rows judge.
    """
    tests = [(row, row.test) for row in rows if isinstance(row.test, StreamTest)]
    cases = [{"workload.iperf3.window": f"{test.window} B"} for _, test in tests]
    hosts = """hosts:
  client: {model: ./host.yaml, adapters: {eth: {model: adapters/ideal-ethernet, bus: bus}}}
  # Give what is known of the peer, if it is not like this machine.
  server: {like: client}

links:
  # Give rate, burst and delay of the path, or adapters, switches and links of the catalogue in its place.
  - {name: path, model: links/emulated, between: [client.eth, server.eth]}
"""
    _scenario(
        folder / f"{PEER}.yaml", "One TCP connection to a peer", hosts, "iperf3: {from: client, to: server}",
        "{until: 60 ms, warm_up: 20 ms}", cases, PEER, "Mbit/s", ("judge",),
    )  # fmt: skip
    entries = [[f"file: {row.file}, quantity: throughput"] for row, _ in tests]
    _tables(
        folder, PEER, "TCP to a peer", "iperf3", "throughput", "Mbit/s", cases, entries, when, repeats, ("judge",)
    )


def write_requests(folder: Path, rows: Sequence[NetworkRow], when: str, repeats: int) -> None:
    """The scenario and both tables of requests over the veth pair."""
    tests = [(row, row.test) for row in rows if isinstance(row.test, RequestTest)]
    cases = [
        {"workload.requests.request": f"{test.request} B", "workload.requests.response": f"{test.response} B"}
        for _, test in tests
    ]
    _scenario(
        folder / f"{REQUESTS}.yaml", "Requests over a veth pair, one after another", ENDS,
        "requests: {from: client, to: server, count: 200, nodelay: true}", "{warm_up: 0 s}",
        cases, REQUESTS, "Mbit/s",
    )  # fmt: skip
    entries = [[f"value: {row.mean:.5g}, of: transaction"] for row, _ in tests]
    _tables(
        folder, REQUESTS, "Mean time of a transaction over a veth pair", "small ask", "latency", "us", cases, entries,
        when, repeats,
    )  # fmt: skip


def write_cached(folder: Path, rows: Sequence[FioRow], own_time: float, when: str, repeats: int) -> None:
    """The scenario and both tables of reads that the page cache has; `own_time` is fio's a read, in ns."""
    cases = [{"workload.reader.block": f"{row.test.block} B"} for row in rows]
    hosts = """hosts:
  server:
    model: ./host.yaml
    root: roots/xeon-sp-4
    buses: {slot: buses/pcie-3-x4}
    adapters: {nvme: {model: adapters/nvme-linux, bus: slot}}

disks:
  # Any disk will do: after the first pass all reads are from the cache.
  d: {model: disks/samsung-980-pro-1tb, file_system: ./files.yaml}

links:
  - {model: links/nvme, between: [server.nvme, d]}
"""
    _scenario(
        folder / f"{CACHED}.yaml", "Reads of a file that the page cache has", hosts,
        "reader: {host: server, from: d, access: buffered, size: 4 MiB, passes: 100000, "
        f"work: {max(own_time, 0.1):.1f} ns}}",
        "{until: 60 ms, warm_up: 20 ms}", cases, CACHED, "MB/s",
    )  # fmt: skip
    entries = [[f"value: {row.rate / 1e6:.6g}"] for row in rows]
    _tables(folder, CACHED, "Reads of a cached file", "fio", "throughput", "MB/s", cases, entries, when, repeats)


def _scenario(
    path: Path,
    title: str,
    hosts: str,
    workload: str,
    run: str,
    cases: Sequence[Where],
    name: str,
    unit: str,
    parts: Sequence[str] = BOTH,
) -> None:
    lines = [
        f"title: {title}",
        "",
        hosts,
        "workload:",
        f"  {workload}",
        "",
        f"run: {run}",
        "",
        f"report: {{unit: {unit}}}",
    ]
    lines += ["", "vary:"]
    lines += ["  - {" + ", ".join(f"{key}: [{value}]" for key, value in case.items()) + "}" for case in cases]
    lines += ["", f"measured: [{', '.join(f'./{name}-{part}.yaml' for part in parts)}]"]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _tables(
    folder: Path, name: str, title: str, tool: str, quantity: str, unit: str, cases: Sequence[Where],
    entries: Sequence[Sequence[str]], when: str, repeats: int,
    parts: Sequence[str] = BOTH,
) -> None:  # fmt: skip
    """Both tables of a scenario: every second row is fitted to, the others judge."""
    chosen = halves(len(cases)) if len(parts) > 1 else [False] * len(cases)
    for part in parts:
        wanted = part == "fit"
        lines = [
            f"title: {quoted(f'{title}: rows to ' + ('fit to' if wanted else 'judge by'))}",
            f"source: {{document: simio measure, author: {tool}, date: {when}, table: {name}}}",
            f"quantity: {quantity}",
            f"unit: {unit}",
            f"scenario: {name}",
            f"notes: The best of {repeats}, as whatever else the machine does only slows; raw output is in raw/.",
            "rows:",
        ]
        for case, of_case, fit in zip(cases, entries, chosen, strict=True):
            if fit == wanted:
                where = ", ".join(f"{key}: {value}" for key, value in case.items())
                end = "" if wanted else ", fit: false"
                lines += [f"  - {{where: {{{where}}}, {entry}{end}}}" for entry in of_case]
        (folder / f"{name}-{part}.yaml").write_text("\n".join(lines) + "\n", encoding="utf-8")
