"""A player and its buffer: which frames are late and by how much, when blocks come at given times."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import example, given, settings
from hypothesis import strategies as st

from simio.components.network.playout import Playout, Told
from simio.engines import compiled, reference
from simio.program.builder import Builder

US = 1_000_000
FRAME = 100


def played(
    gaps: Sequence[int], frames: int, buffer: int = 1 << 20, prefill: int = FRAME, block: int = FRAME
) -> dict[str, list[tuple[int, int]]]:
    """(time in us, value) of every mark, of frames 10 us apart; a block takes each of `gaps` us to get.

    The source begins with the next when there is room for it. Both engines agree.
    """
    p = Builder()
    playout = Playout(p, "play", buffer, FRAME, 10 * US)
    told = Told(p, "play", p.observation("delivered", "delivered", "bytes"))
    with p.thread("source"):
        for gap in gaps:
            p.get(playout.room, block)
            p.advance(gap * US)
            playout.fill(block)
    with p.thread("player"):
        playout.play(frames, prefill, told)
    program = p.build()
    outcome = reference.run(program)
    assert outcome.differences(compiled.run(program)) == []
    assert outcome.status == 0
    found: dict[str, list[tuple[int, int]]] = {mark.name: [] for mark in program.marks}
    for time, mark, value in outcome.marks.tolist():
        found[program.marks[mark].name].append((time // US, value))
    found["end"] = [(outcome.end // US, 0)]
    (tally,) = program.tallies
    assert outcome.state[tally.at] == len(found["play: late"])
    levels = {row.name: int(outcome.containers[at, 0]) for at, row in enumerate(program.containers)}
    assert levels["play buffer"] + levels["play room"] == buffer
    assert sum(size for _, size in found["delivered"]) + levels["play buffer"] == len(gaps) * block
    return found


def lates(found: dict[str, list[tuple[int, int]]]) -> list[int]:
    """By how many us frames were late."""
    return [value // US for _, value in found["play: late"]]


def test_a_source_too_slow_makes_each_frame_late_by_what_it_lacks():
    # Frames come at 30, 60 and 90; the second is due at 40, and the third 10 after the second was shown, at 70.
    found = played([30, 30, 30], frames=3)
    assert found["delivered"] == [(30, 100), (60, 100), (90, 100)]
    assert lates(found) == [20, 20]
    assert found["end"] == [(100, 0)]


def test_after_a_late_frame_the_clock_goes_on_from_there():
    # They come at 10, 35 and 40. The second is due at 20; the third then at 45, and not at 30.
    found = played([10, 25, 5], frames=3)
    assert found["delivered"] == [(10, 100), (35, 100), (45, 100)]
    assert lates(found) == [15]


def test_a_frame_that_comes_when_it_is_due_is_not_late():
    assert lates(played([10, 10, 10, 10], frames=4)) == []


def test_playing_begins_when_enough_is_there():
    found = played([30, 30, 30], frames=3, prefill=300)
    assert found["delivered"] == [(90, 100), (100, 100), (110, 100)]
    assert lates(found) == []
    # It waited for 90 us, and tells that in the end.
    assert found["play: begins after"] == [(120, 90 * US)]


def test_a_frame_of_several_blocks_is_there_with_the_last_of_them():
    # Blocks of 40 come at 20, 40, 60, ...: 100 bytes are there at 60, 200 at 100, 300 at 160.
    found = played([20] * 8, frames=3, block=40)
    assert found["delivered"] == [(60, 100), (100, 100), (160, 100)]
    assert lates(found) == [30, 50]


def test_the_level_is_told_until_all_has_come():
    # Blocks come at 6, 12, ... 36. The player begins with three at 18, and has three again at 24; when it takes its
    # third frame, at 38, nothing more is to come.
    found = played([6] * 6, frames=6, prefill=300)
    assert found["play: buffer"] == [(18, 200), (28, 200)]


def test_a_full_buffer_makes_the_source_wait():
    # Room for two: at 5 and 10 blocks come and the player begins; the next comes 5 after a frame has left, and so on.
    found = played([5] * 5, frames=5, buffer=200, prefill=200)
    assert found["delivered"] == [(time, 100) for time in (10, 20, 30, 40, 50)]
    assert max(level for _, level in found["play: buffer"]) == 100


@settings(max_examples=60)
@given(
    gaps=st.lists(st.integers(0, 60), min_size=4, max_size=20),
    less=st.integers(2, 6),
    more=st.integers(0, 6),
    prefill=st.integers(1, 2),
)
@example(gaps=[0, 0, 0, 0, 60, 0, 0, 0], less=2, more=3, prefill=2)
def test_a_larger_buffer_never_makes_players_wait_longer(gaps: list[int], less: int, more: int, prefill: int) -> None:
    small, large = (played(gaps, len(gaps), blocks * FRAME, prefill * FRAME) for blocks in (less, less + more))
    assert sum(lates(large)) <= sum(lates(small))
    assert large["end"] <= small["end"]


def test_a_buffer_bridges_what_a_source_lacks_for_a_time():
    # Two quick blocks a frame's time, then none for 60 us; the buffer needs what is played meanwhile.
    gaps = [5] * 12 + [60] + [5] * 12
    counts = [len(lates(played(gaps, len(gaps), blocks * FRAME, prefill=200))) for blocks in (2, 3, 4, 6, 8, 10)]
    assert counts == sorted(counts, reverse=True)
    assert counts[0] > 0
    assert counts[-1] == 0
