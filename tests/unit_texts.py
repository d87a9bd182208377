"""Texts with a unit, and the values or problems that reading them gives."""

import pytest

from simio.units import UnitError, parse


def refusal(text, dimension):
    with pytest.raises(UnitError) as caught:
        parse(text, dimension)
    return str(caught.value)


def read(text, dimension):
    try:
        return parse(text, dimension), None
    except UnitError as error:
        return None, error
