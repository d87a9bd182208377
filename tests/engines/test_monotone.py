"""Effect of a faster part on a path: in a tandem whose order nothing can change, never harm.

Servers in a row with one line each, finite room between them and a fixed number of customers who come in fixed order
are linear in the (max, +) algebra (F. Baccelli, G. Cohen, G. J. Olsder, J.-P. Quadrat, "Synchronization and
Linearity", Wiley, 1992): each instant is a maximum of sums of service times, so that none grows when a service
shrinks or a place is added. Where order depends on time, that is not so (P. Glasserman, D. D. Yao, "Monotonicity in
generalized semi-Markov processes", Mathematics of Operations Research 17(1), 1992): of two that share a server, the
one that a faster part brings there first may be the wrong one.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from types import ModuleType

import pytest

from simio.engines.outcome import Status
from simio.program.builder import Builder
from simio.program.steps import Program


@dataclass(frozen=True)
class Tandem:
    """`service[station][customer]` ps; `rooms[station]` places before each station but the first; rounds; closed."""

    service: tuple[tuple[int, ...], ...]
    rooms: tuple[int, ...]
    rounds: int
    closed: bool

    @property
    def visits(self) -> list[int]:
        """The customers in the order in which they are served everywhere."""
        return list(range(len(self.service[0]))) * self.rounds

    def program(self) -> Program:
        """Threads that hold a server until the next station has room for what they bring."""
        p = Builder()
        left = p.observation("left")
        servers = [p.resource(f"s{at}") for at in range(len(self.service))]
        rooms = [p.container(f"room{at}", room, room) for at, room in enumerate(self.rooms)]
        customers = self.visits if not self.closed else list(range(len(self.service[0])))
        for customer in customers:
            with p.thread(f"c{customer}"), p.loop(self.rounds if self.closed else 1):
                for at, server in enumerate(servers):
                    p.seize(server)
                    if at:
                        p.put(rooms[at - 1], 1)
                    p.advance(self.service[at][customer])
                    if at < len(rooms):
                        p.get(rooms[at], 1)
                    else:
                        p.mark(left, customer)
                    p.release(server)
        return p.build()

    def expected(self) -> list[int]:
        """Instants at which visits leave, by recurrence over visits and stations."""
        stations, visits = len(self.service), self.visits
        begun = [[0] * stations for _ in visits]
        gone = [[0] * stations for _ in visits]
        for n, customer in enumerate(visits):
            before = n - len(self.service[0])
            ready = gone[before][-1] if self.closed and before >= 0 else 0
            for k in range(stations):
                begun[n][k] = max(ready, gone[n - 1][k] if n else 0)
                done = begun[n][k] + self.service[k][customer]
                if k < stations - 1 and n >= self.rooms[k]:
                    # A place is free when the one so many before has begun to be served there.
                    done = max(done, begun[n - self.rooms[k]][k + 1])
                ready = gone[n][k] = done
        return [row[-1] for row in gone]


def tandem(pick: random.Random) -> Tandem:
    stations, customers = pick.randint(2, 4), pick.randint(1, 5)
    service = tuple(tuple(pick.randint(0, 9) for _ in range(customers)) for _ in range(stations))
    rooms = tuple(pick.randint(1, 3) for _ in range(stations - 1))
    return Tandem(service, rooms, pick.randint(1, 6), bool(pick.randint(0, 1)))


def departures(engine: ModuleType, model: Tandem) -> list[int]:
    run = engine.run(model.program())
    assert run.status == Status.DONE
    return run.marks[:, 0].tolist()


def faster(pick: random.Random, model: Tandem) -> Tandem:
    """The same with one service that is shorter, a faster station, or one place more."""
    at = pick.randrange(len(model.service))
    kind = pick.randint(0, 2)
    if kind == 2:
        rooms = list(model.rooms)
        rooms[pick.randrange(len(rooms))] += 1
        return replace(model, rooms=tuple(rooms))
    row = list(model.service[at])
    chosen = range(len(row)) if kind else [pick.randrange(len(row))]
    for customer in chosen:
        row[customer] = row[customer] * pick.randint(0, 3) // 4
    return replace(model, service=(*model.service[:at], tuple(row), *model.service[at + 1 :]))


def test_departures_are_those_of_the_recurrence(engine: ModuleType) -> None:
    for seed in range(150):
        model = tandem(random.Random(seed))
        assert departures(engine, model) == model.expected(), f"seed {seed}: {model}"


def test_a_faster_part_delays_nobody(engine: ModuleType) -> None:
    earlier = 0
    for seed in range(150):
        pick = random.Random(seed)
        model = tandem(pick)
        before, after = departures(engine, model), departures(engine, faster(pick, model))
        assert all(now <= then for now, then in zip(after, before, strict=True)), f"seed {seed}: {model}"
        earlier += after[-1] < before[-1]
    assert earlier > 40


@pytest.mark.parametrize(("disk", "end"), [(5, 29), (3, 33)])
def test_where_order_depends_on_time_a_faster_part_may_do_harm(engine: ModuleType, disk: int, end: int) -> None:
    # Two jobs for one CPU: one comes from the disk and is done after 5 ps, one comes at 4 and then has 20 ps to go
    # elsewhere. From the slower disk, the first comes second, and all ends at 4 + 5 + 20; from the faster one it
    # comes first, and the other's long way begins at 3 + 5 + 5.
    p = Builder()
    cpu = p.resource("cpu")
    with p.thread("from disk"):
        p.advance(disk)
        with p.hold(cpu):
            p.advance(5)
    with p.thread("long", start=4):
        with p.hold(cpu):
            p.advance(5)
        p.advance(20)
    assert engine.run(p.build()).end == end
