"""Lines of a packet trace, in the form of tcpdump."""

from __future__ import annotations

import pytest
from packet_samples import FIN, PUSH, SYN, fragments, icmp, tcp, udp

from simio.report.packets import line, lines, seconds
from simio.result.packets import LostPacket, SeenPacket

ENDS = "left.1025 > right.5001:"


@pytest.mark.parametrize(
    ("packet", "text"),
    [
        (tcp(flags=SYN, window=65535), "Flags [S], seq 0, win 65535, options [mss 1460], length 0"),
        (
            tcp(flags=SYN, ack=1, stamps=(5, 4), sack=1),
            "Flags [S.], seq 0, ack 1, win 512, options "
            "[mss 1460,nop,wscale 3,nop,nop,sackOK,nop,nop,TS val 5 ecr 4], length 0",
        ),
        (tcp(seq=1, ack=1), "Flags [.], ack 1, win 512, length 0"),
        (tcp(1, PUSH, 1460, 1), "Flags [P.], seq 1:1461, ack 1, win 512, length 1460"),
        (tcp(1461, FIN | PUSH, 40, 1), "Flags [FP.], seq 1461:1501, ack 1, win 512, length 40"),
        (tcp(1501, FIN, 0, 1), "Flags [F.], seq 1501, ack 1, win 512, length 0"),
        # SYN and FIN together are a reset, which has no options.
        (tcp(1501, SYN | FIN, window=0, stamps=(9, 8), sack=1), "Flags [R], seq 1501, win 0, length 0"),
        (
            tcp(seq=1, ack=1461, blocks=((2921, 4381),), sack=1),
            "Flags [.], ack 1461, win 512, options [nop,nop,sack 1 {2921:4381}], length 0",
        ),
        (
            tcp(seq=1, ack=1461, blocks=((5841, 7301), (2921, 4381)), stamps=(9, 8), sack=1),
            "Flags [.], ack 1461, win 512, options "
            "[nop,nop,TS val 9 ecr 8,nop,nop,sack 2 {5841:7301}{2921:4381}], length 0",
        ),
        (tcp(seq=2**42, ack=2**41, length=1), f"Flags [.], seq {2**42}:{2**42 + 1}, ack {2**41}, win 512, length 1"),
    ],
)  # fmt: skip
def test_segments(packet: SeenPacket, text: str) -> None:
    assert line(packet) == f"{ENDS} {text}"


def test_a_datagram_has_the_length_of_its_data() -> None:
    assert line(udp(20 + 8 + 100)) == "left.1023 > right.2049: UDP, length 100"


def test_only_the_first_fragment_has_ports() -> None:
    # 4000 bytes of data and the header over an MTU of 1500: 1480, 1480 and 1048 bytes.
    assert [line(packet) for packet in fragments(1480, 1480, 1048)] == [
        "left.1023 > right.2049: UDP, length 4000 (frag 9:1480@0+)",
        "left > right: udp (frag 9:1480@1480+)",
        "left > right: udp (frag 9:1048@2960)",
    ]


def test_echo() -> None:
    assert line(icmp(number=3)) == "left > right: ICMP echo request, id 7, seq 3, length 64"
    assert line(icmp(reply=1)) == "left > right: ICMP echo reply, id 7, seq 1, length 64"


@pytest.mark.parametrize(
    ("time", "text"),
    [
        (0, "0.000000000"),
        (999, "0.000000000"),
        (1000, "0.000000001"),
        (61 * 10**12 + 5 * 10**9, "61.005000000"),
    ],
)
def test_seconds_are_cut_to_nanoseconds(time: int, text: str) -> None:
    assert seconds(time) == text


TRACE = [
    tcp(seq=1, ack=1, time=2 * 10**6),
    LostPacket(3 * 10**6, "left.eth>switch.1", "lost", 40),
    LostPacket(4 * 10**6, "right.eth", "dropped", 1500),
]


def test_what_is_lost_has_a_line_of_its_own() -> None:
    assert list(lines(TRACE)) == [
        f"0.000002000 {ENDS} Flags [.], ack 1, win 512, length 0",
        "0.000003000 left.eth>switch.1 lost a packet, length 40",
        "0.000004000 right.eth dropped a packet, length 1500",
    ]


def test_a_host_knows_only_what_is_lost_there() -> None:
    socket = LostPacket(5 * 10**6, "datagrams at right", "dropped", 1000)
    assert [text.split()[1] for text in lines([*TRACE, socket], ("right",))] == [
        "left.1025",
        "right.eth",
        "datagrams",
    ]
    assert [text.split()[1] for text in lines([*TRACE, socket], ("left",))] == [
        "left.1025",
        "left.eth>switch.1",
    ]


def test_several_hosts_are_told_apart() -> None:
    assert next(iter(lines(TRACE, ("left", "right")))).startswith(f"0.000002000 left.eth Out {ENDS}")
