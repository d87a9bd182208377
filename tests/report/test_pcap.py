"""The capture file: its form, and the headers byte for byte."""

from __future__ import annotations

import struct

import pytest
from packet_samples import FIN, PUSH, SYN, fragments, icmp, tcp, udp

from simio.report.pcap import capture_file, checksum
from simio.result.packets import LostPacket, SeenPacket

HOSTS = ["left", "right"]


def read(data: bytes) -> list[tuple[int, int, int, bytes]]:
    """Seconds, nanoseconds, length on the wire and bytes of each packet of a file."""
    assert struct.unpack_from("<IHHiIII", data) == (0xA1B23C4D, 2, 4, 0, 0, 65535, 101)
    at, found = 24, []
    while at < len(data):
        second, nano, kept, whole = struct.unpack_from("<IIII", data, at)
        found.append((second, nano, whole, data[at + 16 : at + 16 + kept]))
        at += 16 + kept
    assert at == len(data)
    return found


def headers(packet: SeenPacket) -> bytes:
    """The bytes of one packet."""
    return read(capture_file([packet], HOSTS))[0][3]


def test_a_segment_byte_for_byte() -> None:
    # Length 1500 is 05dc, ports 0401 and 1389, sequence 1461 is 05b5, 5 words of header, PSH and ACK.
    # IP: 4500 + 05dc + 0007 + 0000 + 4006 + 0a00 + 0001 + 0a00 + 0002 = 9eec, complement 6113.
    # TCP, with the pseudo-header 0a00 0001 0a00 0002 0006 05c8 and zeros for data: 19d1 + 0401 + 1389 + 0000 + 05b5
    # + 0000 + 0001 + 5018 + 0200 = 8929, complement 76d6.
    assert headers(tcp(1461, PUSH, 1460, 1, number=7)).hex(" ", 2) == (
        "4500 05dc 0007 0000 4006 6113 0a00 0001 0a00 0002 0401 1389 0000 05b5 0000 0001 5018 0200 76d6 0000"
    )


def test_options_of_a_syn_are_whole_words() -> None:
    packet = tcp(flags=SYN, window=65535, stamps=(5, 0), sack=1)
    found = headers(packet)
    # 20 bytes of header and 24 of options: 11 words.
    assert found[32:34].hex() == "b002"
    assert found[40:].hex(" ", 4) == "020405b4 01030303 01010402 0101080a 00000005 00000000"
    # In the simulation a SYN has no more options than others have, 52 bytes in all.
    assert read(capture_file([packet], HOSTS))[0][2] == 64 == int.from_bytes(found[2:4], "big")


def test_blocks_are_absolute_and_padded() -> None:
    found = headers(tcp(seq=1, ack=1461, blocks=((5841, 7301), (2921, 4381)), sack=1))
    assert found[40:].hex(" ", 4) == "01010512 000016d1 00001c85 00000b69 0000111d"


def test_sequence_numbers_wrap_at_32_bits() -> None:
    found = headers(tcp(seq=2**32 + 5, length=10, ack=3 * 2**32 + 7))
    assert struct.unpack_from("!II", found, 24) == (5, 7)


@pytest.mark.parametrize(
    ("flags", "ack", "bits"),
    [(SYN, 0, 2), (SYN, 1, 18), (FIN, 9, 17), (SYN | FIN, 0, 4), (PUSH, 1, 24), (0, 1, 16)],
)
def test_flags(flags: int, ack: int, bits: int) -> None:
    assert headers(tcp(seq=1, flags=flags, ack=ack))[33] == bits


def test_times_lengths_and_order() -> None:
    packets = [
        tcp(1, 0, 100, 1, time=3 * 10**12 + 123_456_789),
        LostPacket(4, "x", "lost", 1),
        icmp(time=4 * 10**12),
    ]
    assert [(*told, len(kept)) for *told, kept in read(capture_file(packets, HOSTS))] == [
        (3, 123_456, 140, 40),
        (4, 0, 84, 28),
    ]


def test_hosts_have_addresses_in_their_order() -> None:
    found = read(capture_file([icmp()], ["right", *(f"h{n}" for n in range(255)), "left"]))[0][3]
    assert found[12:20].hex(".", 1) == "0a.00.01.01.0a.00.00.01"


def test_echo_messages() -> None:
    # 0800 + 0007 + 0003 and its complement; a reply has type 0.
    assert headers(icmp(number=3))[20:].hex(" ", 2) == "0800 f7f5 0007 0003"
    assert headers(icmp(reply=1, number=3))[20:].hex(" ", 2) == "0000 fff5 0007 0003"
    assert headers(icmp())[9] == 1


def test_a_datagram_in_fragments() -> None:
    found = [headers(packet) for packet in fragments(1480, 1480, 1048)]
    # Identification 9; "more fragments" is 2000, and offsets of 1480 and 2960 bytes are 185 and 370 units of 8.
    assert [kept[4:8].hex() for kept in found] == ["00092000", "000920b9", "00090172"]
    assert [len(kept) for kept in found] == [28, 20, 20]
    # The header has the length of the whole datagram.
    assert struct.unpack_from("!HHH", found[0], 20) == (1023, 2049, 4008)


@pytest.mark.parametrize(
    "packet",
    [
        tcp(flags=SYN, stamps=(1, 0), sack=1),
        tcp(1, PUSH, 1461, 1),
        tcp(seq=1, ack=5, blocks=((9, 12),)),
        udp(129),
        icmp(),
    ],
)
def test_checksums_are_right_where_data_are_zeros(packet: SeenPacket) -> None:
    found = headers(packet)
    protocol = found[9]
    assert checksum(found[:20]) == 0
    size = int.from_bytes(found[2:4], "big") - 20
    pseudo = b"" if protocol == 1 else found[12:20] + struct.pack("!HH", protocol, size)
    assert checksum(pseudo + found[20:]) == 0


def test_a_checksum_by_hand() -> None:
    # The example of RFC 1071, section 3: 0001 + f203 + f4f5 + f6f7 = 2ddf0, folded ddf2.
    assert checksum(bytes.fromhex("0001f203f4f5f6f7")) == 0xFFFF - 0xDDF2
