"""An adapter with queues and its drivers, by hand-worked traces; times are in ps, as small as can be."""

from __future__ import annotations

import numpy as np
import pytest

from simio.machines.door import call
from simio.machines.nic import cache, driver, moderation
from simio.machines.nic import layout as c


def adapter(queues: int = 1, ring: int = 4, sends: int = 8, lines: tuple[int, int, int] = (0, 1, 1), **words):
    """A packet each 10 ps: 5 ps later its DMA begins, takes 4 and 3 for the completion, seen 2 later.

    A poll of up to 3 packets takes 6 ps and 20 for each packet, an interrupt 50, a doorbell 8.
    """
    sets, ways, device_ways = lines
    tables = {
        "flow_at": list(range(queues)),
        "done_at": [0] * 16,
        "send_at": [0] * queues * sends * c.SEND_WORDS,
        "tags_at": [0] * sets * ways,
        "used_at": [0] * sets * ways,
        "times_at": [0] * c.TIMES,
    }
    places, all_words = laid_out(c.TABLES, tables)
    places["queue_at"] = c.TABLES + len(all_words)
    for number in range(queues):
        own = {
            "seen_at": [0] * ring, "came_at": [0] * ring, "page_at": [100 * number + row for row in range(ring)],
            "bell_end_at": [0] * sends, "bell_time_at": [0] * sends, "sent_page_at": [0] * sends,
            "sent_came_at": [0] * sends, "free_at": [0] * (ring + sends + 3),
        }  # fmt: skip
        at, rows = laid_out(c.TABLES + len(all_words) + c.QUEUE.size, own)
        queue = c.QUEUE.initial(
            **at, posted=ring, pages=100 * number + ring, free_room=ring + sends + 3,
            own_count=words.get("count", 1), own_delay=words.get("delay", 0),
        )  # fmt: skip
        places["queue_size"] = len(queue) + len(rows)
        all_words += [*queue, *rows]
    given = {
        "gap": 10, "gap_parts": 1, "next": 10, "left": 1000, "flows": queues, "queues": queues, "inward": 5,
        "outward": 5, "data": 4, "completion": 3, "visible": 2, "descriptors": 100, "send_ask": 2, "send_bring": 6,
        "fetch_round": 30, "frame": 9, "room": 16, "ring": ring, "send_ring": sends, "send_room": queues * sends,
        "budget": 3, "start": 50, "poll": 6, "packet": 20, "bell": 8, "long": c.NEVER, "sample": 1, "least": 1000,
        "sets": sets, "ways": ways, "device_ways": device_ways,
    }  # fmt: skip
    given.update({name: value for name, value in words.items() if name not in ("count", "delay")})
    return np.array(c.NIC.initial(**places, **given, tables=all_words), dtype=np.int64)


def laid_out(at: int, tables: dict[str, list[int]]) -> tuple[dict[str, int], list[int]]:
    places, words = {}, []
    for name, table in tables.items():
        places[name] = at + len(words)
        words += table
    return places, words


def queue(state: np.ndarray, word: int, number: int = 0) -> int:
    return int(state[state[c.QUEUE_AT] + number * state[c.QUEUE_SIZE] + word])


def asked(state: np.ndarray, function, now: int, a: int = 0) -> int:
    return int(call(function, state, 0, now, a))


def session(state: np.ndarray, now: int) -> list[int]:
    """Times of what the driver does from an interrupt at `now` until it asks for another one."""
    times = []
    while time := asked(state, driver.work, now):
        times.append(time)
        now += time
    return times


def test_a_packet_is_seen_when_its_completion_is_there() -> None:
    state = adapter()
    assert asked(state, driver.asleep, 0) == 21
    # On the line until 10, at the DMA at 15, packet and completion on the link until 22, seen at 24.
    assert asked(state, driver.asleep, 21) == 3
    assert asked(state, driver.asleep, 24) == 0


