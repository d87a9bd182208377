"""Single steps of a drive whose media has read errors, worked out by hand; times in ps."""

from __future__ import annotations

import pytest
from disk_state import BASE, command, dirty, drive, put, segment
from disk_state import reading as being_read
from hypothesis import given
from hypothesis import strategies as st

from simio.machines.disk import arm, destaging, queue, reading
from simio.machines.disk import layout as c
from simio.machines.door import Called, call
from simio.machines.failing import calls, media
from simio.machines.failing import layout as f
from simio.machines.failing.bad import bad_at, errors_at, first_bad, forget, learn

SLOTS = 4
WORDS = {name: at for name, at in vars(f).items() if isinstance(at, int)}


def failing(retries: int = 3, rereads: int = 1, **options: object) -> list[int]:
    """The small drive with its errors; its media reads from sector 100 on, which is noted."""
    state = drive() + f.initial(SLOTS, retries, rereads, **options)  # type: ignore[arg-type]
    being_read(state)
    media.note_pass(state, BASE, errors_at(state, BASE))
    return state


def errors(state: list[int], **words: int) -> int:
    """Set words of the errors by name; where they stand."""
    e = errors_at(state, BASE)
    for name, value in words.items():
        state[e + WORDS[name.upper()]] = value
    return e


def look(state: list[int], *names: str) -> tuple[int, ...]:
    return tuple(state[errors_at(state, BASE) + WORDS[name.upper()]] for name in names)


def of_pass(state: list[int]) -> tuple[int, ...]:
    s = segment(state, 0)
    return tuple(state[s + at] for at in (c.ORIGIN, c.START, c.PHASE, c.STOP))


def known(state: list[int]) -> list[tuple[int, int]]:
    e = errors_at(state, BASE)
    table = bad_at(state, e, BASE)
    rows = range(table, table + f.BAD_COLUMNS * state[e + f.KNOWN], f.BAD_COLUMNS)
    return [(state[row], state[row + 1]) for row in rows]


# --- which sectors are known to be bad -----------------------------------------------------------------------


@given(
    st.lists(
        st.one_of(
            st.tuples(st.just("learn"), st.integers(0, 40), st.just(0)),
            st.tuples(st.just("forget"), st.integers(0, 40), st.integers(0, 12)),
            st.tuples(st.just("first"), st.integers(0, 41), st.just(0)),
        ),
        max_size=40,
    )
)
def test_bad_sectors_are_a_set_of_which_the_first_is_asked_for(steps: list[tuple[str, int, int]]) -> None:
    state = failing(unreadable=(30, 7), marginal=(12,))
    e = errors_at(state, BASE)
    bad = {30: 1, 7: 1, 12: 0}
    for step, sector, count in steps:
        if step == "learn" and sector not in bad:
            learn(state, BASE, e, sector)
            bad[sector] = 1
        elif step == "forget":
            forget(state, BASE, e, sector, sector + count)
            bad = {at: hard for at, hard in bad.items() if not sector <= at < sector + count}
        elif step == "first":
            row = first_bad(state, BASE, e, sector)
            behind = [at for at in bad if at >= sector]
            assert (state[row] if row >= 0 else None) == min(behind, default=None)
        assert sorted(known(state)) == sorted(bad.items())


def test_a_full_table_forgets_what_it_learnt_first() -> None:
    state = failing(unreadable=tuple(range(f.BAD_ROWS)))
    e = errors_at(state, BASE)
    for sector in (1000, 1001):
        learn(state, BASE, e, sector)
    found = {sector for sector, _ in known(state)}
    assert found == set(range(2, f.BAD_ROWS)) | {1000, 1001}
    errors(state, oldest=f.BAD_ROWS - 1)
    learn(state, BASE, e, 1002)
    assert look(state, "known", "oldest") == (f.BAD_ROWS, 0)


def test_what_is_written_can_be_read_again() -> None:
    state = failing(unreadable=(99, 100, 109, 110))
    put(state, BASE, chunk=dirty(state, 1, 100, 120), chunk_end=110)
    media.about_to_be_written(state, BASE)
    assert sorted(known(state)) == [(99, 1), (110, 1)]
    put(state, BASE, chunk=-1)
    media.about_to_be_written(state, BASE)
    assert sorted(known(state)) == [(99, 1), (110, 1)]


