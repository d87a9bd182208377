"""Queue disciplines, worked by hand from RFC 8289, RFC 8290 and the paper on RED."""

from __future__ import annotations

from typing import Any

import pytest

from simio.machines.door import call
from simio.machines.network import disciplines as d
from simio.machines.network import queue, shaper
from simio.machines.network.disciplines import fq_codel, priority
from simio.machines.network.disciplines import interface as q

MS = 10**9
PASS, MARK, DROP = d.PASS, d.MARK, d.DROP


def made(name: str, **values: Any) -> list[int]:
    plain = {"discipline": d.DISCIPLINES[name].number, "capacity": 10**6, "quantum": 1514}
    return q.WORDS.initial(**(plain | values))


def leave(state: list[int], now: int, waited: int, able: int = 0) -> int:
    return call(d.leave, state, 0, now, 2 * 1000 + able, waited)


def test_codel_drops_after_an_interval_and_then_ever_sooner() -> None:
    # Each packet has waited 10 ms, more than 5: from 0 on. The first is dropped 100 ms later, the next 100, 70.7 and
    # 57.7 ms after it (section 5.3: interval / sqrt(count)).
    state = made("codel", target=5 * MS, interval=100 * MS)
    state[q.LEVEL], state[q.PACKETS] = 900_000, 900
    dropped = [time for time in range(500) if leave(state, time * MS, 10 * MS) == DROP]
    assert dropped == [100, 200, 271, 329, 379, 424, 465]


def test_codel_lets_pass_what_waits_no_longer_than_its_target() -> None:
    state = made("codel", target=5 * MS, interval=100 * MS)
    state[q.LEVEL], state[q.PACKETS] = 900_000, 900
    assert {leave(state, time * MS, 4 * MS) for time in range(300)} == {PASS}


def test_codel_marks_what_is_ecn_capable() -> None:
    state = made("codel", target=5 * MS, interval=100 * MS, marks=1)
    state[q.LEVEL], state[q.PACKETS] = 900_000, 900
    answers = [leave(state, time * MS, 10 * MS, able=1) for time in range(150)]
    assert answers.count(MARK) == 1
    assert DROP not in answers


def test_a_queue_marks_above_a_level() -> None:
    # RFC 8257, section 3.1: the level on arrival decides.
    state = made("drop-tail", mark_above=2500)
    assert [call(d.enter, state, 0, 0, 1000, 1) for _ in range(4)] == [PASS, PASS, MARK, MARK]
    assert call(d.enter, state, 0, 0, 1000, 0) == PASS


def test_red_drops_by_the_mean_level() -> None:
    # With weight 0 the mean is the level. Below `least` none is dropped, at twice `most` each is; between, by chance:
    # at 15 kB, half way, by half of 10%, if the draw is below.
    state = made("red", least=10_000, most=20_000, chance=6554, weight=0)
    for level, luck, answer in (
        (9_000, 0, PASS),
        (15_000, 3_276, DROP),
        (15_000, 60_000, PASS),
        (40_000, 60_000, DROP),
    ):
        state[q.LEVEL], state[q.SINCE] = level, 0
        assert call(d.enter, state, 0, 0, 1000, 2 * luck) == answer


def test_fair_queues_give_each_flow_its_turn() -> None:
    # Flow A has ten packets, B two of 1500 bytes: they leave A B A B A A ..., as each turn is of 1514 bytes.
    size = q.WORDS.size + fq_codel.FLOW.size
    flow = made("fq_codel", target=5 * MS, interval=100 * MS) + fq_codel.FLOW.initial()
    state = [0] + fq_codel.LINE.initial(most=10**6) + flow + flow
    line, a = 1, 1 + fq_codel.LINE.size
    b = a + size
    for base, count in ((a, 10), (b, 2)):
        for _ in range(count):
            assert call(d.enter, state, base, 0, 1500, 0) == PASS
            assert call(fq_codel.enqueued, state, base, 0, line, 1500) == 1
    order = []
    for _ in range(12):
        mine = next(base for base in (a, b) if call(fq_codel.claim, state, base, 0, line))
        assert call(d.leave, state, mine, 0, 3000, 0) == PASS
        call(fq_codel.served, state, mine, 0, line, 1500)
        call(fq_codel.free, state, line, 0)
        order.append("A" if mine == a else "B")
    assert "".join(order) in ("ABABAAAAAAAA", "AABBAAAAAAAA")
    assert state[line + fq_codel.TOTAL] == 0