def test_a_driver_polls_until_it_finds_fewer_than_its_budget() -> None:
    state = adapter(left=5)
    # After 56 ps the packets of 24, 34, 44, 54 and 64 are there; the ring of four had no buffer for the fifth.
    assert session(state, 24) == [56, 60, 6, 20]
    assert state[c.NO_BUFFER] == 1
    assert (state[c.HANDLED], state[c.POLLED], state[c.FULL]) == (4, 2, 1)
    assert asked(state, driver.finished, 0) == 4
    # The first came at 10 and was done at 24 + 56 + 20.
    assert [asked(state, driver.recorded, 0) for _ in range(5)] == [90, 100, 110, 126, 0]
    assert asked(state, driver.asleep, 400) == c.NEVER


def test_what_does_not_fit_on_the_adapter_is_dropped() -> None:
    state = adapter(ring=32, room=2, data=40, left=6)
    asked(state, driver.asleep, 1000)
    # The link takes 43 a packet: those that come at 30, 40 and 50 find two there, that of 60 finds the first gone.
    assert (state[c.NO_ROOM], queue(state, c.FILLED)) == (3, 3)


@pytest.mark.parametrize(("count", "delay", "due"), [(1, 0, 24), (3, 1000, 44), (100, 15, 39)])
def test_an_interrupt_waits_for_company(count: int, delay: int, due: int) -> None:
    state = adapter(count=count, delay=delay)
    now = 0
    while wait := asked(state, driver.asleep, now):
        now += wait
    assert now == due


def interrupt(state: np.ndarray, now: int) -> int:
    """The instant of the next interrupt."""
    while wait := asked(state, driver.asleep, now):
        now += wait
    return now


@pytest.mark.parametrize(
    ("counts_from", "due"), [(c.FROM_FIRST, 24 + 15), (c.FROM_LAST, 44 + 15), (c.FROM_EVENT, 24)]
)
def test_a_delay_counts_from_the_first_packet_the_last_one_or_the_interrupt_before(
    counts_from: int, due: int
) -> None:
    # Three packets, seen at 24, 34 and 44, of which each is asked about as it comes.
    state = adapter(count=100, delay=15, left=3, counts_from=counts_from)
    assert interrupt(state, 0) == due


def test_the_interrupt_before_may_make_the_next_one_wait() -> None:
    state = adapter(count=100, delay=300, left=2, gap=200, counts_from=c.FROM_EVENT)
    assert interrupt(state, 0) == 24
    asked(state, driver.wake, 24)
    # 56 for the interrupt and the poll, and 20 for the packet: asked for again at 100. The second is seen at 224.
    assert session(state, 24) == [56, 20]
    assert interrupt(state, 100) == 24 + 300


def test_packets_of_a_burst_come_one_behind_the_other() -> None:
    # Three at intervals of 10, and 100 from the last one to the next burst.
    state = adapter(ring=16, burst=3, inner=10, gap=100, left=6, count=100, delay=1000)
    asked(state, driver.asleep, 1000)
    came = [int(state[queue(state, c.CAME_AT) + row]) for row in range(6)]
    assert came == [10, 20, 30, 130, 140, 150]


def test_a_wait_for_company_reckons_with_the_pause_between_bursts() -> None:
    # The fourth is seen at 144: it comes after the pause, and is the last of those that are waited for.
    state = adapter(ring=16, burst=3, inner=10, gap=100, left=6, count=4, delay=1000)
    assert interrupt(state, 0) == 144


def test_times_of_a_generator_have_its_own_part_in_them() -> None:
    state = adapter(left=5, stamps=1000)
    session(state, 24)
    assert asked(state, driver.finished, 0) == 4
    assert [asked(state, driver.recorded, 0) for _ in range(4)] == [1090, 1100, 1110, 1126]


