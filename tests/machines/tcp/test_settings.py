"""Settings that an endpoint refuses."""

from __future__ import annotations

import pytest

from simio.machines.tcp import TcpSettings


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"mss": 0}, "mss must be from 1 to 65535, not 0"),
        ({"mss": 65_536}, "mss must be from 1 to 65535, not 65536"),
        ({"send_space": 0}, "send_space must be from 1 to 1073741824, not 0"),
        ({"receive_shift": 15}, "receive_shift must be from 0 to 14, not 15"),
        ({"recovery": "vegas"}, "recovery must be one of newreno, rack, reno, sack, tahoe, not vegas"),
        ({"congestion_control": "vegas"}, "congestion_control must be one of bbr, cubic, dctcp, reno, not vegas"),
        ({"hand_over": -2}, "hand_over must be from -1 to 1073741824, not -2"),
        ({"timestamp_tick": 1}, "timestamp_tick must be from 1000000 to 1000000000000, not 1"),
        ({"mbuf_size": 256}, "mbuf_data and mbuf_first must not be 0 where mbuf_size is not"),
        ({"ack_tick": 0, "ack_delay": 0}, "ack_delay must not be 0 where ack_tick is"),
        ({"rto_min": 10**13, "rto_max": 10**12}, "rto_min must not be above rto_max"),
        ({"persist_min": 10**14}, "persist_min must not be above persist_max"),
    ],
)
def test_values_that_no_endpoint_can_have(options: dict, message: str) -> None:
    with pytest.raises(ValueError, match=f"^{message}$"):
        TcpSettings(**options)
