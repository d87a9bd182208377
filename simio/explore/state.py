"""The state of the page as the query of its address, and back: `?scenario=name&key=value&…&axis=key`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, quote, urlencode

from simio.errors import SimioError

SCENARIO, AXIS = "scenario", "axis"
"""Names in the query that are no key paths."""
MOST = 8192
"""Characters of a query that is read."""


@dataclass(frozen=True)
class PageState:
    """A scenario by name (or none), values by key path, and the key path of the curve's axis (or none)."""

    scenario: str = ""
    values: Mapping[str, str] = field(default_factory=dict)
    axis: str = ""

    @property
    def query(self) -> str:
        """The query of an address that shows this, with its question mark."""
        pairs = [(SCENARIO, self.scenario), *self.values.items()]
        pairs += [(AXIS, self.axis)] if self.axis else []
        return "?" + urlencode(pairs, quote_via=quote, safe="./")


def read_state(query: str) -> PageState:
    """The state that a query says; raises SimioError for one that nobody's page has written."""
    if len(query) > MOST:
        raise SimioError(f"the address is too long: {len(query):,} characters, at most {MOST:,}")
    try:
        pairs = parse_qsl(
            query.removeprefix("?"), keep_blank_values=True, strict_parsing=bool(query), max_num_fields=200
        )
    except ValueError as error:
        raise SimioError(f"the address cannot be read: {error}") from None
    found = dict(pairs)
    if len(found) < len(pairs):
        raise SimioError("the address says something twice")
    scenario, axis = found.pop(SCENARIO, ""), found.pop(AXIS, "")
    return PageState(scenario, found, axis)
