"""Layout of the words of a machine's state: each declared once, by name.

    WORDS = Layout("queue")
    CAPACITY = WORDS.word("capacity", "packets", about="most that may be in the queue")
    LEVEL = WORDS.word("level", "packets")
    LENGTHS = WORDS.table("lengths", 16, "bytes")

The constants are offsets, plain integers that machine functions use: `state[base + LEVEL]`,
`state[base + LENGTHS + row]`. `WORDS.initial(capacity=8)` is the initial state, for `p.machine(name, state)`, and
`simio show --program` prints a machine's state by these names.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Words:
    """A word of a state, or a table of `count` words; the length of a table may be unknown until a state is made."""

    name: str
    unit: str
    count: int | None
    is_table: bool
    initial: int = 0
    about: str = ""


class State(list[int]):
    """The initial words of a machine, and what they are called; of states in a row, `+` makes one.

    `rows` are more words behind these: a last table of millions, which as a list would take ten times as long.
    """

    def __init__(self, values: Iterable[int] = (), words: tuple[Words, ...] = (), rows: Sequence[int] = ()) -> None:
        super().__init__(values)
        self.words = words
        self.rows = rows

    def __add__(self, other: Iterable[int]) -> State:  # type: ignore[override]  # of a list, whatever its items
        words, rows = (other.words, other.rows) if isinstance(other, State) else ((), ())
        return State([*self, *self.rows, *other], self.words + words, rows)


class Layout:
    """The words of one kind of state, in order."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.words: dict[str, Words] = {}
        self._size: int | None = 0

    @property
    def size(self) -> int:
        """Words that have been declared; raises ValueError behind a table whose length is not known."""
        if self._size is None:
            raise ValueError(f"{self.name}: what follows a table of unknown length has no constant offset")
        return self._size

    def word(self, name: str, unit: str = "", initial: int = 0, about: str = "") -> int:
        """Declare the next word; returns its offset."""
        return self._declare(Words(name, unit, 1, False, initial, about))

    def table(self, name: str, count: int | None = None, unit: str = "", initial: int = 0, about: str = "") -> int:
        """Declare a table of `count` words, or of as many as `Layout.initial` is given; returns its offset."""
        return self._declare(Words(name, unit, count, True, initial, about))

    def include(self, other: Layout) -> int:
        """Declare the words of another layout next, which are kept with these; returns the offset of the first."""
        offset = self.size
        for words in other.words.values():
            self._declare(words)
        return offset

    def later(self, name: str, unit: str = "", about: str = "") -> None:
        """Declare a table behind one of unknown length: the machine has a word that says where it begins."""
        self._add(Words(name, unit, None, True, 0, about))

    def _declare(self, words: Words) -> int:
        offset = self.size
        self._add(words)
        self._size = None if words.count is None else offset + words.count
        return offset

    def _add(self, words: Words) -> None:
        if words.name in self.words:
            raise ValueError(f"{self.name} has two words {words.name!r}")
        self.words[words.name] = words

    def initial(self, **values: Any) -> State:
        """A state with these values; a table may be given in part, and other words have the value they begin with.

        The words of the last table may be an array, which stays one as `State.rows`. Raises ValueError for a name
        that was not declared, for more values than a table has words, and for values behind an array.
        """
        if unknown := values.keys() - self.words.keys():
            raise ValueError(f"{self.name} has no word {', '.join(map(repr, sorted(unknown)))}")
        state: list[int] = []
        names: list[Words] = []
        rows: Sequence[int] = ()
        for words in self.words.values():
            given = values.get(words.name, () if words.is_table else words.initial)
            if isinstance(given, array) and words.count is None and not rows:
                rows = given
                names.append(Words(words.name, words.unit, len(rows), True))
                continue
            own = list(given) if words.is_table else [given]
            count = len(own) if words.count is None else words.count
            if len(own) > count:
                raise ValueError(f"{self.name}: {len(own)} values for {count} words {words.name!r}")
            if own and rows:
                raise ValueError(f"{self.name}: {words.name!r} is behind an array")
            state += own + [words.initial] * (count - len(own))
            names.append(words if words.count == count else Words(words.name, words.unit, count, words.is_table))
        return State(state, tuple(names), rows)
