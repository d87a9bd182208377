"""Both engines take an endpoint through the same states: a transfer over a line that loses segments."""

from __future__ import annotations

import pytest
from tcp_bench import SECOND
from tcp_program import SIZE, transfer

from simio.engines import compiled, reference
from simio.engines.outcome import Options, Outcome
from simio.machines.tcp import HAND_OVER_WRITE, TcpSettings


@pytest.mark.parametrize(
    "settings",
    [
        TcpSettings(mss=1000, recovery="tahoe"),
        TcpSettings(mss=1000, recovery="newreno", rto_tick=0, ack_tick=0, byte_counting=True, limited_transmit=True),
        TcpSettings(mss=1000, recovery="sack", timestamps=True, rto_tick=0, send_shift=2, receive_shift=2),
        TcpSettings(
            mss=1000, send_space=8000, mbuf_size=256, mbuf_data=236, mbuf_first=228, cluster=2048,
            cluster_threshold=936, hand_over=HAND_OVER_WRITE,
        ),
        TcpSettings(
            mss=1000, recovery="sack", timestamps=True, rto_tick=0, send_shift=2, receive_shift=2, time_each=True,
            congestion_control="cubic", byte_counting=True, byte_limit=0, grow_when_limited=True, idle_halving=True,
            quick_acks=16, advertised_window=12_000, update_segments=0,
        ),
    ],
    ids=["tahoe", "newreno", "sack", "clusters", "linux"],
)  # fmt: skip
def test_both_engines_agree(settings: TcpSettings) -> None:
    program = transfer(settings)

    def run(engine) -> Outcome:
        return engine.run(program, Options(until=100 * SECOND, seed=3))

    one, other = run(reference), run(compiled)
    assert sum(one.marks[:, 2]) == SIZE
    assert one.marks.tolist() == other.marks.tolist()
    assert one.state.tolist() == other.state.tolist()
    assert one.status == other.status
