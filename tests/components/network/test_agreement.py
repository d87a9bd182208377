"""Agreement of two stacks, beside numbers known of the systems or worked out by hand."""

from __future__ import annotations

from typing import Any

import pytest
from part_samples import part
from tcp_net import STACK

from simio.components.network.agreement import agreed
from simio.description.sheets.stacks import TcpIpStack
from simio.machines.tcp.settings import TcpSettings
from simio.workloads.ttcp import Ttcp


def ends(window: str | None, mtu: int = 1500, **values: Any) -> list[TcpSettings]:
    sheet = part("stack", "tcp-ip", "stack", **{**STACK, **values}).sheet
    assert isinstance(sheet, TcpIpStack)
    told: dict[str, Any] = {"from": "a", "to": "b", "size": "1 B", "window": window}
    return agreed([sheet, sheet], mtu, Ttcp.model_validate(told))


SOLARIS = {"whole_segments": True, "ack_half": True, "ack_every": 8, "rfc1323": "large"}


@pytest.mark.parametrize(
    ("window", "mss", "space", "every", "shift"),
    [
        # The window of 8760 bytes that Solaris is known for, of which three segments of six are half.
        ("8 KiB", 1460, 8760, 3, 0),
        ("32 KiB", 1460, 23 * 1460, 8, 0),
        # Above 65535 bytes windows are scaled, and timestamps take 12 bytes of each segment.
        ("64 KiB", 1448, 46 * 1448, 8, 1),
        ("1000 B", 1460, 1460, 1, 0),
    ],
)
def test_socket_buffers_of_whole_segments(window: str, mss: int, space: int, every: int, shift: int) -> None:
    for end in ends(window, **SOLARIS):
        assert (end.mss, end.send_space, end.receive_space) == (mss, space, space)
        assert (end.ack_every, end.send_shift, end.receive_shift) == (every, shift, shift)


def test_other_stacks_take_socket_buffers_as_they_are() -> None:
    (end, _) = ends("8 KiB", ack_every=8)
    assert (end.send_space, end.receive_space, end.ack_every) == (8192, 8192, 8)


def test_a_large_mss_is_one_of_whole_clusters() -> None:
    # 65280 bytes less two headers of 20 are 65240, fifteen clusters of 4096 and a rest.
    (end, _) = ends("64 KiB", mtu=65280, mss_multiple="4096 B")
    assert end.mss == 15 * 4096
    assert end.receive_space == 65536
