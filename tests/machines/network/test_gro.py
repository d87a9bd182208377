"""Merging of packets and polls of a ring, worked by hand."""

from __future__ import annotations

import pytest

from simio.machines.door import call
from simio.machines.network import datagram_gro, gro, napi, ownership, profile
from simio.machines.tcp.layout import FIN, PUSH

ACK = 5 << 16 | 1000


class Merging:
    """A connection's GRO: packets come, and what goes up is noted as (place, length, flags)."""

    def __init__(self, most: int = 65535, latest: int = 0) -> None:
        self.state = gro.WORDS.initial(most=most, latest=latest)
        self.up: list[tuple[int, int, int]] = []

    def ask(self, function: object, a: int = 0, b: int = 0) -> int:
        return call(function, self.state, 0, 0, a, b)  # type: ignore[arg-type]

    def take(self, at: int, length: int, flags: int = 0, second: int = ACK, stamps: int = 7, blocks: int = 0) -> int:
        self.ask(gro.stage, stamps, blocks)
        word = at << 19 | flags << 16 | length
        what = self.ask(gro.take, word, second)
        if what in (gro.FLUSHES, gro.BOTH):
            self._note(self.ask(gro.word, 0))
        if what in (gro.PASSES, gro.BOTH):
            self._note(word)
        return what

    def flush(self) -> None:
        if self.ask(gro.flush):
            self._note(self.ask(gro.word, 0))

    def _note(self, word: int) -> None:
        self.up.append((word >> 19, word & 65535, word >> 16 & 7))


def test_a_train_becomes_one_buffer_at_the_end_of_the_poll() -> None:
    merging = Merging()
    whats = [merging.take(1 + 1448 * number, 1448) for number in range(5)]
    assert whats == [gro.HELD, *[gro.JOINED] * 4]
    assert merging.up == []
    merging.flush()
    assert merging.up == [(1, 7240, 0)]


def test_a_buffer_stays_below_64_kib() -> None:
    # 45 segments of 1448 bytes are 65160; one more does not fit, and begins the next buffer.
    merging = Merging()
    for number in range(46):
        merging.take(1 + 1448 * number, 1448)
    merging.flush()
    assert merging.up == [(1, 65160, 0), (65161, 1448, 0)]


@pytest.mark.parametrize(
    ("other", "up"),
    [
        ({"second": ACK + 1}, [(1, 1000, 0), (1001, 1000, 0)]),
        ({"stamps": 8}, [(1, 1000, 0), (1001, 1000, 0)]),
        ({"blocks": 1}, [(1, 1000, 0), (1001, 1000, 0)]),
        ({"flags": PUSH}, [(1, 2000, PUSH)]),
        ({"flags": FIN}, [(1, 2000, FIN)]),
    ],
)
def test_what_differs_does_not_join_and_what_ends_the_data_ends_the_buffer(
    other: dict[str, int], up: list[tuple[int, int, int]]
) -> None:
    merging = Merging()
    merging.take(1, 1000)
    merging.take(1001, 1000, **other)
    merging.flush()
    assert merging.up == up


def test_a_gap_and_a_smaller_packet_end_a_buffer_and_a_larger_one_does_not_join() -> None:
    merging = Merging()
    merging.take(1, 1000)
    assert merging.take(3001, 1000) == gro.FLUSHES
    assert merging.take(4001, 400) == gro.FLUSHES
    assert merging.up == [(1, 1000, 0), (3001, 1400, 0)]
    merging.take(4401, 400)
    assert merging.take(4801, 1000) == gro.FLUSHES
    assert merging.up[-1] == (4401, 400, 0)


def test_acknowledgements_are_not_merged() -> None:
    merging = Merging()
    assert [merging.take(1, 0), merging.take(1, 0)] == [gro.PASSES] * 2


def test_an_adapter_joins_packets_whose_acknowledgements_differ_and_the_last_one_counts() -> None:
    merging = Merging(latest=1)
    merging.take(1, 1000)
    assert merging.take(1001, 1000, second=ACK + 1) == gro.JOINED
    merging.flush()
    assert (merging.up, merging.ask(gro.word, 1)) == ([(1, 2000, 0)], ACK + 1)
    merging.take(2001, 1000)
    assert merging.take(3001, 1000, stamps=8) == gro.FLUSHES


