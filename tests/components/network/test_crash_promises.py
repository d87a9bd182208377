"""Promises of protocols over hosts and adapters that fail at any time, for any time: nothing lost, nothing twice."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any
from unittest.mock import patch

from hypothesis import given, settings
from hypothesis import strategies as st
from net_bench import US
from tcp_net import QUICK, STACK, marks, run, station, system

from simio.components.faults.incarnations import Incarnations
from simio.components.site import Site
from simio.description.faults import ResetSpan, Span
from simio.description.model import System, Workload
from simio.engines import compiled, reference
from simio.engines.outcome import Outcome
from simio.program.builder import Builder, Register
from simio.program.steps import Program

MS = 1000 * US
BLOCK = 8192
instants = st.one_of(st.integers(0, 40 * MS), st.integers(0, 400).map(lambda n: n * MS))
durations = st.one_of(st.integers(1, 300 * US), st.integers(1, 2 * MS), st.integers(1, 600).map(lambda n: n * MS))
spans = st.tuples(instants, durations).map(lambda pair: (pair[0], pair[0] + pair[1]))
crashes = st.lists(spans, min_size=1, max_size=3)
resets = st.lists(
    st.tuples(instants, st.sampled_from([0, 5 * MS, 300 * MS]), durations).map(
        lambda each: (each[0], each[0] + each[1], sum(each))
    ),
    min_size=1,
    max_size=3,
)


def described(params: dict[str, Any], gone: Any = (), reset: dict[str, Any] | None = None) -> System:
    """Hosts a and b; b crashes in the spans `gone`, adapters are reset in those of `reset`."""
    ends = []
    for name in "ab":
        costs = {**STACK, "nfs_server": "300 us", "copies": True, "rto_max": "2 s"}
        one = station(name, costs, **{**QUICK, "transmit_ring": 8, "transmit_cost": "5 us"})
        adapter = replace(one.adapters["eth"], resets=tuple((reset or {}).get(name, ())))
        ends.append(replace(one, adapters={"eth": adapter}))
    ends[1] = replace(ends[1], crashes=tuple(gone))
    kind = params.pop("kind")
    return system(*ends, workload={kind: {"from": "a", "to": "b", **params}})


class Ledger:
    """Storage of one life of a server that tells which blocks it was given, and when it was asked to keep them."""

    def __init__(self, p: Builder, boot: int) -> None:
        self.p = p
        self.given = p.observation(f"given in {boot}")
        self.kept = p.observation(f"kept in {boot}")

    def read(self, block: Register) -> None:
        """A block is read."""
        self.p.mark(self.given, block)

    def write(self, block: Register, copy: Callable[[], None], stable: bool) -> None:
        """A block is written."""
        copy()
        self.p.mark(self.given, block)

    def commit(self) -> None:
        """All blocks are to be kept."""
        self.p.mark(self.kept, 1)


def watched(one: System) -> tuple[Program, Outcome, list[int]]:
    """Outcome of a mount whose server's lives each have a ledger, and the end of each life."""

    def ledger(site: Site, workload: Workload, number: int, server: str, boot: int) -> Ledger:
        return Ledger(site.p, boot)

    with patch("simio.workloads.nfs.server_storage", ledger):
        program, outcome = run(compiled, one)
    crashes = Incarnations(Builder(), one.hosts["b"].crashes).crashes
    return program, outcome, [*(begin for begin, _ in crashes), 2**62]


@settings(max_examples=60)
@given(gone=crashes, biods=st.sampled_from([0, 3]), nfsds=st.sampled_from([1, 4]), blocks=st.integers(1, 12))
def test_what_is_committed_was_given_to_the_life_that_committed_it(
    gone: list[Span], biods: int, nfsds: int, blocks: int
) -> None:
    params = {"kind": "nfs", "access": "write", "version": 3, "size": blocks * BLOCK, "timeout": 20 * MS}
    one = described({**params, "biods": biods, "nfsds": nfsds, "storage": "ledger"}, gone)
    program, outcome, lives = watched(one)
    assert [size for _, size in marks(program, outcome, "delivered") if size] == [BLOCK] * blocks
    committed, last = max(
        (time, boot) for boot in range(len(lives)) for time, _ in marks(program, outcome, f"kept in {boot}")
    )
    assert committed < lives[last]
    had = {block for time, block in marks(program, outcome, f"given in {last}") if time <= committed}
    assert had == set(range(blocks))


