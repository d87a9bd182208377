"""The value without a source on which an answer of a ready scenario was found to depend most.

What was found is kept in `validation/depends.json`, which `python benchmarks/unsourced.py` makes. It counts for a
scenario only as long as its text is the same, and the value in the catalogue, with its basis.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path

from simio.errors import SimioError
from simio.loading.catalogue import catalogue, data_root
from simio.loading.parts import default_text
from simio.result.uncertainty import Guess

FILE = "depends.json"


def depends_file() -> Path:
    """The file of what was found."""
    return Path(data_root("simio.validation")) / FILE


def text_hash(text: str) -> str:
    """The hash of a scenario's text by which the file knows it."""
    return sha256(text.encode()).hexdigest()[:16]


def guess_of(path: str, text: str, cases: Iterable[int]) -> Guess | None:
    """The value on which any of these cases depends most; None where nothing was found that still holds."""
    file = depends_file()
    known = json.loads(file.read_text()).get(Path(path).stem) if file.is_file() else None
    if known is None or known["text"] != text_hash(text):
        return None
    found = [Guess(*row) for row in known["depends"]]
    wanted = set(cases)
    still = [guess for guess in found if guess.case in wanted and _holds(guess)]
    return max(still, key=lambda guess: guess.change, default=None)


def _holds(guess: Guess) -> bool:
    """True if the value is in the catalogue as it was, and still without a source."""
    part, key = guess.name.rsplit(".", 1)
    try:
        entry = catalogue().sheet(part)
        value = entry.values.get(key)
        now = (value.text, value.basis) if value else (default_text(entry.sheet, key), "default")
    except (SimioError, KeyError):
        return False
    return now == (guess.written, guess.basis)