def test_a_generator_takes_what_comes_back_one_by_one() -> None:
    # Packets of the test above end at 100, 120, 140 and 166; 1000 later the generator has them, each for 25.
    state = adapter(left=5, stamps=1000, stamp=25)
    session(state, 24)
    assert asked(state, driver.finished, 0) == 4
    taken = [1100 + 25, 1125 + 25, 1150 + 25, 1175 + 25]
    assert [asked(state, driver.recorded, 0) for _ in range(4)] == [
        end - came for end, came in zip(taken, (10, 20, 30, 40), strict=True)
    ]


def test_a_doorbell_is_rung_for_the_packets_of_a_poll() -> None:
    state = adapter(left=2, sends=8)
    state[c.SENDS] = 1
    assert session(state, 34) == [56, 40, 8]
    # Told at 138 + 2; descriptors take 30, the first packet 2 + 30 + 6 and 9 on the line, and 5 to its end.
    asked(state, driver.asleep, 10_000)
    assert asked(state, driver.recorded, 0) == 138 + 2 + 30 + 2 + 30 + 6 + 9 + 5 - 10
    assert asked(state, driver.recorded, 0) == 138 + 2 + 30 + 2 + 30 + 6 + 9 + 9 + 5 - 20


def test_a_doorbell_may_serve_fewer() -> None:
    state = adapter(left=3, batch=2)
    state[c.SENDS] = 1
    assert session(state, 44) == [56, 48, 20, 14]
    assert queue(state, c.BELLS) == 2


def test_a_ring_without_a_place_to_send_drops() -> None:
    state = adapter(ring=8, sends=2, left=3, fetch_round=10_000)
    state[c.SENDS] = 1
    session(state, 100)
    assert (state[c.NO_PLACE], state[c.HANDLED]) == (1, 2)


def test_buffers_go_round_in_order() -> None:
    state = adapter(left=6, gap=200)
    for at in range(1, 7):
        session(state, 200 * at)
    pages = state[queue(state, c.PAGE_AT) : queue(state, c.PAGE_AT) + 4].tolist()
    assert pages == [0, 1, 2, 3]
    assert queue(state, c.PAGES) == 4


def test_a_driver_in_user_space_never_sleeps() -> None:
    state = adapter(polls=1, left=2)
    # A look, one until the first packet may be there, one more, and then each packet.
    assert session(state, 0) == [6, 15, 6, 20, 20]
    assert state[c.INTERRUPTS] == 0
    assert state[c.HANDLED] == 2


def test_lines_that_all_cores_write_have_one_turn_after_another() -> None:
    state = adapter(queues=2, left=2, line=30)
    assert asked(state, driver.work, 40, 0) == 56
    assert asked(state, driver.work, 40, 1) == 56
    assert asked(state, driver.work, 96, 0) == 20 + 30
    # The other core's packet waits for the line until 126, and has it until 156.
    assert asked(state, driver.work, 96, 1) == 60


def test_more_buffers_than_lines_push_each_other_out() -> None:
    state = adapter(lines=(1, 4, 2))
    uses = [cache.use(state, 0, buffer % 4, 4) for buffer in range(12)]
    assert uses == [0] * 4 + [1] * 8
    uses = [cache.use(state, 0, buffer % 5, 4) for buffer in range(10)]
    assert sum(uses) <= 4
    # Used in turn, five buffers have no room in four lines (LRU).
    assert [cache.use(state, 0, buffer % 5, 4) for buffer in range(10)] == [0] * 10


def test_a_device_takes_few_lines_and_updates_the_others() -> None:
    state = adapter(lines=(1, 4, 2))
    for buffer in (10, 11, 12, 13):
        cache.use(state, 0, buffer, 4)
    assert [cache.use(state, 0, buffer, 2) for buffer in (20, 21, 22, 12, 13)] == [0, 0, 0, 1, 1]
    assert [cache.use(state, 0, buffer, 4) for buffer in (12, 13)] == [1, 1]


def test_buffers_are_spread_over_sets_evenly() -> None:
    sets = np.bincount([cache.scattered(buffer) % 192 for buffer in range(3840)], minlength=192)
    # As many as a Poisson distribution has: a mean of 20, and a variance of about as much.
    assert sets.mean() == 20
    assert 14 < sets.var() < 27


