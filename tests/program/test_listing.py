"""Listings and hashes: what they tell, and what they depend on."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import pytest

from simio.loading import load
from simio.loading.catalogue import data_root
from simio.lower import lower
from simio.machines.disk.queue import enqueue
from simio.machines.layout import Layout, State
from simio.program.builder import Builder
from simio.program.digest import program_hash
from simio.program.listing import listing
from simio.program.steps import Guest, Op, Program

_WORDS = Layout("sample")
_WORDS.word("heads", "tracks")
_WORDS.word("idle", "ps")
_WORDS.table("sizes", 3, "sectors")

SCENARIOS = [
    data_root("simio.scenarios") / f"{name}.yaml" for name in ("fault-raid5-rebuild", "sgi-nfs-disk", "slac-ping")
]


def sample(delay: int = 50_000, mean: int = 7, more: int = 0) -> Program:
    """A program with everything that a listing tells."""
    p = Builder()
    cpu = p.resource("host.cpu", 2)
    turn = p.resource("host.lock", lock=True)
    store = p.container("card stored", 4096, 0, "bytes")
    room = p.container("credit", level=3, unit="frames")
    done, took = p.observation("delivered", "delivered", "bytes"), p.observation("took", "latency", "ps")
    think = p.exponential("think", mean)
    size = p.discrete("size", [(512, 1), (4096, 3)])
    state = p.machine("disk", _WORDS.initial(heads=2, sizes=[1, 0, 3]) + State([9]))
    credit = p.window("credit", 3)
    with p.workload("copy"), p.thread("writer", count=2, start=1_000_000), p.loop(10):
        begun, amount = p.register(), p.register()
        p.let(begun, "SINCE", 0)
        for _ in range(more):
            p.advance(1)
        p.draw(amount, size)
        with p.when(amount, ">", 1024), p.hold(cpu, units=2, priority=0):
            p.advance(0, amount, Fraction(3, 2))
        with p.label("DMA", "card"), p.fork("dma", delay=delay, joined=True):
            p.put(store, amount)
        p.occupy(credit, 1_000)
        p.demand(cpu, 500)
        p.promise(64)
        p.ahead(store)
        p.behind(store)
        p.early(cpu, 700)
        p.tally("arm", "moves", state, "moves")
        p.gauge("arm", "place", 0, "tracks")
        p.load("copy", took, Fraction(100))
        p.bond("pair", ["cpu", "arm"])
        p.joined("copy")
        p.tell("a link is narrower than both ends")
        p.feed(0, lambda: iter(()))
        p.get(room, 1)
        p.join()
        p.call(amount, enqueue, state, amount, 5)
        p.let(begun, "SINCE", begun)
        p.mark(took, begun)
        p.mark(done, 4096)
    with p.workload("drain"), p.thread("reader", daemon=True), p.forever():
        wait = p.register()
        p.draw(wait, think)
        p.advance(10_640_000, wait, 1)
        with p.hold(turn):
            p.get(store, 512)
    return p.build()


def body(text: str) -> list[str]:
    """The lines of the steps without their numbers."""
    lines = text.splitlines()
    return [line[4:] for line in lines[lines.index("steps") + 1 :]]


@pytest.mark.parametrize(
    "line",
    [
        "seize 2 units of 'host.cpu', priority 0",
        "release 2 units of 'host.cpu'",
        "advance r2 * 3/2 ps",
        "advance 10.64 us (10640000 ps) + r0 ps",
        "fork 'dma', after 50 ns (50000 ps), joined",
        "put r2 bytes into 'card stored'",
        "get 512 bytes from 'card stored'",
        "get 1 frame from 'credit'",
        "let r0 = 10",
        "let r1 = now",
        "let r1 = now - r1",
        "draw r2 from 'size'",
        "mark 'took', r1 ps",
        "mark 'delivered', 4096 bytes",
        "seize 'host.lock', priority 0",
    ],
)
def test_steps_name_their_operands(line: str) -> None:
    assert line in [text.strip() for text in body(listing(sample()))]


def test_a_branch_tells_when_it_is_taken() -> None:
    assert re.search(r"branch to \d+ if r2 <= 1024$", listing(sample()), re.MULTILINE)


def test_a_machine_is_called_by_name() -> None:
    assert re.search(r"call r2 = disk\.queue\.enqueue\('disk', r2, \d+\)$", listing(sample()), re.MULTILINE)


@pytest.mark.parametrize(
    "line",
    [
        "  'host.cpu': 2 units",
        "  'host.lock': 1 unit, lock",
        "  'card stored': 0 bytes, of 4096 at most",
        "  'credit': 3 frames, unbounded",
        "  'delivered': delivered, bytes",
        "  'think': exponential, mean 7",
        "  'size': one of 512 (weight 1), 4096 (weight 3)",
        "  'disk': 6 values",
        "    heads 2 tracks",
        "    sizes, 3 values: [0] 1, [2] 3 sectors",
        "    9",
        "  'writer': 2 threads, from 1 us (1000000 ps), workload 'copy', step 0",
    ],
)
def test_declarations_come_first(line: str) -> None:
    text = listing(sample())
    assert line in text[: text.index("\nsteps\n")].splitlines()


def test_bodies_loops_and_conditions_are_indented_and_headed() -> None:
    lines = body(listing(sample()))
    depth = {line.strip(): len(line) - len(line.lstrip()) for line in lines}
    assert depth["'writer':"] < depth["let r0 = 10"] == depth["repeat:"] < depth["let r1 = now"]
    assert depth["let r1 = now"] < depth["seize 2 units of 'host.cpu', priority 0"]
    assert depth["let r1 = now"] == depth["'dma':"] < depth["put r2 bytes into 'card stored'"]
    assert depth["'reader':"] < depth["forever:"] < depth["draw r0 from 'think'"]
    assert depth["join"] == depth["let r1 = now"]


@pytest.mark.parametrize("path", SCENARIOS, ids=lambda path: path.stem)
def test_every_step_stands_once_in_order(path: object) -> None:
    program = lower(load(str(path)).cases[0].system)
    lines = listing(program).splitlines()
    rows = [line.split() for line in lines[lines.index("steps") + 1 :]]
    numbered = [(int(row[0]), row[1]) for row in rows if row and row[0].isdigit()]
    assert numbered == [(number, Op(step[0]).name.lower()) for number, step in enumerate(program.steps)]


def test_jumps_that_do_not_nest_are_listed_all_the_same() -> None:
    program = sample()
    steps = np.zeros((6, 8), dtype=np.int64)
    steps[1] = [Op.BRANCH, 0, 0, -1, 0, 4, 0, 0]
    steps[2] = [Op.JUMP, 5, 0, 0, 0, 0, 0, 0]
    steps[4] = [Op.JUMP, 2, 0, 0, 0, 0, 0, 0]
    lines = listing(replace(program, steps=steps, bodies=())).splitlines()
    assert sum(bool(re.match(r" *\d+ ", line)) for line in lines[lines.index("steps") :]) == 6


def test_without_numbers_an_added_step_is_one_line_of_difference() -> None:
    one, other = (listing(sample(more=more), numbers=False).splitlines() for more in (0, 1))
    changed = [line[0] for line in difflib.ndiff(one, other) if line[0] in "+-"]
    # The hash, the step, and the loop around it, which goes back by one more.
    assert sorted(changed) == sorted("+-" + "+" + "+-")


def test_equal_programs_have_equal_hashes_and_the_listing_begins_with_it() -> None:
    assert program_hash(sample()) == program_hash(sample())
    assert re.fullmatch("[0-9a-f]{64}", program_hash(sample()))
    assert listing(sample()).splitlines()[0] == f"program {program_hash(sample())[:16]}"


def visitor(io: object) -> Iterator[object]:
    yield io


CHANGES: dict[str, Callable[[Program], Any]] = {
    "steps": lambda p: np.where(p.steps == 50_000, 50_001, p.steps),
    "registers": lambda p: p.registers + 1,
    "names": lambda p: tuple(f"{name}'" for name in p.names),
    "starts": lambda p: tuple(replace(start, daemon=True) for start in p.starts),
    "resources": lambda p: tuple(resource._replace(units=3) for resource in p.resources),
    "containers": lambda p: tuple(container._replace(level=1) for container in p.containers),
    "marks": lambda p: tuple(mark._replace(role="other") for mark in p.marks),
    "draws": lambda p: p.draws + 1,
    "draw_names": lambda p: p.draw_names[::-1],
    "draw_table": lambda p: p.draw_table + 1,
    "state": lambda p: p.state[::-1],
    "machines": lambda p: (("arm", 0),),
    "workloads": lambda p: p.workloads[::-1],
    "guests": lambda p: (Guest("visitor", visitor, False),),
}


@pytest.mark.parametrize("field", [field.name for field in fields(Program)])
def test_the_hash_is_of_all_but_what_serves_analysis(field: str) -> None:
    program = sample()
    if field in CHANGES:
        changed: dict[str, Any] = {field: CHANGES[field](program)}
        other = replace(program, **changed)
        assert program_hash(other) != program_hash(program)
    else:
        assert getattr(program, field)
        without: dict[str, Any] = {field: ()}
        assert program_hash(replace(program, **without)) == program_hash(program)


def test_the_hash_does_not_depend_on_how_a_machine_stores_numbers() -> None:
    program = sample()
    foreign = replace(program, steps=np.asfortranarray(program.steps.astype(">i8")), state=program.state.astype("i4"))
    assert program_hash(foreign) == program_hash(program)


def test_a_guest_is_told_by_name_and_not_by_address() -> None:
    program = replace(sample(), guests=(Guest("visitor", visitor, True), Guest("other", partial(visitor, 1), False)))
    text = listing(program)
    assert "  'visitor': test_listing:visitor, daemon" in text.splitlines()
    assert "  'other': functools:partial" in text.splitlines()
    assert program_hash(program) != program_hash(sample())


def test_one_picosecond_makes_another_program() -> None:
    assert program_hash(sample(delay=50_001)) != program_hash(sample())
    assert program_hash(sample(mean=8)) != program_hash(sample())


def test_a_long_state_is_cut() -> None:
    p = Builder()
    p.machine("mapping", list(range(1, 3001)))
    with p.thread("user"):
        p.advance(1)
    text = " ".join("".join(listing(p.build())).split())
    assert "1000 and 2000 more" in text
    assert "1001" not in text