def test_a_policer_drops_what_a_shaper_would_hold() -> None:
    state = shaper.full(2000)
    assert [call(shaper.police, state, 0, 0, 1000) for _ in range(3)] == [1, 1, 0]
    assert call(shaper.police, state, 0, 999, 1000) == 0
    assert call(shaper.police, state, 0, 1000, 1000) == 1


@pytest.mark.parametrize(("eighths", "level"), [(8, 500), (16, 667), (4, 333)])
def test_a_dynamic_threshold_leaves_room_for_others(eighths: int, level: int) -> None:
    # Choudhury and Hahne, 1998: one output fills a / (1 + a) of the memory.
    shared, own = queue.initial(1000), queue.initial(1000)
    for _ in range(1000):
        most = call(queue.free, shared, 0, 0) * eighths // 8
        if call(queue.enter_below, own, 0, 0, 1, most):
            call(queue.enter, shared, 0, 0, 1)
    assert own[queue.LEVEL] == level


CLASS = q.WORDS.size + priority.CLASS.size


def classes(*quanta: int) -> list[int]:
    """A line where classes can be stopped, and classes from 0 on, each with ten packets of 1000 bytes."""
    state = priority.STOPPED_LINE.initial(most=10**6)
    for number, quantum in enumerate(quanta):
        own = len(state)
        values = {"discipline": d.DISCIPLINES["priority"].number, "capacity": 10**6, "quantum": quantum}
        state += q.WORDS.initial(**values) + priority.CLASS.initial(number=number)
        for _ in range(10):
            assert call(d.enter, state, own, 0, 1000, 0) == PASS
            assert call(priority.joined, state, own, 0, 0, 1000) == 1
    return state


def sent(state: list[int], count: int) -> str:
    """The classes of so many packets that go, each once all have asked; "-" if none may."""
    line = priority.STOPPED_LINE.size
    found = ""
    for _ in range(count):
        owners = range(line, len(state), CLASS)
        goes = [own for own in owners if state[own + q.PACKETS] and call(priority.ask_to_go, state, own, 0, 0)]
        assert len(goes) <= 1
        for own in goes:
            leave_class(state, own)
        found += str((goes[0] - line) // CLASS) if goes else "-"
    return found


def leave_class(state: list[int], own: int) -> None:
    assert call(d.leave, state, own, 0, 2000, 0) == PASS
    call(fq_codel.served, state, own, 0, 0, 1000)
    call(fq_codel.free, state, 0, 0)


def test_a_class_that_is_stopped_is_left_out_and_the_others_share_by_weights() -> None:
    # Class 3 goes before all; 0, 1 and 2 share by 1, 1 and 2.
    state = classes(1000, 1000, 2000, 0)
    call(priority.stop, state, 0, 0, 3)
    assert sent(state, 4) == "0122"
    call(priority.stop, state, 0, 0, 2)
    assert sent(state, 4) == "0101"
    call(priority.resume, state, 0, 0, 3)
    assert sent(state, 2) == "33"
    call(priority.stop, state, 0, 0, 3)
    assert call(priority.ask_to_go, state, priority.STOPPED_LINE.size + 2 * CLASS, 0, 0) == 0
    assert call(priority.resume, state, 0, 0, 2) == 1
    assert sorted(sent(state, 4)) == list("0122")
    for number in (0, 1):
        call(priority.stop, state, 0, 0, number)
    assert sent(state, 6) == "222222"
    assert sent(state, 2) == "--"
    call(priority.resume, state, 0, 0, 1)
    assert sent(state, 1) == "1"
