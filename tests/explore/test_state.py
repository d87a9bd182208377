"""The state of the page as an address."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simio.errors import SimioError
from simio.explore.state import AXIS, SCENARIO, PageState, read_state

KEYS = st.text(min_size=1, max_size=20).filter(lambda key: key not in (SCENARIO, AXIS) and key.isprintable())


@given(st.text(max_size=20), st.dictionaries(KEYS, st.text(max_size=20), max_size=5), st.text(max_size=20))
def test_what_is_written_is_read_again(scenario: str, values: dict[str, str], axis: str) -> None:
    state = PageState(scenario, values, axis)
    assert read_state(state.query) == state


@given(st.text(max_size=200))
def test_whatever_stands_in_an_address_is_read_or_refused(query: str) -> None:
    # Nothing but a SimioError would end the page with less than a message.
    with suppress(SimioError):
        state = read_state(query)
        assert read_state(state.query) == state


def test_an_address_without_a_query_says_nothing() -> None:
    assert read_state("") == PageState()


@pytest.mark.parametrize("query", ["?" + "a" * 9000, "?" + "&".join(f"k{n}=1" for n in range(300)), "?a", "?a=1&a=2"])
def test_what_no_page_has_written_is_refused(query: str) -> None:
    with pytest.raises(SimioError):
        read_state(query)