# --- how far the next error is off ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("soft", "hard", "bad", "found"),
    [
        (f.NEVER, f.NEVER, (), f.NEVER),
        (f.NEVER, f.NEVER, (99, 104, 102), 102),
        (5, f.NEVER, (), 105),
        (5, 3, (), 103),
        (5, 3, (102,), 102),
        (f.WANTED, f.WANTED, (104,), 104),
        (0, f.WANTED, (100,), 100),
    ],
)
def test_the_next_error_is_the_nearest(soft: int, hard: int, bad: tuple[int, ...], found: int) -> None:
    state = failing(unreadable=bad)
    e = errors(state, soft=soft, hard=hard)
    assert media.next_bad(state, BASE, e) == found


@pytest.mark.parametrize(("before", "after"), [(15, 5), (10, 0), (4, 0), (f.NEVER, f.NEVER), (f.WANTED, f.WANTED)])
def test_what_is_read_brings_errors_by_chance_nearer(before: int, after: int) -> None:
    state = failing()
    e = errors(state, soft=before, hard=before)
    media.count(state, e, 110)
    assert look(state, "at", "soft", "hard") == (110, after, after)


def test_who_has_to_be_told_where_the_next_error_is() -> None:
    state = failing(soft=True, hard=True)
    assert media.wanted_draws(state, BASE) == 3
    assert media.set_distance(state, BASE, 1, 0) == 0
    assert (media.wanted_draws(state, BASE), look(state, "soft")) == (2, (0,))
    assert media.set_distance(state, BASE, 2, f.NEVER - 1) == 0
    assert (media.wanted_draws(state, BASE), look(state, "hard")) == (0, (f.NEVER - 1,))
    assert media.set_distance(state, BASE, 1, -1) == media.set_distance(state, BASE, 1, f.NEVER) == -1
    assert media.wanted_draws(failing(), BASE) == 0


def test_a_pass_is_counted_from_where_it_begins() -> None:
    state = failing()
    e = errors_at(state, BASE)
    assert look(state, "pass", "pass_origin", "pass_phase", "at") == (segment(state, 0), 100, -12_000, 100)
    media.count(state, e, 108)
    media.note_pass(state, BASE, e)
    assert look(state, "at") == (108,)
    # The media begins anew, there or elsewhere.
    for words in ({"origin": 104}, {"phase": -11_000}):
        state = failing()
        media.count(state, e, 108)
        s = segment(state, 0, **words)
        media.note_pass(state, BASE, e)
        assert look(state, "at") == (state[s + c.ORIGIN],)
    # It has stopped, is written to, or is nowhere.
    for words in ({"stop": 106}, {"stop": 0}, {"kind": c.DIRTY}):
        state = failing()
        segment(state, 0, **words)
        media.note_pass(state, BASE, e)
        assert look(state, "pass") == (-1,)
    put(state, BASE, active=-1)
    media.note_pass(state, BASE, e)
    assert look(state, "pass") == (-1,)


# --- coming across an error ----------------------------------------------------------------------------------


def test_the_media_finds_out_when_the_head_has_gone_over_the_sector() -> None:
    # Sector 105 is there from 1000 to 1100, and again from 2000 on.
    state = failing(marginal=(105,))
    media.catch_up(state, BASE, 1099)
    assert (look(state, "at", "recovered", "lost"), of_pass(state)) == ((105, 0, 0), (100, 500, -12_000, -1))
    media.catch_up(state, BASE, 1100)
    assert (look(state, "at", "recovered", "lost"), of_pass(state)) == (
        (106, 1, 1000),
        (105, 2000, -11_000, -1),
    )
    # It is not come across a second time, and the pass goes on: sector 107 has been read at 2300.
    media.catch_up(state, BASE, 2300)
    assert (look(state, "at", "recovered"), of_pass(state)) == ((108, 1), (105, 2000, -11_000, -1))
    assert look(state, "pass_origin", "pass_phase") == (105, -11_000)


def test_reading_again_takes_as_many_revolutions_as_it_was_said() -> None:
    state = failing(retries=4, rereads=4, marginal=(105,))
    media.catch_up(state, BASE, 1200)
    assert (look(state, "recovered", "lost"), of_pass(state)) == ((1, 4000), (105, 5000, -8000, -1))
    # More than the drive tries: nobody wants the sector, and reading ahead ends there.
    state = failing(retries=3, rereads=4, marginal=(105,))
    media.catch_up(state, BASE, 1200)
    assert (look(state, "recovered", "lost", "pass"), of_pass(state)) == (
        (0, 0, -1),
        (100, 1100, -12_000, 105),
    )