def test_a_time_that_is_over_ends_the_buffer_that_it_counts_for_and_no_later_one() -> None:
    merging = Merging(latest=1)
    merging.take(1, 1000)
    first = merging.ask(gro.session)
    merging.take(1001, 1000, PUSH)
    merging.take(2001, 1000)
    assert merging.ask(gro.expire, first) == 0
    assert merging.ask(gro.expire, merging.ask(gro.session)) == 1
    assert merging.ask(gro.expire, merging.ask(gro.session)) == 0


def test_a_poll_ends_with_the_ring_or_the_budget() -> None:
    state = napi.WORDS.initial(own_count=3)

    def ask(function: object, *args: int) -> int:
        return call(function, state, 0, 0, *args)  # type: ignore[arg-type]

    # Three packets share an interrupt; 70 are there when it comes: 64 in the first poll, 6 in the second.
    assert [ask(napi.arrive, 1500) for _ in range(70)] == [napi.FIRST, napi.WAIT, napi.RAISE, *[napi.WAIT] * 67]
    assert [ask(napi.polled) for _ in range(64)] == [*[napi.MORE] * 63, napi.ENDS]
    assert ask(napi.flushed) == 0
    assert ask(napi.complete) == napi.AGAIN
    assert [ask(napi.polled) for _ in range(6)] == [*[napi.MORE] * 5, napi.ENDS]
    # While it goes up, another comes: it waits for company, as the poll did not use up its budget.
    ask(napi.arrive, 1500)
    ask(napi.flushed)
    assert ask(napi.complete) == napi.GATHERS
    assert state[napi.INTERRUPTS] == 1


def test_a_softirq_lets_processes_have_a_turn_after_300_packets() -> None:
    state = napi.WORDS.initial()
    for _ in range(400):
        call(napi.arrive, state, 0, 0, 1500)
    answers = []
    for _ in range(5):
        while call(napi.polled, state, 0, 0) == napi.MORE:
            pass
        call(napi.flushed, state, 0, 0)
        answers.append(call(napi.complete, state, 0, 0))
    assert answers == [*[napi.AGAIN] * 4, napi.YIELD]


def test_processes_have_the_core_for_as_long_as_the_softirq_had() -> None:
    state = napi.WORDS.initial()
    for _ in range(400):
        call(napi.arrive, state, 0, 0, 1500)
    state[napi.BEGAN] = 1000
    for now in (1100, 1200, 1300, 1400, 1500):
        while call(napi.polled, state, 0, now) == napi.MORE:
            pass
        call(napi.flushed, state, 0, now)
        call(napi.complete, state, 0, now)
    # 500 ps are owed: calls of 200, 250 and 150 ps. The softirq's own time counts from when it goes on.
    calls = ((1700, 1500), (1950, 1700), (2100, 1950))
    assert [call(napi.rested, state, 0, now, begun) for now, begun in calls] == [1, 1, 0]
    assert state[napi.BEGAN] == 2100
    # Nobody wants the core.
    state[napi.OWED] = 500
    assert call(napi.rested, state, 0, 2500, 2500) == 0


def test_what_comes_while_a_program_has_the_socket_waits_for_it() -> None:
    state = ownership.WORDS.initial()

    def ask(function: object, core: int = 0) -> int:
        return call(function, state, 0, 0, core)  # type: ignore[arg-type]

    assert ask(ownership.ask, 6) == ownership.ELSEWHERE
    assert ask(ownership.ask, 6) == ownership.FREE
    assert ask(ownership.own, 0) == 1
    assert [ask(ownership.ask, 6), ask(ownership.ask, 6)] == [ownership.BACKLOG_HAS_IT] * 2
    assert [ask(ownership.leave) for _ in range(3)] == [1, 1, 0]
    assert ask(ownership.own, 0) == 0
    assert ask(ownership.own, 0) < 0


