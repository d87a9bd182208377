"""Stacks of FreeBSD as the catalogue has them, segment by segment, against what its manuals and standards say."""

from __future__ import annotations

from typing import Any

import pytest
from drill import MSS, Drill
from tcp_bench import BASE, MS, SECOND, Bench

from simio.components.network.agreement import agreed
from simio.description.sheets.stacks import TcpIpStack
from simio.loading import catalogue
from simio.machines.door import call
from simio.machines.tcp import TcpSettings, connection, initial, sending
from simio.machines.tcp import layout as c
from simio.workloads.ttcp import Ttcp

RELEASES = ("13", "14")


def settings(release: str, **options: Any) -> TcpSettings:
    """One end of a connection between two such hosts, with segments of 1000 bytes."""
    sheet = catalogue.sheet(f"stacks/freebsd-{release}").sheet
    assert isinstance(sheet, TcpIpStack)
    told: dict[str, Any] = {"from": "a", "to": "b", "size": "1 B"}
    # 40 bytes of headers, and 12 of timestamps in each segment.
    end = agreed([sheet, sheet], MSS + 52, Ttcp.model_validate(told))[0]
    # The script of these tests answers a SYN without options.
    return TcpSettings(**{**vars(end), "timestamps": False, **options})


@pytest.mark.parametrize("release", RELEASES)
def test_the_first_flight_is_of_ten_segments(release: str) -> None:
    # RFC 6928; tcp(4), initcwnd_segments.
    drill = Drill(settings(release))
    assert drill.write(30) == 10


@pytest.mark.parametrize("release", RELEASES)
def test_an_acknowledgement_opens_the_window_by_two_segments_at_most(release: str) -> None:
    # RFC 3465, section 2.2, with L = 2: an acknowledgement of four segments counts as one of two.
    drill = Drill(settings(release))
    drill.write(60)
    assert drill.at(50).ack(4) == 4 + 2
    assert drill.cwnd == 12
    assert drill.at(51).ack(5) == 1 + 1
    assert drill.cwnd == 13


@pytest.mark.parametrize("release", RELEASES)
def test_a_retransmission_waits_for_200_ms_more_than_round_trips_say(release: str) -> None:
    # The handshake took 100 ms: SRTT 100, RTTVAR 50, so 300 ms by RFC 6298, and 200 of slop; backed off, 600 and 200.
    drill = Drill(settings(release))
    drill.write(1)
    drill.at(3000)
    times = [time for time, _, _ in drill.sent]
    assert times == [0, 500, 500 + 800, 500 + 800 + 1400]


@pytest.mark.parametrize("release", RELEASES)
def test_a_loss_of_one_segment_halves_the_window_of_13_and_takes_three_tenths_of_that_of_14(release: str) -> None:
    # RFC 5681: half of what is outstanding; RFC 9438, section 4.6: 0.7 of it.
    drill = Drill(settings(release, recovery="newreno"))
    drill.write(60)
    drill.at(100).ack(0)
    for _ in range(3):
        drill.ack(0)
    assert drill.ssthresh == {"13": 5, "14": 7}[release]


class Receiver:
    """A receiver whose handshake took 100 ms; segments of 1000 bytes come in order at given times in ms."""

    def __init__(self, made: TcpSettings) -> None:
        self.state = [99] * BASE + initial(made)
        self.came = 0
        self.acks: list[float] = []
        self.start = self.now = SECOND
        self.ask(connection.open_up, 1)
        self.output()
        self.now += 100 * MS
        self.ask(connection.accept, 0 << 19 | c.SYN << 16, 1 << 16 | 65535)
        self.start = self.now
        self.output()
        self.acks.clear()

    def ask(self, function: Any, a: int = 0, b: int = 0) -> int:
        return call(function, self.state, BASE, self.now, a, b)

    def output(self) -> None:
        while self.ask(sending.output) > c.TIMER:
            self.acks.append((self.now - self.start) / MS)

    def take(self, time: float, first: int | None = None) -> None:
        """The next segment comes, or that from byte `first` on, and the program reads what it can."""
        self.now = self.start + round(time * MS)
        at = self.came if first is None else first
        self.ask(connection.accept, 1 + at << 19 | MSS, 1 << 16 | 65535)
        self.came = max(self.came, at + MSS) if at <= self.came else self.came
        self.output()

    @property
    def space(self) -> int:
        return int(self.state[BASE + c.RECEIVE_SPACE])

    def rest(self, until: float) -> None:
        """Time passes, and the timer of acknowledgements runs out on the way."""
        due = self.state[BASE + c.ACK_DUE]
        if due and due <= self.start + until * MS:
            self.now = int(due)
            self.ask(connection.expire)
            self.output()


@pytest.mark.parametrize("release", RELEASES)
def test_every_second_segment_is_acknowledged_and_a_single_one_after_40_ms(release: str) -> None:
    receiver = Receiver(settings(release))
    for time in (0, 1, 2, 3, 4):
        receiver.take(time)
    assert receiver.acks == [1, 3]
    receiver.rest(100)
    assert receiver.acks == [1, 3, 44]


@pytest.mark.parametrize("release", RELEASES)
def test_the_receive_buffer_grows_by_half_of_itself_twice_a_round_trip_if_much_arrives(release: str) -> None:
    # The SYN began to count; the first segment ends that, longer than half of a round trip of 100 ms after it. The
    # acknowledgement of the second at 1.5 ms begins anew; those from the second on count, up to the first after 51.5.
    # Three eighths of 65536 are 24576: 25 segments are more, 24 are not.
    for segments, space in ((25, 65536), (26, 98304)):
        receiver = Receiver(settings(release))
        for number in range(segments):
            receiver.take(0.5 + number)
        assert receiver.space == 65536
        receiver.take(60)
        assert receiver.space == space


@pytest.mark.parametrize("release", RELEASES)
def test_a_gap_ends_the_count(release: str) -> None:
    receiver = Receiver(settings(release))
    for number in range(26):
        receiver.take(0.5 + number)
    receiver.take(30, first=27_000)
    receiver.take(60)
    assert receiver.space == 65536


@pytest.mark.parametrize("release", RELEASES)
def test_the_buffer_grows_to_2_mib_at_most(release: str) -> None:
    receiver = Receiver(settings(release, receive_space=3 * 2**19))
    for number in range(800):
        receiver.take(0.05 * number)
    receiver.take(60)
    assert receiver.space == 2**21


@pytest.mark.parametrize("release", RELEASES)
def test_a_reader_announces_a_quarter_of_the_receive_buffer_and_not_two_segments(release: str) -> None:
    # sys/netinet/tcp_output.c: two segments are not enough where they are less than so_rcv.sb_hiwat / 4. Else each
    # two segments that a fast reader takes are announced, beside their acknowledgement.
    end = settings(release)
    run = Bench(end, delay=10 * MS).start(0, [60_000]).run()
    acks = [ack for _, who, length, _, ack in run.lines() if who == "B" and not length]
    assert len(acks) <= 60 // 2 + 60_000 // (end.receive_space // 4) + 1
