"""Links and switches on the way to a disk that are down: what is lost is sent again, and delivered once or told."""

from __future__ import annotations

import re
from collections.abc import Callable
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_disk_faults import faults, total
from test_faults import MS, Ran, described, down, run

from simio.components.faults.policy import Outage, Policy
from simio.components.faults.policy import outages as outages_of
from simio.components.host.bus import DmaPath
from simio.components.storage.attachment import Attachments
from simio.components.storage.interfaces import Transport
from simio.description.model import Link
from simio.engines.execute import execute
from simio.engines.outcome import Options
from simio.errors import RunError, ScenarioError
from simio.lower import lower
from simio.program.builder import Builder

pytestmark = pytest.mark.slow

US = 10**6
BLOCK = 65536
FABRIC = """
title: a fabric that is down
hosts:
  server:
    model: hosts/linux-2002-dual-p3
    adapters: {fc: {model: adapters/qla2300, bus: pci}}
disks: {d: {model: disks/fc-15k-2002, count: 6, write_cache: false}}
volumes:
  raid: {kind: raid5, of: [d1, d2, d3], unit: 32 KiB}
  pair: {kind: mirror, of: [d4, d5]}
switches: {fabric: switches/fc-2g}
links:
  - {model: links/fc-2g, between: [server.fc, fabric], length: 10 m, name: port}
  - {model: links/fc-2g, between: [fabric, d], length: 10 m, name: arm}
run: {warm_up: 0 s}
"""
LINKS = re.compile(r"switches: .*?run:", re.DOTALL)
LOOP = LINKS.sub("links: [{model: links/fc-al-2g, between: [server.fc, d], length: 10 m, name: port}]\nrun:", FABRIC)
BUS = LINKS.sub(
    "links: [{model: links/scsi-ultra160, between: [server.scsi, d], length: 3 m, name: port}]\nrun:",
    FABRIC.replace("fc: {model: adapters/qla2300", "scsi: {model: adapters/aic-7899").replace(
        "disks/fc-15k-2002", "disks/atlas-10k"
    ),
)
READER = "workload: {reader: {host: server, from: %s, block: 64 KiB, size: 4 MiB}}\n"
WRITER = "workload: {writer: {host: server, to: %s, block: 64 KiB, size: 2 MiB}}\n"
PATIENCE = "kernel: {command_timeout: %s, command_retries: %d}"


def patient(text: str, timeout: str, retries: int) -> str:
    """The scenario with another patience of the driver."""
    return text.replace("    adapters:", f"    {PATIENCE % (timeout, retries)}\n    adapters:", 1)


def longest(ran: Ran, name: str = "reader: block") -> float:
    """The longest time of a request, in ms."""
    return max(value for _, value in ran.marks(name)) / MS


