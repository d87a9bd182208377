"""The steps of a program, as tests write them."""

from __future__ import annotations

from simio.program.steps import Op, Program


def rows(program: Program) -> list[tuple[int, ...]]:
    """Steps without the zeros that fill the columns."""
    width = {
        Op.END: 0, Op.ADVANCE: 4, Op.SEIZE: 3, Op.RELEASE: 2, Op.PUT: 3, Op.GET: 3, Op.FORK: 5, Op.JOIN: 0,
        Op.JUMP: 1, Op.LOOP: 2, Op.BRANCH: 5, Op.LET: 6, Op.MARK: 3, Op.DRAW: 2, Op.CALL: 5,
    }  # fmt: skip
    for row in program.steps.tolist():
        assert not any(row[1 + width[Op(row[0])] :])
    return [tuple(row[: 1 + width[Op(row[0])]]) for row in program.steps.tolist()]
