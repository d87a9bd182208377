"""DCQCN by itself: the rates of two queue pairs over one queue that marks, and each of its rules."""

from __future__ import annotations

import random

from simio.machines.rdma import dcqcn
from simio.machines.rdma import layout as c

US = 10**6
LINE = 5 * 10**9
"""40 Gbit/s, as in the paper, in bytes/s."""
SIZE = 16_000
"""Bytes that go at once here."""


def flow(rate: int = LINE, **values: int) -> list[int]:
    given = {
        "line": LINE, "rate": rate, "target": rate, "alpha": c.ONE, "gain": c.ONE // 256, "least": LINE // 400,
        "step": 5_000_000, "leap": 50_000_000, "fast": 5, "decay": 55 * US, "period": 55 * US, "bytes": 10**7,
        "note_gap": 50 * US,
    }  # fmt: skip
    return c.QP.initial(**(given | values))


def test_a_notification_halves_the_rate_at_first_and_recovery_goes_halfway_back() -> None:
    state = flow()
    assert dcqcn.cut(state, 0, 0) == LINE // 2
    assert state[c.TARGET] == LINE
    dcqcn.catch_up(state, 0, 54 * US)
    assert state[c.RATE] == LINE // 2
    dcqcn.catch_up(state, 0, 55 * US)
    assert state[c.RATE] == LINE * 3 // 4
    dcqcn.catch_up(state, 0, 4 * 55 * US)
    assert state[c.RATE] == LINE - LINE // 32
    # The target is the rate before the cut, until five increases of one kind are over; then it rises by R_AI.
    assert state[c.TARGET] == LINE


def test_additive_and_hyper_increase_raise_the_target() -> None:
    state = flow(LINE // 4)
    dcqcn.cut(state, 0, 0)
    dcqcn.catch_up(state, 0, 5 * 55 * US)
    assert state[c.TARGET] == LINE // 4 + 5_000_000
    state[c.BY_BYTES] = 6
    dcqcn.catch_up(state, 0, 6 * 55 * US)
    assert state[c.TARGET] == LINE // 4 + 5_000_000 + 50_000_000


def test_alpha_falls_while_no_notification_comes() -> None:
    state = flow()
    dcqcn.cut(state, 0, 0)
    dcqcn.catch_up(state, 0, 10 * 55 * US)
    assert abs(state[c.ALPHA] - c.ONE * (255 / 256) ** 10) < 20


def test_bytes_count_for_increases() -> None:
    state = flow(LINE // 2, bytes=3 * SIZE)
    dcqcn.cut(state, 0, 0)
    for _ in range(3):
        dcqcn.departs(state, 0, 1, SIZE)
    assert state[c.RATE] == LINE * 3 // 8
    assert state[c.SENT] == 0


def test_notifications_keep_their_distance() -> None:
    state = flow()
    assert [dcqcn.marked(state, 0, at * US) for at in (1, 2, 50, 51, 60, 101)] == [1, 0, 0, 1, 0, 1]


def test_two_flows_come_to_a_fair_share() -> None:
    # One has nine tenths of a line of 40 Gbit/s, the other the rest; RED marks between 5 and 200 kB.
    chance = random.Random(1)
    flows = [flow(LINE * share // 10) for share in (9, 1)]
    for state in flows:
        state[c.CUTS], state[c.ALPHA] = 1, c.ONE // 4
    level, now, step = 0.0, 0, 20 * US
    means = []
    while now < 60_000 * US:
        now += step
        sent = [0, 0]
        for number, state in enumerate(flows):
            while state[c.GO_AT] < now:
                dcqcn.departs(state, 0, max(state[c.GO_AT], now - step), SIZE)
                sent[number] += SIZE
                marks = chance.random() < min(max(level - 5_000, 0) / 195_000 * 0.01 * SIZE / 1000, 1)
                if marks and dcqcn.marked(state, 0, now):
                    dcqcn.cut(state, 0, now)
        level = max(level + sum(sent) - LINE * step / 10**12, 0.0)
        means.append(sent)
    last = means[-1000:]
    first, second = (sum(each[number] for each in last) / (len(last) * step / 10**12) for number in (0, 1))
    assert 0.45 < first / (first + second) < 0.55
    assert 0.9 * LINE < first + second <= 1.01 * LINE