@pytest.mark.parametrize(
    ("end", "owner", "gave_up", "start"),
    [(105, 0, 0, 1100), (106, 0, 106, 4100), (140, 0, 106, 4100), (140, -1, 0, 1100), (140, 1, 0, 1100)],
)
def test_the_drive_tries_again_for_who_wants_the_sector(end: int, owner: int, gave_up: int, start: int) -> None:
    # It has been passed at 1100; three revolutions later the drive gives up.
    state = failing(unreadable=(105,))
    put(state, BASE, owner=owner)
    command(state, 0, status=c.SERVED, place=segment(state, 0), next=100, end=end)
    command(state, 1, status=c.SERVED, place=segment(state, 1), next=100, end=end)
    media.catch_up(state, BASE, 1100)
    assert of_pass(state) == (100, start, -12_000, 105)
    e = errors_at(state, BASE)
    assert state[e + f.GAVE_UP : e + f.GAVE_UP + SLOTS] == [gave_up, 0, 0, 0]
    assert look(state, "lost", "pass", "unreadable") == (3000 if gave_up else 0, -1, 0)


def test_an_error_by_chance_is_over_once_it_is_recovered() -> None:
    state = failing()
    errors(state, soft=5)
    media.catch_up(state, BASE, 1100)
    assert (look(state, "soft", "recovered", "at"), known(state)) == ((f.WANTED, 1, 106), [])


def test_an_unrecoverable_error_by_chance_is_remembered() -> None:
    for bad in ((), (105,)):
        state = failing(unreadable=bad)
        errors(state, hard=5, soft=9)
        media.catch_up(state, BASE, 1100)
        assert (look(state, "hard", "soft", "recovered"), known(state)) == ((f.WANTED, 4, 0), [(105, 1)])
        assert of_pass(state)[3] == 105
    # One that is recoverable is none where the sector cannot be read.
    state = failing(unreadable=(105,))
    errors(state, soft=5)
    media.catch_up(state, BASE, 1100)
    assert look(state, "soft", "recovered") == (f.WANTED, 0)


# --- what a command is told ----------------------------------------------------------------------------------


def test_the_time_until_sectors_are_there_has_the_errors_in_them() -> None:
    # Eight sectors end at 1300, a revolution later with one that is read again; it is known before it is passed.
    for bad, time in (((), 700), ((108,), 700), ((105,), 1700), ((105, 107), 2700)):
        state = failing(marginal=bad)
        command(state, 0, status=c.SERVED, place=segment(state, 0), next=108, end=120)
        assert media.after_next(state, BASE, 600, 0, 700) == time
    # The sectors before the one that is being read again are there.
    state = failing(marginal=(105,))
    media.catch_up(state, BASE, 1200)
    own = command(state, 0, status=c.SERVED, place=segment(state, 0), next=105, end=120)
    assert media.after_next(state, BASE, 1200, 0, 9) == 9
    state[own + c.NEXT] = 106
    assert media.after_next(state, BASE, 1200, 0, 9) == 900
    assert media.after_next(state, BASE, 3000, 0, 9) == 0
    # Of another segment the disk knows.
    state[own + c.PLACE] = segment(state, 1)
    assert media.after_next(state, BASE, 1200, 0, 9) == 9


def test_a_command_that_fails_is_told_when_the_drive_gives_up() -> None:
    state = failing(unreadable=(105,))
    command(state, 1, status=c.SERVED, place=segment(state, 0), next=108, end=120)
    assert [media.failed(state, BASE, tag) for tag in (-1, 0, 1, SLOTS)] == [-1, 0, 0, -1]
    assert media.after_next(state, BASE, 600, 1, 700) == 4100 - 600
    assert [media.failed(state, BASE, tag) for tag in (0, 1, SLOTS - 1)] == [0, 1, 0]
    assert look(state, "unreadable", "lost") == (1, 3000)
    assert media.fails(state, BASE, 9000, 1) == 0


@pytest.mark.parametrize(
    ("tag", "sectors", "asked"), [(1, 5, True), (1, 6, False), (0, 6, True), (-1, 6, True), (9, 6, True)]
)
def test_what_lies_before_the_sector_can_be_asked_for(tag: int, sectors: int, asked: bool) -> None:
    # The drive has given up on sector 105.
    state = failing()
    state[errors_at(state, BASE) + f.GAVE_UP + 1] = 106
    command(state, 1, status=c.SERVED, place=segment(state, 0), next=100, end=120)
    assert media.before_next(state, BASE, tag, sectors) == asked


