"""Cost of a configuration: prices of settings, and of the parts that it is made of. A price is a plain number."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from simio.description.model import System
from simio.description.parts import parts
from simio.errors import Problem, ScenarioError, SimioError, did_you_mean, quote
from simio.loading.catalogue import catalogue
from simio.loading.problems import place_of
from simio.loading.yamltree import parse_yaml
from simio.reading import read_file
from simio.sweeps.space import Settings
from simio.sweeps.values import number_of


@dataclass(frozen=True)
class Price:
    """The price of a setting: so much for each of its `values`, or so much for each unit of `per` that it has."""

    key: str
    values: Mapping[str, float] = field(default_factory=dict)
    per: tuple[float, Fraction, str | None] | None = None

    def of(self, value: str) -> float:
        """The price of a value. Raises SimioError where it has none."""
        if self.per is None:
            if value not in self.values:
                known = ", ".join(self.values)
                raise SimioError(f"--cost {self.key}: found no price for {quote(value)}; there are {known}")
            return self.values[value]
        price, unit, dimension = self.per
        found = number_of(value)
        if found is None or found[1] != dimension:
            wanted = "a number" if dimension is None else f"a {dimension.replace('_', ' ')}"
            raise SimioError(f"--cost {self.key}: found the value {quote(value)}; its price is for {wanted}")
        return price * float(found[0] / unit)


@dataclass(frozen=True)
class Prices:
    """Prices of settings, and of parts by the name of their model."""

    settings: Sequence[Price] = ()
    models: Mapping[str, float] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.settings or self.models)

    def of(self, settings: Settings, system: System) -> float:
        """The cost of a configuration. A part without a price costs nothing; a value without one is a SimioError."""
        chosen = sum(price.of(settings[price.key]) for price in self.settings)
        return chosen + sum(self.models.get(part.model, 0.0) for part in parts(system))


def price(text: str) -> Price:
    """`key=2.5` a unit of a number, `key=2.5/MiB` a unit of a quantity, or `key=a:100,b:250`. Raises SimioError."""
    key, equals, told = (each.strip() for each in text.partition("="))
    wanted = "expected key=PRICE, key=PRICE/UNIT or key=VALUE:PRICE,VALUE:PRICE"
    if not equals or not key or not told:
        raise SimioError(f"--cost: found {quote(text)}; {wanted}")
    amount, slash, unit = told.partition("/")
    if (number := _amount(amount)) is not None:
        if not slash:
            return Price(key, per=(number, Fraction(1), None))
        found = number_of(f"1 {unit.strip()}")
        if found and found[1]:
            return Price(key, per=(number, found[0], found[1]))
        raise SimioError(f"--cost {key}: found the unit {quote(unit)}; expected one such as in 2.5/MiB")
    values = {}
    for piece in told.split(","):
        value, colon, amount = piece.rpartition(":")
        number = _amount(amount)
        if not colon or number is None:
            raise SimioError(f"--cost {key}: found {quote(piece)}; {wanted}")
        values[value.strip()] = number
    return Price(key, values)


def _amount(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def price_list(path: str) -> dict[str, float]:
    """The prices of parts in a YAML file, a number for each model's name. Raises ScenarioError with every problem."""
    root = parse_yaml(read_file(path), path)
    problems: list[Problem] = []
    if root.kind != "map":
        raise ScenarioError(Problem("", "no mapping", "a price for each model's name", place=root.place))
    known = catalogue().names()
    prices = {}
    for name, node in root.entries.items():
        if name not in known and not name.startswith(("./", "../", "/")):
            near = did_you_mean(name, known)
            problems.append(
                Problem(name, "the unknown model", "a model of the catalogue", near, place_of(root, name))
            )
        elif isinstance(node.value, bool) or not isinstance(node.value, int | float):
            problems.append(Problem(name, "no number", "a price such as 1200", place=node.place))
        else:
            prices[name] = float(node.value)
    if problems:
        raise ScenarioError(problems)
    return prices
