"""What was made of objects, for when the same objects come again."""

from __future__ import annotations

from simio.program.identity import ByIdentity


def test_the_same_objects_give_what_was_made_of_them() -> None:
    kept: ByIdentity[list[int]] = ByIdentity(2)
    one, other = (1, 2), [3]
    first = kept.of((one, other), lambda: [1])
    assert kept.of((one, other), lambda: [2]) is first
    assert kept.of((one, [3]), lambda: [3]) == [3]
    assert kept.of((other, one), lambda: [4]) == [4]


def test_objects_that_are_gone_are_not_taken_for_others() -> None:
    kept: ByIdentity[int] = ByIdentity(3)
    for number in range(200):
        # A list that is freed leaves its place in memory to the next.
        assert kept.of(([number],), lambda number=number: number) == number  # type: ignore[misc]


def test_the_last_used_are_kept() -> None:
    kept: ByIdentity[int] = ByIdentity(2)
    objects = [[0], [1], [2]]
    for number in (0, 1, 0, 2):
        kept.of((objects[number],), lambda number=number: number)  # type: ignore[misc]
    assert kept.of((objects[0],), lambda: -1) == 0
    assert kept.of((objects[1],), lambda: -1) == -1