def samples(state: np.ndarray, number: int, packets: int) -> list[int]:
    """Profiles after each of so many samples, each interrupt serving `packets` and coming after its delay."""
    own = int(state[c.QUEUE_AT]) + c.MODERATION
    found, now, taken = [], 0, 0
    for _ in range(number):
        for _ in range(moderation.EVENTS):
            delay = moderation.delay_of(int(state[own + moderation.TABLE]), int(state[own + moderation.PROFILE]))
            now += delay
            taken += packets * delay // moderation.MICROSECOND
            moderation.interrupted(state, own)
            moderation.sample(state, own, now, taken, taken)
        found.append(int(state[own + moderation.PROFILE]))
    return found


def test_moderation_searches_for_the_fewest_interrupts() -> None:
    # First it tries a step left, which is worse; then it goes right as long as interrupts become fewer.
    assert samples(adapter(adaptive=1), 8, 1) == [0, 1, 2, 3, 4, 4, 4, 4]


def test_moderation_stays_where_no_packets_are_counted() -> None:
    assert samples(adapter(adaptive=1), 4, 0) == [1, 1, 1, 1]


@pytest.mark.parametrize(
    ("table", "delays", "counts"),
    [("last", [2, 8, 16, 32, 64], [256, 128, 64, 64, 64]), ("event", [1, 8, 64, 128, 256], [256] * 5)],
)
def test_profiles_are_those_of_linux(table: str, delays: list[int], counts: list[int]) -> None:
    number = moderation.TABLES[table]
    assert [moderation.delay_of(number, row) // moderation.MICROSECOND for row in range(5)] == delays
    assert [moderation.count_of(number, row) for row in range(5)] == counts


def test_moderation_sets_what_its_table_says() -> None:
    # Each interrupt serves a packet a us of its delay: the search ends at the longest delay of either table.
    for table, (delay, count) in {"last": (64, 64), "event": (256, 256)}.items():
        state = adapter(adaptive=1)
        own = int(state[c.QUEUE_AT]) + c.MODERATION
        state[own + moderation.TABLE] = moderation.TABLES[table]
        assert samples(state, 8, 1)[-1] == moderation.LAST
        assert state[own + moderation.DELAY] == delay * moderation.MICROSECOND
        assert state[own + moderation.COUNT] == count


def test_the_clock_of_a_core_settles_where_it_is_four_fifths_busy_or_at_its_least() -> None:
    state = adapter(least=333, period=10**10)
    base = int(state[c.QUEUE_AT])

    def settled(share: float) -> int:
        """The clock in thousandths where work takes `share` of the time at the full one."""
        state[base + c.CLOCK], state[base + c.CHOSEN], state[base + c.BUSY] = 1000, 0, 0
        for tick in range(1, 200):
            driver._clocked(state, 0, base, tick * 10**9, int(share * 10**9))
        return int(state[base + c.CLOCK])

    assert settled(0.05) == 333
    # Of the clock f it is busy share / f, of which it chooses 1.25 times as much: f is the root of 1.25 share.
    assert settled(0.32) == pytest.approx(632, abs=10)
    assert settled(0.9) == 1000


def test_moderation_counts_bytes_before_packets() -> None:
    state = np.array(moderation.WORDS.initial(), dtype=np.int64)

    def ends(now: int, packets: int, size: int) -> int:
        for _ in range(moderation.EVENTS):
            moderation.interrupted(state, 0)
            moderation.sample(state, 0, now, packets, size)
        return int(state[moderation.PROFILE])

    ms = 1000 * moderation.MICROSECOND
    assert ends(ms, 100, 100_000) == 0
    # Half of the packets with twice the bytes are better: the search goes on, and there is nothing further left.
    assert ends(2 * ms, 150, 300_000) == 0
    assert int(state[moderation.TUNE]) == moderation.TOP
    # As many bytes in more packets are a change, and the search leaves its top.
    assert ends(3 * ms, 300, 500_000) == 1
