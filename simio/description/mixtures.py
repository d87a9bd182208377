"""One size, or a mixture: sizes with weights, from which each request draws one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import GetJsonSchemaHandler

from simio.description.quantities import Quantity, refusal, show

MOST_SIZES = 64
MOST_WEIGHT = 2**31 - 1

Mixture = tuple[tuple[int, int], ...]
"""Sizes in bytes, each with its weight."""


@dataclass(frozen=True)
class MixedSize(Quantity):
    """A size, or a mapping of sizes to weights; read as int, or as pairs of size and weight in ascending order.

    A mapping of a single size is that size.
    """

    @property
    def wanted(self) -> str:
        return f"{super().wanted}, or sizes with weights such as {{4 KiB: 70, 64 KiB: 30}}"

    def read(self, value: object, *, from_text: bool = False) -> Any:
        if isinstance(value, tuple) and not from_text:
            return self._mixture(dict(value), from_text)
        if not isinstance(value, Mapping):
            return super().read(value, from_text=from_text)
        return self._mixture(value, from_text)

    def _mixture(self, given: Mapping[Any, object], from_text: bool) -> int | Mixture:
        weights: dict[int, int] = {}
        for text, weight in given.items():
            size = int(super().read(text, from_text=from_text))
            if isinstance(weight, bool) or not isinstance(weight, int) or not 1 <= weight <= MOST_WEIGHT:
                wrong = f"the weight {show(weight)} of {show(text)}"
                raise refusal(wrong, f"a whole number from 1 to {MOST_WEIGHT}")
            if size in weights:
                raise refusal(f"{show(text)} again", "each size once")
            weights[size] = weight
        if not 1 <= len(weights) <= MOST_SIZES:
            raise refusal(f"a mapping of {len(weights)} sizes", f"from 1 to {MOST_SIZES} sizes with weights")
        return next(iter(weights)) if len(weights) == 1 else tuple(sorted(weights.items()))

    def __get_pydantic_json_schema__(self, schema: Any, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        size = super().__get_pydantic_json_schema__(schema, handler)
        weight = {"type": "integer", "minimum": 1}
        names = {"pattern": self.pattern}
        mixture = {
            "type": "object",
            "propertyNames": names,
            "additionalProperties": weight,
            "minProperties": 1,
        }
        return {"anyOf": [size, mixture], "examples": [self.example]}


Sizes = Annotated[int | Mixture, MixedSize("size", positive=True)]
"""A size above zero, or sizes with weights."""
OptionalSizes = Annotated[int | Mixture | None, MixedSize("size", positive=True, word="none")]
"""The same, or none."""