@settings(max_examples=40)
@given(gone=crashes, version=st.sampled_from([2, 3]), biods=st.sampled_from([0, 3]), blocks=st.integers(1, 12))
def test_a_file_is_read_whole_and_in_order(gone: list[Span], version: int, biods: int, blocks: int) -> None:
    params = {
        "kind": "nfs",
        "access": "read",
        "version": version,
        "size": blocks * BLOCK - 1,
        "timeout": 20 * MS,
    }
    one = described({**params, "biods": biods, "storage": "ledger"}, gone)
    program, outcome, lives = watched(one)
    assert [size for _, size in marks(program, outcome, "delivered")] == [BLOCK] * (blocks - 1) + [BLOCK - 1]
    asked = {block for boot in range(len(lives)) for _, block in marks(program, outcome, f"given in {boot}")}
    assert asked == set(range(blocks))


@settings(max_examples=40)
@given(gone=crashes, biods=st.sampled_from([0, 3]), blocks=st.integers(1, 12))
def test_version_2_answers_what_is_safe(gone: list[Span], biods: int, blocks: int) -> None:
    params = {"kind": "nfs", "access": "write", "version": 2, "size": blocks * BLOCK, "timeout": 20 * MS}
    one = described({**params, "biods": biods, "storage": "ledger"}, gone)
    program, outcome, lives = watched(one)
    answered = [time for time, _ in marks(program, outcome, "delivered")]
    assert len(answered) == blocks
    # By the time of each answer so many different blocks had been kept, by lives that were on.
    kept = [
        row for boot, end in enumerate(lives) for row in marks(program, outcome, f"given in {boot}") if row[0] < end
    ]
    for number, time in enumerate(answered, 1):
        assert len({block for when, block in kept if when <= time}) >= number


TCP = {"kind": "ttcp", "size": 10_000, "writes": 60, "window": 20_000}
WHOLE = 600_000


@settings(max_examples=60)
@given(a=resets, b=resets)
def test_tcp_delivers_every_byte_once_over_adapters_that_are_reset(a: list[ResetSpan], b: list[ResetSpan]) -> None:
    program, outcome = run(compiled, described(dict(TCP), reset={"a": a, "b": b}))
    assert sum(size for _, size in marks(program, outcome, "delivered")) == WHOLE


@settings(max_examples=30)
@given(a=resets, b=resets, access=st.sampled_from(["read", "write"]))
def test_nfs_is_whole_over_adapters_that_are_reset(a: list[ResetSpan], b: list[ResetSpan], access: str) -> None:
    params = {
        "kind": "nfs",
        "access": access,
        "version": 3,
        "size": 12 * BLOCK,
        "timeout": 20 * MS,
        "biods": 3,
    }
    program, outcome = run(compiled, described(params, reset={"a": a, "b": b}))
    assert [size for _, size in marks(program, outcome, "delivered")] == [BLOCK] * 12


@settings(max_examples=60)
@given(gone=crashes, reset=resets)
def test_a_connection_ends_whole_or_is_known_to_be_broken(gone: list[Span], reset: list[ResetSpan]) -> None:
    program, outcome = run(compiled, described(dict(TCP), gone, {"a": reset}))
    delivered = sum(size for _, size in marks(program, outcome, "delivered"))
    lost = marks(program, outcome, "ttcp: read before the crash")
    if not lost:
        assert delivered == WHOLE
        return
    # The receiver's reads are the deliveries; the sender cannot have seen less than that go.
    assert [size for _, size in lost] == [delivered]
    for _, sent in marks(program, outcome, "ttcp: written before the reset"):
        assert delivered <= sent + TCP["size"]


@settings(max_examples=25)
@given(
    gone=crashes,
    reset=resets,
    params=st.sampled_from([TCP, {"kind": "nfs", "access": "write", "size": 9 * BLOCK}]),
)
def test_engines_agree(gone: list[Span], reset: list[ResetSpan], params: dict[str, Any]) -> None:
    one = described(dict(params), gone, {"a": reset, "b": reset})
    first, second = (run(engine, one)[1] for engine in (compiled, reference))
    assert first.differences(second) == []