# --- by hand -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "lasts", "waits"),
    [
        # Up to R_T_TOV nobody is told, and the driver's timeout has to pass; then the port is known to be down.
        (FABRIC, "1 ms", 30_000),
        (FABRIC, "100 ms", 30_000),
        (FABRIC, "101 ms", 101),
        (FABRIC, "30 s", 30_000),
        (LOOP, "1 ms", 30_000),
        (LOOP, "2 s", 2000),
        # A SCSI bus tells nobody: whole timeouts, however long.
        (BUS, "1 ms", 30_000),
        (BUS, "2 s", 30_000),
        (BUS, "31 s", 60_000),
    ],
)
def test_what_is_lost_is_sent_again_after_the_timeout_or_when_the_port_is_back(
    text: str, lasts: str, waits: int
) -> None:
    ran = run(text + READER % "d6" + down("port", "20 ms", lasts))
    assert [size for _, size in ran.marks("reader: d6")] == [BLOCK] * 64
    # The command was sent at most some milliseconds before the outage, and takes some again afterwards.
    assert waits - 12 < longest(ran) < waits + 12
    assert total(ran, "commands lost on the way") == (-(-waits // 30_000) if text == BUS else 1)


def test_an_outage_at_the_idle_end_costs_nothing() -> None:
    still = run(FABRIC + READER % "d6")
    ran = run(FABRIC + READER % "d6" + down("port", "10 s", "1 s"))
    assert ran.marks("reader: d6") == still.marks("reader: d6")
    assert total(ran, "commands lost on the way") == 0


def test_who_has_another_link_is_not_touched() -> None:
    both = "workload: {reader: {host: server, from: d, block: 64 KiB, size: 1 MiB}}\n"
    ran = run(FABRIC + both + down("arm.d2", "5 ms", "1 s"))
    ends = {disk: ran.marks(f"reader: {disk}")[-1][0] for disk in ("d1", "d2", "d3")}
    assert ends["d2"] > 1000 * MS > 10 * max(ends["d1"], ends["d3"])


def test_a_command_that_waits_for_the_port_is_sent_when_it_is_back() -> None:
    # Nothing is under way when the outage begins: the first request comes when the driver knows of it.
    late = READER.replace("size: 4 MiB", "size: 64 KiB, think: 100 ms") % "d6"
    ran = run(FABRIC + late + down("port", "0 s", "5 s"))
    assert ran.delivered() == BLOCK
    assert 5000 * MS < ran.outcome.end < 5010 * MS


def test_a_port_that_is_down_for_too_long_is_given_up() -> None:
    # Known after 100 ms, and held for 30 s.
    ran = run(FABRIC + READER % "d6" + down("port", "20 ms", "30101 ms"))
    failed = ran.counted("reader: d6", "failed")
    assert 0 < ran.delivered() == (64 - failed) * BLOCK
    assert 30_110 < ran.outcome.end / MS < 30_140


def test_a_bus_that_is_down_for_longer_than_all_attempts_is_an_error() -> None:
    text = patient(BUS, "2 s", 3)
    for lasts, failed in (("5 s", False), ("8 s", True)):
        ran = run(text + READER % "d6" + down("port", "20 ms", lasts))
        assert (ran.delivered() < 4 * 2**20) == failed
        attempts = 4 if failed else 3
        assert total(ran, "commands lost on the way") == attempts
        assert 2000 * attempts - 20 < longest(ran) < 2000 * attempts + 20


def test_a_long_outage_of_one_disk_leaves_a_volume_degraded() -> None:
    for work, disk, volume in ((READER, "d2", "raid"), (WRITER, "d2", "raid"), (READER, "d4", "pair")):
        ran = run(FABRIC + work % volume + down(f"arm.{disk}", "20 ms", "40 s"))
        assert ran.delivered() == (4 if work == READER else 2) * 2**20
        assert 30_090 < longest(ran, f"{work[11:17]}: block") < 30_200


def test_a_volume_all_of_whose_disks_are_lost_tells_what_failed() -> None:
    for work, volume in ((READER, "raid"), (WRITER, "raid"), (READER, "pair"), (WRITER, "pair")):
        verb = work[11:17]
        ran = run(FABRIC + work % volume + down("port", "20 ms", "40 s"))
        whole = (4 if work == READER else 2) * 2**20
        assert 0 < ran.delivered() < whole
        assert ran.delivered() + ran.counted(f"{verb}: {volume}", "failed") * BLOCK == whole


def test_a_file_is_read_whole_over_an_outage_that_cannot_fail_it() -> None:
    text = FABRIC.replace("write_cache: false", "write_cache: false, file_system: filesystems/ext2")
    buffered = READER.replace("size: 4 MiB", "size: 4 MiB, access: buffered") % "d6"
    ran = run(text + buffered + down("fabric", "20 ms", "2 s"))
    assert ran.delivered() == 4 * 2**20
    assert total(ran, "commands lost on the way") > 0
    with pytest.raises(RunError, match="requests of 'd6' can fail, by its faults"):
        run(text + buffered + down("fabric", "20 ms", "40 s"))


def test_tcp_over_fibre_channel_delivers_all_after_an_outage() -> None:
    text = """
title: IP over Fibre Channel
hosts:
  a: {model: hosts/rs6000-590}
  b: {model: hosts/rs6000-250}
links: [{model: links/fc-266, between: [a.fc, b.fc], length: 20 m, name: fibre}]
workload: {ttcp: {from: a, to: b, size: 8 KiB, writes: 200}}
run: {warm_up: 0 s}
"""
    still = run(text)
    assert still.outcome.end > 100 * MS
    ran = run(text + down("fibre", "100 ms", "50 ms"))
    assert ran.delivered() == still.delivered() == 200 * 8192
    assert ran.marks("a.fc>b.fc lost")
    assert ran.outcome.end > still.outcome.end + 50 * MS


# --- at any time, for any time -------------------------------------------------------------------------------

instants = st.integers(0, 60_000)
lengths = st.one_of(st.integers(1, 3000), st.integers(1, 60_000), st.integers(1, 600_000))
outages = st.lists(st.tuples(instants, lengths), min_size=1, max_size=4)


quick = {
    # Everything a thousand times as fast as it is: timeouts of some 10 ms, R_T_TOV of 1 ms.
    text: (
        patient(text, "20 ms", 0)
        .replace("adapters/qla2300", f"adapters/qla2300, port_down: {hold}")
        .replace("length: 10 m", "length: 10 m, link_failure: 1 ms"),
        links,
    )
    for text, links, hold in (
        (FABRIC, ("port", "fabric", "arm.d2", "arm.d4", "arm.d6"), "5 ms"),
        (FABRIC.replace("title: a", "title: another"), ("fabric", "arm.d2", "arm.d5"), "80 ms"),
        (LOOP, ("port",), "80 ms"),
        (BUS, ("port",), ""),
        (BUS.replace("bus: pci", "bus: pci, tagged: false"), ("port", "server.scsi"), ""),
        (BUS.replace("bus: pci", "bus: pci, disconnect: false"), ("port",), ""),
    )
}


@settings(max_examples=30)
@given(
    st.sampled_from(list(quick.values())),
    st.sampled_from([("d6", "d6"), ("raid", "d1"), ("pair", "d5")]),
    st.sampled_from([READER, WRITER]),
    outages,
    st.integers(1, 4),
    st.integers(0, 3),
    st.sampled_from([None, 1, 20, 50]),
    st.data(),
)
def test_every_byte_is_delivered_once_or_told(
    where: tuple[str, tuple[str, ...]],
    target: tuple[str, str],
    work: str,
    spans: list[tuple[int, int]],
    depth: int,
    retries: int,
    dies: int | None,
    data: st.DataObject,
) -> None:
    (text, links), (name, disk) = where, target
    lines = [
        f"kind: down, of: {data.draw(st.sampled_from(links))}, at: {at} us, for: {length} us" for at, length in spans
    ]
    if dies:
        lines.append(f"kind: failed, of: {disk}, at: {dies} ms, timeout: 30 ms")
    text = text.replace("command_retries: 0", f"command_retries: {retries}")
    ran = run(text + work.replace("size:", f"depth: {depth}, size:") % name + faults(*lines))
    told = [tally for tally in ran.program.tallies if tally.what == "failed"]
    failed = sum(int(ran.outcome.state[tally.at]) for tally in told)
    assert ran.delivered() + failed * BLOCK == (4 if work == READER else 2) * 2**20


class Ledger:
    """A transport that writes down when the data of which it was asked left, and how much."""

    unit: int
    burst: int

    def __init__(self, p: Builder, transport: Transport) -> None:
        self.p, self.transport = p, transport
        self.unit, self.burst, self.any_size = transport.unit, transport.burst, transport.any_size
        self.pace = transport.pace
        self.request, self.reply = transport.request, transport.reply
        self.begun, self.amount = p.observation("begun"), p.observation("amount")

    def send(self, amount: int) -> None:
        """Data to the host."""
        self._write_down(self.transport.send, amount)

    def fetch(self, amount: int) -> None:
        """Data from the host."""
        self._write_down(self.transport.fetch, amount)

    def _write_down(self, transfer: Callable[[int], None], amount: int) -> None:
        with self.p.loop(1):
            begun = self.p.register()
            self.p.let(begun, "SINCE", 0)
            transfer(amount)
            self.p.mark(self.begun, begun)
            self.p.mark(self.amount, amount)


@settings(max_examples=40)
@given(
    st.sampled_from([(text, links[-1]) for text, links in quick.values()]),
    st.sampled_from([READER, WRITER]),
    outages,
    st.integers(1, 4),
    st.integers(0, 3),
)
def test_what_was_delivered_went_while_the_way_was_up(
    where: tuple[str, str], work: str, spans: list[tuple[int, int]], depth: int, retries: int
) -> None:
    text, link = where
    disk = link.rpartition(".")[2] if link.startswith("arm") else "d6"
    lines = [f"kind: down, of: {link}, at: {at} us, for: {length} us" for at, length in spans]
    text = text.replace("command_retries: 0", f"command_retries: {retries}")
    whole = text + work.replace("size:", f"depth: {depth}, size:") % disk + faults(*lines)
    original = Attachments.transport

    def made(self: Attachments, host: str, name: str, bus: DmaPath) -> Ledger:
        return Ledger(self.p, original(self, host, name, bus))

    with patch.object(Attachments, "transport", made):
        program = lower(described(whole.replace("title: ", "title: by ledger, ")))
    ran = Ran(program, execute(program, Options(), "compiled"))
    begun, amounts = ran.marks("begun"), ran.marks("amount")
    assert len(begun) == len(amounts)
    clean = sum(
        amount
        for (end, begin), (_, amount) in zip(begun, amounts, strict=True)
        if not any(end > at * US and begin < (at + length) * US for at, length in spans)
    )
    assert clean >= ran.delivered()


# --- what can fail is known beforehand -----------------------------------------------------------------------


def test_attempts_that_an_interruption_can_cost() -> None:
    def loses(retries: int, *lengths: int) -> bool:
        spans = tuple(Outage(10_000 * n, 10_000 * n + length) for n, length in enumerate(lengths))
        return Policy("a", "d", spans, 100, retries).cut_off

    # One that was under way, and one more for each timeout that begins within.
    assert not loses(2, 100)
    assert loses(1, 100)
    assert loses(2, 101)
    assert not loses(4, 1, 1)
    assert loses(3, 1, 1)


def test_interruptions_of_several_links_are_one_where_they_overlap() -> None:
    system = described(FABRIC + READER % "d6")
    port = next(link for link in system.links if link.name == "port")

    def with_spans(*spans: tuple[int, int]) -> Link:
        return Link(port.name, port.part, port.ends, port.length, tuple((b * MS, e * MS) for b, e in spans))

    links = [with_spans((900, 1000), (5000, 40_000)), with_spans((0, 100), (1000, 2000))]
    assert outages_of(links, 30_000 * MS) == (
        Outage(0, 100 * MS),
        Outage(900 * MS, 2000 * MS, 1000 * MS, 2000 * MS, False),
        Outage(5000 * MS, 40_000 * MS, 5100 * MS, 35_100 * MS, True),
    )
    assert outages_of(links, None) == tuple(
        Outage(b * MS, e * MS) for b, e in ((0, 100), (900, 2000), (5000, 40_000))
    )


# --- what is refused -----------------------------------------------------------------------------------------


def test_an_array_controller_does_not_time_out() -> None:
    text = BUS.replace("raid: {kind: raid5,", "raid: {kind: raid5, controller: controllers/pci-raid-2000,")
    with pytest.raises(RunError, match="the route to 'd1' is down at times, and an array controller"):
        run(text + READER % "raid" + down("port", "20 ms", "1 s"))


def test_a_link_of_an_unknown_name_is_told() -> None:
    with pytest.raises(ScenarioError, match=r"the unknown link, switch or adapter 'prot'.*did you mean 'port'"):
        described(FABRIC + READER % "d6" + down("prot", "20 ms", "1 s"))
