"""Parts of one piece of work in copies of a process: results in order, harm repaired, no process left."""

import os
from functools import partial

import pytest

from simio.sweeps.beside import as_done, beside

HERE = os.getpid()


@pytest.fixture(autouse=True)
def copies(monkeypatch):
    """There are two processors; the numbers of the copies that are made."""
    made = []

    def noted(fork=os.fork):
        made.append(fork())
        return made[-1]

    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1})
    monkeypatch.setattr(os, "fork", noted)
    return made


def assert_ended(copies):
    """None of them is a child any more, not even one to be waited for; there was one."""
    assert len(copies) == 1
    with pytest.raises(ChildProcessError):
        os.waitpid(copies[0], os.WNOHANG)


def numbered(number):
    return number, os.getpid()


def test_results_come_in_order_from_this_process_and_a_copy():
    found = beside([partial(numbered, number) for number in range(5)])
    assert [number for number, _ in found] == list(range(5))
    processes = [process for _, process in found]
    assert processes[0] == HERE
    assert processes[1] != HERE
    assert set(processes) == {HERE, processes[1]}


def test_whoever_is_done_takes_the_next(tmp_path):
    """The first, here, lasts until all others are done, by the copy."""

    def first():
        while not (tmp_path / "3").exists():
            pass
        return os.getpid()

    def noted(number):
        (tmp_path / str(number)).touch()
        return os.getpid()

    found = list(as_done([first, *(partial(noted, number) for number in (1, 2, 3))]))
    assert [number for number, _ in found] == [0, 1, 2, 3]
    assert found[0][1] == HERE
    assert HERE not in [process for _, process in found[1:]]


def test_an_interrupt_keeps_what_a_copy_has_done(copies):
    reading, writing = os.pipe()

    def interrupted():
        os.read(reading, 1)
        raise KeyboardInterrupt

    def known():
        os.write(writing, b"x")

    def endless():
        while True:
            pass

    found = []
    going = as_done([interrupted, lambda: "done", known, endless])
    with pytest.raises(KeyboardInterrupt):
        found.extend(going)
    assert found[0] == (1, "done")
    assert_ended(copies)


def test_a_copy_leaves_nothing_behind_here_and_no_process(copies):
    seen = []
    assert beside([partial(seen.append, 1), partial(seen.append, 2)]) == [None, None]
    assert seen == [1]
    assert_ended(copies)


def test_what_a_dead_copy_had_to_do_is_done_here():
    def die():
        if os.getpid() != HERE:
            os._exit(1)
        return "here"

    assert beside([lambda: 0, die, lambda: 2]) == [0, "here", 2]


def test_all_is_done_here_where_there_is_no_room_for_a_copy(monkeypatch):
    def full():
        raise BlockingIOError("no more processes")

    monkeypatch.setattr(os, "fork", full)
    assert beside([partial(numbered, number) for number in range(3)]) == [(number, HERE) for number in range(3)]


def test_an_error_of_a_copy_is_raised_here():
    def fail():
        raise ValueError("wrong")

    with pytest.raises(ValueError, match="wrong"):
        beside([lambda: 0, fail])


def test_an_interrupt_ends_the_copy_at_once(copies):
    def interrupted():
        raise KeyboardInterrupt

    def endless():
        while True:
            pass

    with pytest.raises(KeyboardInterrupt):
        beside([interrupted, endless])
    assert_ended(copies)


def test_no_work_has_no_results():
    assert beside([]) == []


def test_work_within_such_work_makes_no_copies_of_its_own(copies):
    def inner():
        return beside([os.getpid, os.getpid])

    found = beside([inner, inner])
    assert all(len(set(each)) == 1 for each in found)
    assert_ended(copies)


def test_more_works_than_a_pipe_has_numbers_for_are_shared_in_turn(copies):
    count = 2**11 + 3
    found = beside([partial(numbered, number) for number in range(count)])
    assert [number for number, _ in found] == list(range(count))
    assert len(copies) == 2