@pytest.mark.parametrize(
    ("end", "words", "time", "held"),
    [
        (105, {}, 9, 1), (106, {}, 0, 0), (120, {"pass": -1}, 9, 1), (105, {"soft": f.WANTED}, 0, 0),
        (105, {"hard": f.WANTED}, 0, 0), (105, {"soft": 4}, 0, 0), (105, {"soft": 5}, 9, 1),
    ],
)  # fmt: skip
def test_the_end_of_a_pass_is_told_where_no_error_may_come_before(
    end: int, words: dict[str, int], time: int, held: int
) -> None:
    state = failing(unreadable=(105,))
    errors(state, **words)
    own = command(state, 0, status=c.SERVED, place=segment(state, 0), next=100, end=end, held=1)
    assert media.after_media(state, BASE, 0, 9) == time
    assert state[own + c.HELD] == held
    # Where the disk says nothing, nothing changes.
    assert media.after_media(state, BASE, 0, 0) == 0
    assert state[own + c.HELD] == held


# --- a drive that is asked as any other ----------------------------------------------------------------------


def ask(state: list[int], now: int, function: Called, a: int = 0, b: int = 0) -> int:
    return call(calls.OF_DISK[function], state, BASE, now, a, b)


def asked(**options: object) -> list[int]:
    """A drive that stands on the track of sector 100, of which ten sectors from there are to be read."""
    state = drive() + f.initial(SLOTS, 3, 1, **options)  # type: ignore[arg-type]
    put(state, BASE, here=10)
    state[errors_at(state, BASE) + f.GAVE_UP] = -9
    assert ask(state, 0, queue.enqueue, 100, 20) == 0
    assert ask(state, 0, reading.begin, 0) == 2
    return state


def test_a_read_without_errors_is_as_of_any_drive() -> None:
    # Sector 100 comes around at 500, and the track ends at 1500.
    state = asked()
    assert ask(state, 0, arm.media_time, 0) == 1500
    assert ask(state, 0, reading.next_unit, 0, 10) == 1500
    assert ask(state, 1500, arm.free, 0) == 0
    assert ask(state, 1500, reading.end, 0) == 0
    assert ask(state, 1500, reading.end, 0) == -1
    assert look(state, "recovered", "lost", "unreadable") == (0, 0, 0)
    assert call(calls.FAILED, state, BASE, 1500, 0, 0) == 0


def test_a_read_with_a_sector_that_is_read_again() -> None:
    state = asked(marginal=(105,))
    assert ask(state, 0, arm.media_time, 0) == 0
    assert ask(state, 0, reading.next_unit, 0, 10) == 2500
    assert look(state, "recovered", "lost") == (1, 1000)
    assert ask(state, 2500, reading.end, 0) == 0


def test_a_read_of_a_sector_that_cannot_be_read() -> None:
    # It has been passed at 1100; what comes before is there, and the drive gives up at 4100.
    state = asked(unreadable=(105,))
    assert ask(state, 0, reading.next_unit, 0, 5) == 1000
    assert ask(state, 1200, reading.next_unit, 0, 5) == 2900
    assert call(calls.FAILED, state, BASE, 1200, 0, 0) == 1
    assert look(state, "unreadable", "lost") == (1, 3000)
    assert ask(state, 4100, reading.end, 0) == 0
    # The next command in its place has not failed.
    assert ask(state, 4100, queue.enqueue, 0, 20) == 0
    assert call(calls.FAILED, state, BASE, 4100, 0, 0) == 0


def test_whatever_is_asked_the_media_has_come_across_what_it_passed() -> None:
    state = asked(marginal=(105,))
    ask(state, 1099, queue.controller_time, 0, 1)
    assert look(state, "recovered") == (0,)
    ask(state, 1100, queue.controller_time, 0, 1)
    assert look(state, "recovered") == (1,)


def test_what_has_been_written_is_forgotten_when_it_has() -> None:
    state = failing(unreadable=(99, 100, 109, 110))
    put(state, BASE, chunk=dirty(state, 1, 100, 120), chunk_end=110, owner=c.DESTAGING, active=-1)
    ask(state, 0, queue.controller_time, 0, 1)
    assert len(known(state)) == 4
    assert ask(state, 1500, destaging.written) == 0
    assert sorted(known(state)) == [(99, 1), (110, 1)]


def test_errors_by_chance_are_asked_for_and_told() -> None:
    state = asked(soft=True, hard=True)
    assert call(calls.WANTS, state, BASE, 0, 0, 0) == 3
    assert call(calls.SET_DISTANCE, state, BASE, 0, 2, 8) == 0
    assert call(calls.WANTS, state, BASE, 0, 0, 0) == 1
    assert call(calls.SET_DISTANCE, state, BASE, 0, 1, 4) == 0
    assert look(state, "soft", "hard") == (4, 8)


def test_a_drive_with_errors_cannot_be_asked_too_late_either() -> None:
    state = asked()
    assert ask(state, c.LATEST, queue.controller_time, 0, 1) >= 0
    assert ask(state, c.LATEST + 1, queue.controller_time, 0, 1) == -1