def test_cpu_time_is_counted_by_class() -> None:
    costs = {"send": {profile.TCP_IP: 250_500, profile.SKB: 100_000}}
    state = profile.initial(costs, {profile.CACHED: 1024, profile.MEMORY_NEAR: 4096}, 10**6)
    send = profile.OPERATIONS.index("send")
    assert call(profile.spend, state, 0, 0, send, 3) == 3 * 350_500
    assert state[profile.TIME + profile.TCP_IP] == 751
    assert state[profile.TIME + profile.SKB] == 300


def test_copies_come_from_the_cache_as_far_as_devices_wrote_little_since() -> None:
    # At half of the share, a Poisson number of mean 1 has come to each set of two ways: 2/e are still there.
    state = profile.initial({}, {profile.CACHED: 1024, profile.MEMORY_NEAR: 4096}, 10**6)
    call(profile.arrived, state, 0, 0, 500_000)
    hit = round(1024 * 0.73576) * 500_000 // 1024
    assert call(profile.take, state, 0, 0, 500_000) == hit + 4 * (500_000 - hit)
    call(profile.arrived, state, 0, 0, 100 * 10**6)
    assert call(profile.take, state, 0, 0, 1000) == 4000


def test_an_adaptive_queue_takes_its_count_and_delay_from_the_profile() -> None:
    state = napi.WORDS.initial(adaptive=1, own_count=128, own_delay=8_000_000)
    now = 0
    for _ in range(64):
        now += 10_000_000
        call(napi.arrive, state, 0, now, 1500)
        call(napi.expire, state, 0, now, int(state[napi.BATCH]))
        call(napi.polled, state, 0, now)
        call(napi.flushed, state, 0, now)
        call(napi.complete, state, 0, now)
    # The first sample goes one profile to the left of 8 us and 128 packets.
    assert (call(napi.longest, state, 0, now), state[napi.MODERATION]) == (2_000_000, 256)


def test_a_buffer_of_datagrams_knows_each_of_them() -> None:
    state = datagram_gro.initial(1)

    def ask(function: object, *args: int) -> int:
        return call(function, state, 0, 0, *args)  # type: ignore[arg-type]

    for length, word in ((1000, 7), (1000, 8), (400, 9), (500, 10), (600, 11)):
        ask(datagram_gro.take, length, word)
    # 600 took the place of 500, which goes up alone, after the three before it.
    assert ask(datagram_gro.ready) == 1
    first = ask(datagram_gro.ready_first)
    assert (first, ask(datagram_gro.length, first), ask(datagram_gro.word, first)) == (3, 500, 10)
    assert ask(datagram_gro.length, 5) < 0
    for word in range(12, 12 + 125):
        ask(datagram_gro.take, 100, word)
    # Two buffers of 64 and one more are noted.
    assert ask(datagram_gro.length, 1) == 1000
    ask(datagram_gro.take, 100, 0)
    assert ask(datagram_gro.length, 1) < 0


def test_datagrams_of_one_size_are_merged_up_to_64_and_a_smaller_one_ends_the_buffer() -> None:
    state = datagram_gro.initial(1)

    def take(length: int) -> int:
        return call(datagram_gro.take, state, 0, 0, length, 0)

    assert [take(1000) for _ in range(64)] == [datagram_gro.HELD, *[datagram_gro.JOINED] * 62, datagram_gro.FLUSHES]
    assert (call(datagram_gro.ready, state, 0, 0), call(datagram_gro.ready_total, state, 0, 0)) == (64, 64_000)
    assert [take(1000), take(400)] == [datagram_gro.HELD, datagram_gro.FLUSHES]
    assert call(datagram_gro.ready, state, 0, 0) == 2
    # A larger one begins another buffer.
    assert [take(400), take(1000), take(1000)] == [datagram_gro.HELD, datagram_gro.FLUSHES, datagram_gro.JOINED]
    assert call(datagram_gro.ready, state, 0, 0) == 1
    assert call(datagram_gro.flush, state, 0, 0) == 2
