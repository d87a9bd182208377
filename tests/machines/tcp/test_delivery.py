"""Whatever the network does to segments, every byte is delivered once and in order, and the connection ends."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tcp_bench import MS, SECOND, Bench, Segment

from simio.machines.tcp import HAND_OVER_WRITE, NAGLE_SMALL, TcpSettings
from simio.machines.tcp.layout import CHAIN, MEMORY

CLOSED, TIME_WAIT = 0, 10


def disorder(seed: int, losses: int, copies: int, late: int, spoiled: int) -> Callable[[Segment, int], list[int]]:
    """Of the first `spoiled` segments of each end, these percentages are lost, come twice, and come late."""
    draws = random.Random(seed)

    def fate(segment: Segment, number: int) -> list[int]:
        if number >= spoiled:
            return [0]
        if draws.randrange(100) < losses:
            return []
        copy = [draws.randrange(50) * MS] if draws.randrange(100) < copies else []
        return [draws.randrange(60) * MS if draws.randrange(100) < late else 0, *copy]

    return fate


STACKS = st.builds(
    TcpSettings,
    mss=st.sampled_from([1, 100, 536, 1000, 4000]),
    send_space=st.sampled_from([1000, 4096, 20_000]),
    receive_space=st.sampled_from([1000, 4096, 20_000]),
    timestamps=st.just(False),
    nodelay=st.booleans(),
    nagle=st.sampled_from([0, NAGLE_SMALL]),
    nagle_limit=st.sampled_from([0, 300]),
    half_window=st.booleans(),
    initial_window=st.sampled_from([0, 4000]),
    byte_counting=st.booleans(),
    limited_transmit=st.booleans(),
    recovery=st.sampled_from(["tahoe", "reno", "newreno", "sack"]),
    ack_every=st.sampled_from([0, 1, 2, 8]),
    ack_small=st.booleans(),
    ack_tick=st.sampled_from([0, 200 * MS]),
    ack_phase=st.sampled_from([0, 30 * MS]),
    rto_tick=st.sampled_from([0, 500 * MS]),
    rto_min=st.sampled_from([200 * MS, SECOND]),
    mbuf_size=st.sampled_from([0, 128, 256]),
    mbuf_data=st.just(108),
    mbuf_first=st.just(100),
    cluster=st.sampled_from([0, 2048]),
    cluster_threshold=st.just(208),
    cluster_needs_room=st.booleans(),
    hand_over=st.sampled_from([0, HAND_OVER_WRITE, 700]),
    low_water=st.sampled_from([1, 600]),
)
SIZES = st.lists(st.integers(1, 3000), max_size=12)


def options(one: TcpSettings, other: TcpSettings, stamps: bool, shift: int) -> tuple[TcpSettings, TcpSettings]:
    """Two stacks that agree on what they have to agree on; tiny segments only for little data."""
    agreed = {
        "mss": max(min(one.mss, other.mss), 1 if one.send_space <= 1000 else 100),
        "timestamps": stamps,
        "timestamp_tick": 10 * MS,
        "send_shift": shift,
        "receive_shift": shift,
    }
    return TcpSettings(**{**vars(one), **agreed}), TcpSettings(**{**vars(other), **agreed})


@settings(max_examples=150)
@given(
    STACKS, STACKS, st.booleans(), st.sampled_from([0, 0, 3]), SIZES, SIZES, st.booleans(), st.integers(0, 2**32),
    st.integers(0, 30), st.integers(0, 30), st.integers(0, 30), st.sampled_from([0, 3, 10, 1000]),
)  # fmt: skip
@pytest.mark.slow
def test_every_byte_is_delivered_once_and_in_order(
    one, other, stamps, shift, forth, back, slow, seed, losses, copies, late, spoiled
) -> None:
    if one.mss == 1 or other.mss == 1:
        forth, back = [size % 50 + 1 for size in forth], [size % 50 + 1 for size in back]
    pair = options(one, other, stamps, shift)
    total = [sum(forth), sum(back)]
    bench = Bench(*pair, byte=10**6, set_up=True, fate=disorder(seed, losses, copies, late, spoiled)).connect()
    for end, sizes in ((0, forth), (1, back)):
        bench.start(end, sizes, close=True)
    if slow:
        bench.start_reading(1, ((time * SECOND, 700) for time in (*range(1, 200), *range(200, 50_000, 100))))
    bench.run(10**6 * SECOND)
    assert bench.written == total
    assert bench.received == [total[1], total[0]]
    if not slow:
        assert min(bench.ended) > 0
    assert {bench.state(0), bench.state(1)} <= {CLOSED, TIME_WAIT}
    assert max(abs(value) for state in bench.states for value in state) < 2**63
    assert bench.sleepers == [0, 0]
    assert [bench.look(end, at) for end in (0, 1) for at in (MEMORY, CHAIN)] == [0, 0, 0, 0]


@pytest.mark.parametrize("recovery", ["tahoe", "reno", "newreno", "sack"])
def test_a_bad_line_slows_a_transfer_down_but_does_not_end_it(recovery: int) -> None:
    fate = disorder(5, 20, 0, 0, 10**9)
    bench = Bench(TcpSettings(mss=1000, recovery=recovery), byte=10**6, set_up=True, fate=fate).connect()
    bench.start(0, [200_000], close=True).start(1, [], close=True).run(10**5 * SECOND)
    assert bench.received[1] == 200_000
    assert {bench.state(0), bench.state(1)} <= {CLOSED, TIME_WAIT}
