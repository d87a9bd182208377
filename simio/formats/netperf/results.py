"""Output of netperf for TCP_STREAM, UDP_STREAM, TCP_RR and UDP_RR: the classic tables, and `-k` key by key.

The columns are those of netperf 2.7's `netperf(1)` and manual (sections 5 and 6). CPU shares (-c, -C) are those of
all CPUs of a host, as simio's `cpu`.
"""

from __future__ import annotations

import re

from simio.errors import SimioError
from simio.formats.rows import Row

_NUMBERS = re.compile(r"\s*-?\d+(\.\d+)?(\s+-?\d+(\.\d+)?)*\s*")
_KEY = re.compile(r"([A-Z][A-Z0-9_]*[A-Z0-9])=(.*)")
_RATES = {
    "10^3bits/s": "kbit/s", "10^6bits/s": "Mbit/s", "10^9bits/s": "Gbit/s",
    "kbytes/s": "KiB/s", "mbytes/s": "MiB/s", "gbytes/s": "GiB/s",
}  # fmt: skip
"""Units of -f as netperf prints them, in lower case without blanks, each with its meaning: bytes count in 2^10."""


def netperf_results(text: str) -> list[Row] | None:
    """Throughput or time of a transaction, CPU shares, retransmits of one test; None if it is not netperf's.

    Raises SimioError for output without a result.
    """
    keys = {match[1]: match[2].strip() for line in text.splitlines() if (match := _KEY.fullmatch(line.strip()))}
    if "THROUGHPUT" in keys or "TRANSACTION_RATE" in keys:
        return [row for row in _keyed(keys) if row[1] > 0]
    if not re.search(
        r"\b(TCP|UDP) ?(STREAM|UNIDIRECTIONAL|REQUEST)|Local /Remote|^Recv +Send|^Socket +Message", text, re.M
    ):
        return None
    numbers = [[float(word) for word in line.split()] for line in text.splitlines() if _NUMBERS.fullmatch(line)]
    if not numbers:
        raise SimioError("a test without a result")
    if "Trans." in text:
        return _transactions(numbers[0])
    unit = _unit(text)
    if "Messages" in text and "Okay" in text:
        return _datagrams(numbers, unit)
    return _stream(numbers[0], unit)


def _unit(text: str) -> str:
    match = re.search(r"(10\^[369]bits|[KMG]Bytes)\s*/s", text)
    return _RATES[f"{match[1].lower()}/s"] if match else "Mbit/s"


def _stream(row: list[float], unit: str) -> list[Row]:
    """Columns: receive socket, send socket, message, time, throughput, CPU local and remote, service demands."""
    if len(row) < 5:
        raise SimioError("a stream test without a throughput")
    return [("throughput", row[4], unit, ""), *_shares(row[5:7])]


def _datagrams(rows: list[list[float]], unit: str) -> list[Row]:
    """Columns of the sender: socket, message, time, okay, errors, throughput, CPU; of the receiver without two."""
    if len(rows) < 2 or len(rows[0]) < 6 or len(rows[1]) < 4:
        raise SimioError("a datagram test without the receiver's line")
    shares = [row[at] for row, at in zip(rows, (6, 4), strict=False) if len(row) > at]
    return [("throughput", rows[1][3], unit, ""), ("stream", rows[0][5], unit, "sent"), *_shares(shares)]


def _transactions(row: list[float]) -> list[Row]:
    """Columns: send and receive socket, request, response, time, transactions a second, CPU local and remote."""
    if len(row) < 6 or row[5] <= 0:
        raise SimioError("a request test without a rate")
    return [("latency", 1e6 / row[5], "us", "transaction"), *_shares(row[6:8])]


def _shares(values: list[float]) -> list[Row]:
    """CPU shares of client and server; netperf gives -1, or nonsense, for one that it could not take."""
    return [
        ("cpu", value, "%", of) for value, of in zip(values, ("client", "server"), strict=False) if 0 < value <= 100
    ]


def _keyed(keys: dict[str, str]) -> list[Row]:
    rows: list[Row] = []
    unit = keys.get("THROUGHPUT_UNITS", "10^6bits/s").lower().replace(" ", "")
    if unit.startswith("trans") or "THROUGHPUT" not in keys:
        rate = _number(keys.get("TRANSACTION_RATE") or keys.get("THROUGHPUT"))
        rows += [("latency", 1e6 / rate, "us", "transaction")] if rate > 0 else []
    elif unit in _RATES:
        received = _number(keys.get("REMOTE_RECV_THROUGHPUT"))
        rows.append(("throughput", received or _number(keys["THROUGHPUT"]), _RATES[unit], ""))
    else:
        raise SimioError(f"a throughput in {keys['THROUGHPUT_UNITS']}")
    rows += _shares([_number(keys.get("LOCAL_CPU_UTIL")), _number(keys.get("REMOTE_CPU_UTIL"))])
    rows.append(("retransmits", _number(keys.get("LOCAL_TRANSPORT_RETRANS")), "segments", ""))
    return rows


def _number(text: str | None) -> float:
    """The number in a text; 0 for none, or for what netperf could not take."""
    try:
        return max(float(text or 0), 0.0)
    except ValueError:
        return 0.0
