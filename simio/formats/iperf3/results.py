"""The JSON of iperf3 as quantities of a measured table."""

from __future__ import annotations

from typing import Any

from simio.errors import SimioError, quote
from simio.formats.rows import Row, first_object


def iperf3_results(text: str) -> list[Row] | None:
    """Throughput, CPU shares of both programs, round trip and retransmits of a test; None if it is not iperf3's.

    Throughput is what was received; the CPU shares are those of the two processes, as a share of one CPU. What is
    zero is left out, since it has no relative error. Raises SimioError for a test that failed.
    """
    # Text may precede the JSON, and several tests may follow; the first counts.
    data = first_object(text)
    if data is None or "start" not in data or not isinstance(data.get("end"), dict):
        return None
    if data.get("error"):
        raise SimioError(f"a test that failed: {quote(str(data['error']))}")
    end: dict[str, Any] = data["end"]
    received = end.get("sum_received") or end.get("sum") or {}
    if "bits_per_second" not in received:
        raise SimioError("a test without a sum")
    udp = "jitter_ms" in received
    rate = float(received["bits_per_second"])
    if udp and "sum_received" not in end:
        rate *= 1 - float(received.get("lost_percent", 0)) / 100
    rows: list[Row] = [("throughput", rate / 1e6, "Mbit/s", "")]
    rows += _cpu(end.get("cpu_utilization_percent") or {}, bool(_start(data).get("reverse")))
    trips = [each["sender"]["mean_rtt"] for each in end.get("streams", []) if "mean_rtt" in each.get("sender", {})]
    if trips:
        rows.append(("latency", sum(trips) / len(trips), "us", "round trip"))
    again = end.get("sum_sent", {}).get("retransmits", 0)
    if not udp:
        rows.append(("retransmits", float(again), "segments", ""))
    elif "bits_per_second" in end.get("sum_sent", {}):
        streams = max(len(end.get("streams", [])), 1)
        rows.append(("stream", float(end["sum_sent"]["bits_per_second"]) / 1e6 / streams, "Mbit/s", "sent"))
    return [row for row in rows if row[1] > 0]


def _start(data: dict[str, Any]) -> dict[str, Any]:
    return (data.get("start") or {}).get("test_start") or {}


def _cpu(shares: dict[str, Any], reverse: bool) -> list[Row]:
    """The client's and the server's share; data go from the server in reverse."""
    hosts = ("server", "client") if reverse else ("client", "server")
    named = zip(("host_total", "remote_total"), hosts, strict=True)
    return [("programs", float(shares[key]), "%", of) for key, of in named if key in shares]
