"""Mirrors: balance of reads, copies of writes."""

from __future__ import annotations

from collections import Counter

from volume_bench import Recorder, Request, outcome_of, plain, recorders, run, volume

from simio.components.volumes import make_volume
from simio.machines import rotation
from simio.program.builder import Builder


def test_reads_go_round_and_writes_go_everywhere() -> None:
    make = plain("mirror", 3, fixed=5)
    requests = [Request("read", 1024 * i, 1024, 1024) for i in range(4)]
    asked, ends = run(make, [*requests, Request("write", 512, 512)])
    assert asked[:4] == [
        [(0, "m0", "read", 0, 1024)],
        [(5, "m1", "read", 1024, 1024)],
        [(10, "m2", "read", 2048, 1024)],
        [(15, "m0", "read", 3072, 1024)],
    ]
    assert asked[4] == [(20, f"m{i}", "write", 512, 512) for i in range(3)]
    assert ends == [5, 10, 15, 20, 25]


def test_many_readers_get_as_much_as_all_members_give_and_writers_as_one() -> None:
    for verb, span in (("read", 300 * 100 // 3), ("write", 300 * 100)):
        p = Builder()
        device = make_volume(p, volume("mirror", 3), recorders(p, 3, fixed=100))
        misaligned = p.observation("misaligned")
        with p.thread("process", count=30), p.loop(10):
            at = p.register(0)
            (device.read if verb == "read" else device.write)(at, 512, 512)
        outcome = outcome_of(p)
        assert outcome.end == span
        # The requests to each member.
        asked = Counter(mark for _, mark, _ in outcome.marks.tolist() if mark != misaligned.number)
        assert sorted(asked.values()) == [100 if verb == "read" else 300] * 3


def test_a_write_waits_for_the_slowest_member() -> None:
    def make(p: Builder):
        devices = [Recorder(p, f"m{i}", 10**6, fixed=10 * (i + 1)) for i in range(3)]
        device = make_volume(p, volume("mirror", 3), devices)
        assert device.capacity == 10**6 // 512 * 512
        return device

    assert run(make, [Request("write", 0, 512)])[1] == [30]


def test_a_stripe_of_mirrors() -> None:
    def make(p: Builder):
        disks = recorders(p, 4)
        pairs = [make_volume(p, volume("mirror", 2, name=f"p{i}"), disks[2 * i : 2 * i + 2]) for i in range(2)]
        return make_volume(p, volume("stripe", 2, 1024), pairs)

    asked, _ = run(make, [Request("write", 1024, 2048, 1024), Request("read", 1024, 2048, 1024)])
    assert [(row.member, row.verb, row.at, row.size) for rows in asked for row in rows] == [
        ("m0", "write", 1024, 1024),
        ("m1", "write", 1024, 1024),
        ("m2", "write", 0, 1024),
        ("m3", "write", 0, 1024),
        ("m0", "read", 1024, 1024),
        ("m2", "read", 0, 1024),
    ]


def test_the_rotation_itself() -> None:
    state = [99, *rotation.WORDS.initial()]
    assert [rotation.following(state, 1, 3) for _ in range(7)] == [0, 1, 2, 0, 1, 2, 0]
    assert state[0] == 99
    assert rotation.following(state, 1, 0) == -1
