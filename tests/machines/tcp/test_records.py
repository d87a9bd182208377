"""Records of outstanding segments: room for them, and the list of those under way in order of sending."""

from __future__ import annotations

import random
from typing import Any

from drill import linux
from tcp_bench import BASE, MS, Bench, Segment

from simio.machines.tcp import TcpSettings, initial, records
from simio.machines.tcp import layout as c


def settings(**options: Any) -> TcpSettings:
    plain: dict[str, Any] = {"recovery": "rack", "ack_every": 1, "receive_space": 1_000_000, "receive_shift": 7}
    return linux(**(plain | options))


def test_a_large_window_has_room_for_each_of_its_segments_and_gaps() -> None:
    state = initial(linux(recovery="rack", mss=1448, send_space=2**29, receive_space=2**29, receive_shift=14))
    assert state[c.SEGMENT_ROOM] >= 2**29 // 1448
    assert state[c.MOST_ARRIVED] >= 2**29 // 1448 // 2


def test_small_segments_beyond_the_records_of_the_send_buffer_wait_for_acknowledgements() -> None:
    # A send buffer of 24 segments of 1000 bytes has the least number of records, 40. The window, 10 segments, would
    # let 60 of 100 bytes go at once; the rest gathers, and goes in two segments once some of the first have arrived.
    bench = Bench(settings(send_space=24_000, nodelay=True), delay=50 * MS).start(0, [100] * 60).run()
    assert bench.look(0, c.SEGMENT_ROOM) == 40
    assert [round(segment.time / MS) for segment in bench.data(0)] == [0] * 40 + [100] * 2
    assert bench.received[1] == 6000


def _listed(state: list[int]) -> list[int]:
    """Numbers of the segments in the list, oldest first."""
    found, place = [], 0
    while place := records.next_of(state, BASE, place):
        found.append(records.number_of(state, BASE, place))
    return found


def _under_way(state: list[int]) -> list[int]:
    """The same by what their records say."""
    head = state[BASE + c.HEAD]
    numbers = range(head, head + state[BASE + c.NOTED])
    at = {number: records.record(state, BASE, number) for number in numbers}
    under = [number for number in numbers if records.is_under_way(state[at[number] + records.FLAGS])]
    return sorted(under, key=lambda number: state[at[number] + records.ORDER])


def test_the_list_has_what_is_under_way_in_order_of_sending() -> None:
    # Losses, of retransmissions too, and segments that are late, which are taken for lost and turn out not to be.
    undone = timeouts = lost = 0
    for seed in range(12):
        chance = random.Random(seed)

        def fate(segment: Segment, number: int, chance: random.Random = chance) -> tuple[int, ...]:
            drawn = chance.random()
            return () if drawn < 0.12 else (chance.randrange(60) * MS,) if drawn < 0.2 else (0,)

        bench = Bench(settings(dsack=True, timestamps=True, timestamp_tick=MS), delay=50 * MS, fate=fate)
        bench.start(0, [120_000])
        while bench.events:
            before = bench.look(0, c.LOST_OUT)
            bench.step()
            assert _listed(bench.states[0]) == _under_way(bench.states[0])
            undone += before > 1000 and bench.look(0, c.LOST_OUT) == 0 and bench.look(0, c.RECOVERING) == 0
            lost += before < bench.look(0, c.LOST_OUT)
        assert bench.received[1] == 120_000
        timeouts += bench.look(0, c.TIMEOUTS)
    assert undone > 0
    assert timeouts > 0
    assert lost > 100
